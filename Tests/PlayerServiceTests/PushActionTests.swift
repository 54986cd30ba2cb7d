import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongAudioSession
import UndersongBackground
import UndersongPlayback
import UndersongPodcasts

@testable import UndersongService

/// The service's own actions for a push.
@Suite(.timeLimit(.minutes(5))) struct `A push that names something to do` {
    private static let url = "http://a/feed"

    private let desk: Desk
    private let watch: PushWatch

    init() throws {
        desk = try Desk()
        watch = PushWatch(desk.service)
    }

    /// The payload of a push that asks for a wake, with more members after `aps`.
    private static func payload(_ members: String) -> String {
        "{\"aps\":{\"content-available\":1},\(members)}"
    }

    /// Sends a push, and returns what came of it.
    private func send(_ members: String) async throws -> PushResult? {
        _ = try await desk.service.send(SendPush(Self.payload(members)))
        return await watch.handled()?.result
    }

    private func subscribe() async throws -> Feed {
        _ = try await desk.service.declare(.remoteNotification, isDeclared: true)
        desk.network.answer(Self.url) { _ in FeedResponse("a", etag: "\"1\"") }
        let podcasts = try await desk.podcasts
        return try await podcasts.add(Self.url, Feed.Policy()).feed
    }

    // MARK: Feeds

    @Test func `A push that names a feed has only that one read and its episodes downloaded`()
        async throws
    {
        _ = try await subscribe()
        let other = "http://b/feed"
        desk.network.answer(other) { _ in FeedResponse("x", etag: "\"1\"") }
        _ = try await desk.service.podcasts?.add(other, Feed.Policy())
        desk.network.answer(Self.url) { _ in FeedResponse("b", "a", etag: "\"2\"") }
        let count = desk.network.requests.count

        let result = try await send("\"feed\":\"\(Self.url)\"")

        #expect(result == .newData)
        #expect(desk.network.requests.dropFirst(count).map(\.url) == [Self.url])
        #expect(desk.network.orders.map(\.title).last == "b")
    }

    @Test func `A push wakes the service until its feed has been read`() async throws {
        _ = try await subscribe()
        let service = desk.service
        let isSuspended = Mutex<Bool?>(nil)
        desk.network.answer(Self.url) { _ in
            let now = await service.status.suspended
            isSuspended.withLock { $0 = now }
            return FeedResponse("b", "a", etag: "\"2\"")
        }
        let before = await service.status.suspended

        _ = try await send("\"feed\":\"\(Self.url)\"")

        #expect(before)
        #expect(isSuspended.withLock(\.self) == false)
        #expect(await service.status.suspended)
    }

    @Test func `A push is answered that nothing was new, or that the feed could not be read`()
        async throws
    {
        _ = try await subscribe()

        let same = try await send("\"feed\":\"\(Self.url)\"")
        desk.network.answer(Self.url) { _ in FeedResponse(DocumentAnswer(status: 500)) }
        let failed = try await send("\"feed\":\"\(Self.url)\"")

        #expect(same == .noData)
        #expect(failed == .failed)
    }

    @Test func `A push does not subscribe to the feed that it names, and fails with the reason`()
        async throws
    {
        _ = try await subscribe()
        let count = desk.network.requests.count

        let result = try await send("\"feed\":\"http://unknown/feed\"")

        #expect(result == .failed)
        #expect(
            watch.failures
                == ["cannot find the feed http://unknown/feed: There is no such feed"])
        #expect(desk.network.requests.count == count)
        #expect(try await desk.service.podcasts?.feeds().map(\.url) == [Self.url])
    }

    @Test(.rule("PU9"))
    func `A push is not given to a client that disconnected while it was being registered`()
        async throws
    {
        _ = try await subscribe()
        let (gone, program) = (PushProgram(), PushProgram())
        await desk.service.connect(gone)
        await desk.service.disconnect(gone.id)
        await desk.service.attach(gone.id, state: .active, source: "test")
        await desk.service.registerForPushes(nil, client: gone.id)

        let receipt = try await desk.service.send(
            SendPush(Self.payload("\"number\":1")))
        await desk.service.connect(program)
        await desk.service.attach(program.id, state: .active, source: "test")
        await desk.service.registerForPushes(nil, client: program.id)

        #expect(await program.pushes.first { _ in true }?.push == receipt.push)
        await desk.service.disconnect(program.id)
        #expect(await desk.service.hostState.state == .background)
        #expect(await desk.service.beginTask("upload", of: gone.id) == nil)
    }

    @Test func `A push is over on the disk when a program's answer returns`() async throws {
        _ = try await subscribe()
        let program = PushProgram()
        await desk.service.connect(program)
        await desk.service.registerForPushes(nil, client: program.id)
        let receipt = try await desk.service.send(
            SendPush(Self.payload("\"feed\":\"\(Self.url)\""), id: "a"))
        _ = await program.pushes.first { _ in true }
        // Nothing is written meanwhile.
        let disk = DispatchSemaphore(value: 0)
        desk.store.tidy { _ in disk.wait() }
        let hasReturned = Mutex(false)

        async let answer: Void = {
            await desk.service.answerPush(receipt.push, .newData, of: program.id)
            hasReturned.withLock { $0 = true }
        }()
        for _ in 0..<1000 where await desk.service.pushStatus.counts.handled == 0 {
            await Task.yield()
        }
        for _ in 0..<100 { await Task.yield() }

        let returnedEarly = hasReturned.withLock(\.self)
        #expect(!returnedEarly)
        disk.signal()
        await answer
        let record = await PushRecords.read(from: desk.store, token: "")
        #expect(record.waiting == [])
        #expect(record.known.map(\.identifier) == ["a"])
        #expect(record.registration.counts.handled == 1)
    }

    @Test(.rule("PU9")) func `A push is on the disk with its receipt, byte for byte`() async throws
    {
        let payload = "{\"aps\":{},\"a\":9007199254740993, \"b\":\"\\u0000é\"}"
        let token = try await desk.service.pushToken

        let receipt = try await desk.service.send(SendPush(payload, topic: "t", id: "a"))
        let record = await PushRecords.read(from: desk.store, token: "")

        #expect(receipt.reason == .known(.notDeclared))
        #expect(record.waiting.map(\.payload.text) == [payload])
        #expect(record.waiting.map(\.number) == [receipt.push])
        #expect(record.registration.token == token)
    }

    @Test func `A push with the command refresh has all feeds read`() async throws {
        _ = try await subscribe()
        let other = "http://b/feed"
        desk.network.answer(other) { _ in FeedResponse("x", etag: "\"1\"") }
        _ = try await desk.service.podcasts?.add(other, Feed.Policy())
        let count = desk.network.requests.count

        let result = try await send("\"undersong\":{\"command\":\"refresh\"}")

        #expect(result == .noData)
        #expect(Set(desk.network.requests.dropFirst(count).map(\.url)) == [Self.url, other])
    }

    @Test(.rule("PU12")) func `One push stands for all that may be missing`() async throws {
        _ = try await subscribe()
        let count = desk.network.requests.count

        let first = try await desk.service.pushesMayBeMissing("ntfy 1")
        let result = await watch.handled()?.result
        let again = try await desk.service.pushesMayBeMissing("ntfy 1")

        #expect(result == .noData)
        #expect(!first.duplicate && again.duplicate)
        #expect(desk.network.requests.count == count + 1)
        let missing = watch.reports.filter { $0.phase == .missing }
        #expect(missing.map(\.topic) == ["net.undersong.missing"])
        #expect(missing.map(\.push) == [first.push])
    }

    // MARK: The queue

    @Test func `A push pauses and resumes the player`() async throws {
        let listener = Listener()
        await desk.service.connect(listener)
        await desk.service.attach(listener.id, state: .active, source: "test")
        var order = Play(files: Files([Desk.song]))
        order.output = .null
        _ = try await desk.service.play(order, for: listener.id)

        let paused = try await send("\"undersong\":{\"command\":\"pause\"}")
        let isPaused = await !desk.service.status.wantsPlayback
        let resumed = try await send("\"undersong\":{\"command\":\"resume\"}")

        #expect(paused == .newData && isPaused)
        #expect(resumed == .newData)
        #expect(await desk.service.status.wantsPlayback)
    }

    @Test func `A push cannot resume an empty queue`() async throws {
        _ = try await desk.service.declare(.remoteNotification, isDeclared: true)

        let result = try await send("\"undersong\":{\"command\":\"resume\"}")

        #expect(result == .failed)
        #expect(watch.failures == ["cannot resume: The queue is empty"])
    }

    @Test func `A push plays a saved queue, but not a file`() async throws {
        _ = try await desk.service.declare(.remoteNotification, isDeclared: true)
        // In the background, the fourth push would wait for twenty minutes.
        let listener = Listener()
        await desk.service.connect(listener)
        await desk.service.attach(listener.id, state: .active, source: "test")
        let folder = desk.folder.appending(path: "queues")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let name = try #require(SavedQueueName("Morning"))
        let song = URL(filePath: Desk.song.description).absoluteString
        let text = """
            <playlist version="1" xmlns="http://xspf.org/ns/0/"><trackList>
            <track><location>\(song)</location></track></trackList></playlist>
            """
        try Data(text.utf8).write(to: folder.appending(path: name.file))

        let played = try await send("\"undersong\":{\"command\":\"play\",\"name\":\"Morning\"}")
        let items = await desk.service.page(offset: 0, limit: 10).items.count
        let names = ["\(Desk.song)", "../queues/Morning", "Evening"]
        var results: [PushResult?] = []
        for name in names {
            results.append(
                try await send("\"undersong\":{\"command\":\"play\",\"name\":\"\(name)\"}"))
        }

        #expect(played == .newData)
        #expect(items == 1)
        #expect(results == [.failed, .failed, .failed])
        #expect(
            watch.failures
                == names.map { "cannot play \($0): No queue is saved by that name" })
    }
}

