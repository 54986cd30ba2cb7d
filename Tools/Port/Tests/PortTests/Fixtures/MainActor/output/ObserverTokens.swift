// Made by scripts/port: what takes the place of selectors and string key paths.
import AVFoundation
import Foundation

/// The observers and targets of one object. They end with it. Any thread may use it.
final class ObserverTokens: @unchecked Sendable {
    private let lock = NSLock()

    deinit {
        for entry in notifications { entry.center.removeObserver(entry.token) }
        for entry in observations { entry.observation.invalidate() }
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

    // MARK: Key paths

    private struct Observed {
        let object: ObjectIdentifier
        let name: String
        let observation: NSKeyValueObservation
    }

    private var observations: [Observed] = []

    /// Calls `handler` with what `observeValue(forKeyPath:of:change:context:)` is passed.
    func observe<Object: NSKeyValueObservation.Observable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, named name: String,
        options: NSKeyValueObservingOptions,
        _ handler: @escaping (Object, [NSKeyValueChangeKey: Any]) -> Void
    ) {
        guard let object else { return }
        let observation = object.observe(keyPath, options: options) { object, change in
            var values: [NSKeyValueChangeKey: Any] = [
                .kindKey: NSNumber(value: change.kind.rawValue)
            ]
            if options.contains(.new) { values[.newKey] = boxed(change.newValue) }
            if options.contains(.old) { values[.oldKey] = boxed(change.oldValue) }
            handler(object, values)
        }
        lock.withLock {
            observations.append(
                Observed(
                    object: ObjectIdentifier(object), name: name, observation: observation))
        }
    }

    /// Ends an observation.
    func stopObserving(_ object: AnyObject?, _ name: String) {
        guard let object else { return }
        let identifier = ObjectIdentifier(object)
        lock.withLock {
            for entry in observations where entry.object == identifier && entry.name == name {
                entry.observation.invalidate()
            }
            observations.removeAll { $0.object == identifier && $0.name == name }
        }
    }
}

/// A key of the description of a change.
struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
    let rawValue: String

    init(rawValue: String) { self.rawValue = rawValue }

    static let kindKey = NSKeyValueChangeKey(rawValue: "kind")
    static let newKey = NSKeyValueChangeKey(rawValue: "new")
    static let oldKey = NSKeyValueChangeKey(rawValue: "old")
}

/// A value as the Objective-C runtime passes it: numbers as `NSNumber`, nothing as `NSNull`.
private func boxed(_ value: Any?) -> Any {
    guard let value else { return NSNull() }
    return switch value {
    case let value as any Wrapping: boxed(value.wrapped)
    case let value as any RawRepresentable: boxed(value.rawValue)
    case let value as CMTime: NSValue(time: value)
    case let value as Bool: NSNumber(value: value)
    case let value as Int: NSNumber(value: value)
    case let value as UInt: NSNumber(value: value)
    case let value as Float: NSNumber(value: value)
    case let value as Double: NSNumber(value: value)
    default: value
    }
}

private protocol Wrapping {
    var wrapped: Any? { get }
}

extension Optional: Wrapping {
    fileprivate var wrapped: Any? { self }
}
