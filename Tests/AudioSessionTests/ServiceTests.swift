import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongAudioSession
import UndersongBackground
import UndersongPlayback

/// A session for a service: it outlives its queues and reports its state.
@Suite(.blockingThreads, .timeLimit(.minutes(2))) struct `A session for a service` {
    @Test func `A service's session reports the end of each queue with its number and counts`()
        async throws
    {
        let stage = Stage()

        await stage.play(seconds: 0.1, 0.1)
        let first = try await stage.end()
        await stage.play(seconds: 0.1)
        let second = try await stage.end()

        #expect(first == SessionEnd(reason: .finished, playedCount: 2, failedCount: 0, run: 1))
        #expect(second == SessionEnd(reason: .finished, playedCount: 1, failedCount: 0, run: 2))
        await stage.session.stop()
    }

    @Test func `A service's session reports a replaced queue as stopped, and plays the new one`()
        async throws
    {
        let stage = Stage()

        await stage.play(seconds: 30)
        try await stage.wait { $0.kind.name == "item" }
        await stage.play(seconds: 0.1)
        let first = try await stage.end()
        let second = try await stage.end()

        #expect(first == SessionEnd(reason: .stopped, playedCount: 1, failedCount: 0, run: 1))
        #expect(second.reason == .finished && second.run == 2)
        await stage.session.stop()
    }

    @Test
    func `A service's session keeps the queue and the position when halted, and resumes there`()
        async throws
    {
        let stage = Stage()
        _ = await stage.session.addTimeEvents(.every(CMTime(value: 1, timescale: 100)))
        await stage.play(seconds: 30)
        try await stage.wait { $0.head.position.seconds > 0.2 }

        await stage.session.halt()
        let end = try await stage.end()
        let halted = await stage.session.report
        await stage.session.player.play()
        // Reported as a jump if it is already known that the item was left.
        let again = try await stage.wait { event in
            switch event.kind {
            case .item(.began), .jump: true
            default: false
            }
        }

        #expect(end.reason == .stopped)
        #expect(halted.status == .paused(.userPaused) && halted.player.count == 1)
        #expect(halted.position.seconds > 0.19 && halted.position.seconds < 5)
        #expect(abs(again.head.position.seconds - halted.position.seconds) < 0.001)
        await stage.session.stop()
    }

    @Test func `A session waits for a missing sound server, and can be stopped meanwhile`()
        async throws
    {
        let stage = Stage(output: .pulse(server: "unix:/nowhere/native", device: nil))

        await stage.play(seconds: 1)
        try await stage.wait { $0.head.reason == .known(.noOutput) }
        await stage.session.halt()
        let end = try await stage.end()
        let report = await stage.session.report

        #expect(end.reason == .stopped && end.run == 1)
        #expect(report.player.count == 1 && report.current != nil)
        #expect(report.status == .paused(.userPaused))
        await stage.session.stop()
    }

    @Test func `A service's session sends the sound to another output from the next queue on`()
        async throws
    {
        let stage = Stage(output: .pulse(server: "unix:/nowhere/native", device: nil))

        await stage.play(seconds: 0.1, output: .null)
        let end = try await stage.end()

        #expect(end.reason == .finished)
        #expect(await stage.session.report.output == .null)
        await stage.session.stop()
    }

    @Test func `A service's session distinguishes the times of several intervals by their watch`()
        async throws
    {
        let stage = Stage()
        let tenths = await stage.session.addTimeEvents(.every(CMTime(value: 1, timescale: 10)))
        let fifths = await stage.session.addTimeEvents(.every(CMTime(value: 1, timescale: 5)))
        let marks = await stage.session.addTimeEvents(.at([CMTime(value: 3, timescale: 10)]))
        await stage.session.removeTimeEvents(fifths)

        await stage.play(seconds: 0.5)
        _ = try await stage.end()
        let events = stage.all

        #expect(Set([tenths, fifths, marks]).count == 3)
        #expect(
            events.filter { $0.watch == tenths }.map(\.head.position.seconds)
                == [0, 0.1, 0.2, 0.3, 0.4])
        #expect(events.filter { $0.watch == fifths }.isEmpty)
        #expect(events.filter { $0.watch == marks }.map(\.kind.name) == ["boundary"])
        await stage.session.stop()
    }

    @Test func `A session greets a late subscriber with the current state before other events`()
        async throws
    {
        let stage = Stage()
        // On a busy machine this test may have to wait for more than half a minute.
        await stage.play(seconds: 30, 30, 30, 30, 30, 30)
        try await stage.wait { $0.kind.name == "item" }
        let heard = Mutex<[PlayerEvent]>([])
        let sequence = Mutex(0)

        await stage.session.sendSnapshot(interval: CMTime(value: 1, timescale: 4)) { event in
            heard.withLock { $0.append(event) }
        } then: {
            sequence.withLock { $0 = stage.all.last?.head.sequence ?? 0 }
        }

        let events = heard.withLock { $0 }
        #expect(
            events.map(\.kind.name) == [
                "session", "application", "policy", "queue", "item", "state",
            ])
        #expect(events.last?.head.status == .playing)
        #expect(sequence.withLock { $0 } < events[0].head.sequence)
        if case .session(let session) = events[0].kind {
            #expect(session.interval == WireTime(value: 1, timescale: 4))
        }
        await stage.session.stop()
    }

    @Test(.rule("B4"))
    func `A session decides again when capabilities change, and says since when it forbids`()
        async
    {
        let stage = Stage()
        await stage.session.enter(.background, source: "test")
        let before = await stage.session.report

        await stage.session.declare(Capabilities(backgroundModes: [.audio]), source: "/a.plist")
        let after = await stage.session.report

        #expect(before.decision.reasons == [.appBackgrounded])
        #expect(before.suppressedSince[.appBackgrounded].map { $0 <= before.hostTime } == true)
        #expect(after.decision.reasons == [] && after.decision.hasAudioCapability)
        #expect(after.decision.capabilitySource == "/a.plist")
        #expect(after.player.hostSource == "test")
        await stage.session.stop()
    }
}

