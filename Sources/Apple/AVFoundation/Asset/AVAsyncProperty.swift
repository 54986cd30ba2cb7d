public import Foundation

/// Names a property of `Root` for `load(_:)`, without the property's type.
public class AVPartialAsyncProperty<Root>: Hashable, @unchecked Sendable {
    /// Distinguishes the property from `Root`'s others.
    let name: String

    init(_ name: String) { self.name = name }

    /// Returns true if both name the same property.
    public static func == (left: AVPartialAsyncProperty, right: AVPartialAsyncProperty) -> Bool {
        left.name == right.name
    }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// Names a property of `Root` for `load(_:)`, such as `.duration`.
public final class AVAsyncProperty<Root, Value: Sendable>: AVPartialAsyncProperty<Root>,
    @unchecked Sendable
{
    /// The loading status of a property.
    public enum Status {
        /// Not requested yet.
        case notYetLoaded
        /// Being loaded.
        case loading
        /// Loaded.
        case loaded(Value)
        /// Loading failed: the error is an `AVError`, or a `URLError`.
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

/// An object whose properties are loaded without blocking: an asset, a track, a metadata item.
public protocol AVAsynchronousKeyValueLoading: AnyObject, Sendable {}

extension AVAsynchronousKeyValueLoading {
    /// Loads the value of `property`.
    /// - Throws: `AVError` or `URLError`.
    public func load<Value>(_ property: AVAsyncProperty<Self, Value>) async throws -> Value {
        try await property.find(self)
    }

    /// Loads two values.
    /// - Throws: The first error that occurs.
    public func load<A, B>(
        _ first: AVAsyncProperty<Self, A>, _ second: AVAsyncProperty<Self, B>
    ) async throws -> (A, B) {
        (try await load(first), try await load(second))
    }

    /// Loads three values.
    /// - Throws: The first error that occurs.
    public func load<A, B, C>(
        _ first: AVAsyncProperty<Self, A>, _ second: AVAsyncProperty<Self, B>,
        _ third: AVAsyncProperty<Self, C>
    ) async throws -> (A, B, C) {
        (try await load(first), try await load(second), try await load(third))
    }

    /// Loads four values.
    /// - Throws: The first error that occurs.
    public func load<A, B, C, D>(
        _ first: AVAsyncProperty<Self, A>, _ second: AVAsyncProperty<Self, B>,
        _ third: AVAsyncProperty<Self, C>, _ fourth: AVAsyncProperty<Self, D>
    ) async throws -> (A, B, C, D) {
        let (a, b) = try await load(first, second)
        return (a, b, try await load(third), try await load(fourth))
    }

    /// The loading status of `property`. Does not load it.
    public func status<Value>(
        of property: AVAsyncProperty<Self, Value>
    ) -> AVAsyncProperty<Self, Value>.Status {
        property.known(self)
    }
}
