import Foundation
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongPlayback

@testable import UndersongService

/// `Documentation/protocol/control.schema.json` is held to the types: all that it permits is decoded
/// and encoded, so that no sample is typed by hand.
@Suite struct `The schema of the control socket` {
    static let notices: [any ControlNotice.Type] = [
        EventNotice.self, SessionEnd.self, ReaderGone.self, AnalysisNotice.self,
        TaskExpiring.self, TaskTerminated.self, RefreshLaunch.self, RefreshExpiring.self,
        RefreshEnded.self, PushReceived.self, PushExpired.self, AppStateChanged.self, AppWoken.self,
        AppTerminating.self, NotificationAnswered.self,
    ]

    private let schema: SchemaSamples

    init() throws { schema = try SchemaSamples(of: "control.schema.json") }

    @Test func `The control socket's schema has exactly the methods and notices of the service`() {
        #expect(schema.methods(of: "request") == Set(WireMethod.all.map(\.name) + ["hello"]))
        #expect(schema.methods(of: "notice") == Set(Self.notices.map { $0.method }))
    }

    @Test(arguments: WireMethod.all.map(\.name) + ["hello"])
    func `The control socket's schema describes a call's parameters and result`(method: String) {
        let call = WireMethod.named[method]?.call ?? Hello.self

        #expect(differences(of: call, method) == [])
    }

    @Test(arguments: notices.map { $0.method }.filter { $0 != "event" })
    func `The control socket's schema describes a notice's parameters`(method: String) throws {
        let notice = try #require(Self.notices.first { $0.method == method })

        #expect(differences(of: notice) == [])
    }

    private func differences<Call: ControlCall>(of call: Call.Type, _ method: String) -> [String] {
        MessageCheck.differences(of: call, schema, method: method)
    }

    private func differences<Notice: ControlNotice>(of notice: Notice.Type) -> [String] {
        MessageCheck.differences(of: notice, schema)
    }
}

@Suite struct `The schema of events` {
    @Test func `The schema of events has exactly the kinds that are written`() throws {
        let schema = try SchemaSamples(of: "events.schema.json")
        let kinds = schema.root["properties"]?["event"]?["enum"]?.elements.compactMap(\.text)

        #expect(kinds?.sorted() == PlayerEvent.Kind.names.sorted())
    }

    @Test func `The schema of events has every problem of the service`() throws {
        let schema = try SchemaSamples(of: "events.schema.json")
        let codes = schema.root["$defs"]?["error"]?["properties"]?["code"]?["enum"]
        let words = codes?.elements.compactMap(\.text) ?? []

        #expect(ServiceProblem.allCases.map(\.rawValue).filter { !words.contains($0) } == [])
    }
}
