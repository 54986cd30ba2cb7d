import Synchronization

/// Distinguishes a client from all others that this process serves or has served.
package struct ClientID: Hashable, Sendable {
    private static let last = Atomic<Int>(0)

    let number: Int

    /// Makes an id that no other client has. Any thread.
    package init() {
        number = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
