public import Playback
import Synchronization

/// Finds what there is to play by the names that a user gives: files, playlists and folders.
///
/// A playlist may name other playlists and folders. What cannot be read becomes an error in its
/// place; a missing file stays an entry, since the player reports it when its turn comes.
///
/// Playlists are read as entries are asked for, so that one of any length takes little memory:
/// ```swift
/// let finder = MediaFinder(names)
/// finder.forEachBatch { entries in queue.append(entries) }
/// ```
/// It may go from thread to thread; whoever asks while another waits for an answer waits too.
public final class MediaFinder: Sendable {
    /// How many entries are told at once where nothing else is said.
    public static let batchSize = 4096

    private let search: Mutex<MediaSearch>

    /// Looks for what each of `names` stands for; `-` is the standard input. What no playlist gives the
    /// part of is played from `start` to `end`. Touches no disk.
    public convenience init(_ names: [String], start: CMTime = .zero, end: CMTime? = nil) {
        self.init(names.map { FilePath($0) }, start: start, end: end)
    }

    /// The same for paths that need not be UTF-8.
    public init(_ names: [FilePath], start: CMTime = .zero, end: CMTime? = nil) {
        search = Mutex(MediaSearch(names, start: start, end: end))
    }

    /// The next entries, in order: as many as `limit`, fewer before the end, and none after it.
    /// Blocks on the disk.
    public func next(_ limit: Int = batchSize) -> [QueueEntry] {
        // It is locked for as long as that takes, since it is one search.
        search.withLock { $0.next(limit) }
    }

    /// What could not be read so far; a very long list ends with how many more there were.
    public var errors: [MediaError] { search.withLock(\.errors) }

    /// The playlists that were read so far.
    package var playlists: Set<FileIdentity> { search.withLock(\.playlists) }

    /// Gives all entries to `take`, `batchSize` at once. Blocks on the disk. Errors: those of `take`.
    public func forEachBatch<Failure: Error>(
        _ take: ([QueueEntry]) throws(Failure) -> Void
    ) throws(Failure) {
        while true {
            let entries = next()
            guard !entries.isEmpty else { return }
            try take(entries)
        }
    }

    /// All entries at once, for callers that know them to be few. Blocks on the disk.
    public func all() -> [QueueEntry] { next(.max) }
}
