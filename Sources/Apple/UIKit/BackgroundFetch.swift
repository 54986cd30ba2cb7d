public import Foundation
import Synchronization
package import UndersongAppHost
package import UndersongBackground

extension UIApplication {
    /// The interval for fetching as often as the system allows (F4): here, at most every 15 minutes.
    public nonisolated static let backgroundFetchIntervalMinimum: TimeInterval = 0

    /// The interval for never fetching, which is the default (F2, F5).
    public nonisolated static let backgroundFetchIntervalNever: TimeInterval =
        .greatestFiniteMagnitude

    /// Sets how many seconds have to pass between two background fetches (F3). The system chooses
    /// the times, and learns when the user opens the application (F7).
    ///
    /// It has no effect unless the background mode `fetch` is declared (F1). Less than 15 minutes
    /// counts as 15 minutes.
    public func setMinimumBackgroundFetchInterval(_ minimumBackgroundFetchInterval: TimeInterval) {
        refresh.setInterval(FetchInterval(minimumBackgroundFetchInterval))
    }
}

extension FetchInterval {
    /// The interval that UIKit's number of seconds stands for.
    init(_ seconds: TimeInterval) {
        if seconds <= UIApplication.backgroundFetchIntervalMinimum {
            self = .minimum
        } else {
            // Also what is not a number is never.
            self = seconds < 1e12 ? .seconds(seconds) : .never
        }
    }
}

extension UIApplication: RefreshApplication {
    package func willRun(_ work: RefreshWork) {
        let now = clock.now
        let identifier = tasks.withLock {
            $0.account.beginRun(name: work.task.identifier, at: now)
        }
        runs[ObjectIdentifier(work)] = (work, identifier)
        noteNeeds()
    }

    package func performFetch(_ work: RefreshWork) {
        guard let delegate else { return work.complete(RefreshCompletion(.failed)) }
        delegate.application(
            self, performFetchWithCompletionHandler: { work.complete(RefreshCompletion($0)) })
    }

    /// Takes a snapshot (K4, F11). Apple's systems end an application that has overrun its time.
    package func didRun(_ work: RefreshWork, _ run: RefreshRun) {
        if applicationState == .background { snapshotHandler?() }
        if run.result == .overran { overstayHandler?([run.identifier]) }
    }

    package func mayRest(after work: RefreshWork) {
        guard let run = runs.removeValue(forKey: ObjectIdentifier(work)) else { return }
        endBackgroundTask(UIBackgroundTaskIdentifier(rawValue: run.identifier))
    }

    /// Keeps an application that was launched into the background running until it is known whether
    /// what is due may begin: a program that ends when it may be suspended would miss it.
    func awaitBackgroundTasks() {
        guard refresh.awaitsDecision() else { return }
        let now = clock.now
        decision = tasks.withLock { $0.account.beginRun(name: "background tasks", at: now) }
    }

    package func didDecide() {
        guard let hold = decision.take() else { return }
        endBackgroundTask(UIBackgroundTaskIdentifier(rawValue: hold))
    }

    package func show(_ message: String) { messageHandler?(message) }

    /// Runs a fetch before the application may be suspended.
    func fetch(_ cause: RefreshCause, after body: () -> Void) {
        let now = clock.now
        let hold = tasks.withLock { $0.account.beginRun(name: "background fetch", at: now) }
        body()
        refresh.fetch(cause)
        endBackgroundTask(UIBackgroundTaskIdentifier(rawValue: hold))
    }
}

extension RefreshCompletion {
    init(_ result: UIBackgroundFetchResult) {
        switch result {
        case .newData: self.init(RefreshResult.newData)
        case .noData: self.init(RefreshResult.noData)
        case .failed: self.init(RefreshResult.failed)
        }
    }
}
