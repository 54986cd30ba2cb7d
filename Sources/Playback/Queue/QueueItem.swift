/// Names one entry of a queue for as long as the queue lives; never used again.
public struct ItemID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// In four bytes, so that a queue may have very many.
    private let value: Int32

    /// 1 for the first entry that was ever added.
    public var number: Int { Int(value) }

    /// Precondition: the number has 32 bits.
    package init(_ number: Int) { value = Int32(number) }

    /// Nil when no item can have this number.
    package init?(exactly number: Int) {
        guard let value = Int32(exactly: number) else { return nil }
        self.value = value
    }

    /// The number in decimal.
    public var description: String { String(number) }

    /// Earlier entries come first.
    public static func < (left: ItemID, right: ItemID) -> Bool { left.value < right.value }
}

/// Where an item's bytes come from.
public enum MediaSource: Hashable, Sendable {
    /// A file, by its path.
    case file(path: FilePath)
    /// An MP3 stream on the standard input.
    case standardInput

    /// A file, by its path as a text.
    public static func file(path: String) -> MediaSource { .file(path: FilePath(path)) }

    /// A file, or the standard input where `path` is `-`.
    package init(path: FilePath) {
        self = path == .standardStream ? .standardInput : .file(path: path)
    }

    /// The last path component, which is shown until nothing better is known (C6).
    public var title: String {
        switch self {
        case .file(let path): path.lastComponent
        case .standardInput: "Unknown"
        }
    }

    /// The path as it was given, `-` for the standard input.
    public var path: FilePath {
        switch self {
        case .file(let path): path
        case .standardInput: .standardStream
        }
    }
}

/// What is put into a queue: a source, and the part of it that is to be heard.
public struct QueueEntry: Hashable, Sendable {
    /// What to play.
    public var source: MediaSource
    /// Where playing begins within the source, on its own timeline. What is no number stands for the
    /// source's start.
    public var start: CMTime
    /// Where playing ends within the source (`forwardPlaybackEndTime`); nil, and what is no number,
    /// for the source's end.
    public var end: CMTime?

    /// What it is called where it was found, as by a playlist; nil: not known.
    public var title: String?

    /// How long the whole source is said to be where it was found; nil: not known.
    public var duration: CMTime?

    /// Makes an entry that plays `source` from `start` to `end`, by default all of it.
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

/// One item of the queue. The same source may stand in the queue several times, each time as an
/// item of its own.
public struct QueueItem: Hashable, Sendable {
    /// The item's name within the queue.
    public let id: ItemID
    /// What it plays.
    public let source: MediaSource
    /// Where playing begins within the source, on its own timeline.
    public var start: CMTime
    /// Where playing ends within the source (`forwardPlaybackEndTime`); nil for the source's end.
    public var end: CMTime?

    /// What it was called where it was found, as by a playlist; nil: not known.
    public var title: String?

    /// What its file said of itself when it was opened last, and before that what a playlist said of
    /// its length; nil: nothing.
    public var facts: ItemFacts?

    /// The title by which it is known: its file's tag, else the playlist's; of a part of a file the
    /// playlist's first, since the tag names the whole. Nil where neither has one.
    public var knownTitle: String? {
        let isPart = start != .zero || end != nil
        return isPart ? title ?? facts?.title : facts?.title ?? title
    }

    /// The title as it is shown everywhere: the known one, else the file's name.
    public var displayTitle: String { knownTitle ?? source.title }

    /// Where the item ends on its source's timeline, where that is known exactly.
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
        facts = entry.duration.map { ItemFacts(duration: $0) }
        start = .zero
        setRange(start: entry.start, end: entry.end)
    }

    /// Whether `other` is the same item and plays the same part of its source, whatever is known of
    /// that.
    package func plays(as other: QueueItem) -> Bool {
        id == other.id && start == other.start && end == other.end
    }

    /// Sets which part of the source is played: from the source's start or to its end where a time
    /// is no number.
    package mutating func setRange(start: CMTime, end: CMTime?) {
        self.start = start.isRational ? start : .zero
        self.end = end.flatMap { $0.isRational ? $0 : nil }
    }
}
