package import AudioSession
package import Playback

/// A part of the queue, and what is known of the files in it.
package struct QueueView: Sendable {
    /// The items.
    package var page: QueuePage
    /// Those whose files are not there now.
    package var missing: Set<ItemID>
    /// Where long ones were left, or that they were heard to their end.
    package var positions: [ItemID: FilePosition]
}

/// What an edit has brought into the queue.
package struct Addition: Sendable {
    /// The new items.
    package var items: [ItemID]
    /// What could not be added.
    package var errors: [MediaError]
}

/// Items of the queue that were searched for.
package struct QueueFindings: Sendable {
    /// The items with their places, from 0, in play order.
    package var items: [(place: Int, item: QueueItem)]
    /// How many items the queue has.
    package var count: Int
    /// The current item; nil at the end of the queue.
    package var current: ItemID?
}
