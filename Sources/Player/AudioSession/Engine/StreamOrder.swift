import Synchronization

/// Lets what a stream's clock reports come after everything that the streams before it report. The
/// clock of a stream that was dropped reports its end when the device is silent, which may be after
/// the next stream has begun to sound.
///
/// Any thread may call it. Reports are performed one after the other, on the thread of any of them.
final class StreamOrder: Sendable {
    /// The seconds after the opening of a stream for which it may have to wait for those before it:
    /// more than any device takes to be silent.
    static let patience = 1.0

    private struct Report {
        let stream: Int
        let isLast: Bool
        let perform: @Sendable () -> Void
    }

    private struct State {
        /// The streams that have reported something and have not ended, in order.
        var streams: [Int] = []
        /// The number below which streams have ended, or do not count.
        var least = 0
        /// The reports that have not been performed yet, in order.
        var reports: [Report] = []
        /// True if a thread is performing reports.
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

    /// Performs what a stream reports, at once or after the streams before it have ended; `isLast`
    /// ends it. Later streams have higher numbers. The reports of a stream are left out if a later one
    /// has reported something before its first.
    func report(
        from stream: Int, isLast: Bool = false, _ perform: @escaping @Sendable () -> Void
    ) {
        update { state in
            if !state.streams.contains(stream) {
                guard stream >= state.least, stream > state.streams.last ?? -1 else { return }
                state.streams.append(stream)
            }
            state.reports.append(Report(stream: stream, isLast: isLast, perform: perform))
        }
    }

    /// Lets no stream wait any longer for those before stream `number`.
    func end(before number: Int) {
        update { state in
            state.least = max(state.least, number)
            state.streams.removeAll { $0 < number }
            state.reports.removeAll { $0.stream < number }
        }
    }

    private func update(_ change: (inout State) -> Void) {
        let isIdle = state.withLock { state in
            change(&state)
            defer { state.isPerforming = true }
            return !state.isPerforming
        }
        guard isIdle else { return }
        while let report = state.withLock({ $0.next() }) {
            report.perform()
            guard report.isLast else { continue }
            state.withLock { state in
                state.least = max(state.least, report.stream + 1)
                state.streams.removeAll { $0 <= report.stream }
            }
        }
    }
}
