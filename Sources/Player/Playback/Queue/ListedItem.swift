public import UndersongBase

/// An item of the queue, as lists and the status show it.
public struct ListedItem: Codable, Hashable, Sendable {
    /// The item's id, for the lifetime of the queue.
    public var id: Int
    /// The title from the file's tag, or else from a playlist, or else the file's name. For a part
    /// of a file the playlist's title comes first.
    public var title: String
    /// The title in a playlist; nil if it has none.
    public var playlistTitle: String?
    /// The artist from the file's tag; nil if it has none, or was not read yet.
    public var artist: String?
    /// The album from the file's tag; nil if it has none, or was not read yet.
    public var album: String?
    /// The path, `-` for a stream; bytes that are not UTF-8 are written as `\xe9`.
    public var path: String
    /// The path's bytes, if they are not UTF-8.
    public var pathBytes: Base64?
    /// The duration, if known.
    public var duration: WireTime?
    /// The start of playback within the file, unless that is the file's.
    public var start: WireTime?
    /// The end of playback within the file, unless that is the file's.
    public var end: WireTime?
    /// True if the file is missing at the moment; it can be played once it is back.
    public var missing: Bool?
    /// The saved position of a long item that was heard in part.
    public var resume: WireTime?
    /// True for a long item that was heard to its end.
    public var finished: Bool?
    /// The index in the queue, from 0.
    public var index: Int?
    /// The place in the queue, from 1, as shown to users and used by commands.
    public var number: Int?

    /// Creates an item from what is known of it.
    package init(
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

    /// Creates the item at an index in the queue, from 0.
    package init(_ item: QueueItem, at index: Int) {
        self.init(
            id: item.id.number, title: item.displayTitle, path: item.source.path,
            duration: item.facts?.duration.map { WireTime($0) },
            start: item.start == .zero ? nil : WireTime(item.start),
            end: item.end.map { WireTime($0) })
        playlistTitle = item.title
        (artist, album) = (item.facts?.artist, item.facts?.album)
        (self.index, number) = (index, index + 1)
    }

    /// The source of the item's audio.
    package var source: MediaSource {
        MediaSource(path: FilePath(text: path, bytes: pathBytes))
    }

    /// Adds the saved position, or that the item was finished.
    package mutating func add(_ position: ResumePoint) {
        if position.isFinished {
            finished = true
        } else {
            resume = WireTime(value: Int64((position.seconds * 1000).rounded()), timescale: 1000)
        }
    }
}
