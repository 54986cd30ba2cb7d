/// The facts that an item's file revealed when it was opened. They are kept with the item to remain
/// known after the file is closed.
public struct ItemFacts: Hashable, Sendable {
    /// The title from the file's tag; nil if it has none.
    public var title: String?
    /// The duration of the whole file; nil if unknown, as of a stream.
    public var duration: CMTime?
    /// True if `duration` is exact rather than estimated from the file's size.
    public var isDurationExact: Bool
    /// The artist from the file's tag; nil if it has none.
    public var artist: String?
    /// The album from the file's tag; nil if it has none.
    public var album: String?
    /// True if the file was opened; otherwise only what a playlist or a library says is known.
    package var isFromFile: Bool

    /// Creates facts.
    public init(
        title: String? = nil, duration: CMTime? = nil, isDurationExact: Bool = false,
        artist: String? = nil, album: String? = nil
    ) {
        self.title = title
        self.duration = duration
        self.isDurationExact = isDurationExact
        self.artist = artist
        self.album = album
        isFromFile = true
    }

    /// Creates the facts that are given with an entry; nil if there are none.
    init?(given entry: QueueEntry) {
        guard entry.duration != nil || entry.artist != nil || entry.album != nil else { return nil }
        self.init(duration: entry.duration, artist: entry.artist, album: entry.album)
        isFromFile = false
    }

    /// Creates facts from a decoder's description of the file.
    package init(_ description: MediaDescription) {
        let tag = { (name: String) in description.tags[name].flatMap { $0.isEmpty ? nil : $0 } }
        let duration = description.duration.isNumeric ? description.duration : nil
        self.init(
            title: tag("title"), duration: duration,
            isDurationExact: duration != nil && description.isDurationExact,
            artist: tag("artist"), album: tag("album"))
    }
}
