import Dispatch
import Foundation
import Synchronization
import UndersongAppHost

extension UIApplication {
    /// Seconds in which a session has to be created for its events.
    static let sessionDeadline = 10.0

    /// Notifies the application of sessions that have events while it is in the background.
    func watchSessions() {
        sessions.setNotifier { [weak self] identifier in
            DispatchQueue.main.async {
                MainActor.assumeIsolated {
                    guard let self, self.sessions.isRequested(identifier) else { return }
                    self.handleEvents(of: identifier)
                }
            }
        }
    }

    /// Notifies the delegate, and lets the session deliver then (J11). The application is not suspended
    /// before the delegate calls the handler.
    func handleEvents(of identifier: String) {
        // One that was suspended is woken, and has time again.
        let now = clock.now
        tasks.withLock { $0.account.wake(at: now) }
        let task = beginBackgroundTask(withName: "URLSession \(identifier)")
        let isDone = Mutex(false)
        let end = { @Sendable [weak self] in
            let isFirst = isDone.withLock { isDone in
                defer { isDone = true }
                return !isDone
            }
            if isFirst { self?.endBackgroundTask(task) }
        }
        delegate?.application(
            self, handleEventsForBackgroundURLSession: identifier, completionHandler: end)
        sessions.markNotified(identifier)
        deadlines[identifier] = sessionClock.now + Self.sessionDeadline
        ends[identifier] = end
        awaitSessions()
    }

    private func awaitSessions() {
        guard let due = deadlines.values.min() else { return }
        sessionClock.wake(at: due) { [weak self] in self?.endSessions() }
    }

    /// Gives sessions up that were not created in time: their events come at the next launch.
    private func endSessions() {
        let now = sessionClock.now
        for (identifier, due) in deadlines where due <= now {
            deadlines[identifier] = nil
            let end = ends.removeValue(forKey: identifier)
            if sessions.expire(identifier) { end?() }
        }
        awaitSessions()
    }
}
