/// How loud a session may be while others speak over it (T56).
package struct Ducking: Hashable, Sendable {
    /// The share of its loudness that a ducked session keeps.
    package static let factor: Float = 0.2

    private var depth = 0

    /// Makes a session at its full loudness.
    package init() {}

    /// The factor for the session's samples.
    package var gain: Float { depth > 0 ? Self.factor : 1 }

    /// Another begins to speak.
    package mutating func begin() { depth += 1 }

    /// Another has spoken; one that never began is ignored.
    package mutating func end() { depth = max(0, depth - 1) }
}
