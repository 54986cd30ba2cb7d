import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongAudioSession
import UndersongPlayback

extension EndToEnd {
    @Suite struct `A time observer` {
        @Test(.rule("T41"))
        func `A time observer is called at each multiple of its interval, and at items' ends`()
            async throws
        {
            let files = try Music()
            let sources = try Sources(files, seconds: [0.75, 0.5])
            let studio = try Studio(interval: nil)
            let (times, removed) = (Times(), Times())
            let tenth = CMTime(value: 1, timescale: 10)
            times.observe {
                studio.player.addPeriodicTimeObserver(
                    forInterval: tenth, queue: $0, using: $1)
            }
            let token = removed.observe {
                studio.player.addPeriodicTimeObserver(
                    forInterval: tenth, queue: $0, using: $1)
            }

            studio.player.removeTimeObserver(token)
            await studio.player.append(sources.media)
            try await studio.play()
            try studio.wait { $0.head.reason == .known(.noItemToPlay) }
            _ = try await studio.stop()

            #expect(
                times.seconds == [
                    0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0, 0.1, 0.2, 0.3, 0.4, 0.5,
                ])
            #expect(removed.seconds == [])
        }

        @Test(.rule("T42"))
        func `A time observer is not called without an item, or before it plays`() async throws {
            let files = try Music()
            let sources = try Sources(files, seconds: [0.5])
            let studio = try Studio(interval: nil)
            let (periodic, boundary) = (Times(), Times())
            periodic.observe {
                studio.player.addPeriodicTimeObserver(
                    forInterval: CMTime(value: 1, timescale: 10), queue: $0, using: $1)
            }
            boundary.observe {
                studio.player.addBoundaryTimeObserver(
                    forTimes: [.zero, CMTime(value: 1, timescale: 4)], queue: $0, using: $1)
            }

            await studio.player.play()
            try studio.recording.wait(0.3)
            await studio.player.pause()
            await studio.player.append(sources.media)
            try studio.recording.wait(0.3)
            _ = try await studio.stop()

            #expect(periodic.seconds == [])
            #expect(boundary.seconds == [])
        }

        @Test(.rule("T43"))
        func `A time observer is called at each boundary that is played over, not by a seek`()
            async throws
        {
            let files = try Music()
            let sources = try Sources(files, seconds: [4, 0.5])
            let studio = try Studio(interval: nil)
            let times = Times()
            let boundaries = [3.9, 0.3, 1.5, 2.1].map {
                CMTime(value: Int64(($0 * 10).rounded()), timescale: 10)
            }
            times.observe {
                studio.player.addBoundaryTimeObserver(
                    forTimes: boundaries, queue: $0, using: $1)
            }
            await studio.player.append(sources.media)
            try await studio.play()

            // Over the first boundary, past the second to just before the third, and once more over
            // that.
            try times.wait(for: 1)
            await studio.player.seek(to: CMTime(value: 2, timescale: 1))
            try times.wait(for: 2)
            await studio.player.seek(to: CMTime(value: 2, timescale: 1))
            try times.wait(for: 3)
            await studio.player.seek(to: CMTime(value: 38, timescale: 10))
            try studio.wait { $0.head.reason == .known(.noItemToPlay) }
            _ = try await studio.stop()

            // The second item crosses the first boundary too.
            #expect(times.seconds == [0.3, 2.1, 2.1, 3.9, 0.3])
        }
    }
}

/// Records an observer's times, on a queue of its own.
private final class Times: Sendable {
    private let queue = DispatchQueue(label: "times")
    private let times = Mutex<[CMTime]>([])
    private let isReported = DispatchSemaphore(value: 0)

    @discardableResult
    func observe(
        _ add: (DispatchQueue, @escaping @Sendable (CMTime) -> Void) -> TimeObserverToken
    ) -> TimeObserverToken {
        add(queue) { [weak self] time in
            self?.times.withLock { $0.append(time) }
            self?.isReported.signal()
        }
    }

    /// All times so far, after pending calls have arrived.
    var seconds: [Double] {
        queue.sync {}
        return times.withLock { $0.map(\.seconds) }
    }

    /// Waits until there are `count` times.
    func wait(for count: Int) throws {
        while times.withLock(\.count) < count { try isReported.waitPatiently() }
    }
}
