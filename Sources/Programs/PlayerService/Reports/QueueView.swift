package import UndersongAudioSession
package import UndersongPlayback

/// Part of the queue, with the state of its files.
package struct QueueView: Sendable {
    /// The items.
    package var page: QueuePage
    /// Items whose files are missing at the moment.
    package var missing: Set<ItemID>
    /// The saved positions of long items, or that they were finished.
    package var positions: [ItemID: ResumePoint]
}

/// What an edit has added to the queue.
package struct Addition: Sendable {
    /// The new items.
    package var items: [ItemID]
    /// Errors for what could not be added.
    package var errors: [MediaError]
}

/// Items of the queue found by a search.
package struct QueueFindings: Sendable {
    /// The items with their places, from 0, in play order.
    package var items: [(place: Int, item: QueueItem)]
    /// The number of items that match, which may be more.
    package var foundCount: Int
    /// Whether titles, artists and albums of some items were not read yet, so that more may match.
    package var hasUnreadTags: Bool
    /// The number of items in the queue.
    package var count: Int
    /// The current item; nil at the end of the queue.
    package var current: ItemID?
}
