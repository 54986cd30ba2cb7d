import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongAudioSession
import UndersongBackground

@Suite(.blockingThreads) struct `A player's status` {
    @Test(.timeLimit(.minutes(5)))
    func `A player's status follows the sound if a pause is cancelled before it is silent`()
        async throws
    {
        let session = AudioSession(
            SessionConfiguration(output: .null, interval: CMTime(value: 1, timescale: 100)))
        let (events, input) = AsyncStream.makeStream(of: PlayerEvent.self)
        session.subscribe { input.yield($0) }
        Task(executorPreference: session.executor) { await session.run() }
        await session.player.append([.file(path: song)])
        await session.player.play()
        var iterator = events.makeAsyncIterator()
        while await iterator.next()?.head.status != .playing {}

        for _ in 0..<20 {
            session.player.post.setInterrupted(true)
            session.player.post.pause()
            session.player.post.setInterrupted(false)
            session.player.post.play(rate: 1)
            // Sound is playing once the next multiple of the interval is heard.
            var ticks = 0
            while ticks < 3, let event = await iterator.next() {
                guard case .time(isExact: false) = event.kind else { continue }
                ticks += 1
                #expect(event.head.status == .playing)
            }
        }
        await session.stop()
    }

    @Test(.rule("T32"), .timeLimit(.minutes(5)))
    func `A player's status is stopped on a stop, without any item reaching its end`() async {
        let session = AudioSession(SessionConfiguration(output: .null))
        let endedItems = Mutex(0)
        session.subscribe { event in
            if case .item(.ended) = event.kind { endedItems.withLock { $0 += 1 } }
        }
        Task(executorPreference: session.executor) { await session.run() }
        await session.player.append([.file(path: song)])
        await session.player.play()

        await session.stop()
        let end = await session.waitForEnd()

        #expect(end.reason == .stopped)
        #expect(endedItems.withLock { $0 } == 0)
    }

    private var song: String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Resources/Demo/01 Slack Water.mp3").path
    }
}
