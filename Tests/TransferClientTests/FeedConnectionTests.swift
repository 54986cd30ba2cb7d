import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongBase
import UndersongControl
import UndersongPodcasts
import UndersongTransferClient
import UndersongTransfers

/// The connection of podcasts to `undersong-transferd`, which a mock plays.
@Suite final class `The connection of podcasts`: Sendable {
    private let transferd: Transferd
    private let feeds: TransferFeeds

    init() throws {
        transferd = try Transferd()
        var location = TransferLocation(
            session: "default", runtimeFolder: transferd.program.folder, searchPath: nil)
        location.startsProgram = false
        feeds = TransferFeeds(
            location, name: "tests", clock: SystemClock(), characters: { _ in nil })
    }

    deinit { transferd.program.end() }

    @Test func `FeedConnection is closed after each feed, and does not end the next one`()
        async throws
    {
        for _ in 0..<300 { #expect(try await fetch() == 304) }

        try await eventually { transferd.program.openCount == 0 }
        #expect(transferd.program.openedCount > 0)
    }

    @Test func `FeedConnection stays as long as a transfer is asked for`() async throws {
        let answer = transferd.holdTransfer()
        async let status = fetch()
        try await eventually { transferd.lastDocument == 1 }
        var episode = Episode(id: 1, feed: 1, key: "k", title: "t", state: .wanted)
        (episode.url, episode.path) = ("u", "/p")
        async let task = feeds.transfer(episode, .none, isBackground: true)
        let reply = try #require(await answer.first { _ in true })

        #expect(try await status == 304)
        reply(.success(ControlReply(Transferd.transfer)))

        #expect(try await task == Transferd.transfer.id)
        #expect(transferd.program.openedCount == 1)
        try await eventually { transferd.program.openCount == 0 }
    }

    @Test func `FeedConnection stays while somebody follows, until they leave`() async throws {
        #expect(try await feeds.follow { _ in } == [])
        for _ in 0..<2 { #expect(try await fetch() == 304) }
        #expect(transferd.program.openedCount == 1 && transferd.program.openCount == 1)

        feeds.leave()

        try await eventually { transferd.program.openCount == 0 }
    }

    @Test func `FeedConnection is not kept for a follower that was refused`() async throws {
        transferd.refuseFollowers()
        await #expect(throws: FeedNetworkError.self) { try await feeds.follow { _ in } }

        #expect(try await fetch() == 304)

        try await eventually { transferd.program.openCount == 0 }
    }

    @Test func `FeedConnection hands on the place and the character set of a feed`() async throws {
        let item = "<item><guid>1</guid><enclosure url='../1.mp3'/></item>"
        transferd.answer("<rss><channel><title>Café</title>\(item)</channel></rss>") {
            ($0.status, $0.url, $0.charset) = (200, "http://b/f/feed", "iso-8859-1")
        }

        let response = await feeds.fetch(FetchDocument(url: "http://a/feed"), within: 60)

        guard case .feed(let head)? = response.document else {
            Issue.record("\(response.answer)")
            return
        }
        #expect(head.title == "Café")
        #expect(response.entries.first?.enclosures.map(\.url) == ["http://b/1.mp3"])
    }

    private func fetch() async throws -> Int? {
        await feeds.fetch(FetchDocument(url: "http://a/feed"), within: 60).answer.status
    }
}

/// The answers of a mock `undersong-transferd`. No feed has changed, unless there is a document.
private final class Transferd: Sendable {
    private struct State {
        var lastDocument = 0
        var refusesFollowers = false
        var held: AsyncStream<MockTransferd.Reply>.Continuation?
        /// Reports a document, once a transfer is asked for.
        var report: (@Sendable () -> Void)?
        var body: [UInt8] = []
        var fill: @Sendable (inout DocumentAnswer) -> Void = { $0.status = 304 }
    }

    static let transfer = TransferStatus(id: 7, url: "u", path: "/p", state: .waiting, received: 0)

    let program: MockTransferd
    private let state: SharedState

    init() throws {
        let state = SharedState()
        self.state = state
        program = try MockTransferd { state.answer($0, $1, $2) }
    }

    var lastDocument: Int { state.value.withLock(\.lastDocument) }

    /// Answers requests for documents with `text` in Latin-1.
    func answer(_ text: String, _ fill: @escaping @Sendable (inout DocumentAnswer) -> Void) {
        state.value.withLock { state in
            state.body = text.unicodeScalars.map { UInt8($0.value) }
            state.fill = fill
        }
    }

    func refuseFollowers() { state.value.withLock { $0.refusesFollowers = true } }

    /// Leaves the answer to the next transfer to the test, and reports no document before that.
    func holdTransfer() -> AsyncStream<MockTransferd.Reply> {
        let (stream, held) = AsyncStream<MockTransferd.Reply>.makeStream()
        state.value.withLock { $0.held = held }
        return stream
    }

    /// The state, as the mock's threads share it.
    private final class SharedState: Sendable {
        let value = Mutex(State())

        func answer(
            _ request: ControlRequest, _ connection: ControlConnection,
            _ reply: @escaping MockTransferd.Reply
        ) {
            switch request.method {
            case FetchDocument.method: answerDocument(request, connection, reply)
            case AddTransfer.method:
                let (held, report) = value.withLock { ($0.held, $0.report) }
                report?()
                held?.yield(reply)
            case FollowTransfers.method where !value.withLock(\.refusesFollowers):
                reply(.success(ControlReply(TransferList([]))))
            default: reply(.failure(ControlError(.invalidParams, "cannot do that: Refused")))
            }
        }

        private func answerDocument(
            _ request: ControlRequest, _ connection: ControlConnection, _ reply: MockTransferd.Reply
        ) {
            let id = value.withLock { state in
                state.lastDocument += 1
                return state.lastDocument
            }
            let (body, fill) = value.withLock { ($0.body, $0.fill) }
            if let file = request.descriptors.takeFirst() {
                _ = pwrite(file, body, body.count, 0)
                close(file)
            }
            reply(.success(ControlReply(FetchDocument.Reply(id: id))))
            var answer = DocumentAnswer()
            fill(&answer)
            let fetched = DocumentFetched(id: id, answer)
            let isHeld = value.withLock { state in
                if state.held != nil { state.report = { connection.notify(fetched) } }
                return state.held != nil
            }
            if !isHeld { connection.notify(fetched) }
        }
    }
}
