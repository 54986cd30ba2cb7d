import UndersongBase
import UndersongLibrary
import UndersongPlayback
import UndersongStore

/// The library as MPD's database: folders with songs, by their URIs.
///
/// A file that a CUE sheet divides is a folder of its tracks. Files that are missing are not there, nor
/// are those whose names have no URI.
struct MPDDatabase: Sendable {
    /// The most tracks that are read before they are sorted; more are read folder by folder.
    private static let mostSorted = 20_000
    /// The tracks that are read at a time.
    private static let batch = 1000

    let store: LibraryStore
    let folders: MPDFolders

    /// The error for a library that cannot be read.
    private var trouble: MPDError {
        MPDError(.system, store.trouble?.reason ?? "the library cannot be read")
    }

    // MARK: Songs

    /// A song, with the track that it is.
    struct Found: Sendable {
        var song: MPDSong
        var track: Track

        /// Nil if the track is missing, or has no URI.
        init?(_ track: Track, _ folders: MPDFolders) {
            guard track.missingSince == nil, let uri = folders.uri(of: track) else { return nil }
            song = MPDSong(track, uri: uri)
            self.track = track
        }
    }

    /// The song of a URI.
    ///
    /// - Throws: There is none.
    func song(_ uri: String) async throws(MPDError) -> Found {
        let found = try await songs(ofFile: uri)
        guard let song = found.first(where: { $0.song.uri == uri }) else {
            throw MPDError(.noExist, "No such song")
        }
        return song
    }

    /// The songs of a file: itself, or the parts of it; or the part that the URI names.
    private func songs(ofFile uri: String) async throws(MPDError) -> [Found] {
        var parts = uri.split(separator: "/")
        let name = parts.popLast().flatMap { MPDTrackName($0) }
        var found: [Found] = []
        if let path = folders.path(of: uri) { found += try await songs(of: path) }
        if name != nil, let path = folders.path(of: parts.joined(separator: "/")) {
            found += try await songs(of: path).filter { $0.song.uri == uri }
        }
        return found
    }

    private func songs(of path: FilePath) async throws(MPDError) -> [Found] {
        guard let tracks = await store.tracks(of: [path]) else { throw trouble }
        return tracks.compactMap { Found($0, folders) }
    }

    /// The songs of files, whole or in parts, by their paths; empty for those that are not in the
    /// library.
    func tracks(of paths: [FilePath]) async -> [FilePath: [Found]] {
        let tracks = await store.tracks(of: paths) ?? []
        return Dictionary(
            grouping: tracks.compactMap { Found($0, folders) }, by: \.track.path)
    }

    // MARK: Folders

    /// An entry of a folder.
    enum Entry: Sendable {
        /// A folder with its path; nil for one that is none in the file system.
        case folder(String, FilePath?)
        case song(Found)
    }

    /// The entries of a folder, and of all below it if `isRecursive`; the song, if it is one.
    ///
    /// - Throws: There is no such folder.
    func walk(_ uri: String, isRecursive: Bool) async throws(MPDError) -> Walk {
        var known: Set<String> = []
        var paths: [String: FilePath] = [:]
        let bases: [FilePath]
        if uri.isEmpty {
            bases = folders.roots.map(\.path)
            known.formUnion(folders.roots.map(\.name))
        } else {
            bases = folders.path(of: uri).map { [$0] } ?? []
        }
        for base in bases {
            guard let found = await store.folders(in: base) else { throw trouble }
            for path in found {
                guard let folder = folders.uri(of: path), folder.isWithin(uri) else { continue }
                paths[folder] = path
                var ancestor = folder[...]
                while known.insert(String(ancestor)).inserted, ancestor.utf8.count > uri.utf8.count
                {
                    ancestor = ancestor.lastIndex(of: "/").map { ancestor[..<$0] } ?? ""
                }
            }
        }
        if !uri.isEmpty, known.isEmpty {
            let songs = try await songs(ofFile: uri)
            guard !songs.isEmpty else {
                // A folder without songs is there all the same.
                guard let path = bases.first, await PlayerService.onFilesQueue({ path.isFolder })
                else { throw MPDError(.noExist, "No such directory") }
                return Walk(self, entries: isRecursive ? [.folder(uri, path)] : [])
            }
            let isDivided = songs.contains { $0.song.uri != uri }
            let folder = isRecursive && isDivided ? [Entry.folder(uri, nil)] : []
            return Walk(self, entries: folder + songs.ordered.map(Entry.song))
        }
        known.insert(uri)
        return Walk(self, uri, known, paths, isRecursive: isRecursive)
    }

    /// The entries of folders, in MPD's order.
    struct Walk: Sendable {
        /// The folders that are read at a time.
        private static let batch = 50

        private let database: MPDDatabase
        private let base: String
        private let isRecursive: Bool
        private let paths: [String: FilePath]
        /// The folders that follow, the next one last.
        private var rest: [String]
        private var first: [Entry]

        fileprivate init(_ database: MPDDatabase, entries: [Entry]) {
            self.database = database
            (base, isRecursive, paths, rest) = ("", false, [:], [])
            first = entries
        }

