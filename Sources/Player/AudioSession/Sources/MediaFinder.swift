import Synchronization
public import UndersongBase
public import UndersongPlayback

/// Finds what to play by the names given by a user: files, playlists and folders.
///
/// A playlist may name other playlists and folders. Anything unreadable becomes an error; a missing
/// file stays an entry, since the player reports it when it gets there.
///
/// Playlists are read as entries are requested, so memory use does not depend on their length:
/// ```swift
/// let finder = MediaFinder(names)
/// finder.forEachBatch { entries in queue.append(entries) }
/// ```
/// It may be used on any thread; concurrent calls wait for each other.
public final class MediaFinder: Sendable {
    /// The default number of entries in a batch.
    public static let batchSize = 4096

    private let search: Mutex<MediaSearch>

    /// Searches for what each of `names` stands for; `-` is the standard input. Items are played
    /// from `start` to `end`, unless a playlist specifies other times. Does not access the disk.
    public convenience init(_ names: [String], start: CMTime = .zero, end: CMTime? = nil) {
        self.init(names.map { FilePath($0) }, start: start, end: end)
    }

    /// The same for paths that may not be UTF-8.
    public init(_ names: [FilePath], start: CMTime = .zero, end: CMTime? = nil) {
        search = Mutex(MediaSearch(names, start: start, end: end))
    }

    /// The check of a file before it is found.
    package enum Check: Sendable {
        /// Nothing.
        case nothing
        /// Of `names`, those of nothing and of files that cannot be played are errors. A file whose
        /// name is that of music is opened only as long as nothing playable was found.
        case names
        /// The same, and nothing is found unless something of it can be played.
        case all
    }

    /// The same; playlists on the network are fetched by `network`, which blocks for some seconds if
    /// their servers do not answer.
    package init(
        _ names: [FilePath], start: CMTime = .zero, end: CMTime? = nil, network: PlaylistFetcher?,
        checking check: Check = .nothing
    ) {
        search = Mutex(
            MediaSearch(names, start: start, end: end, network: network, checking: check))
    }

    /// The next entries, in order: `limit` of them, fewer before the end, and none after it. Blocks
    /// on the disk.
    public func next(_ limit: Int = batchSize) -> [QueueEntry] {
        // Locked for the whole call, since it is a single search.
        search.withLock { $0.next(limit) }
    }

    /// Errors so far; an overlong list ends with the number of further errors.
    public var errors: [MediaError] { search.withLock(\.errors) }

    /// The playlists read so far.
    package var playlists: Set<FileIdentity> { search.withLock(\.playlists) }

    /// Passes all entries to `body` in batches of `batchSize`. Blocks on the disk. Rethrows errors.
    public func forEachBatch<Failure: Error>(
        _ body: ([QueueEntry]) throws(Failure) -> Void
    ) throws(Failure) {
        while true {
            let entries = next()
            guard !entries.isEmpty else { return }
            try body(entries)
        }
    }

    /// All entries at once, for callers that know there are only a few. Blocks on the disk.
    public func all() -> [QueueEntry] { next(.max) }
}
