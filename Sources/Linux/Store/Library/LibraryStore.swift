package import UndersongBase
package import UndersongLibrary

/// Keeps the library in a file of its own, `library.sqlite`, beside the player's state: its folders
/// and tracks, what their listeners have done with them, and the saved queries. Any thread may call
/// it. It writes on a thread of its own, so that a scan never delays an edit of the queue.
package final class LibraryStore: Sendable {
    let memory: LibraryMemory
    private let closed = Semaphore()

    /// Begins to open the file in `folder`, which is created if missing; pass nil if there is no
    /// place for one. Never fails: in trouble, reading finds nothing and writing throws. The caller
    /// has the lock of the folder. `report` is called on any thread, as for `StateStore`.
    package init(
        folder: String?, clock: any HostClock, zone: LocalZone = .system,
        report: @escaping @Sendable (StoreNotice) -> Void
    ) {
        memory = LibraryMemory(folder: folder, clock: clock, zone: zone)
        startThread(named: "library") { [memory, closed] in
            LibraryKeeper(memory, report: report).run()
            closed.post()
        }
    }

    deinit { memory.mailbox.post(.close) }

    /// The reason why nothing can be kept; nil while it can.
    package var trouble: StoreTrouble? { memory.findings.withLock(\.trouble) }

    /// The number of tracks, missing ones included.
    package var trackCount: Int { memory.findings.withLock(\.trackCount) }

    /// Writes what waits, and closes the file, which takes a second at most. Nothing is kept or found
    /// after that.
    package func close() {
        guard memory.mailbox.post(.close) else { return }
        let timer = memory.clock.wake(after: 1, leeway: 0) { [closed] in closed.post() }
        closed.wait()
        timer.cancel()
    }

    // MARK: Threads

    /// Reads on a thread; nil if the file cannot be read.
    private func read<Result: Sendable>(
        _ body: @escaping @Sendable (inout LibraryReader) throws -> Result
    ) async -> Result? {
        await withCheckedContinuation { continuation in
            startThread(named: "library reader") { [memory] in
                continuation.resume(returning: memory.read(body))
            }
        }
    }

    /// Writes on the library's thread.
    private func write<Result: Sendable>(
        isDurable: Bool = true, _ body: @escaping @Sendable (inout LibraryWriter) throws -> Result
    ) async throws(StoreTrouble) -> Result {
        let result: Swift.Result<Result, StoreTrouble> = await withCheckedContinuation {
            continuation in
            let isPosted = memory.mailbox.post(
                .run { keeper in
                    do throws(StoreTrouble) {
                        let result = try keeper.write(isDurable: isDurable, body)
                        continuation.resume(returning: .success(result))
                    } catch {
                        continuation.resume(returning: .failure(error))
                    }
                })
            if !isPosted {
                continuation.resume(returning: .failure(memory.trouble("the library is closed")))
            }
        }
        return try result.get()
    }

    private var now: Double { memory.clock.secondsSinceEpoch }

    // MARK: Finding

    /// The tracks that a query finds, in its order. Nil if the file cannot be read.
    package func tracks(
        _ query: LibraryQuery, offset: Int = 0, limit: Int = FindTracks.limit
    ) async -> TrackList? {
        await read { [now] reader in
            let found = try reader.find(query, Self.range(offset, limit), now: now)
            return TrackList(
                tracks: try reader.tracks(found.ids), count: found.count, seconds: found.seconds)
        }
    }

    /// The ids of all tracks that a query finds, in its order, for a list of any length. Nil if the
    /// file cannot be read.
    package func ids(_ query: LibraryQuery) async -> [Int]? {
        await read { [now] in try $0.find(query, 0..<Int.max, now: now).ids }
    }

    /// The groups of the tracks that a query finds. Nil if the file cannot be read.
    package func groups(
        by grouping: LibraryGrouping, _ query: LibraryQuery = LibraryQuery(),
        newestFirst: Bool = false, offset: Int = 0, limit: Int = 1000
    ) async -> LibraryGroups? {
        await read { [now] reader in
            try reader.groups(
                by: grouping, query, newestFirst: newestFirst, Self.range(offset, limit), now: now)
        }
    }

    private static func range(_ offset: Int, _ limit: Int) -> Range<Int> {
        let start = max(0, offset)
        let (end, overflows) = start.addingReportingOverflow(max(0, limit))
        return start..<(overflows ? .max : end)
    }

    /// The tracks with these ids, in their order; those that do not exist are left out.
    package func tracks(ids: [Int]) async -> [Track] { await read { try $0.tracks(ids) } ?? [] }

    /// The track of a file, or of the part of one that begins there. Nil if there is none.
    package func track(of path: FilePath, part: TrackPart? = nil) async -> Track? {
        await read { try $0.track(of: path, part: part) } ?? nil
    }

    /// The tracks of files, whole or in parts, in the order of the paths and by their start. Nil if the
    /// library's file cannot be read.
    package func tracks(of paths: [FilePath]) async -> [Track]? {
        await read { try $0.tracks(of: paths) }
    }

    /// The tracks of the files directly in each of the folders, but not below it; nil if the file
    /// cannot be read.
    package func tracks(in folders: [FilePath]) async -> [Track]? {
        await read { try $0.tracks(in: folders) }
    }

    /// The folders, in `folder` and all below it, that directly contain files of tracks that are not
    /// missing, in any order. Nil if the file cannot be read.
    package func folders(in folder: FilePath) async -> [FilePath]? {
        await read { try $0.folders(in: folder) }
    }

    // MARK: Listeners

    /// Rates the tracks that a query finds, and makes them favourites or not. Durable when it
    /// returns. A rating of 0 removes it.
    ///
    /// - Throws: An error if nothing was changed.
    package func rate(
        _ query: LibraryQuery, rating: Int? = nil, isFavourite: Bool? = nil,
        togglesFavourite: Bool = false
    ) async throws(StoreTrouble) -> RatedTracks {
        guard let ids = await ids(query) else {
            throw trouble ?? memory.trouble("the library cannot be read")
        }
        return try await rate(
            ids: ids, rating: rating, isFavourite: isFavourite, togglesFavourite: togglesFavourite)
    }

    /// Rates tracks, as above.
    package func rate(
        ids: [Int], rating: Int? = nil, isFavourite: Bool? = nil, togglesFavourite: Bool = false
    ) async throws(StoreTrouble) -> RatedTracks {
        guard !ids.isEmpty else { return RatedTracks(count: 0) }
        return try await write { writer in
            var rated = RatedTracks(count: 0)
            for start in stride(from: 0, to: ids.count, by: Segment.length) {
                let part = ids[start..<min(start + Segment.length, ids.count)]
                let rows = try writer.change(Array(part)) { track in
                    if let rating { track.rating = rating > 0 ? min(rating, 5) : nil }
                    if let isFavourite { track.isFavourite = isFavourite }
                    if togglesFavourite { track.isFavourite.toggle() }
                }
                rated.count += rows.count
                rated.track = rated.count == 1 ? rows.first?.track : nil
            }
            return rated
        }
    }

    /// Counts that a track was heard, at `time` in seconds since 1970. It is on the disk soon, and as
    /// soon as there is room. Calls `whenCounted` on any thread once it is found so.
    package func countPlay(
        of id: Int, at time: Double, whenCounted: @escaping @Sendable () -> Void = {}
    ) {
        count(id, whenCounted) { track in
            track.playCount += 1
            track.lastPlayed = max(track.lastPlayed ?? time, time)
        }
    }

    /// Counts that a track was skipped, as above.
    package func countSkip(of id: Int, whenCounted: @escaping @Sendable () -> Void = {}) {
        count(id, whenCounted) { $0.skipCount += 1 }
    }

    private func count(
        _ id: Int, _ whenCounted: @escaping @Sendable () -> Void,
        _ change: @escaping @Sendable (inout Track) -> Void
    ) {
        memory.mailbox.post(.run { $0.count(id, change, whenCounted: whenCounted) })
    }

    // MARK: Folders and saved queries

    /// The folders, in the order in which they were added, with the numbers of their tracks. Nil if
    /// the file cannot be read.
    package func folders() async -> [LibraryFolder]? {
        await read { reader in
            try LibraryLists(db: reader.db).folders().map { entry in
                var folder = entry.folder
                folder.trackCount = try reader.trackCount(in: folder.path)
                return folder
            }
        }
    }

    /// False if there is no folder. Nil if the file cannot be read.
    package func hasFolders() async -> Bool? {
        await read { try !LibraryLists(db: $0.db).folders().isEmpty }
    }

    /// Adds a folder, if it is not there yet. Durable when it returns.
    package func addFolder(_ path: FilePath) async throws(StoreTrouble) {
        try await write { writer in
            let lists = LibraryLists(db: writer.db)
            let folders = try lists.folders()
            guard !folders.contains(where: { $0.folder.path == path }) else { return }
            try lists.write(path, position: (folders.last?.position ?? 0) + 1, missing: nil)
        }
    }

    /// Removes a folder, and marks its tracks as missing since `now`, unless they are in another
    /// one. Durable when it returns. False if there is no such folder.
    @discardableResult
    package func removeFolder(
        _ path: FilePath, now: Double
    ) async throws(StoreTrouble) -> Bool {
        try await write { writer in
            let lists = LibraryLists(db: writer.db)
            var folders = try lists.folders().map(\.folder.path)
            guard folders.contains(path) else { return false }
            try lists.remove(path)
            folders.removeAll { $0 == path }
            try writer.markMissing(below: path, butFor: folders, since: now)
            return true
        }
    }

    /// Keeps since when a folder is not there; nil if it is.
    package func setMissing(_ folder: FilePath, since: Double?) async throws(StoreTrouble) {
        try await write { writer in
            let lists = LibraryLists(db: writer.db)
            guard let entry = try lists.folders().first(where: { $0.folder.path == folder }),
                entry.folder.missingSince != since
            else { return }
            try lists.write(folder, position: entry.position, missing: since)
        }
    }

    /// The saved queries, by name. Nil if the file cannot be read.
    package func savedQueries() async -> [SavedQuery]? {
        await read { try LibraryLists(db: $0.db).queries() }
    }

    /// Saves a query under a name, instead of an earlier one; removes it if the query is nil.
    /// Durable when it returns. False if there was none to remove.
    @discardableResult
    package func save(_ query: String?, as name: String) async throws(StoreTrouble) -> Bool {
        try await write { try LibraryLists(db: $0.db).write(query, as: name) }
    }

    /// Forgets the tracks that are missing since before `time`, with all that is known of them.
    /// Returns how many.
    package func forgetMissing(before time: Double) async throws(StoreTrouble) -> Int {
        var count = 0
        while true {
            let part = try await write { writer in
                let ids = try TrackTable(db: writer.db)
                    .missingIDs(before: time, limit: 4 * Segment.length)
                try writer.remove(ids)
                return ids.count
            }
            count += part
            if part == 0 { return count }
        }
    }
}