        fileprivate init(
            _ database: MPDDatabase, _ base: String, _ folders: Set<String>,
            _ paths: [String: FilePath], isRecursive: Bool
        ) {
            self.database = database
            self.base = base
            self.isRecursive = isRecursive
            self.paths = paths
            first = []
            let depth = base.split(separator: "/").count
            let keyed = folders.map { uri in
                (uri, key: uri.split(separator: "/").map { MPDCollationKey($0) })
            }.filter { isRecursive || $0.key.count <= depth + 1 }
            rest = keyed.sorted { $1.key.lexicographicallyPrecedes($0.key) }.map(\.0)
        }

        /// Some more entries; nil if there are none left.
        mutating func next() async throws(MPDError) -> [Entry]? {
            if !first.isEmpty {
                defer { first = [] }
                return first
            }
            guard !rest.isEmpty else { return nil }
            let folders = Array(rest.suffix(Self.batch).reversed())
            rest.removeLast(folders.count)
            let read = folders.filter { isRecursive || $0 == base }.compactMap { paths[$0] }
            guard let tracks = await database.store.tracks(in: read) else { throw database.trouble }
            let songs = Dictionary(
                grouping: tracks.compactMap { Found($0, database.folders) }, by: \.track.path.parent
            )
            return folders.flatMap { folder in
                entry(of: folder) + contents(paths[folder].flatMap { songs[$0] } ?? [])
            }
        }

        private func entry(of folder: String) -> [Entry] {
            // MPD names the folder that it was asked for, but the root, together with all below it.
            folder.isEmpty || folder == base && !isRecursive
                ? [] : [.folder(folder, paths[folder] ?? database.folders.path(of: folder))]
        }

        /// The songs of a folder, and then the files that CUE sheets divide.
        private func contents(_ songs: [Found]) -> [Entry] {
            let whole = songs.filter { $0.track.part == nil }.ordered.map(Entry.song)
            let parts = Dictionary(
                grouping: songs.filter { $0.track.part != nil }, by: \.track.path)
            let files = parts.sorted {
                MPDCollationKey($0.key.lastComponent) < MPDCollationKey($1.key.lastComponent)
            }
            return files.reduce(whole) { entries, file in
                guard let uri = database.folders.uri(of: file.key) else { return entries }
                return entries + [.folder(uri, nil)]
                    + (isRecursive ? file.value.ordered.map(Entry.song) : [])
            }
        }
    }

    // MARK: Finding

    /// The songs that a filter matches, in MPD's order.
    ///
    /// - Throws: There is no folder as it names.
    func songs(_ filter: MPDFilter) async throws(MPDError) -> Matches {
        let base = filter.base ?? ""
        if filter.libraryQuery.condition != nil {
            guard let ids = await store.ids(filter.libraryQuery) else { throw trouble }
            if ids.count <= Self.mostSorted {
                if !base.isEmpty { _ = try await walk(base, isRecursive: false) }
                return Matches(filter, found: try await songs(ids, filter))
            }
        }
        return Matches(filter, try await walk(base, isRecursive: true))
    }

    private func songs(_ ids: [Int], _ filter: MPDFilter) async throws(MPDError) -> [Found] {
        var found: [Found] = []
        for start in stride(from: 0, to: ids.count, by: Self.batch) {
            let part = ids[start..<min(start + Self.batch, ids.count)]
            found += await store.tracks(ids: Array(part)).compactMap { Found($0, folders) }
                .filter { filter.matches($0.song) }
        }
        return found.ordered
    }

    /// Songs that a filter matches.
    struct Matches: Sendable {
        private let filter: MPDFilter
        private var walk: Walk?
        private var found: [Found]?

        fileprivate init(_ filter: MPDFilter, found: [Found]) {
            self.filter = filter
            self.found = found
        }

        fileprivate init(_ filter: MPDFilter, _ walk: Walk) {
            self.filter = filter
            self.walk = walk
        }

        /// Some more songs; nil if there are none left.
        mutating func next() async throws(MPDError) -> [Found]? {
            if let found {
                self.found = nil
                return found
            }
            guard let entries = try await walk?.next() else { return nil }
            return entries.compactMap { entry in
                guard case .song(let found) = entry, filter.matches(found.song) else { return nil }
                return found
            }
        }

        /// All that are left.
        mutating func all() async throws(MPDError) -> [Found] {
            var all: [Found] = []
            while let found = try await next() { all += found }
            return all
        }
    }
}

extension [MPDDatabase.Found] {
    /// The songs in MPD's order.
    fileprivate var ordered: [MPDDatabase.Found] {
        map { (found: $0, key: MPDOrderKey($0.song)) }.sorted { $0.key < $1.key }.map(\.found)
    }
}

extension MPDFrontEnd {
    /// The library as it is now.
    ///
    /// - Throws: There is none, or it cannot be read.
    func database() async throws(MPDError) -> MPDDatabase {
        let store: LibraryStore
        do throws(ServiceError) {
            store = try await player.libraryStore(to: "search the library")
        } catch {
            throw MPDError(.noExist, "No database")
        }
        if let folders = knownFolders { return MPDDatabase(store: store, folders: folders) }
        guard let paths = await store.folders()?.map(\.path) else {
            throw MPDError(.system, store.trouble?.reason ?? "the library cannot be read")
        }
        let folders = MPDFolders(paths)
        knownFolders = folders
        return MPDDatabase(store: store, folders: folders)
    }
}
