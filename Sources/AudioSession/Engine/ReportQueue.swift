import Synchronization

/// Carries what the sound path reports to the engine, in order. A command that comes between a
/// report and the engine's next turn takes the report in first: it is meant for the player as its
/// events have shown it.
final class ReportQueue<Report: Sendable>: Sendable {
    private let reports = Mutex<[Report]>([])
    private let signal: AsyncStream<Void>.Continuation
    /// Tells that there is something to take; ends with `close`.
    let signals: AsyncStream<Void>

    init() { (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// Puts a report in; the engine is woken when `telling` it to others is done, so that what follows
    /// from it is told after it.
    func put(_ report: Report, telling: () -> Void = {}) {
        reports.withLock { $0.append(report) }
        telling()
        signal.yield()
    }

    /// Takes out what is there.
    func take() -> [Report] {
        reports.withLock { reports in
            defer { reports.removeAll(keepingCapacity: true) }
            return reports
        }
    }

    /// Ends the signals.
    func close() { signal.finish() }
}
