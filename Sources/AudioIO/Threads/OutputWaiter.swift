import Threads

/// Wakes the output thread, which waits for its device at the same time.
final class OutputWaiter: Sendable {
    private let wakeup = Wakeup()
    private let news = NewsFlag()

    /// What can be read once the thread is to wake.
    var descriptor: Int32 { wakeup.descriptor }

    /// Wakes the thread when it waits for news. Any thread.
    func notify() { if news.isAwaited { wake() } }

    /// Wakes the thread, or keeps it from its next wait. Any thread.
    func wake() {
        news.setAwaited(false)
        wakeup.post()
    }

    /// Waits by `clock` for another thread's `notify` or `wake`, whatever becomes of the device, unless
    /// `isReady` holds.
    /// The output thread only.
    func wait(by clock: any OutputClock, unless isReady: () -> Bool) {
        begin(takesNews: true)
        defer { end() }
        if !isReady() { clock.wait(for: descriptor) }
    }

    /// The output thread is about to wait for `descriptor`, which can be read from `wake` on, and from
    /// `notify` on where it `takesNews`. It has to look once more then.
    func begin(takesNews: Bool) {
        news.setAwaited(takesNews)
    }

    /// The output thread has waited, or has not had to.
    func end() {
        news.setAwaited(false)
        wakeup.clear()
    }
}
