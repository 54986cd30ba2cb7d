/// The volume that a session has while others speak over it (T56).
package struct Ducking: Hashable, Sendable {
    /// The fraction of its loudness that a ducked session keeps.
    package static let factor: Float = 0.2

    private var depth = 0

    /// Creates a session at full loudness.
    package init() {}

    /// The factor for the session's samples.
    package var gain: Float { depth > 0 ? Self.factor : 1 }

    /// Another session begins to speak.
    package mutating func begin() { depth += 1 }

    /// Another session stops speaking; an end without a beginning is ignored.
    package mutating func end() { depth = max(0, depth - 1) }
}
