public import Foundation
import Synchronization

/// What an observation's handler is given, with Apple's raw values.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Makes options of those bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The change carries the new value.
    public static let new = NSKeyValueObservingOptions(rawValue: 1)
    /// The change carries the value before it.
    public static let old = NSKeyValueObservingOptions(rawValue: 2)
    /// The handler is called once at once, before `observe` returns (C5).
    public static let initial = NSKeyValueObservingOptions(rawValue: 4)
}

/// What has happened to a property. Ours are all set as a whole.
public enum NSKeyValueChange: UInt, Sendable {
    /// It has another value.
    case setting = 1
    /// Values were put into it.
    case insertion
    /// Values were taken out of it.
    case removal
    /// Values in it were replaced.
    case replacement
}

/// One change of an observed property.
public struct NSKeyValueObservedChange<Value> {
    /// What has happened to a property.
    public typealias Kind = NSKeyValueChange

    /// What has happened.
    public let kind: Kind
    /// The value now, with the option `new`.
    public let newValue: Value?
    /// The value before, with the option `old`; nil in the initial call.
    public let oldValue: Value?
    /// Always nil: no property of ours is changed in parts.
    public let indexes: IndexSet?
    /// Always false: handlers are called behind the change only.
    public let isPrior: Bool
}

/// Keeps an observation alive: it ends when this is released or invalidated. Any thread may do that.
public final class NSKeyValueObservation: NSObject, Sendable {
    private let observation: any KeyPathObserving

    init(_ observation: any KeyPathObserving) { self.observation = observation }

    deinit { observation.invalidate() }

    /// Ends the observation: no call of its handler begins afterwards.
    public func invalidate() { observation.invalidate() }
}

/// A class whose properties can be observed by key path. On Apple's systems every `NSObject` can;
/// Swift on Linux has no key-value observation of its own.
public protocol KeyValueObservable: AnyObject {
    /// Those who observe this object.
    var keyValueObservers: KeyValueObservers { get }
}

extension KeyValueObservable {
    /// Calls `changeHandler` whenever the value of `keyPath` is set anew, on the thread that does it:
    /// for what a call changes that is the caller's, for what the sound brings about the main queue.
    /// A path may lead through several observable objects, such as `\.currentItem?.status`.
    ///
    /// Keep the result: the observation ends with it.
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        let observation = KeyPathObservation(self, keyPath, options, changeHandler)
        observation.start()
        return NSKeyValueObservation(observation)
    }

    /// The values of `keyPath` from now on, the one of now first. A reader that is slow gets the
    /// newest one. The sequence holds the observation, and not the object.
    public func values<Value: Sendable>(of keyPath: KeyPath<Self, Value>) -> AsyncStream<Value> {
        let (stream, values) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let order = Mutex<Void>(())
        let token = observe(keyPath, options: [.initial]) { object, _ in
            // Two threads may tell at once: the last one to do so tells the newest value.
            order.withLock { _ in _ = values.yield(object[keyPath: keyPath]) }
        }
        values.onTermination = { _ in token.invalidate() }
        return stream
    }
}
