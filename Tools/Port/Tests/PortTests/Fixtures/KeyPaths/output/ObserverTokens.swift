// Made by scripts/port: what takes the place of selectors and string key paths.
import AVFoundation
import Foundation

/// The observers and targets of one object. They end with it. Any thread may use it.
final class ObserverTokens: @unchecked Sendable {
    private let lock = NSLock()

    deinit {
        for entry in observations { entry.observation.invalidate() }
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

    /// The same for a property that is known by its name only.
    func observe(
        _ object: AVPlayer?, named name: String, options: NSKeyValueObservingOptions,
        _ handler: @escaping (String, AVPlayer, [NSKeyValueChangeKey: Any]) -> Void
    ) {
        let call = { handler(name, $0, $1) }
        switch name {
        case "rate": observe(object, \.rate, named: name, options: options, call)
        case "status": observe(object, \.status, named: name, options: options, call)
        case "timeControlStatus": observe(object, \.timeControlStatus, named: name, options: options, call)
        case "currentItem": observe(object, \.currentItem, named: name, options: options, call)
        case "reasonForWaitingToPlay": observe(object, \.reasonForWaitingToPlay, named: name, options: options, call)
        case "volume": observe(object, \.volume, named: name, options: options, call)
        case "error": observe(object, \.error, named: name, options: options, call)
        case "muted": observe(object, \.isMuted, named: name, options: options, call)
        case "currentItem.status": observe(object, \.currentItem?.status, named: name, options: options, call)
        case "currentItem.duration": observe(object, \.currentItem?.duration, named: name, options: options, call)
        case "currentItem.loadedTimeRanges": observe(object, \.currentItem?.loadedTimeRanges, named: name, options: options, call)
        case "currentItem.timedMetadata": observe(object, \.currentItem?.timedMetadata, named: name, options: options, call)
        case "currentItem.error": observe(object, \.currentItem?.error, named: name, options: options, call)
        case "currentItem.playbackLikelyToKeepUp": observe(object, \.currentItem?.isPlaybackLikelyToKeepUp, named: name, options: options, call)
        case "currentItem.playbackBufferEmpty": observe(object, \.currentItem?.isPlaybackBufferEmpty, named: name, options: options, call)
        case "currentItem.playbackBufferFull": observe(object, \.currentItem?.isPlaybackBufferFull, named: name, options: options, call)
        default: preconditionFailure("a player has no \(name) that can be observed")
        }
    }

    /// The same for a property that is known by its name only.
    func observe(
        _ object: AVPlayerItem?, named name: String, options: NSKeyValueObservingOptions,
        _ handler: @escaping (String, AVPlayerItem, [NSKeyValueChangeKey: Any]) -> Void
    ) {
        let call = { handler(name, $0, $1) }
        switch name {
        case "status": observe(object, \.status, named: name, options: options, call)
        case "duration": observe(object, \.duration, named: name, options: options, call)
        case "loadedTimeRanges": observe(object, \.loadedTimeRanges, named: name, options: options, call)
        case "timedMetadata": observe(object, \.timedMetadata, named: name, options: options, call)
        case "error": observe(object, \.error, named: name, options: options, call)
        case "playbackLikelyToKeepUp": observe(object, \.isPlaybackLikelyToKeepUp, named: name, options: options, call)
        case "playbackBufferEmpty": observe(object, \.isPlaybackBufferEmpty, named: name, options: options, call)
        case "playbackBufferFull": observe(object, \.isPlaybackBufferFull, named: name, options: options, call)
        default: preconditionFailure("an item has no \(name) that can be observed")
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