/// Records what becomes of pushes.
private final class PushWatch: Sendable {
    private let log = Mutex<(reports: [PushReport], failures: [String])>(([], []))
    private let ends: AsyncStream<PushReport>

    init(_ service: PlayerService) {
        let (ends, end) = AsyncStream.makeStream(of: PushReport.self)
        self.ends = ends
        service.observe { [weak self] event in
            switch event.kind {
            case .push(let report):
                self?.log.withLock { $0.reports.append(report) }
                if report.phase == .handled { end.yield(report) }
            case .error(let failure):
                self?.log.withLock { $0.failures.append(failure.description) }
            default: break
            }
        }
    }

    var reports: [PushReport] { log.withLock(\.reports) }
    var failures: [String] { log.withLock(\.failures) }

    /// The next push that was handled.
    func handled() async -> PushReport? { await ends.first { _ in true } }
}

/// A program that handles pushes.
private final class PushProgram: PlayerClient {
    let id = ClientID()
    let name: String? = "program"
    let process: Int32? = nil
    let pushes: AsyncStream<PushReceived>
    private let push: AsyncStream<PushReceived>.Continuation

    init() { (pushes, push) = AsyncStream.makeStream() }

    func runEnded(_ run: Int, _ end: SessionEnd) {}
    func taskIsExpiring(_ task: Int, timeRemaining: Double) {}
    func taskWasTerminated(_ task: Int) {}
    func receive(_ push: PushReceived) { self.push.yield(push) }
}
