/// The interruptions of a session: they nest, and only the outermost is reported (behaviour 3.1).
package struct SessionInterruption: Hashable, Sendable {
    /// How many have begun and not ended.
    package private(set) var depth = 0
    /// Whether the session may end them all by becoming active: none of them is a call.
    package private(set) var isOverridable = true

    /// Makes a session without an interruption.
    package init() {}

    /// Whether the session is interrupted.
    package var isActive: Bool { depth > 0 }

    /// One begins. Returns whether it is the outermost, and so to be told.
    package mutating func begin(isOverridable: Bool) -> Bool {
        self.isOverridable = self.isOverridable && isOverridable
        depth += 1
        return depth == 1
    }

    /// One ends. Returns whether it was the last; an end without a begin is ignored.
    package mutating func end() -> Bool {
        guard depth > 0 else { return false }
        depth -= 1
        if depth == 0 { isOverridable = true }
        return depth == 0
    }

    /// All end, since the session has taken the sound back.
    package mutating func override() { self = SessionInterruption() }
}
