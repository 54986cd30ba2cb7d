public import UndersongBase

/// Identifies an entry of a queue for the lifetime of the queue; ids are never reused.
public struct ItemID: Codable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Four bytes, because a queue may have a great many items.
    private let value: Int32

    /// 1 for the first entry ever added.
    public var number: Int { Int(value) }

    /// Precondition: the number fits in 32 bits.
    package init(_ number: Int) { value = Int32(number) }

    /// Nil if no item can have this number.
    package init?(exactly number: Int) {
        guard let value = Int32(exactly: number) else { return nil }
        self.value = value
    }

    /// The number in decimal.
    public var description: String { String(number) }

    /// Decodes the number.
    public init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Int32.self)
    }

    /// Encodes the number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }

    /// Earlier entries come first.
    public static func < (left: ItemID, right: ItemID) -> Bool { left.value < right.value }
}

/// The source of an item's bytes.
public enum MediaSource: Hashable, Sendable {
    /// A file.
    case file(path: FilePath)
    /// An MP3 stream on the standard input.
    case standardInput
    /// A file or a live stream at this URL of HTTP or HTTPS.
    case network(url: FilePath)

    /// A file with this path.
    public static func file(path: String) -> MediaSource { .file(path: FilePath(path)) }

    /// A file, what is at a URL of HTTP or HTTPS, or the standard input if `path` is `-`.
    package init(path: FilePath) {
        if path == .standardStream {
            self = .standardInput
        } else if NetworkName.isOne(path) {
            self = .network(url: path)
        } else {
            self = .file(path: path)
        }
    }

    /// True if its bytes come from the network.
    package var isRemote: Bool { if case .network = self { true } else { false } }

    /// The last path component, shown until a better title is known (C6).
    public var title: String {
        switch self {
        case .file(let path): path.lastComponent
        case .standardInput: "Unknown"
        case .network(let url): NetworkName.title(url)
        }
    }

    /// The path or the URL as given, `-` for the standard input.
    public var path: FilePath {
        switch self {
        case .file(let path), .network(let path): path
        case .standardInput: .standardStream
        }
    }
}

/// An entry to add to a queue: a source and the part of it to play.
public struct QueueEntry: Hashable, Sendable {
    /// The source to play.
    public var source: MediaSource
    /// The time at which playback begins, on the source's own timeline. A time that is not numeric
    /// stands for the start of the source.
    public var start: CMTime
    /// The time at which playback ends within the source (`forwardPlaybackEndTime`); nil or a time
    /// that is not numeric stands for the end of the source.
    public var end: CMTime?

    /// The title given where the entry was found, such as in a playlist; nil if unknown.
    public var title: String?

    /// The duration of the whole source given where it was found; nil if unknown.
    public var duration: CMTime?

    /// The artist given where the entry was found, such as in a library; nil if unknown.
    package var artist: String?

    /// The album given where the entry was found; nil if unknown.
    package var album: String?

    /// Creates an entry that plays `source` from `start` to `end`, by default all of it.
    public init(
        _ source: MediaSource, start: CMTime = .zero, end: CMTime? = nil, title: String? = nil,
        duration: CMTime? = nil
    ) {
        self.source = source
        self.start = start
        self.end = end
        self.title = title
        self.duration = duration
    }
}

/// One item of the queue. A source may occur in the queue several times, each as an item of its
/// own.
public struct QueueItem: Hashable, Sendable {
    /// The item's id within the queue.
    public let id: ItemID
    /// The source that it plays.
    public let source: MediaSource
    /// The time at which playback begins, on the source's own timeline.
    public var start: CMTime
    /// The time at which playback ends within the source (`forwardPlaybackEndTime`); nil for its
    /// end.
    public var end: CMTime?
    /// Its volume over the source's own timeline. It is not saved.
    package var volume = VolumeEnvelope()

    /// The title given where the item was found, such as in a playlist or a library; nil if unknown.
    public var title: String?

    /// The facts revealed when the file was last opened, or until then those given by a playlist or
    /// a library; nil if nothing is known.
    public var facts: ItemFacts?

    /// The title from the file's tag, or else from the playlist. For a part of a file the
    /// playlist's title comes first, since the tag names the whole. Nil if neither has one.
    public var knownTitle: String? {
        let isPart = start != .zero || end != nil
        return isPart ? title ?? facts?.title : facts?.title ?? title
    }

    /// The title to display: the known one, or else the file name.
    public var displayTitle: String { knownTitle ?? source.title }

    /// The item's end on its source's timeline, if that is known exactly.
    public var exactEnd: CMTime? {
        let length = facts?.isDurationExact == true ? facts?.duration : nil
        guard let end, let length else { return end ?? length }
        return min(end, length)
    }

    package init(id: ItemID, source: MediaSource, start: CMTime = .zero, end: CMTime? = nil) {
        self.init(id: id, QueueEntry(source, start: start, end: end))
    }

    package init(id: ItemID, _ entry: QueueEntry) {
        self.id = id
        source = entry.source
        title = entry.title
        facts = ItemFacts(given: entry)
        start = .zero
        setRange(start: entry.start, end: entry.end)
    }

    /// True if `other` is the same item and plays the same part of its source in the same way,
    /// regardless of facts.
    package func plays(as other: QueueItem) -> Bool {
        id == other.id && start == other.start && end == other.end && volume == other.volume
    }

    /// Sets the part of the source to play. A time that is not numeric stands for the start or the
    /// end of the source.
    package mutating func setRange(start: CMTime, end: CMTime?) {
        self.start = start.isRational ? start : .zero
        self.end = end.flatMap { $0.isRational ? $0 : nil }
    }
}
