/// The interruptions of one session. They nest, and only the outermost is reported (behaviour 3.1).
package struct SessionInterruption: Hashable, Sendable {
    /// The number of interruptions that have begun and not ended.
    package private(set) var depth = 0
    /// True if the session may end them all by becoming active, because none of them is a call.
    package private(set) var isOverridable = true

    /// Creates a session without interruptions.
    package init() {}

    /// True if the session is interrupted.
    package var isActive: Bool { depth > 0 }

    /// Begins an interruption. Returns whether it is the outermost one, which is reported.
    package mutating func begin(isOverridable: Bool) -> Bool {
        self.isOverridable = self.isOverridable && isOverridable
        depth += 1
        return depth == 1
    }

    /// Ends an interruption. Returns whether it was the last; an end without a beginning is
    /// ignored.
    package mutating func end() -> Bool {
        guard depth > 0 else { return false }
        depth -= 1
        if depth == 0 { isOverridable = true }
        return depth == 0
    }

    /// Ends all, because the session took the sound back.
    package mutating func override() { self = SessionInterruption() }
}
