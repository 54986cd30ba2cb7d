public import FoundationEssentials
public import Playback

/// One item of the queue.
public struct QueueEntry: Codable, Hashable, Sendable {
    /// Names it for as long as the queue lives.
    public var id: Int
    /// Its title: by its file's tag, else by a playlist, else its file's name. Of a part of a file the
    /// playlist's comes first.
    public var title: String
    /// What a playlist calls it; nil: none named it.
    public var playlistTitle: String?
    /// Its path, `-` for a stream; bytes that are not UTF-8 as `\xe9`.
    public var path: String
    /// The path's bytes where they are not UTF-8.
    public var pathBytes: Data?
    /// Its length where it is known.
    public var duration: WireTime?
    /// Where playing begins within the file, where that is not its start.
    public var start: WireTime?
    /// Where playing ends within the file, where that is not its end.
    public var end: WireTime?
    /// True when its file is not there now; it is played when it has come back.
    public var missing: Bool?
    /// Where it was left, of a long one that was heard in part.
    public var resume: WireTime?
    /// True for a long one that was heard to its end.
    public var finished: Bool?
    /// Its place in the queue, from 0.
    public var index: Int?
    /// Its place in the queue, from 1, as people see it and verbs take it.
    public var number: Int?

    /// Makes an entry.
    public init(
        id: Int, title: String, path: FilePath, duration: WireTime? = nil, start: WireTime? = nil,
        end: WireTime? = nil, resume: WireTime? = nil, finished: Bool? = nil
    ) {
        self.id = id
        self.title = title
        self.path = path.description
        pathBytes = path.exactBytes
        self.duration = duration
        self.start = start
        self.end = end
        self.resume = resume
        self.finished = finished
    }

    /// Where its bytes come from.
    package var source: MediaSource {
        MediaSource(path: FilePath(text: path, bytes: pathBytes))
    }
}

/// A part of the queue as it is now.
public struct QueueList: Codable, Hashable, Sendable {
    /// Items in the order in which they are played, those that were heard first.
    public var items: [QueueEntry]
    /// The place of the first of them in the queue, from 0.
    public var offset: Int
    /// How many items the queue has.
    public var count: Int
    /// The current item's id; nil behind the end.
    public var current: Int?

    /// Makes a list, by default of the whole queue.
    public init(items: [QueueEntry], current: Int?, offset: Int = 0, count: Int? = nil) {
        self.items = items
        self.current = current
        self.offset = offset
        self.count = count ?? items.count
    }
}

/// A change to the queue, or a question for it. Every answer is the queue behind the change: all of
/// it, or `listedItems` around the current one.
///
/// The answer to a change comes when the change is durable. Where the disk does not take it, nothing
/// is changed (`notPossible`).
public struct Queue: ControlCall {
    /// So many items an answer has at most when there is no other limit.
    public static let listedItems = 100
    /// So many items one answer has at most, and so many ids of new ones.
    public static let limit = 1000

    /// What to do.
    public enum Action: Codable, Hashable, Sendable {
        /// Nothing: only asks for so many items, 1000 at most, from a place on, which counts from 0.
        case list(offset: Int = 0, limit: Int = 1000)
        /// Asks for items whose path or title contains all of these words, in any case.
        case search([String])
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
        /// Puts files in the place of all items. It does not play them by itself.
        case replace(Files)
        /// Takes the last change back.
        case undo
        /// Goes to an item.
        case jump(Int)

        enum ListCodingKeys: String, CodingKey { case offset, limit }

        // What has no name in Swift has one on the wire.
        private enum AddCodingKeys: String, CodingKey { case _0 = "files" }
        private enum ReplaceCodingKeys: String, CodingKey { case _0 = "files" }
        private enum SearchCodingKeys: String, CodingKey { case _0 = "words" }
        private enum InsertCodingKeys: String, CodingKey { case _0 = "files", after }
        private enum MoveCodingKeys: String, CodingKey { case _0 = "item", after }
        private enum RemoveCodingKeys: String, CodingKey { case _0 = "items" }
        private enum JumpCodingKeys: String, CodingKey { case _0 = "item" }
    }

    /// What came of it.
    public struct Reply: Codable, Hashable, Sendable {
        /// The queue behind the change.
        public var queue: QueueList
        /// The new items' ids, 1000 of them at most.
        public var added: [Int]
        /// How many new items there are.
        public var addedCount: Int
        /// What was found, in the order of the queue, each with its place from 0.
        public var found: [FoundEntry]?
        /// What of the files could not be added, and why.
        public var problems: [String]
        /// What is played now, of a jump.
        public var status: Status?

        /// Makes an answer.
        public init(
            queue: QueueList, added: [Int] = [], addedCount: Int? = nil, problems: [String] = []
        ) {
            self.queue = queue
            self.added = added
            self.addedCount = addedCount ?? added.count
            self.problems = problems
        }
    }

    /// An item that was found.
    public struct FoundEntry: Codable, Hashable, Sendable {
        /// Its place, from 0; as `index`.
        public var place: Int
        /// Its place, from 0.
        public var index: Int?
        /// Its place, from 1, as people see it and verbs take it.
        public var number: Int?
        /// The item.
        public var entry: QueueEntry

        /// Makes one.
        public init(place: Int, entry: QueueEntry) {
            self.place = place
            index = place
            number = place + 1
            self.entry = entry
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
