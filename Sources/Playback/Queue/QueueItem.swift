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

/// One entry of the queue.
public struct QueueItem: Hashable, Sendable {
    /// The entry's name within the queue.
    public let id: ItemID
    /// What it plays.
    public let source: MediaSource
}
