package import UndersongBase
package import UndersongLibrary

/// Keeps the library in a file of its own, `library.sqlite`, beside the player's state: its folders
/// and tracks, what their listeners have done with them, and the saved queries. Any thread may call
/// it. It writes on a thread of its own, so that a scan never delays an edit of the queue.
package final class LibraryStore: Sendable {
    /// Begins to open the file in `folder`, which is created if missing; pass nil if there is no
    /// place for one. Never fails: in trouble, reading finds nothing and writing throws. The caller
    /// has the lock of the folder. `report` is called on any thread, as for `StateStore`.
    package init(
        folder: String?, clock: any HostClock, report: @escaping @Sendable (StoreNotice) -> Void
    ) {
        fatalError("signature")
    }

    /// The reason why nothing can be kept; nil while it can.
    package var trouble: StoreTrouble? { fatalError("signature") }

    /// Writes what waits, and closes the file. Nothing is kept or found after that.
    package func close() { fatalError("signature") }

    // MARK: Finding

    /// The tracks that a query finds, in its order. Nil if the file cannot be read.
    package func tracks(
        _ query: LibraryQuery, offset: Int = 0, limit: Int = FindTracks.limit
    ) async -> TrackList? { fatalError("signature") }

    /// The ids of all tracks that a query finds, in its order, for a list of any length. Nil if the
    /// file cannot be read.
    package func ids(_ query: LibraryQuery) async -> [Int]? { fatalError("signature") }

    /// The groups of the tracks that a query finds. Nil if the file cannot be read.
    package func groups(
        by grouping: LibraryGrouping, _ query: LibraryQuery = LibraryQuery(),
        newestFirst: Bool = false, offset: Int = 0, limit: Int = 1000
    ) async -> LibraryGroups? { fatalError("signature") }

    /// The tracks with these ids, in their order; those that do not exist are left out.
    package func tracks(ids: [Int]) async -> [Track] { fatalError("signature") }

    /// The track of a file, or of a part of one. Nil if there is none.
    package func track(of path: FilePath, part: TrackPart? = nil) async -> Track? {
        fatalError("signature")
    }

    /// The number of tracks, missing ones included.
    package var trackCount: Int { fatalError("signature") }

    // MARK: Listeners

    /// Rates the tracks that a query finds, and makes them favourites or not. Durable when it
    /// returns. A rating of 0 removes it.
    ///
    /// - Throws: An error if nothing was changed.
    package func rate(
        _ query: LibraryQuery, rating: Int? = nil, isFavourite: Bool? = nil,
        togglesFavourite: Bool = false
    ) async throws(StoreTrouble) -> RatedTracks { fatalError("signature") }

    /// Rates tracks, as above.
    package func rate(
        ids: [Int], rating: Int? = nil, isFavourite: Bool? = nil, togglesFavourite: Bool = false
    ) async throws(StoreTrouble) -> RatedTracks { fatalError("signature") }

    /// Counts that a track was heard, at `time` in seconds since 1970. It is on the disk soon.
    package func countPlay(of id: Int, at time: Double) { fatalError("signature") }

    /// Counts that a track was skipped. It is on the disk soon.
    package func countSkip(of id: Int) { fatalError("signature") }

    // MARK: Folders and saved queries

    /// The folders, in the order in which they were added, with the numbers of their tracks. Nil if
    /// the file cannot be read.
    package func folders() async -> [LibraryFolder]? { fatalError("signature") }

    /// Adds a folder, if it is not there yet. Durable when it returns.
    package func addFolder(_ path: FilePath) async throws(StoreTrouble) {
        fatalError("signature")
    }

    /// Removes a folder, and marks its tracks as missing since `now`, unless they are in another
    /// one. Durable when it returns. False if there is no such folder.
    @discardableResult
    package func removeFolder(
        _ path: FilePath, now: Double
    ) async throws(StoreTrouble) -> Bool { fatalError("signature") }

    /// Keeps since when a folder is not there; nil if it is.
    package func setMissing(
        _ folder: FilePath, since: Double?
    ) async throws(StoreTrouble) { fatalError("signature") }

    /// The saved queries, by name. Nil if the file cannot be read.
    package func savedQueries() async -> [SavedQuery]? { fatalError("signature") }

    /// Saves a query under a name, instead of an earlier one; removes it if the query is nil.
    /// Durable when it returns. False if there was none to remove.
    @discardableResult
    package func save(
        _ query: String?, as name: String
    ) async throws(StoreTrouble) -> Bool { fatalError("signature") }

    /// Forgets the tracks that are missing since before `time`, with all that is known of them.
    /// Returns how many.
    package func forgetMissing(before time: Double) async throws(StoreTrouble) -> Int {
        fatalError("signature")
    }
}

/// What scans read and write. A scan marks what is missing before it applies what is new, so that a
/// file that was moved is recognized: by its size, date and tags, or by its number in its file system
/// and tags.
extension LibraryStore: ScanRecords {
    package func knownFolders(in folder: FilePath) async -> [FilePath] { fatalError("signature") }

    package func knownFiles(in folder: FilePath) async -> [FilePath: KnownFile] {
        fatalError("signature")
    }

    package func apply(_ batch: [ScannedFile]) async throws { fatalError("signature") }

    package func markMissing(_ files: [FilePath], since now: Double) async throws {
        fatalError("signature")
    }

    package func markMissing(below folder: FilePath, since now: Double) async throws {
        fatalError("signature")
    }

    package func markPresent(_ files: [FilePath: UndersongLibrary.FileStamp]) async throws {
        fatalError("signature")
    }
}
