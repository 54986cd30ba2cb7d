import Synchronization
package import UndersongBackground

/// A run of a background task, for its handler. Any thread may use it.
package final class RefreshWork: Sendable {
    private struct State {
        var expirationHandler: (@MainActor @Sendable () -> Void)?
        var isOver = false
    }

    /// The run.
    package let task: RefreshTask
    private let center: RefreshCenter
    private let state = Mutex(State())

    init(_ task: RefreshTask, _ center: RefreshCenter) {
        self.task = task
        self.center = center
    }

    /// Called once on the main actor shortly before the time is over (E4); nil from then on, and
    /// once the run is over.
    package var expirationHandler: (@MainActor @Sendable () -> Void)? {
        get { state.withLock(\.expirationHandler) }
        set { state.withLock { if !$0.isOver { $0.expirationHandler = newValue } } }
    }

    /// Ends the run (F10). Only the first call counts (F12); any other is reported to the host.
    package func complete(_ completion: RefreshCompletion) {
        end()
        center.complete(task, completion)
    }

    /// The handler has returned, whether the run is over or not.
    package func handlerReturned() { center.handlerReturned(task) }

    /// Ends the run in the eyes of its handler.
    func end() {
        state.withLock { state in
            state.isOver = true
            state.expirationHandler = nil
        }
    }

    /// Returns the handler that is to be called, and removes it.
    func removeExpirationHandler() -> (@MainActor @Sendable () -> Void)? {
        state.withLock { state in
            defer { state.expirationHandler = nil }
            return state.expirationHandler
        }
    }
}

/// The application whose background tasks a `RefreshCenter` schedules.
@MainActor package protocol RefreshApplication: AnyObject, Sendable {
    /// A run begins: the application is woken if it was suspended (A12).
    func willRun(_ work: RefreshWork)

    /// The application fetches, by the interval that it has set.
    func performFetch(_ work: RefreshWork)

    /// A run has ended.
    func didRun(_ work: RefreshWork, _ run: RefreshRun)

    /// The handler has returned, and what follows a completion elsewhere has had its time: the
    /// application may be suspended (N1).
    func mayRest(after work: RefreshWork)

    /// The work that was due when `RefreshCenter.awaitsDecision()` was called has begun, or cannot
    /// begin now.
    func didDecide()

    /// Shows what the scheduler does, or could not do: a message of its own (N3).
    func show(_ message: String)
}
