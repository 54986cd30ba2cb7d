import Synchronization
import UndersongBase
import UndersongPlayback

/// Wakes the decode, output and clock threads. A thread that is about to wait announces that and
/// then checks once more; a thread that has news posts only if the other is waiting.
package final class PipelineSignals: Sendable {
    /// Wakes the decode thread: the ring has room, or there is a new request.
    let decode = Waiter()
    /// Wakes the output thread: the ring has frames, or there is a new command.
    let output = OutputWaiter()
    /// Wakes the clock thread: there is a reading that it wants, a report, or new timeline.
    let clock = Waiter()
    /// True if the decode thread waits for bytes from the network, so that the ring may run empty.
    private let starves = Atomic<Bool>(false)
    /// The cause of the output's silence.
    private let silence = Atomic<OutputSilence>(.begun)
    /// From which host time on the clock thread wants a reading. It usually sleeps until a known
    /// time, and a wake-up for each reading would be wasted.
    private let clockReadingTime = Atomic<Int64>(.min)

    /// True if the decode thread waits for bytes.
    var isStarved: Bool { starves.load(ordering: .acquiring) }

    /// The decode thread begins to wait for bytes, or ceases to.
    func setStarved(_ isStarved: Bool) {
        let wasStarved = starves.exchange(isStarved, ordering: .acquiringAndReleasing)
        if isStarved && !wasStarved { output.notify() }
    }

    /// The cause of the output's silence. Any thread.
    var outputSilence: OutputSilence { silence.load(ordering: .acquiring) }

    /// The output was heard to its end, or gets frames again.
    func setSilence(_ cause: OutputSilence) { silence.store(cause, ordering: .releasing) }

    /// Sets from which host time on the clock thread wants a reading: `.min` for any, `.max` for
    /// none.
    func wantReading(from hostTime: Int64) {
        clockReadingTime.store(hostTime, ordering: .sequentiallyConsistent)
    }

    /// Wakes the clock thread if it wants the reading of `hostTime`, which has been stored.
    func hasReading(of hostTime: Int64) {
        guard hostTime >= clockReadingTime.load(ordering: .sequentiallyConsistent) else { return }
        clock.wake()
    }

    package final class Waiter: Sendable {
        private let semaphore = Semaphore()
        private let news = NewsFlag()

        /// Wakes the thread if it is waiting. Any thread may call this, including the output
        /// thread.
        func notify() { if news.isAwaited { wake() } }

        /// Wakes the thread, or ends its next wait at once.
        func wake() {
            news.setAwaited(false)
            semaphore.post()
        }

        /// Waits for `wake` only, unless `isReady` holds, at most until `deadline`.
        func sleep(until deadline: Int64, unless isReady: () -> Bool) {
            if !isReady() { semaphore.wait(until: deadline) }
        }

        /// Waits for `notify` or `wake` unless `isReady` holds, at most until `deadline`.
        func wait(until deadline: Int64?, unless isReady: () -> Bool) {
            news.setAwaited(true)
            defer { news.setAwaited(false) }
            if isReady() { return }
            if let deadline { semaphore.wait(until: deadline) } else { semaphore.wait() }
        }

        /// Waits until `isReady` holds, which is checked after each `notify` and `wake`. News of
        /// anything else does not end the wait: a thread that said so to the one that sent it
        /// would be sent news again, and so on.
        func wait(until isReady: () -> Bool) {
            news.setAwaited(true)
            defer { news.setAwaited(false) }
            while !isReady() {
                semaphore.wait()
                news.setAwaited(true)
            }
        }
    }
}

/// The reason why the output is silent until it gets more frames.
enum OutputSilence: UInt8, AtomicRepresentable, Sendable {
    /// It is not: there is sound, or it was interrupted.
    case none
    /// Nothing was written yet, or all that was to be heard has been.
    case begun
    /// The bytes of what follows have not arrived.
    case starved
}

/// A flag of a thread that waits for news, or is about to: it sets this first, and then checks for
/// news once more.
struct NewsFlag: ~Copyable, Sendable {
    private let flag = Atomic<Bool>(false)

    /// Checked after the news is stored. Any thread.
    var isAwaited: Bool {
        // The news must be visible before the flag is read, or both sides may miss each other.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        return flag.load(ordering: .sequentiallyConsistent)
    }

    func setAwaited(_ isAwaited: Bool) {
        flag.store(isAwaited, ordering: .sequentiallyConsistent)
    }
}
