package import UndersongPlayback

/// A queue that the user keeps by name.
package struct SavedQueue: Hashable, Sendable {
    /// What it is called.
    package var name: SavedQueueName
    /// When it was saved, in nanoseconds since 1970.
    package var modified: Int64
}
