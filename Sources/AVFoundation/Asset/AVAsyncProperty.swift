public import Foundation

/// Names a property of `Root` that `load(_:)` loads, whatever its type.
public class AVPartialAsyncProperty<Root>: Hashable, @unchecked Sendable {
    /// What tells it from `Root`'s other properties.
    let name: String

    init(_ name: String) { self.name = name }

    /// Whether both name the same property.
    public static func == (left: AVPartialAsyncProperty, right: AVPartialAsyncProperty) -> Bool {
        left.name == right.name
    }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// Names a property of `Root` that `load(_:)` loads, such as `.duration`.
public final class AVAsyncProperty<Root, Value: Sendable>: AVPartialAsyncProperty<Root>,
    @unchecked Sendable
{
    /// How far a property is loaded.
    public enum Status {
        /// Nobody has asked for it.
        case notYetLoaded
        /// It is being loaded.
        case loading
        /// It is there.
        case loaded(Value)
        /// It cannot be loaded: the error is an `AVError`.
        case failed(NSError)
    }

    let known: @Sendable (Root) -> Status
    let find: @Sendable (Root) async throws -> Value

    init(
        _ name: String, known: @escaping @Sendable (Root) -> Status,
        find: @escaping @Sendable (Root) async throws -> Value
    ) {
        self.known = known
        self.find = find
        super.init(name)
    }
}

/// Something whose properties are loaded without blocking: an asset, a track, an item of metadata.
public protocol AVAsynchronousKeyValueLoading: AnyObject, Sendable {}

extension AVAsynchronousKeyValueLoading {
    /// The value of `property`, once it is known. Errors: `AVError`.
    public func load<Value>(_ property: AVAsyncProperty<Self, Value>) async throws -> Value {
        try await property.find(self)
    }

    /// Two values. Errors: the first that is met.
    public func load<A, B>(
        _ first: AVAsyncProperty<Self, A>, _ second: AVAsyncProperty<Self, B>
    ) async throws -> (A, B) {
        (try await load(first), try await load(second))
    }

    /// Three values. Errors: the first that is met.
    public func load<A, B, C>(
        _ first: AVAsyncProperty<Self, A>, _ second: AVAsyncProperty<Self, B>,
        _ third: AVAsyncProperty<Self, C>
    ) async throws -> (A, B, C) {
        (try await load(first), try await load(second), try await load(third))
    }

    /// Four values. Errors: the first that is met.
    public func load<A, B, C, D>(
        _ first: AVAsyncProperty<Self, A>, _ second: AVAsyncProperty<Self, B>,
        _ third: AVAsyncProperty<Self, C>, _ fourth: AVAsyncProperty<Self, D>
    ) async throws -> (A, B, C, D) {
        let (a, b) = try await load(first, second)
        return (a, b, try await load(third), try await load(fourth))
    }

    /// How far `property` is loaded. It loads nothing.
    public func status<Value>(
        of property: AVAsyncProperty<Self, Value>
    ) -> AVAsyncProperty<Self, Value>.Status {
        property.known(self)
    }
}
