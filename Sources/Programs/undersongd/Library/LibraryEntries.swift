import UndersongBase
import UndersongLibrary
import UndersongPlayback
import UndersongStore

/// Tracks of the library as entries of the queue.
extension PlayerService {
    /// The number of tracks that are read at a time.
    private static let batch = 1000

    /// Returns the ids of the tracks that `files` name, by their query first.
    ///
    /// - Throws: The query cannot be understood or finds nothing, or a track does not exist.
    func libraryTracks(
        of files: Files, to purpose: String
    ) async throws(ServiceError) -> [Int] {
        guard files.query != nil || files.tracks != nil else { return [] }
        let store = try libraryStore(to: purpose)
        var ids: [Int] = []
        if let text = files.query {
            let query = try await libraryQuery(text, to: purpose)
            ids = try store.found(await store.ids(query), to: purpose)
            guard !ids.isEmpty else {
                let hasFolders = await store.folders()?.isEmpty != true
                throw .nothingFound(text, to: purpose, hasFolders: hasFolders)
            }
        }
        return ids + (files.tracks ?? [])
    }

    /// Passes the entries of tracks to `body`, in order and in batches. Tracks whose files are
    /// missing are left out. `start` and `end` are for tracks that are whole files.
    ///
    /// - Throws: There are none.
    func forEachEntry(
        of ids: [Int], of files: Files, start: CMTime, end: CMTime?, to purpose: String,
        _ body: ([QueueEntry]) async -> Void
    ) async throws(ServiceError) {
        guard !ids.isEmpty else { return }
        let store = try libraryStore(to: purpose)
        var (knownCount, foundCount) = (0, 0)
        for first in stride(from: 0, to: ids.count, by: Self.batch) {
            let part = Array(ids[first..<min(first + Self.batch, ids.count)])
            let tracks = await store.tracks(ids: part)
            let there = tracks.filter { $0.missingSince == nil }
            (knownCount, foundCount) = (knownCount + tracks.count, foundCount + there.count)
            await body(there.map { QueueEntry($0, start: start, end: end) })
        }
        guard foundCount == 0 else { return }
        let name = files.query.map { "all that '\($0)' finds is" } ?? "their files are"
        throw ServiceError(
            .notFound, purpose,
            knownCount == 0 ? "the library has no such track" : "\(name) missing at the moment")
    }
}

extension LibraryStore {
    /// The query of the tracks that are there, or are missing in one of the folders, but not of those
    /// that are kept in case their folder is added again. Nil if the file cannot be read.
    func listedTracks() async -> LibraryQuery? {
        guard let folders = await folders() else { return nil }
        let isInFolder = LibraryQuery.Condition.any(
            folders.map { folder in
                let path = folder.path.description
                return .text(.path, .begins, path.hasSuffix("/") ? path : path + "/")
            })
        let removed = LibraryQuery(.all([.flag(.missing), .not(isInFolder)]))
        // Most libraries have none, and their queries need not look.
        guard let count = await tracks(removed, limit: 0)?.count else { return nil }
        return count == 0
            ? LibraryQuery() : LibraryQuery(.any([.not(.flag(.missing)), isInFolder]))
    }
}

extension QueueEntry {
    /// The entry that plays a track, from `start` to `end` if it is a whole file.
    init(_ track: Track, start: CMTime = .zero, end: CMTime? = nil) {
        let source = MediaSource.file(path: track.path)
        let artists = track.tags.artists.joined(separator: ", ")
        let seconds = track.sound?.seconds
        if let part = track.part {
            // The artist is in the title, because the file's tags name that of the whole.
            self.init(
                source, start: CMTime(fileSeconds: part.start),
                end: part.end.map { CMTime(fileSeconds: $0) },
                title: track.tags.title.map { artists.isEmpty ? $0 : "\(artists) - \($0)" },
                duration: part.end == nil
                    ? seconds.map { CMTime(fileSeconds: part.start + $0) } : nil)
        } else {
            self.init(
                source, start: start, end: end, title: track.tags.title,
                duration: seconds.map { CMTime(fileSeconds: $0) })
        }
        artist = artists.isEmpty ? nil : artists
        album = track.tags.album
    }
}

extension CMTime {
    /// The time that a CUE sheet means, which counts 75 frames a second; otherwise to the
    /// microsecond.
    fileprivate init(fileSeconds seconds: Double) {
        let seconds = min(seconds, 9e12)
        let frames = (seconds * 75).rounded()
        if Double(frames) / 75 == seconds {
            self.init(value: Int64(frames), timescale: 75)
        } else {
            self.init(value: Int64((seconds * 1e6).rounded()), timescale: 1_000_000)
        }
    }
}

extension ServiceError {
    /// The error for a query that finds nothing, in a library that has folders or none.
    fileprivate static func nothingFound(
        _ query: String, to purpose: String, hasFolders: Bool
    ) -> ServiceError {
        ServiceError(
            .notFound, purpose,
            hasFolders
                ? "nothing in the library matches '\(query)'"
                : "the library has no folders; 'undersong library add FOLDER' adds one")
    }
}
