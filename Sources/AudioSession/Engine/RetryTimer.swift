import Dispatch

/// Calls a handler repeatedly, at growing intervals, until it is ended.
final class RetryTimer {
    private static let first = 0.25
    private static let longest = 2.0
    private let queue: DispatchQueue
    private var timer: (any DispatchSourceTimer)?
    private var delay = RetryTimer.first

    init(queue: DispatchQueue) { self.queue = queue }

    /// Calls `handler` once, after a longer delay each time until `end`. A pending call stays.
    func begin(_ handler: @escaping @Sendable () -> Void) {
        guard timer == nil else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + delay, leeway: .milliseconds(20))
        timer.setEventHandler { [weak self] in
            self?.timer = nil
            handler()
        }
        delay = min(2 * delay, Self.longest)
        timer.resume()
        self.timer = timer
    }

    /// Resets the delay for the next time.
    func end() {
        timer?.cancel()
        timer = nil
        delay = Self.first
    }
}
