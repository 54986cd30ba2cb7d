/// Asks what is known of the current item: its tags, format and chapters.
public struct GetItem: ControlCall {
    /// What is known; empty without a current item.
    public struct Reply: Codable, Hashable, Sendable {
        /// The item, at its place in the queue.
        public var item: QueueEntry?
        /// Its tags by lower-case name, as `artist`; nil: its file was not opened yet.
        public var tags: [String: String]?
        /// What its sound is; nil: its file was not opened yet.
        public var format: Format?
        /// The parts of it that its tags name, in the order of their times; nil: there are none.
        public var chapters: [Chapter]?

        /// Makes an answer.
        public init(
            item: QueueEntry? = nil, tags: [String: String]? = nil, format: Format? = nil,
            chapters: [Chapter]? = nil
        ) {
            self.item = item
            self.tags = tags
            self.format = format
            self.chapters = chapters
        }
    }

    /// What an item's sound is.
    public struct Format: Codable, Hashable, Sendable {
        /// Frames in one second.
        public var sampleRate: Int
        /// 1 for mono, 2 for stereo.
        public var channels: Int
        /// For example `MPEG 1 Layer III`.
        public var encoding: String

        /// Makes a format.
        public init(sampleRate: Int, channels: Int, encoding: String) {
            self.sampleRate = sampleRate
            self.channels = channels
            self.encoding = encoding
        }
    }

    /// A part of an item.
    public struct Chapter: Codable, Hashable, Sendable {
        /// What it is called; nil: it has no name.
        public var title: String?
        /// Where it begins on the item's timeline.
        public var start: WireTime
        /// Where it ends; nil: where the next one begins, or with the item.
        public var end: WireTime?

        /// Makes a chapter.
        public init(title: String? = nil, start: WireTime, end: WireTime? = nil) {
            self.title = title
            self.start = start
            self.end = end
        }
    }

    /// What it is called on the wire.
    public static let method = "item"

    /// Asks.
    public init() {}
}
