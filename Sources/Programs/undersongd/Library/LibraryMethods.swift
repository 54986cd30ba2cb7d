import Glibc
import UndersongAudioSession
import UndersongBase
import UndersongControl
import UndersongLibrary
import UndersongPlayback
import UndersongStore

extension LibraryFeature {
    static let methods: [WireMethod] = [
        WireMethod(GetLibrary.self) { frontEnd, _, _ async throws(ServiceError) in
            try await frontEnd.player.libraryStatus(to: "show the library")
        },
        WireMethod(AddLibraryFolder.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.addLibraryFolder(call.path)
        },
        WireMethod(RemoveLibraryFolder.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.removeLibraryFolder(call.path)
        },
        WireMethod(UpdateLibrary.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.updateLibrary(call.path, readsAll: call.readsAll == true)
        },
        WireMethod(FindTracks.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.findTracks(call)
        },
        WireMethod(GroupTracks.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.groupTracks(call)
        },
        WireMethod(RateTracks.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.rate(call)
        },
        WireMethod(ListQueries.self) { frontEnd, _, _ async throws(ServiceError) in
            try await frontEnd.player.savedQueries(to: "list the saved queries")
        },
        WireMethod(SaveQuery.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.saveQuery(call)
        },
    ]
}

/// The library, for any front end.
extension PlayerService {
    // MARK: Folders

    /// The folders and the scan.
    ///
    /// - Throws: There is no library, or it cannot be read.
    func libraryStatus(to purpose: String) async throws(ServiceError) -> LibraryStatus {
        let library = try libraryEnvironment(to: purpose)
        return try library.store.found(
            await feature(LibraryFeature.self).status(library, self), to: purpose)
    }

    /// Adds a folder, and begins to scan it. Returns when that is on the disk.
    ///
    /// - Throws: It is not a folder that can be read, it is in the library by another path, or the
    ///   disk does not accept it.
    func addLibraryFolder(_ path: FilePath) async throws(ServiceError) -> LibraryStatus {
        let purpose = "add \(path) to the library"
        let library = try libraryEnvironment(to: purpose)
        let folder = try path.normalized(to: purpose)
        let known = try library.store.found(await library.store.folders(), to: purpose).map(\.path)
        let problem = await Self.onFilesQueue {
            folder.problemAsFolder
                ?? folder.otherPath(among: known).map { "it is the folder \($0)" }
        }
        if let problem { throw ServiceError(.notPossible, purpose, problem) }
        try await kept(to: purpose) { () async throws(StoreTrouble) in
            try await library.store.addFolder(folder)
        }
        let feature = feature(LibraryFeature.self)
        feature.add(folder, self)
        await feature.report(.folders, self)
        return try await libraryStatus(to: purpose)
    }

    /// Removes a folder. Returns when that is on the disk.
    ///
    /// - Throws: It is not in the library, or the disk does not accept that.
    func removeLibraryFolder(
        _ path: FilePath
    ) async throws(ServiceError) -> LibraryStatus {
        let purpose = "remove \(path) from the library"
        let library = try libraryEnvironment(to: purpose)
        let folder = try path.normalized(to: purpose)
        let now = configuration.clock.secondsSinceEpoch
        let isKnown = try await kept(to: purpose) { () async throws(StoreTrouble) in
            try await library.store.removeFolder(folder, now: now)
        }
        guard isKnown else {
            throw ServiceError(.notFound, purpose, "it is not one of the library's folders")
        }
        let feature = feature(LibraryFeature.self)
        feature.remove(folder, self)
        await feature.report(.folders, self)
        return try await libraryStatus(to: purpose)
    }

    /// Begins to scan a folder, or all of them for nil; with `readsAll`, also files that have not
    /// changed.
    ///
    /// - Throws: It is not in the library, or there is nothing to scan.
    func updateLibrary(
        _ path: FilePath?, readsAll: Bool
    ) async throws(ServiceError) -> LibraryStatus {
        let purpose = path.map { "scan \($0)" } ?? "scan the library"
        let status = try await libraryStatus(to: purpose)
        let folder = try path?.normalized(to: purpose)
        if let folder, !status.folders.contains(where: { folder.isWithin($0.path) }) {
            throw ServiceError(.notFound, purpose, "it is not in one of the library's folders")
        }
        guard !status.folders.isEmpty else {
            throw ServiceError(.notPossible, purpose, "no folder was added to it yet")
        }
        await feature(LibraryFeature.self).scan(.asked(folder, readsAll: readsAll), self)
        return try await libraryStatus(to: purpose)
    }

    // MARK: Finding

    /// The tracks that a query finds.
    ///
    /// - Throws: The query cannot be understood, or the library cannot be read.
    func findTracks(_ call: FindTracks) async throws(ServiceError) -> TrackList {
        let purpose = "search the library"
        let store = try libraryStore(to: purpose)
        let part = try Self.part(call.page.offset, call.page.limit, of: purpose)
        let query = try await libraryQuery(call.page.query, to: purpose)
        var list = try store.found(
            await store.tracks(query, offset: part.offset, limit: part.limit), to: purpose)
        list.gap = await gap(in: store, count: list.count)
        return list
    }

