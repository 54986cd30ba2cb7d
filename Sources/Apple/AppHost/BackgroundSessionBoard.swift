import Synchronization

/// The board where sessions that transfer in the background find the application of this process,
/// which is notified of their events before they are delivered (J11-J14). Any thread may use it.
package final class BackgroundSessionBoard: Sendable {
    /// The board of this process.
    package static let shared = BackgroundSessionBoard()

    private struct State {
        /// Notifies the application of a session's events.
        var notifier: (@Sendable (String) -> Void)?
        /// Sessions whose events the application has yet to be notified of.
        var requested: Set<String> = []
        /// Sessions whose events the application was notified of, and which deliver them.
        var notified: Set<String> = []
        /// Sessions that were not created in time: their events wait for the foreground.
        var expired: Set<String> = []
        /// The function to call when a session may deliver its events.
        var sessions: [String: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    // MARK: The application

    /// Calls `notifier` with the sessions that have events for an application in the background,
    /// from now on.
    package func setNotifier(_ notifier: @escaping @Sendable (String) -> Void) {
        let waiting = state.withLock { state in
            state.notifier = notifier
            return state.requested
        }
        for identifier in waiting.sorted() { notifier(identifier) }
    }

    /// True if a session still waits for the application to be notified.
    package func isRequested(_ identifier: String) -> Bool {
        state.withLock { $0.requested.contains(identifier) }
    }

    /// The application has been notified: the session may deliver.
    package func markNotified(_ identifier: String) {
        let session = state.withLock { state in
            state.requested.remove(identifier)
            state.expired.remove(identifier)
            state.notified.insert(identifier)
            return state.sessions[identifier]
        }
        session?()
    }

    /// The time to create a session is over. Returns whether it was not used: then its events wait
    /// until the application is in the foreground, or is launched again.
    package func expire(_ identifier: String) -> Bool {
        state.withLock { state in
            guard state.notified.contains(identifier), state.sessions[identifier] == nil else {
                return false
            }
            state.notified.remove(identifier)
            state.expired.insert(identifier)
            return true
        }
    }

    // MARK: Sessions

    /// A session exists. `release` is called when it may deliver, on any thread.
    package func add(_ identifier: String, release: @escaping @Sendable () -> Void) {
        state.withLock { $0.sessions[identifier] = release }
    }

    /// A session is over.
    package func remove(_ identifier: String) {
        state.withLock { state in
            state.sessions[identifier] = nil
            state.requested.remove(identifier)
            state.notified.remove(identifier)
        }
    }

    /// True if the application was notified of a session's events, so that it delivers them.
    package func isNotified(_ identifier: String) -> Bool {
        state.withLock { $0.notified.contains(identifier) }
    }

    /// A session has events for an application in the background.
    package func request(_ identifier: String) {
        let notifier = state.withLock { state -> (@Sendable (String) -> Void)? in
            guard !state.expired.contains(identifier), !state.notified.contains(identifier),
                state.requested.insert(identifier).inserted
            else { return nil }
            return state.notifier
        }
        notifier?(identifier)
    }

    /// A session has delivered all events that the application was notified of.
    package func finish(_ identifier: String) {
        state.withLock { _ = $0.notified.remove(identifier) }
    }
}
