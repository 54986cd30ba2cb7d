package import UndersongBase

/// Consecutive items of the queue in its current state.
public struct QueuePart<Item: Hashable & Sendable>: Hashable, Sendable {
    /// The items in play order, including those already played.
    public var items: [Item]
    /// The index of the first of these items in the queue.
    public var offset: Int
    /// The number of items in the queue.
    public var count: Int
    /// The current item's id; nil at the end of the queue.
    public var current: Int?

    /// Creates a part, by default the whole queue.
    package init(items: [Item], current: Int?, offset: Int = 0, count: Int? = nil) {
        self.items = items
        self.current = current
        self.offset = offset
        self.count = count ?? items.count
    }
}

extension QueuePart: Codable where Item: Codable {}

/// Part of the queue as clients see it.
package typealias QueueList = QueuePart<ListedItem>

extension QueueList {
    /// The maximum number of items in a reply, and of ids of new items.
    package static var limit: Int { 1000 }
    /// The maximum number of items in the reply to a change.
    package static var limitOfChange: Int { 100 }
}

/// The queue after a change: all of it, or `QueueList.limitOfChange` items around the current one.
///
/// The reply to a change is sent once the change is durable. If the disk does not take it, nothing
/// is changed (`notPossible`).
package struct ChangedQueue: Codable, Hashable, Sendable {
    /// The queue.
    package var queue: QueueList
    /// The number of items that were removed as duplicates; nil after other changes.
    package var removedCount: Int?

    package init(queue: QueueList, removedCount: Int? = nil) {
        self.queue = queue
        self.removedCount = removedCount
    }
}

/// The queue after items were added to it, and these.
package struct ExtendedQueue: Codable, Hashable, Sendable {
    /// The queue, as in `ChangedQueue`.
    package var queue: QueueList
    /// The ids of the new items, at most `QueueList.limit`.
    package var added: [Int]
    /// The number of new items.
    package var addedCount: Int
    /// The files that could not be added, and why.
    package var problems: [String]
    /// The number of problems that are more than a folder's files of other formats; nil if none
    /// are.
    package var failedCount: Int?

    package init(
        queue: QueueList, added: [Int] = [], addedCount: Int? = nil, problems: [String] = [],
        failedCount: Int? = nil
    ) {
        self.queue = queue
        self.added = added
        self.addedCount = addedCount ?? added.count
        self.problems = problems
        self.failedCount = failedCount
    }
}

/// The results of a search in the queue.
package struct FoundItems: Codable, Hashable, Sendable {
    /// The items found, in queue order.
    package var found: [ListedItem]
    /// The number of items that the search finds in all.
    package var foundCount: Int
    /// True if the search may find more later, because titles, artists and albums of some items
    /// were not read from their files yet.
    package var hasUnreadTags: Bool?
    /// The number of items in the queue.
    package var count: Int
    /// The current item's id; nil at the end of the queue.
    package var current: Int?

    package init(
        found: [ListedItem], foundCount: Int? = nil, hasUnreadTags: Bool = false, count: Int,
        current: Int?
    ) {
        self.found = found
        self.foundCount = foundCount ?? found.count
        self.hasUnreadTags = hasUnreadTags ? true : nil
        self.count = count
        self.current = current
    }
}

/// Lists items of the queue.
package struct ListQueue: ControlCall, Hashable {
    package typealias Reply = QueueList
    package static let method = "queue.list"
    /// The place to list from, which counts from 0; nil for 0.
    package var offset: Int?
    /// The number of items, at most `QueueList.limit`; nil for that.
    package var limit: Int?

    package init(offset: Int? = nil, limit: Int? = nil) {
        self.offset = offset
        self.limit = limit
    }
}

/// The playing time of the queue, as far as the lengths of its items are known.
package struct QueueTime: Codable, Hashable, Sendable {
    /// The length of all items, in seconds.
    package var seconds: Double
    /// The number of items of unknown length.
    package var unknownCount: Int
    /// The length of the items after the current one, in seconds; 0 at the end of the queue.
    package var secondsAfter: Double
    /// The number of those of unknown length.
    package var unknownCountAfter: Int
    /// True if there is a current item.
    package var hasCurrent: Bool

    package init(
        seconds: Double = 0, unknownCount: Int = 0, secondsAfter: Double = 0,
        unknownCountAfter: Int = 0, hasCurrent: Bool = false
    ) {
        self.seconds = seconds
        self.unknownCount = unknownCount
        self.secondsAfter = secondsAfter
        self.unknownCountAfter = unknownCountAfter
        self.hasCurrent = hasCurrent
    }
}

/// Asks for the playing time of the queue.
package struct GetQueueTime: ControlCall, Hashable {
    package typealias Reply = QueueTime
    package static let method = "queue.time"

    package init() {}
}

/// A part of what a query finds.
package struct QueryPage: Codable, Hashable, Sendable {
    /// The query in its written form; a saved query of the library by `@name`. Empty for all.
    package var query: String
    /// The number of what is found before the part; nil for 0.
    package var offset: Int?
    /// The length of the part, at most that of a reply; nil for that.
    package var limit: Int?

    package init(_ query: String = "", offset: Int? = nil, limit: Int? = nil) {
        self.query = query
        self.offset = offset
        self.limit = limit
    }
}

