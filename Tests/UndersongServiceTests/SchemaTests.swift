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
        RefreshEnded.self, PushReceived.self, PushExpired.self,
    ]

    private let schema: SchemaSamples

    init() throws { schema = try SchemaSamples(of: "control.schema.json") }

    @Test func `The control socket's schema has exactly the methods and notices of the service`()
        throws
    {
        for (kind, names) in [
            ("request", WireMethod.all.map(\.name) + ["hello"]),
            ("notice", Self.notices.map { $0.method }),
        ] {
            let words = schema.definition(kind)?["properties"]?["method"]?["enum"]
            #expect(Set(words?.elements.compactMap(\.text) ?? []) == Set(names))
        }
    }

    @Test(arguments: WireMethod.all.map(\.name) + ["hello"])
    func `The control socket's schema describes a call's parameters and result`(method: String)
        throws
    {
        let call = WireMethod.named[method]?.call ?? Hello.self

        let differences = try differences(call: call, method)
        #expect(differences == [])
    }

    @Test(arguments: notices.map { $0.method }.filter { $0 != "event" })
    func `The control socket's schema describes a notice's parameters`(method: String) throws {
        let notice = try #require(Self.notices.first { $0.method == method })

        let differences = try parameters(of: notice, method, isSent: true)
        #expect(differences == [])
    }

    private func differences<Call: ControlCall>(
        call: Call.Type, _ method: String
    ) throws -> [String] {
        let name = method + ".result"
        let reply = try #require(schema.definition(name), "\(name) is missing")
        return try parameters(of: call, method, isSent: false)
            + MessageCheck.differences(
                between: Call.Reply.self, and: schema.samples(of: reply), named: name,
                isSent: true)
    }

    private func parameters<Value: Codable>(
        of type: Value.Type, _ method: String, isSent: Bool
    ) throws -> [String] {
        let definition = try #require(schema.definition(method), "\(method) is missing")
        let parameters = definition["properties"]?["params"] ?? .object([:])
        return MessageCheck.differences(
            between: type, and: schema.samples(of: parameters), named: method, isSent: isSent)
    }
}
