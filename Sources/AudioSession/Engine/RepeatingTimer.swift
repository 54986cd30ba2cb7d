import Dispatch

/// Calls a handler repeatedly on one queue, from `start` until `stop`.
final class RepeatingTimer {
    private let queue: DispatchQueue
    private let interval: Double
    private var timer: (any DispatchSourceTimer)?

    /// Creates a stopped timer; `interval` is in seconds.
    init(queue: DispatchQueue, interval: Double) {
        self.queue = queue
        self.interval = interval
    }

    /// Calls `handler` after each interval. Has no effect while the timer runs.
    func start(_ handler: @escaping @Sendable () -> Void) {
        guard timer == nil else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + interval, repeating: interval)
        timer.setEventHandler(handler: handler)
        timer.resume()
        self.timer = timer
    }

    func stop() {
        timer?.cancel()
        timer = nil
    }
}
