import UndersongBase

/// Wakes the output thread, which also waits for its device.
final class OutputWaiter: Sendable {
    private let wakeup = Wakeup()
    private let news = NewsFlag()

    /// Becomes readable when the thread is to wake.
    var descriptor: Int32 { wakeup.descriptor }

    /// Wakes the thread if it is waiting for news. Any thread.
    func notify() { if news.isAwaited { wake() } }

    /// Wakes the thread, or ends its next wait at once. Any thread.
    func wake() {
        news.setAwaited(false)
        wakeup.post()
    }

    /// Waits by `clock` for another thread's `notify` or `wake`, whatever happens to the device,
    /// unless `isReady` holds. The output thread only.
    func wait(by clock: any OutputClock, unless isReady: () -> Bool) {
        begin(takesNews: true)
        defer { end() }
        if !isReady() { clock.wait(for: descriptor) }
    }

    /// The output thread is about to wait for `descriptor`, which becomes readable on `wake`, and
    /// on `notify` if it `takesNews`. It has to check for news once more after this.
    func begin(takesNews: Bool) {
        news.setAwaited(takesNews)
    }

    /// The output thread has finished waiting, or did not need to.
    func end() {
        news.setAwaited(false)
        wakeup.clear()
    }
}
