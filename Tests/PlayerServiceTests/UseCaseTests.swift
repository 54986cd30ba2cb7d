import Synchronization
import TestSupport
import Testing
import UndersongAudioSession
import UndersongBackground
import UndersongPlayback

@testable import UndersongService

/// The use cases, without a front end.
@Suite(.timeLimit(.minutes(5))) struct `A player service` {
    private let desk: Desk

    init() throws { desk = try Desk() }

    @Test func `PlayerService plays, and reports the run's end to the client that started it`()
        async throws
    {
        let listener = Listener()
        await desk.service.connect(listener)
        await desk.service.attach(listener.id, state: .active, source: "test")
        var order = Play(files: Files([Desk.song], end: WireTime(value: 1, timescale: 10)))
        order.output = .null

        let run = try await desk.service.play(order, for: listener.id)
        let ended = await listener.ends.first { _ in true }

        #expect(run == 1 && ended?.run == 1)
        #expect(ended?.end.reason == .finished && ended?.end.playedCount == 1)
    }

    @Test func `PlayerService plays without waiting until changed settings are on the disk`()
        async throws
    {
        let queueStore = MemoryQueueStore()
        queueStore.holdsCommits(true)
        let desk = try Desk(queueStore: queueStore)
        let listener = Listener()
        await desk.service.connect(listener)
        await desk.service.attach(listener.id, state: .active, source: "test")
        var order = Play(files: Files([Desk.song]))
        order.output = .null
        order.settings = SettingsChange()
        order.settings?.volume = 50

        let playing = Task { [order] in try await desk.service.play(order, for: listener.id) }
        await queueStore.nextCommit()
        let flushCount = queueStore.flushCount
        queueStore.holdsCommits(false)
        _ = try await playing.value

        #expect(flushCount == 0)
        #expect(queueStore.commits.first?.settings.volume == 0.125)
    }

    @Test func `PlayerService rests when the last client has gone, but not while it plays`()
        async throws
    {
        let count = Mutex(0)
        let clock = ManualClock()
        let desk = try Desk(
            clock: clock,
            whenAtRest: { count.withLock { $0 += 1 } })
        let service = desk.service
        let (first, second) = (Listener(), Listener())
        await service.connect(first)
        _ = try await service.declare(.audio, isDeclared: true)
        var order = Play(files: Files([Desk.song]))
        order.output = .null
        _ = try await service.play(order, for: first.id)
        while await service.report.status != .playing { await Task.yield() }
        let before = count.withLock { $0 }

        await service.disconnect(first.id)
        clock.advance(by: 1)
        _ = await service.status
        let isPlaying = await service.report.status == .playing
        await service.connect(first)
        await service.connect(second)
        await service.pause()
        await service.disconnect(first.id)
        clock.advance(by: 1)
        _ = await service.status
        let after = count.withLock { $0 }
        await service.disconnect(second.id)

        #expect(isPlaying)
        #expect(after == before)
        // Reading tags, for one thing, may postpone it.
        try await eventually {
            clock.advance(by: 1)
            return count.withLock { $0 } > after
        }
    }

    @Test func `PlayerService edits the queue by item, and lists it`() async throws {
        let service = desk.service

        let first = try await service.add(Files([Desk.song, Desk.song])).items
        let second = try await service.insert(Files([Desk.song]), after: first[0]).items
        try await service.move(second[0], after: nil)
        try await service.remove([first[1]])
        let list = await service.listAroundCurrent(limit: 10)

        #expect(list.items.map(\.id) == [second[0], first[0]].map(\.number))
        #expect(list.items.allSatisfy { $0.missing == nil })
    }

    @Test func `PlayerService reports failures as its own errors`() async throws {
        let service = desk.service
        var change = SettingsChange()
        change.volume = 101

        let missing = await #expect(throws: ServiceError.self) {
            try await service.add(Files([.standardStream]))
        }
        let empty = await #expect(throws: ServiceError.self) { try await service.resume() }
        let loud = await #expect(throws: ServiceError.self) { try await service.set(change) }
        let gone = await #expect(throws: ServiceError.self) {
            try await service.jump(to: #require(ItemID(exactly: 7)))
        }

        #expect(missing?.description == "cannot play -: No descriptor came with the request")
        #expect(empty?.code == .notPossible)
        #expect(empty?.description == "cannot resume: The queue is empty")
        #expect(loud?.code == .invalidValue)
        #expect(gone?.code == .notFound)
    }

    @Test func `PlayerService returns the changed settings, sleep timer and host state`()
        async throws
    {
        let service = desk.service
        var change = SettingsChange()
        change.rate = 1.5

        let settings = try await service.set(change)
        try await service.sleep(SetSleep(seconds: 600, fade: 5, after: .queue))
        await service.overrideHost(.inactive)
        let status = await service.status

        #expect(settings.rate == 1.5 && status.settings.rate == 1.5)
        #expect(status.sleep?.fade == 5 && status.sleep?.after == .queue)
        #expect(status.host == .inactive)
        #expect(await service.why.hostOverride == .inactive)
    }
}
