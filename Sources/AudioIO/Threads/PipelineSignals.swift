import Playback
import Synchronization
import Threads

/// What the decode, output and clock threads wake each other by. A thread that is about to wait
/// says so first and looks once more; a thread that has news posts only to one that waits.
final class PipelineSignals: Sendable {
    /// Wakes the decode thread: the ring has room, or there is a new request.
    let decode = Waiter()
    /// Wakes the output thread: the ring has frames, or there is a new command.
    let output = OutputWaiter()
    /// Wakes the clock thread: there is a reading that it wants, a report or a piece of timeline.
    let clock = Waiter()
    /// From which host time on the clock thread wants a reading. Mostly it sleeps until a time that it
    /// knows, and a wake-up for each reading would be wasted.
    private let clockReadingTime = Atomic<Int64>(.min)

    /// Says from which host time on the clock thread wants a reading: `.min` any, `.max` none.
    func wantReading(from hostTime: Int64) {
        clockReadingTime.store(hostTime, ordering: .sequentiallyConsistent)
    }

    /// Wakes the clock thread when it wants the reading of `hostTime`, which is there.
    func hasReading(of hostTime: Int64) {
        guard hostTime >= clockReadingTime.load(ordering: .sequentiallyConsistent) else { return }
        clock.wake()
    }

    final class Waiter: Sendable {
        private let semaphore = Semaphore()
        private let news = NewsFlag()

        /// Wakes the thread when it waits. May be called by any thread, the output thread included.
        func notify() { if news.isAwaited { wake() } }

        /// Wakes the thread, or keeps it from its next wait.
        func wake() {
            news.setAwaited(false)
            semaphore.post()
        }

        /// Waits for `wake` only, unless `isReady` holds, at most until `deadline`.
        func sleep(until deadline: Int64, unless isReady: () -> Bool) {
            if !isReady() { semaphore.wait(until: deadline) }
        }

        /// Waits for `notify` or `wake` unless `isReady` holds, at most until `deadline`.
        func wait(until deadline: Int64? = nil, unless isReady: () -> Bool) {
            news.setAwaited(true)
            defer { news.setAwaited(false) }
            if isReady() { return }
            if let deadline { semaphore.wait(until: deadline) } else { semaphore.wait() }
        }
    }
}

/// Whether a thread waits for news, or is about to: it says so first, and looks for news once more then.
struct NewsFlag: ~Copyable, Sendable {
    private let flag = Atomic<Bool>(false)

    /// Asked once the news is there. Any thread.
    var isAwaited: Bool {
        // The news must be seen before the flag is read, or both sides may miss each other.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        return flag.load(ordering: .sequentiallyConsistent)
    }

    func setAwaited(_ isAwaited: Bool) {
        flag.store(isAwaited, ordering: .sequentiallyConsistent)
    }
}
