import Synchronization

/// Lets what a stream's clock reports come after everything that the streams before it report. The
/// clock of a stream that was dropped reports its end when the device is silent, which may be after
/// the next stream has begun to sound.
///
/// Any thread may call it. Reports are performed one after the other, on the thread of any of them.
final class StreamOrder: Sendable {
    /// How long a stream is kept waiting for the one before it, in nanoseconds: longer than any
    /// device takes to be silent.
    private static let patience: Int64 = 1_000_000_000

    private struct Report {
        let stream: Int
        let hostTime: Int64
        let isLast: Bool
        let perform: @Sendable () -> Void
    }

    private struct State {
        /// The streams that have not ended, in order.
        var streams: [Int] = []
        /// What was reported and not performed yet, in order.
        var reports: [Report] = []
        /// Whether a thread is performing reports.
        var isPerforming = false

        /// Removes the next report to perform; nil if all that are left have to wait.
        mutating func next() -> Report? {
            guard let index = reports.firstIndex(where: { $0.stream == streams.first }) else {
                isPerforming = false
                return nil
            }
            return reports.remove(at: index)
        }
    }

    private let state = Mutex(State())

    /// Stream `number` begins, after all others.
    func begin(_ number: Int) { state.withLock { $0.streams.append(number) } }

    /// Performs what a stream reports at a host time, at once or after the streams before it have
    /// ended; `isLast` ends it. What comes from a stream for which others no longer wait is left
    /// out.
    func report(
        from stream: Int, at hostTime: Int64, isLast: Bool = false,
        _ perform: @escaping @Sendable () -> Void
    ) {
        let isIdle = state.withLock { state in
            guard state.streams.contains(stream) else { return false }
            state.reports.append(
                Report(stream: stream, hostTime: hostTime, isLast: isLast, perform: perform))
            if let oldest = state.reports.first, hostTime - oldest.hostTime > Self.patience {
                state.streams.removeAll { $0 < oldest.stream }
            }
            defer { state.isPerforming = true }
            return !state.isPerforming
        }
        guard isIdle else { return }
        while let report = state.withLock({ $0.next() }) {
            report.perform()
            if report.isLast { state.withLock { $0.streams.removeAll { $0 == report.stream } } }
        }
    }
}
