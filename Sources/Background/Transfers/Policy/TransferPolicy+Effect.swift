extension TransferPolicy {
    /// What is to be done, in this order.
    package enum Effect: Hashable, Sendable {
        /// Write the record, durably: what follows relies on it.
        case keep(TransferTask)
        /// Write the record soon. Nothing relies on it: until then, the earlier one is right, too.
        case note(TransferTask)
        /// Delete the record.
        case forget(Int)
        /// Delete the part.
        case discard(Int)
        case start(Int, TransferAttempt)
        /// Cut the part to this length, and write the body after it.
        case write(Int, Int64)
        /// End the request; no `ended` follows, but `stored` does, at once.
        case stop(Int)
        /// Check the part, and bring it to the file system of its destination.
        case verify(TransferTask)
        /// Give the file its name.
        case place(TransferTask, PreparedFile)
        /// Have the player take the file into its queue; `answered` follows.
        case join(Int, path: String, QueueWish)
        /// Something that users see has changed.
        case publish(Int)
    }
}
