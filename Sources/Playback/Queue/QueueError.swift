/// Why the queue cannot be edited as requested. It is unchanged in that case.
public struct QueueError: Error, Equatable, CustomStringConvertible, Sendable {
    /// A machine-readable reason.
    public enum Code: String, Sendable, CaseIterable {
        /// No item has this id, or it has left the queue.
        case noSuchItem = "no-such-item"
        /// The edit could not be made durable.
        case notDurable = "not-durable"
        /// There is no edit to undo.
        case nothingToUndo = "nothing-to-undo"
    }

    /// What kind of failure it is.
    public let code: Code
    /// What was tried: `move item 7`.
    public let operation: String
    /// Why it failed: `the queue has no such item`.
    public let reason: String

    /// Creates an error that reads "cannot `operation`: `reason`".
    public init(_ code: Code, operation: String, reason: String) {
        self.code = code
        self.operation = operation
        self.reason = reason
    }

    /// One lower-case clause without a period.
    public var description: String { "cannot \(operation): \(reason)" }
}
