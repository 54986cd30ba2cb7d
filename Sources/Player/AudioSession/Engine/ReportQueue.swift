import Synchronization

/// Passes the sound path's reports to the engine, in order. A command that arrives between a report
/// and the engine's next turn handles the report first, since it is meant for the player as its
/// events have shown it.
final class ReportQueue<Report: Sendable>: Sendable {
    private let reports = Mutex<[Report]>([])
    private let signal: AsyncStream<Void>.Continuation
    /// Signals that there are reports to take; ends with `close`.
    let signals: AsyncStream<Void>

    init() { (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// Adds a report. The engine can take it after `publish` has published it to others, so that its
    /// consequences are published after it; who hears of it by that finds it handled. `publish` must not
    /// call the engine.
    func put(_ report: Report, publish: () -> Void = {}) {
        reports.withLock { reports in
            reports.append(report)
            publish()
        }
        signal.yield()
    }

    /// Removes and returns the pending reports.
    func popAll() -> [Report] {
        reports.withLock { reports in
            defer { reports.removeAll(keepingCapacity: true) }
            return reports
        }
    }

    /// Ends the signals.
    func close() { signal.finish() }
}