/// The part that scans read and write. A file that was moved is recognized, whichever of its names is
/// seen to be missing or new first: by its title, artists and album, and its size and date or, if the
/// old name is missing first, its number in its file system. A power loss may cost what was read last;
/// it is read again.
extension LibraryStore: ScanRecords {
    package func knownFolders(in folder: FilePath) throws -> [FilePath] {
        try readForScan { try $0.knownFolders(in: folder) }
    }

    package func knownFiles(in folder: FilePath) throws -> [FilePath: KnownFile] {
        try readForScan { try $0.knownFiles(in: folder) }
    }

    private func readForScan<Result: Sendable>(
        _ body: (ScanReader) throws -> Result
    ) throws(StoreTrouble) -> Result {
        guard let result = memory.readForScan(body) else {
            throw trouble ?? memory.trouble("the library cannot be read")
        }
        return result
    }

    package func apply(_ batch: [ScannedFile]) async throws {
        try await write(isDurable: false) { [now] in try $0.apply(batch, now: now) }
    }

    package func markMissing(_ files: [FilePath], since now: Double) async throws {
        try await write(isDurable: false) { try $0.markMissing(files, since: now) }
    }

    package func markMissing(below folder: FilePath, since now: Double) async throws {
        try await write(isDurable: false) {
            try $0.markMissing(below: folder, butFor: [], since: now)
        }
    }

    package func markPresent(_ files: [FilePath: ScanStamp]) async throws {
        try await write(isDurable: false) { try $0.markPresent(files) }
    }
}