/// A session without a device, and all of its events.
private final class Stage: Sendable {
    let session: AudioSession
    private let events: Mutex<AsyncStream<PlayerEvent>.Iterator>
    private let log = Mutex<[PlayerEvent]>([])

    init(output: OutputDestination = .null) {
        session = AudioSession(SessionConfiguration(output: output, endsWithQueue: false))
        let (stream, input) = AsyncStream.makeStream(of: PlayerEvent.self)
        events = Mutex(stream.makeAsyncIterator())
        let session = session
        session.subscribe { [weak self] event in
            self?.log.withLock { $0.append(event) }
            input.yield(event)
        }
        Task(executorPreference: session.executor) { await session.run() }
    }

    /// All events so far.
    var all: [PlayerEvent] { log.withLock { $0 } }

    /// Plays a song once for each number, for this many seconds.
    func play(seconds: Double..., output: OutputDestination? = nil) async {
        let song = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Resources/Demo/01 Slack Water.mp3").path
        await session.replaceQueue(
            with: seconds.map {
                QueueEntry(
                    .file(path: song), end: CMTime(value: Int64($0 * 1000), timescale: 1000))
            }, output: output)
        await session.player.play()
    }

    /// Waits for the next event that matches.
    @discardableResult
    func wait(_ isWanted: (PlayerEvent) -> Bool) async throws -> PlayerEvent {
        var iterator = events.withLock { $0 }
        while let event = await iterator.next() {
            if isWanted(event) { return event }
        }
        throw Overdue("the session ends, or the time of the test is over")
    }

    /// Waits for the end of a run.
    func end() async throws -> SessionEnd {
        let event = try await wait { if case .runEnded = $0.kind { true } else { false } }
        guard case .runEnded(let end) = event.kind else {
            return SessionEnd(reason: .stopped, playedCount: -1, failedCount: -1, run: -1)
        }
        return end
    }
}
