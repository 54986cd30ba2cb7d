import Dispatch

/// Calls again and again, on one queue, from `start` until `stop`.
final class RepeatingTimer {
    private let queue: DispatchQueue
    private let interval: Double
    private let leeway: DispatchTimeInterval
    private var timer: (any DispatchSourceTimer)?

    /// Makes one that does nothing yet; `interval` is in seconds.
    init(
        queue: DispatchQueue, interval: Double, leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        self.queue = queue
        self.interval = interval
        self.leeway = leeway
    }

    /// Calls `handler` first after one interval. Without effect while it runs.
    func start(_ handler: @escaping @Sendable () -> Void) {
        guard timer == nil else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + interval, repeating: interval, leeway: leeway)
        timer.setEventHandler(handler: handler)
        timer.resume()
        self.timer = timer
    }

    func stop() {
        timer?.cancel()
        timer = nil
    }
}