/// A call for a part of what a query finds, whose members on the wire are those of the part.
package protocol QueryCall: ControlCall {
    var page: QueryPage { get }

    init(_ page: QueryPage)
}

extension QueryCall {
    package init(_ query: String = "", offset: Int? = nil, limit: Int? = nil) {
        self.init(QueryPage(query, offset: offset, limit: limit))
    }

    package init(from decoder: any Decoder) throws { self.init(try QueryPage(from: decoder)) }

    package func encode(to encoder: any Encoder) throws { try page.encode(to: encoder) }
}

/// Finds items by a query, which names only what is known of items: title, artist, album and path.
/// The reply has at most `QueueList.limit` of them.
package struct SearchQueue: QueryCall, Hashable {
    package typealias Reply = FoundItems
    package static let method = "queue.search"
    package var page: QueryPage

    package init(_ page: QueryPage) { self.page = page }
}

/// Identifies a request that adds files, at most 100 bytes: it is performed once for each key, and
/// adds nothing after that, also if the service was restarted since. The service knows the last 1000
/// keys. A client that may be killed before it gets the reply adds with a key and asks again.
package typealias QueueKey = String

/// Adds files at the end of the queue.
package struct AddToQueue: ControlCall, Hashable {
    package typealias Reply = ExtendedQueue
    package static let method = "queue.add"
    /// The files.
    package var files: Files
    /// The key of the request; nil for none.
    package var key: QueueKey?

    package init(_ files: Files, key: QueueKey? = nil) {
        self.files = files
        self.key = key
    }
}

/// Inserts files after an item of the queue.
package struct InsertIntoQueue: ControlCall, Hashable {
    package typealias Reply = ExtendedQueue
    package static let method = "queue.insert"
    /// The files.
    package var files: Files
    /// The item; nil for the current one.
    package var after: Int?
    /// The key of the request; nil for none.
    package var key: QueueKey?

    package init(_ files: Files, after: Int?, key: QueueKey? = nil) {
        self.files = files
        self.after = after
        self.key = key
    }
}

/// Replaces all items by files. This alone does not start playback.
package struct ReplaceQueue: ControlCall, Hashable {
    package typealias Reply = ExtendedQueue
    package static let method = "queue.replace"
    /// The files.
    package var files: Files

    package init(_ files: Files) { self.files = files }
}

/// Moves an item after another one.
package struct MoveInQueue: ControlCall, Hashable {
    package typealias Reply = ChangedQueue
    package static let method = "queue.move"
    /// The item.
    package var item: Int
    /// The other item; nil to move to the front.
    package var after: Int?

    package init(_ item: Int, after: Int?) {
        self.item = item
        self.after = after
    }
}

/// Removes items.
package struct RemoveFromQueue: ControlCall, Hashable {
    package typealias Reply = ChangedQueue
    package static let method = "queue.remove"
    /// The items.
    package var items: [Int]

    package init(_ items: [Int]) { self.items = items }
}

/// Removes all items.
package struct ClearQueue: ControlCall {
    package typealias Reply = ChangedQueue
    package static let method = "queue.clear"

    package init() {}
}

/// Puts the items into a random order; the current one comes first.
package struct ShuffleQueue: ControlCall, Hashable {
    package typealias Reply = ChangedQueue
    package static let method = "queue.shuffle"
    /// True to put the albums into a random order, that of the current item first, and to keep the
    /// items of each album together, in their own order; nil for false.
    package var byAlbum: Bool?

    package init(byAlbum: Bool? = nil) { self.byAlbum = byAlbum }
}

/// Sorts the items.
package struct SortQueue: ControlCall, Hashable {
    package typealias Reply = ChangedQueue
    package static let method = "queue.sort"
    /// The property to sort by.
    package var by: QueueSortKey

    package init(by key: QueueSortKey) { by = key }
}

/// The keys by which the queue can be sorted.
package enum QueueSortKey: String, Codable, CaseIterable, Sendable {
    /// The path, and within a file the time where the item starts.
    case path
    /// The displayed title.
    case title
    /// The artist, and by the same one the album.
    case artist
    /// The album, and within it the path.
    case album
    /// The length of what plays.
    case length
}

/// Removes all items but those that a query finds, as of `SearchQueue`.
package struct CropQueue: ControlCall, Hashable {
    package typealias Reply = ChangedQueue
    package static let method = "queue.crop"
    /// The query in its written form; if it is empty, all items but the current one are removed.
    package var query: String

    package init(to query: String) { self.query = query }
}

/// Removes items that play the same as another one.
package struct DedupeQueue: ControlCall {
    package typealias Reply = ChangedQueue
    package static let method = "queue.dedupe"

    package init() {}
}

/// Undoes the last change.
package struct UndoQueueChange: ControlCall {
    package typealias Reply = ChangedQueue
    package static let method = "queue.undo"

    package init() {}
}

/// Makes the change again that was undone last, unless another was made since.
package struct RedoQueueChange: ControlCall {
    package typealias Reply = ChangedQueue
    package static let method = "queue.redo"

    package init() {}
}