    /// The groups of the tracks that a query finds.
    ///
    /// - Throws: The query cannot be understood, or the library cannot be read.
    func groupTracks(_ call: GroupTracks) async throws(ServiceError) -> LibraryGroups {
        let purpose = "search the library"
        let store = try libraryStore(to: purpose)
        var part = try Self.part(call.page.offset, call.page.limit, of: purpose)
        let query = try await libraryQuery(call.page.query, to: purpose)
        if call.random == true {
            let all = try store.found(
                await store.groups(by: call.by, query, offset: 0, limit: 0), to: purpose)
            part = (all.count > 1 ? .random(in: 0..<all.count) : 0, 1)
        }
        var groups = try store.found(
            await store.groups(
                by: call.by, query, newestFirst: call.newestFirst == true && call.random != true,
                offset: part.offset, limit: part.limit), to: purpose)
        groups.gap = await gap(in: store, count: groups.count)
        return groups
    }

    /// The reason why a query that has found so much may find too little.
    private func gap(in store: LibraryStore, count: Int) async -> Open<LibraryGap>? {
        if feature(LibraryFeature.self).scan != nil { return .known(.scanning) }
        guard count == 0, await store.hasFolders() == false else { return nil }
        return .known(.noFolders)
    }

    /// The part of the queue, or of the results, that a request names.
    static func part(
        _ offset: Int?, _ limit: Int?, of purpose: String
    ) throws(ServiceError) -> (offset: Int, limit: Int) {
        guard offset ?? 0 >= 0, limit ?? 0 >= 0 else {
            throw ServiceError(.invalidValue, purpose, "a place must not be negative")
        }
        return (offset ?? 0, min(limit ?? FindTracks.limit, FindTracks.limit))
    }

    /// The query that a text stands for, with the saved queries that it names. It does not find the
    /// tracks of folders that were removed.
    ///
    /// - Throws: It cannot be understood, or the saved queries or folders cannot be read.
    func libraryQuery(
        _ text: String, to purpose: String
    ) async throws(ServiceError) -> LibraryQuery {
        let store = try libraryStore(to: purpose)
        let saved = try await savedQueries(to: purpose).queries
        var query: LibraryQuery
        do throws(QueryError) {
            query = try LibraryQuery(text).resolved { name in
                saved.first { $0.name == name }?.query
            }
        } catch {
            throw ServiceError(.invalidValue, "understand '\(text)'", error.description)
        }
        let listed = try store.found(
            await feature(LibraryFeature.self).listedTracks(of: store, self), to: purpose)
        if let condition = listed.condition {
            query.condition = .all([condition] + [query.condition].compactMap(\.self))
        }
        return query
    }

    // MARK: Listeners

    /// The track that the current item plays; nil if the library does not have it.
    var currentTrack: Track? {
        get async { feature(LibraryFeature.self).track(of: await session.report.current) }
    }

    /// Rates tracks, or makes them favourites. Returns when that is on the disk.
    ///
    /// - Throws: There is no such track, the values are no ratings, or the disk does not accept them.
    func rate(_ call: RateTracks) async throws(ServiceError) -> RatedTracks {
        let purpose =
            call.query.map { "rate what '\($0)' finds" }
            ?? (call.tracks == nil ? "rate the current item" : "rate tracks")
        guard call.query == nil || call.tracks == nil else {
            throw ServiceError(.invalidValue, purpose, "a query and tracks exclude each other")
        }
        if let rating = call.rating, !(0...5 ~= rating) {
            throw ServiceError(.invalidValue, purpose, "a rating is from 1 to 5, or 0 for none")
        }
        guard call.isFavourite == nil || call.togglesFavourite != true else {
            throw ServiceError(.invalidValue, purpose, "a favourite is set or toggled, not both")
        }
        let store = try libraryStore(to: purpose)
        let toggles = call.togglesFavourite == true
        let rated: RatedTracks
        if let text = call.query {
            let query = try await libraryQuery(text, to: purpose)
            rated = try await kept(to: purpose) { () async throws(StoreTrouble) in
                try await store.rate(
                    query, rating: call.rating, isFavourite: call.isFavourite,
                    togglesFavourite: toggles)
            }
            guard rated.count > 0 else {
                throw ServiceError(.notFound, purpose, "nothing in the library matches it")
            }
        } else {
            let ids: [Int]
            if let tracks = call.tracks {
                ids = tracks
            } else {
                ids = [try await currentTrackID(store, to: purpose)]
            }
            rated = try await kept(to: purpose) { () async throws(StoreTrouble) in
                try await store.rate(
                    ids: ids, rating: call.rating, isFavourite: call.isFavourite,
                    togglesFavourite: toggles)
            }
        }
        let feature = feature(LibraryFeature.self)
        await feature.findHeard(self, again: true)
        await feature.report(.rated, track: rated.track?.id, self)
        return rated
    }

