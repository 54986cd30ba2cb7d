import TestSupport
import Testing
import UndersongBase
import UndersongPodcasts
import UndersongTransfers

/// `Documentation/protocol/transfers.schema.json` is held to the types, as that of the control socket.
@Suite struct `The schema of undersong-transferd's socket` {
    static let calls: [any ControlCall.Type] = [
        AddTransfer.self, ListTransfers.self, PauseTransfers.self, ResumeTransfers.self,
        CancelTransfers.self, RetryTransfers.self, RemoveTransfers.self, FollowTransfers.self,
        GetTransferLimit.self, SetTransferLimit.self, DeleteFiles.self, OpenStream.self,
        WantStream.self, CloseStream.self, FetchDocument.self, CancelDocument.self,
        OpenLoad.self, AnswerLoad.self, CloseLoad.self,
        OpenSession.self, CloseSession.self, ForegroundSession.self, AddSessionTask.self,
        ResumeSessionTask.self, SuspendSessionTask.self, CancelSessionTask.self,
        DescribeSessionTask.self, AnswerSessionTask.self, NextSessionEvent.self,
        AcknowledgeSessionEvent.self,
    ]
    static let notices: [any ControlNotice.Type] = [
        TransfersChanged.self, StreamChanged.self, DocumentFetched.self, LoadChanged.self,
        SessionChanged.self,
    ]

    private let schema: SchemaSamples

    init() throws { schema = try SchemaSamples(of: "transfers.schema.json") }

    @Test func `The transfers' schema has exactly the methods and notices for other programs`() {
        #expect(schema.methods(of: "request") == Set(Self.calls.map { $0.method }))
        #expect(schema.methods(of: "notice") == Set(Self.notices.map { $0.method }))
    }

    @Test(arguments: calls.map { $0.method })
    func `The transfers' schema describes a call's parameters and result`(method: String) throws {
        let call = try #require(Self.calls.first { $0.method == method })

        #expect(differences(of: call) == [])
    }

    @Test(arguments: notices.map { $0.method })
    func `The transfers' schema describes a notice's parameters`(method: String) throws {
        let notice = try #require(Self.notices.first { $0.method == method })

        #expect(differences(of: notice) == [])
    }

    @Test func `The transfers' schema permits byte ranges, which are kept as they are`() throws {
        let ranges = try #require(schema.definition("ByteRanges"))

        let samples = schema.samples(of: ranges)

        #expect(samples == [.array([.array([.number(1), .number(2)])])])
    }

    private func differences<Call: ControlCall>(of call: Call.Type) -> [String] {
        MessageCheck.differences(of: call, schema)
    }

    private func differences<Notice: ControlNotice>(of notice: Notice.Type) -> [String] {
        MessageCheck.differences(of: notice, schema)
    }
}
