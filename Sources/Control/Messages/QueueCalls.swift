/// One item of the queue.
public struct QueueEntry: Codable, Hashable, Sendable {
    /// Names it for as long as the queue lives.
    public var id: Int
    /// Its title, by a playlist, its tag or its file's name.
    public var title: String
    /// Its path, `-` for a stream.
    public var path: String
    /// Its length where it is known.
    public var duration: WireTime?
    /// Where it is played from; nil: from the start of its file.
    public var start: WireTime?
    /// Where it is played to; nil: to the end of its file.
    public var end: WireTime?

    /// Makes an entry.
    public init(
        id: Int, title: String, path: String, duration: WireTime? = nil, start: WireTime? = nil,
        end: WireTime? = nil
    ) {
        self.id = id
        self.title = title
        self.path = path
        self.duration = duration
        self.start = start
        self.end = end
    }
}

/// A part of the queue as it is now.
public struct QueueList: Codable, Hashable, Sendable {
    /// Items in the order in which they are played, those that were heard first.
    public var items: [QueueEntry]
    /// The current item's id; nil behind the end.
    public var current: Int?
    /// How many items stand before these.
    public var offset: Int
    /// How many items the whole queue has.
    public var count: Int

    /// Makes a list; without a count it is the whole queue.
    public init(items: [QueueEntry], current: Int?, offset: Int = 0, count: Int? = nil) {
        self.items = items
        self.current = current
        self.offset = offset
        self.count = count ?? items.count
    }
}

/// A change to the queue, or a question for it. The answer to a change has the first 1000 items of
/// the queue behind it.
public struct Queue: ControlCall {
    /// What to do.
    public enum Action: Codable, Hashable, Sendable {
        /// Nothing: only asks for the items from a place on, counted from 0.
        case list(offset: Int = 0, limit: Int = 1000)
        /// Puts files in the place of all items, and plays nothing.
        case replace(Files)
        /// Adds files at the end.
        case add(Files)
        /// Adds files behind an item, behind the current one for nil.
        case insert(Files, after: Int?)
        /// Moves an item behind another, to the front for nil.
        case move(Int, after: Int?)
        /// Removes items; when the current one is among them it is left for the next.
        case remove([Int])
        /// Removes all items.
        case clear
        /// Goes to an item.
        case jump(Int)

        enum ListCodingKeys: String, CodingKey { case offset, limit }

        // What has no name in Swift has one on the wire.
        private enum ReplaceCodingKeys: String, CodingKey { case _0 = "files" }
        private enum AddCodingKeys: String, CodingKey { case _0 = "files" }
        private enum InsertCodingKeys: String, CodingKey { case _0 = "files", after }
        private enum MoveCodingKeys: String, CodingKey { case _0 = "item", after }
        private enum RemoveCodingKeys: String, CodingKey { case _0 = "items" }
        private enum JumpCodingKeys: String, CodingKey { case _0 = "item" }
    }

    /// What came of it.
    public struct Reply: Codable, Hashable, Sendable {
        /// The queue behind the change.
        public var queue: QueueList
        /// The new items' ids.
        public var added: [Int]
        /// What of the files could not be added, and why.
        public var problems: [String]

        /// Makes an answer.
        public init(queue: QueueList, added: [Int] = [], problems: [String] = []) {
            self.queue = queue
            self.added = added
            self.problems = problems
        }
    }

    /// What it is called on the wire.
    public static let method = "queue"
    /// What to do.
    public var action: Action

    /// Asks for it.
    public init(_ action: Action) { self.action = action }
}

extension KeyedDecodingContainer<Queue.Action.ListCodingKeys> {
    /// Takes `{"list":{}}` too, as clients write it that know of no pages.
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try decodeIfPresent(type, forKey: key) ?? (key == .offset ? 0 : 1000)
    }
}
