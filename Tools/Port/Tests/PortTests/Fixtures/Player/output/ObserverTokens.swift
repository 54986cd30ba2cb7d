// Made by scripts/port: what takes the place of selectors and string key paths.
import Foundation
import MediaPlayer

/// The observers and targets of one object. They end with it. Any thread may use it.
final class ObserverTokens: @unchecked Sendable {
    private let lock = NSLock()

    deinit {
        for entry in notifications { entry.center.removeObserver(entry.token) }
        for entry in targets { entry.command.removeTarget(entry.token) }
    }

    // MARK: Notifications

    private struct Notified {
        let center: NotificationCenter
        let name: Notification.Name?
        let object: ObjectIdentifier?
        let token: any NSObjectProtocol
    }

    private var notifications: [Notified] = []

    /// Calls `handler` on the thread that posts.
    func observe(
        _ center: NotificationCenter, _ name: Notification.Name?, object: Any?,
        _ handler: @escaping (Notification) -> Void
    ) {
        nonisolated(unsafe) let handler = handler
        let token = center.addObserver(forName: name, object: object, queue: nil) {
            handler($0)
        }
        let identifier = object.map { ObjectIdentifier($0 as AnyObject) }
        lock.withLock {
            notifications.append(
                Notified(center: center, name: name, object: identifier, token: token))
        }
    }

    /// Ends what was observed of `center`: all, or what has the name and the object.
    func stopObserving(
        _ center: NotificationCenter, _ name: Notification.Name? = nil, object: Any? = nil
    ) {
        let identifier = object.map { ObjectIdentifier($0 as AnyObject) }
        let ended = lock.withLock {
            let ended = notifications.filter { entry in
                entry.center === center && (name == nil || entry.name == name)
                    && (identifier == nil || entry.object == identifier)
            }
            notifications.removeAll { entry in ended.contains { $0.token === entry.token } }
            return ended
        }
        for entry in ended { entry.center.removeObserver(entry.token) }
    }

    // MARK: Remote commands

    private var targets: [(command: MPRemoteCommand, token: Any)] = []

    /// Calls `handler` when the command is sent.
    func addTarget(
        to command: MPRemoteCommand,
        _ handler: @escaping (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus
    ) {
        let token = command.addTarget(handler: handler)
        lock.withLock { targets.append((command, token)) }
    }

    /// Ends what `command` calls.
    func removeTargets(from command: MPRemoteCommand) {
        let ended = lock.withLock {
            let ended = targets.filter { $0.command === command }
            targets.removeAll { $0.command === command }
            return ended
        }
        for entry in ended { entry.command.removeTarget(entry.token) }
    }
}
