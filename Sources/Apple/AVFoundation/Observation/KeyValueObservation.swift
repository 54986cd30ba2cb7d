public import Foundation
import Synchronization

/// The options that select what a change passes to the handler of an observation, with Apple's raw
/// values.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Makes options of those bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The change carries the new value.
    public static let new = NSKeyValueObservingOptions(rawValue: 1)
    /// The change carries the previous value.
    public static let old = NSKeyValueObservingOptions(rawValue: 2)
    /// The handler is also called once before `observe` returns (C5).
    public static let initial = NSKeyValueObservingOptions(rawValue: 4)
}

/// The kind of a property's change. All properties here are set as a whole.
public enum NSKeyValueChange: UInt, Sendable {
    /// The value was set.
    case setting = 1
    /// Elements were inserted.
    case insertion
    /// Elements were removed.
    case removal
    /// Elements were replaced.
    case replacement
}

/// A change of an observed property.
public struct NSKeyValueObservedChange<Value> {
    /// The kind of a property's change.
    public typealias Kind = NSKeyValueChange

    /// The kind of the property's change.
    public let kind: Kind
    /// The new value, with the option `new`.
    public let newValue: Value?
    /// The previous value, with the option `old`; nil in the initial call.
    public let oldValue: Value?
    /// Always nil: no property is changed in parts.
    public let indexes: IndexSet?
    /// Always false: handlers are called only after a change.
    public let isPrior: Bool
}

/// An observation, which ends when this is released or invalidated. Any thread may do that.
public final class NSKeyValueObservation: NSObject, Sendable {
    private let observation: any KeyPathObserving

    init(_ observation: any KeyPathObserving) { self.observation = observation }

    deinit { observation.invalidate() }

    /// Ends the observation: no call of its handler starts after this.
    public func invalidate() { observation.invalidate() }
}

extension NSKeyValueObservation {
    /// A class whose properties can be observed by key path. On Apple's systems every `NSObject`
    /// can; Swift on Linux has no key-value observation of its own.
    public protocol Observable: AnyObject {
        /// The observers of this object.
        var keyValueObservers: Observers { get }
    }
}

extension NSKeyValueObservation.Observable {
    /// Calls `changeHandler` whenever the value of `keyPath` is set, on the thread that sets it:
    /// the caller's for what a call changes, the main queue for what playback changes. A path may
    /// pass through several observable objects, such as `\.currentItem?.status`.
    ///
    /// Keep the result: releasing it ends the observation.
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        let observation = KeyPathObservation(self, keyPath, options, changeHandler)
        observation.start()
        return NSKeyValueObservation(observation)
    }

    /// The values of `keyPath`, the current one first. A slow reader gets only the newest. The
    /// sequence retains the observation, but not the object.
    public func values<Value: Sendable>(of keyPath: KeyPath<Self, Value>) -> AsyncStream<Value> {
        let (stream, values) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let order = Mutex<Void>(())
        let token = observe(keyPath, options: [.initial]) { object, _ in
            // Two threads may report at once: whichever is last reads the newest value.
            order.withLock { _ in _ = values.yield(object[keyPath: keyPath]) }
        }
        values.onTermination = { _ in token.invalidate() }
        return stream
    }
}
