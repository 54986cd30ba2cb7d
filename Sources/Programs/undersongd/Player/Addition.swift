package import UndersongPlayback

/// The additions of an edit to the queue.
package struct Addition: Sendable {
    /// The new items.
    package var items: [ItemID]
    /// Errors for what could not be added.
    package var errors: [MediaError]
}
