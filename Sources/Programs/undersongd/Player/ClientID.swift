import Synchronization

/// Identifies a client among all that this process has ever served.
package struct ClientID: Hashable, Sendable {
    private static let last = Atomic<Int>(0)

    let number: Int

    /// Creates a unique id. May be called on any thread.
    package init() {
        number = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
