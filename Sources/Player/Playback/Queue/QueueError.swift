/// The reason why the queue cannot be edited as requested. It is unchanged in that case.
public typealias QueueError = CodedError<QueueErrorCode>

/// The reason why the queue cannot be edited, as a program reads it.
public enum QueueErrorCode: String, Hashable, Sendable, CaseIterable {
    /// No item has this id, or it has left the queue.
    case noSuchItem = "no-such-item"
    /// The edit could not be made durable.
    case notDurable = "not-durable"
    /// There is no edit to undo.
    case nothingToUndo = "nothing-to-undo"
    /// Nothing was undone.
    case nothingToRedo = "nothing-to-redo"
    /// The edit was made before: its key is known.
    case alreadyDone = "already-done"
}
