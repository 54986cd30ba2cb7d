package import UndersongPlayback

/// What an edit has added to the queue.
package struct Addition: Sendable {
    /// The new items.
    package var items: [ItemID]
    /// Errors for what could not be added.
    package var errors: [MediaError]
}
