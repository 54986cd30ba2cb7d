import Dispatch

/// Calls once a second while sound runs, so that the place that is kept is no older than that.
final class RecordKeeper {
    private static let interval = 1.0
    private let queue: DispatchQueue
    private var timer: (any DispatchSourceTimer)?

    init(queue: DispatchQueue) { self.queue = queue }

    func start(_ handler: @escaping @Sendable () -> Void) {
        guard timer == nil else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(
            deadline: .now() + Self.interval, repeating: Self.interval,
            leeway: .milliseconds(50))
        timer.setEventHandler(handler: handler)
        timer.resume()
        self.timer = timer
    }

    func stop() {
        timer?.cancel()
        timer = nil
    }
}
