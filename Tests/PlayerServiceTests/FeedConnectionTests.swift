import Control
import Foundation
import PodcastNetwork
import Podcasts
import Synchronization
import TestSupport
import Testing
import Threads
import TransferClient

/// The connection of podcasts to `undersong-transferd`, which a mock plays.
@Suite final class `The connection of podcasts`: Sendable {
    private let transferd: Transferd
    private let feeds: TransferFeeds

    init() throws {
        transferd = try Transferd()
        var location = TransferLocation(
            session: "default", runtimeFolder: transferd.folder, searchPath: nil)
        location.startsProgram = false
        feeds = TransferFeeds(
            location, name: "tests", clock: SystemClock(), characters: { _ in nil })
    }

    deinit { transferd.end() }

    @Test func `is closed after each feed, and does not end the next one`() async throws {
        for _ in 0..<300 { #expect(try await fetch() == 304) }

        try await eventually { transferd.openCount == 0 }
        #expect(transferd.openedCount > 0)
    }

    @Test func `stays as long as a transfer is asked for`() async throws {
        let answer = transferd.holdTransfer()
        async let status = fetch()
        try await eventually { transferd.lastDocument == 1 }
        async let task = feeds.transfer(
            EpisodeOrder(url: "u", path: "/p", title: "t", place: .none, isBackground: true))
        let reply = try #require(await answer.first { _ in true })

        #expect(try await status == 304)
        reply(.success(ControlReply(Transferd.transfer)))

        #expect(try await task == Transferd.transfer.id)
        #expect(transferd.openedCount == 1)
        try await eventually { transferd.openCount == 0 }
    }

    @Test func `stays while somebody follows, until they leave`() async throws {
        #expect(try await feeds.follow { _ in } == [])
        for _ in 0..<2 { #expect(try await fetch() == 304) }
        #expect(transferd.openedCount == 1 && transferd.openCount == 1)

        feeds.leave()

        try await eventually { transferd.openCount == 0 }
    }

    @Test func `is not kept for a follower that was refused`() async throws {
        transferd.refuseFollowers()
        await #expect(throws: FeedNetworkError.self) { try await feeds.follow { _ in } }

        #expect(try await fetch() == 304)

        try await eventually { transferd.openCount == 0 }
    }

    private func fetch() async throws -> Int? {
        await feeds.fetch(FeedRequest(url: "http://a/feed"), within: 60).answer.status
    }
}

/// A mock of `undersong-transferd` that counts its connections. No feed has changed.
private final class Transferd: ControlHandler {
    typealias Reply = @Sendable (Result<ControlReply, ControlError>) -> Void

    private struct State {
        var server: ControlServer?
        var openedCount = 0
        var closedCount = 0
        var lastDocument = 0
        var refusesFollowers = false
        var held: AsyncStream<Reply>.Continuation?
        /// Reports a document, once a transfer is asked for.
        var report: (@Sendable () -> Void)?
    }

    static let transfer = TransferStatus(id: 7, url: "u", path: "/p", state: .waiting, received: 0)

    let folder: String
    private let state = Mutex(State())

    init() throws {
        folder = "/tmp/feed-connection-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        let listener = try ControlSocket.listen(
            session: ControlSocket.transfers(of: "default"), runtimeFolder: folder)
        let server = ControlServer(listener: listener, handler: self, clock: SystemClock())
        state.withLock { $0.server = server }
        server.start()
    }

    var lastDocument: Int { state.withLock(\.lastDocument) }
    var openedCount: Int { state.withLock(\.openedCount) }
    var openCount: Int { state.withLock { $0.openedCount - $0.closedCount } }

    func refuseFollowers() { state.withLock { $0.refusesFollowers = true } }

    /// Leaves the answer to the next transfer to the test, and reports no document before that.
    func holdTransfer() -> AsyncStream<Reply> {
        let (stream, held) = AsyncStream<Reply>.makeStream()
        state.withLock { $0.held = held }
        return stream
    }

    func opened(_ connection: ControlConnection) {
        state.withLock { $0.openedCount += 1 }
    }

    func closed(_ connection: ControlConnection) { state.withLock { $0.closedCount += 1 } }

    func handle(
        _ request: ControlRequest, from connection: ControlConnection, reply: @escaping Reply
    ) {
        while let descriptor = request.descriptors.takeFirst() { close(descriptor) }
        switch request.method {
        case Hello.method:
            let hello = Hello.Reply(
                protocol: ControlProtocol.version, version: "0.1.0", session: "default",
                process: getpid())
            reply(.success(ControlReply(hello)))
        case FetchDocument.method: answerDocument(connection, reply)
        case AddTransfer.method:
            let (held, report) = state.withLock { ($0.held, $0.report) }
            report?()
            held?.yield(reply)
        case FollowTransfers.method where !state.withLock(\.refusesFollowers):
            reply(.success(ControlReply(TransferList([]))))
        default: reply(.failure(ControlError(.invalidParams, "cannot do that: Refused")))
        }
    }

    private func answerDocument(_ connection: ControlConnection, _ reply: Reply) {
        let id = state.withLock { state in
            state.lastDocument += 1
            return state.lastDocument
        }
        reply(.success(ControlReply(FetchDocument.Reply(id: id))))
        var fetched = DocumentFetched(id: id)
        fetched.status = 304
        let isHeld = state.withLock { [fetched] state in
            if state.held != nil { state.report = { connection.notify(fetched) } }
            return state.held != nil
        }
        if !isHeld { connection.notify(fetched) }
    }

    func end() {
        state.withLock { $0.server.take() }?.stop(within: 0)
        try? FileManager.default.removeItem(atPath: folder)
    }
}
