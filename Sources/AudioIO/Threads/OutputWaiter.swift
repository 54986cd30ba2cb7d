import Synchronization
import Threads

/// Wakes the output thread, which waits for its device at the same time.
final class OutputWaiter: Sendable {
    private let wakeup = Wakeup()
    private let isWaiting = Atomic<Bool>(false)

    /// What can be read once the thread is to wake.
    var descriptor: Int32 { wakeup.descriptor }

    /// Wakes the thread when it waits for news. Any thread.
    func notify() {
        // The news must be seen before the flag is read, or both sides may miss each other.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        guard isWaiting.load(ordering: .sequentiallyConsistent) else { return }
        wake()
    }

    /// Wakes the thread, or keeps it from its next wait. Any thread.
    func wake() {
        isWaiting.store(false, ordering: .sequentiallyConsistent)
        wakeup.post()
    }

    /// Waits for `notify` or `wake`, whatever becomes of the device, unless `isReady` holds. The output
    /// thread only.
    func wait(unless isReady: () -> Bool) {
        begin(takesNews: true)
        defer { end() }
        if !isReady() { Wakeup.wait(for: descriptor) }
    }

    /// The output thread is about to wait for `descriptor`, which can be read from `wake` on, and from
    /// `notify` on where it `takesNews`. It has to look once more then.
    func begin(takesNews: Bool) {
        isWaiting.store(takesNews, ordering: .sequentiallyConsistent)
    }

    /// The output thread has waited, or has not had to.
    func end() {
        isWaiting.store(false, ordering: .sequentiallyConsistent)
        wakeup.clear()
    }
}
