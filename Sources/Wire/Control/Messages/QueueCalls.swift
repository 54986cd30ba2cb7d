public import UndersongBackground
public import UndersongBase
public import UndersongPlayback

/// Part of the queue in its current state.
public struct QueueList: Codable, Hashable, Sendable {
    /// The items in play order, including those already played.
    public var items: [ListedItem]
    /// The place of the first of these items in the queue, from 0.
    public var offset: Int
    /// The number of items in the queue.
    public var count: Int
    /// The current item's id; nil at the end of the queue.
    public var current: Int?

    /// Creates a list, by default of the whole queue.
    public init(items: [ListedItem], current: Int?, offset: Int = 0, count: Int? = nil) {
        self.items = items
        self.current = current
        self.offset = offset
        self.count = count ?? items.count
    }
}

/// Changes the queue or queries it. The reply always has the queue after the change: all of it, or
/// `listedItems` around the current one.
///
/// The reply to a change is sent once the change is durable. If the disk does not take it, nothing
/// is changed (`notPossible`). A client that may not get the reply, because it may be killed, adds
/// files with a `key` and asks again: they are added once.
public struct Queue: ControlCall {
    /// The maximum length of a key in bytes.
    public static let keyLength = 100
    /// The maximum number of items in a reply, unless another limit is given.
    public static let listedItems = 100
    /// The maximum number of items, and of ids of new items, in any reply.
    public static let limit = 1000

    /// The change or query.
    public enum Action: Codable, Hashable, Sendable {
        /// Lists this many items, at most 1000, from a place on, which counts from 0.
        case list(offset: Int = 0, limit: Int = 1000)
        /// Finds items whose path, title, artist or album contains all of these words, ignoring
        /// case; at most `limit` of them, and 1000, from the `offset`th on, which counts from 0.
        case search([String], offset: Int = 0, limit: Int = 1000)
        /// Appends files.
        case add(Files)
        /// Inserts files after an item, or after the current one for nil.
        case insert(Files, after: Int?)
        /// Moves an item after another, or to the front for nil.
        case move(Int, after: Int?)
        /// Removes items; if the current one is among them, the next one becomes current.
        case remove([Int])
        /// Removes all items.
        case clear
        /// Replaces all items by files. This alone does not start playback.
        case replace(Files)
        /// Puts the items into a random order; the current one comes first.
        case shuffle
        /// Sorts the items: by `path`, `title`, `artist`, `album` or `length`.
        case sort(by: String)
        /// Removes all items but those whose path, title, artist or album contains all of these
        /// words, ignoring case; without words, all but the current one.
        case crop([String] = [])
        /// Removes items that play the same as another one.
        case dedupe
        /// Undoes the last change.
        case undo
        /// Makes the change again that was undone last, unless another was made since.
        case redo
        /// Jumps to an item.
        case jump(Int)

        enum ListCodingKeys: String, CodingKey { case offset, limit }

        // Parameters without a name in Swift have one on the wire.
        private enum AddCodingKeys: String, CodingKey { case _0 = "files" }
        private enum ReplaceCodingKeys: String, CodingKey { case _0 = "files" }
        enum SearchCodingKeys: String, CodingKey { case _0 = "words", offset, limit }
        private enum CropCodingKeys: String, CodingKey { case _0 = "words" }
        private enum InsertCodingKeys: String, CodingKey { case _0 = "files", after }
        private enum MoveCodingKeys: String, CodingKey { case _0 = "item", after }
        private enum RemoveCodingKeys: String, CodingKey { case _0 = "items" }
        private enum JumpCodingKeys: String, CodingKey { case _0 = "item" }
    }

    /// The result.
    public struct Reply: Codable, Hashable, Sendable {
        /// The queue afterwards.
        public var queue: QueueList
        /// The ids of the new items, at most 1000.
        public var added: [Int]
        /// The number of new items.
        public var addedCount: Int
        /// The items found, in queue order, each with its place from 0.
        public var found: [FoundEntry]?
        /// The number of items that a search finds in all.
        public var foundCount: Int?
        /// True if a search may find more later, because titles, artists and albums of some items
        /// were not read from their files yet.
        public var hasUnreadTags: Bool?
        /// The number of items that `dedupe` has removed.
        public var removedCount: Int?
        /// The files that could not be added, and why.
        public var problems: [String]
        /// How many of the problems are more than a folder's files of other formats; nil if none are.
        public var failedCount: Int?
        /// The status after a jump.
        public var status: PlayerStatus?

        /// Creates a reply.
        public init(
            queue: QueueList, added: [Int] = [], addedCount: Int? = nil, problems: [String] = []
        ) {
            self.queue = queue
            self.added = added
            self.addedCount = addedCount ?? added.count
            self.problems = problems
        }
    }

    /// An item found by a search.
    public struct FoundEntry: Codable, Hashable, Sendable {
        /// The place in the queue, from 0; the same as `index`.
        public var place: Int
        /// The place in the queue, from 0.
        public var index: Int?
        /// The place in the queue, from 1, as shown to users and used by commands.
        public var number: Int?
        /// The item.
        public var entry: ListedItem

        /// Creates an entry.
        public init(place: Int, entry: ListedItem) {
            self.place = place
            index = place
            number = place + 1
            self.entry = entry
        }
    }

    /// The name of the method.
    public static let method = "queue"
    /// The change or query.
    public var action: Action
    /// Identifies an `add` or `insert`, at most 100 bytes: it is done once for each key, and adds
    /// nothing after that, also if the service was restarted since. The service knows the last
    /// 1000 keys.
    public var key: String?

    /// Creates a request.
    public init(_ action: Action, key: String? = nil) {
        self.action = action
        self.key = key
    }
}

extension KeyedDecodingContainer<Queue.Action.ListCodingKeys> {
    /// Also accepts `{"list":{}}`, as sent by clients that do not use pages.
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try decodeIfPresent(type, forKey: key) ?? (key == .offset ? 0 : Queue.limit)
    }
}

extension KeyedDecodingContainer<Queue.Action.SearchCodingKeys> {
    /// Also accepts a search without pages, as above.
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try decodeIfPresent(type, forKey: key) ?? (key == .offset ? 0 : Queue.limit)
    }
}
