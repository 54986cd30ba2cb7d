/// Names one entry of a queue for as long as the queue lives; never used again.
public struct ItemID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// 1 for the first entry that was ever added.
    public let number: Int

    package init(_ number: Int) { self.number = number }

    /// The number in decimal.
    public var description: String { String(number) }

    /// Earlier entries come first.
    public static func < (left: ItemID, right: ItemID) -> Bool { left.number < right.number }
}

/// Where an item's bytes come from.
public enum MediaSource: Hashable, Sendable {
    /// A file, by its path.
    case file(path: String)
    /// An MP3 stream on the standard input.
    case standardInput

    /// The last path component, which is shown until nothing better is known (contract C6).
    public var title: String {
        switch self {
        case .file(let path):
            path.split(separator: "/").last.map(String.init) ?? path
        case .standardInput:
            "Unknown"
        }
    }

    /// The path as it was given, `-` for the standard input.
    public var path: String {
        switch self {
        case .file(let path): path
        case .standardInput: "-"
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

    /// Makes an entry that plays `source` from `start` to `end`, by default all of it.
    public init(_ source: MediaSource, start: CMTime = .zero, end: CMTime? = nil) {
        self.source = source
        self.start = start
        self.end = end
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

    package init(id: ItemID, source: MediaSource, start: CMTime = .zero, end: CMTime? = nil) {
        self.id = id
        self.source = source
        self.start = .zero
        setRange(start: start, end: end)
    }

    /// Sets which part of the source is played: from the source's start or to its end where a time
    /// is no number.
    package mutating func setRange(start: CMTime, end: CMTime?) {
        self.start = start.isRational ? start : .zero
        self.end = end.flatMap { $0.isRational ? $0 : nil }
    }
}
