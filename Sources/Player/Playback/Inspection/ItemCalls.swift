public import UndersongBase

/// The format of the sound in a file.
public struct SoundFormat: Codable, Hashable, Sendable {
    /// Frames per second.
    public var sampleRate: Int
    /// 1 for mono, 2 for stereo.
    public var channels: Int
    /// For example `MPEG 1 Layer III` or `FLAC 16 bit`.
    public var encoding: String

    /// Creates a format.
    public init(sampleRate: Int, channels: Int, encoding: String) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.encoding = encoding
    }

    /// The format of a described file.
    package init(_ description: MediaDescription) {
        self.init(
            sampleRate: description.format.sampleRate,
            channels: description.format.channelCount, encoding: description.encoding)
    }
}

/// Requests details of the current item: its tags, format and chapters.
public struct GetItem: ControlCall {
    /// The details; empty if there is no current item.
    public struct Reply: Codable, Hashable, Sendable {
        /// The item and its place in the queue.
        public var item: ListedItem?
        /// The tags by lower-case name, such as `artist`; nil if the file was not opened yet.
        public var tags: [String: String]?
        /// The audio format; nil if the file was not opened yet.
        public var format: SoundFormat?
        /// The chapters named in the tags, in order of time; nil if there are none.
        public var chapters: [Chapter]?
        /// The gain by which the item is played; nil if its samples stay as they are.
        public var replayGain: AppliedGain?

        /// Creates a reply.
        public init(
            item: ListedItem? = nil, tags: [String: String]? = nil, format: SoundFormat? = nil,
            chapters: [Chapter]? = nil
        ) {
            self.item = item
            self.tags = tags
            self.format = format
            self.chapters = chapters
        }
    }

    /// The name of the method.
    public static let method = "item.details"

    /// Creates a request.
    public init() {}
}

/// Requests the picture of the current item: the one in its file, else one in its folder.
public struct GetCover: ControlCall {
    /// The picture's location.
    public struct Reply: Codable, Hashable, Sendable {
        /// The id of the current item; nil if there is none.
        public var item: Int?
        /// The `file:` URL of the picture; nil if there is none.
        public var url: String?

        /// Creates a reply.
        public init(item: Int? = nil, url: String? = nil) {
            self.item = item
            self.url = url
        }
    }

    /// The name of the method.
    public static let method = "item.cover"

    /// Creates a request.
    public init() {}
}