    private func currentTrackID(
        _ store: LibraryStore, to purpose: String
    ) async throws(ServiceError) -> Int {
        guard let item = await session.report.current else {
            throw ServiceError(.notPossible, purpose, "there is no current item")
        }
        guard let subject = PlayCounter.Subject(item), let track = await store.track(of: subject)
        else {
            throw ServiceError(
                .notFound, purpose,
                "it is not in the library; 'undersong library add FOLDER' adds its folder")
        }
        return track.id
    }

    /// Notes that a track was counted as played or skipped.
    func libraryHasCounted(_ track: Int) async {
        let feature = feature(LibraryFeature.self)
        if feature.track(of: await session.report.current)?.id == track {
            await feature.findHeard(self, again: true)
        }
        await feature.report(.counted, track: track, self)
    }

    // MARK: Saved queries

    /// The saved queries, by name.
    ///
    /// - Throws: The library cannot be read.
    func savedQueries(to purpose: String) async throws(ServiceError) -> SavedQueries {
        let store = try libraryStore(to: purpose)
        return SavedQueries(queries: try store.found(await store.savedQueries(), to: purpose))
    }

    /// Saves a query, or removes one. Returns when that is on the disk.
    ///
    /// - Throws: The name or the query is not one, there is none to remove, or the disk does not
    ///   accept it.
    func saveQuery(_ call: SaveQuery) async throws(ServiceError) -> SavedQueries {
        let name = call.name
        let purpose = (call.query == nil ? "remove" : "save") + " the query '\(name)'"
        let store = try libraryStore(to: purpose)
        if let problem = SavedQuery.problem(withName: name) {
            throw ServiceError(.invalidValue, purpose, problem)
        }
        if let text = call.query {
            // With what it names, as it is going to be: it must not contain itself.
            let saved = try await savedQueries(to: purpose).queries
            do throws(QueryError) {
                _ = try LibraryQuery(.saved(name)).resolved { other in
                    other == name ? text : saved.first { $0.name == other }?.query
                }
            } catch {
                throw ServiceError(.invalidValue, purpose, error.description)
            }
        }
        let isChanged = try await kept(to: purpose) { () async throws(StoreTrouble) in
            try await store.save(call.query, as: name)
        }
        guard isChanged || call.query != nil else {
            throw ServiceError(.notFound, purpose, "no query is saved by that name")
        }
        await feature(LibraryFeature.self).report(.queries, self)
        return try await savedQueries(to: purpose)
    }

    // MARK: The store

    /// - Throws: This service has no library.
    private func libraryEnvironment(
        to purpose: String
    ) throws(ServiceError) -> LibraryEnvironment {
        guard let library = feature(LibraryFeature.self).library else {
            throw ServiceError(.notPossible, purpose, "this service has no library")
        }
        return library
    }

    /// - Throws: This service has no library.
    func libraryStore(to purpose: String) throws(ServiceError) -> LibraryStore {
        try libraryEnvironment(to: purpose).store
    }

    /// Changes the library.
    ///
    /// - Throws: The disk does not accept the change.
    private func kept<Value>(
        to purpose: String, _ change: () async throws(StoreTrouble) -> Value
    ) async throws(ServiceError) -> Value {
        do throws(StoreTrouble) {
            return try await change()
        } catch {
            throw ServiceError(.notPossible, purpose, error.reason)
        }
    }
}

extension LibraryStore {
    /// Returns a value that was read from the disk.
    ///
    /// - Throws: It is nil, because it cannot be read.
    func found<Value>(_ value: Value?, to purpose: String) throws(ServiceError) -> Value {
        guard let value else {
            throw ServiceError(
                .notPossible, purpose, trouble?.reason ?? "the library cannot be read")
        }
        return value
    }
}

extension FilePath {
    /// The path without `/` at its end, and without `//`, `/./` and `/../` in it.
    ///
    /// - Throws: It is not absolute.
    fileprivate func normalized(to purpose: String) throws(ServiceError) -> FilePath {
        guard isAbsolute else {
            throw ServiceError(.invalidValue, purpose, "it is not an absolute path")
        }
        var names: [ArraySlice<UInt8>] = []
        for name in bytes.split(separator: UInt8(ascii: "/")) where !name.elementsEqual(".".utf8) {
            if name.elementsEqual("..".utf8) { _ = names.popLast() } else { names.append(name) }
        }
        return names.reduce("/") { $0.appending(Array($1)) }
    }

    /// The path among `known` by which the same folder is there; nil if there is none, or it is this
    /// path itself. Waits for the disk.
    fileprivate func otherPath(among known: [FilePath]) -> FilePath? {
        guard !known.contains(self), let identity = FileIdentity(path: self) else { return nil }
        return known.first { FileIdentity(path: $0) == identity }
    }

    /// The reason why it is not a folder that can be read; nil if it is one. Waits for the disk.
    fileprivate var problemAsFolder: String? {
        var status = stat()
        guard unsafe withPlatformString({ unsafe stat($0, &status) }) == 0 else {
            return SystemError.last.reason
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { return "it is not a folder" }
        let isOpen = unsafe withPlatformString { unsafe access($0, R_OK | X_OK) } == 0
        return isOpen ? nil : SystemError.last.reason
    }
}
