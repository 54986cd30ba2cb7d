/// One item of the queue.
public struct QueueEntry: Codable, Hashable, Sendable {
    /// Names it for as long as the queue lives.
    public var id: Int
    /// Its title, by its tag or its file's name.
    public var title: String
    /// Its path, `-` for a stream.
    public var path: String
    /// Its length where it is known.
    public var duration: WireTime?
    /// Where it was left, of a long one that was heard in part.
    public var resume: WireTime?
    /// True for a long one that was heard to its end.
    public var finished: Bool?

    /// Makes an entry.
    public init(
        id: Int, title: String, path: String, duration: WireTime? = nil, resume: WireTime? = nil,
        finished: Bool? = nil
    ) {
        self.id = id
        self.title = title
        self.path = path
        self.duration = duration
        self.resume = resume
        self.finished = finished
    }
}

/// The queue as it is now.
public struct QueueList: Codable, Hashable, Sendable {
    /// All items in the order in which they are played, those that were heard first.
    public var items: [QueueEntry]
    /// The current item's id; nil behind the end.
    public var current: Int?

    /// Makes a list.
    public init(items: [QueueEntry], current: Int?) {
        self.items = items
        self.current = current
    }
}

/// A change to the queue, or a question for it. Every answer is the whole queue behind the change.
public struct Queue: ControlCall {
    /// What to do.
    public enum Action: Codable, Hashable, Sendable {
        /// Nothing: only asks.
        case list
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

        // What has no name in Swift has one on the wire.
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
