package import UndersongPlayback

/// A queue that the user keeps by name.
package struct SavedQueue: Hashable, Sendable {
    /// The queue's name.
    package var name: SavedQueueName
    /// The time when it was saved, in nanoseconds since 1970.
    package var modified: Int64
}
