import Glibc
import UndersongAudioIO
import UndersongBase
import UndersongLibrary
import UndersongPlayback

/// The meaning of a URI in a command.
enum MPDLocation: Hashable, Sendable {
    /// A song or folder of the library.
    case library(String)
    /// A file or folder anywhere, which only clients of the Unix socket may name.
    case file(FilePath)
    /// A stream.
    case stream(String)

    /// - Throws: It is none, or names a file and the client must not.
    init(_ uri: String, isLocal: Bool) throws(MPDError) {
        if let path = Self.path(uri) {
            guard path.hasPrefix("/") else {
                throw MPDError(.argument, "Malformed file:// URI")
            }
            guard isLocal else { throw MPDError(.permission, "Access denied") }
            self = .file(FilePath(path))
        } else if Self.hasScheme(uri) {
            let scheme = uri.prefix { $0 != ":" }.lowercased()
            guard ["http", "https"].contains(scheme) else {
                throw MPDError(.argument, "Unsupported URI scheme")
            }
            self = .stream(uri)
        } else {
            self = .library(uri)
        }
    }

    private static func path(_ uri: String) -> String? {
        if uri.hasPrefix("/") { return uri }
        return uri.prefix(7).lowercased() == "file://" ? String(uri.dropFirst(7)) : nil
    }

    private static func hasScheme(_ uri: String) -> Bool {
        guard let end = uri.firstRange(of: "://"), let first = uri.utf8.first, first.isLetter else {
            return false
        }
        return uri[..<end.lowerBound].utf8.allSatisfy {
            $0.isLetter || $0.isDigit || "+-.".utf8.contains($0)
        }
    }
}

extension MPDFrontEnd {
    /// The files that a URI names: a song, or what is in a folder unless it `isSong`.
    ///
    /// - Throws: It names nothing, or nothing that the client may play.
    func locate(
        _ uri: String, for client: MPDClient, isSong: Bool
    ) async throws -> Files {
        switch try MPDLocation(uri, isLocal: client.isLocal) {
        case .library(let uri): return try await files(uri, isSong: isSong)
        case .file(let path):
            if let uri = try? await database().folders.uri(of: path) {
                guard let files = try? await files(uri, isSong: isSong) else {
                    throw MPDError.noSuchSong
                }
                return files
            }
            guard let status = await PlayerService.onFilesQueue({ path.status }) else {
                throw MPDError(.system, "Failed to access \(path): No such file or directory")
            }
            // A folder may be as large as the disk.
            guard status.st_mode & S_IFMT == S_IFREG else { throw MPDError.noSuchSong }
            return Files([path])
        case .stream(let url): return Files([NetworkName.escaped(FilePath(url))])
        }
    }

    /// The song of the library, or all songs of a folder unless it `isSong`.
    private func files(_ uri: String, isSong: Bool) async throws(MPDError) -> Files {
        let database = try await database()
        if isSong { return Files(tracks: [try await database.song(uri).track.id]) }
        var walk = try await database.walk(uri, isRecursive: true)
        var ids: [Int] = []
        while let entries = try await walk.next() {
            for case .song(let found) in entries { ids.append(found.track.id) }
        }
        return Files(tracks: ids)
    }

    /// The name of an item for clients.
    func uri(of item: QueueItem) async -> String {
        await songs([QueueEntry(playing: item)])[0].uri
    }

    /// The songs that entries stand for, as far as they are known.
    func songs(_ entries: [QueueEntry]) async -> [MPDSong] {
        let paths = Set(entries.compactMap(\.path))
        // Without a library, what the entries themselves say is known.
        let database = try? await database()
        let tracks = await database?.tracks(of: Array(paths)) ?? [:]
        return entries.map { entry in
            guard let path = entry.path else {
                var song = MPDSong(uri: entry.source.path.description)
                song.name = entry.title
                return song
            }
            let known = tracks[path] ?? []
            if let part = known.first(where: { entry.plays($0.track) }) { return part.song }
            var song = known.first { $0.track.part == nil }?.song ?? MPDSong(outside: entry, path)
            song.part = entry.part
            return song
        }
    }
}

extension QueueEntry {
    /// The path of its file; nil for a stream.
    fileprivate var path: FilePath? {
        guard case .file(let path) = source else { return nil }
        return path
    }

    /// The part of its file that it plays; nil for all of it.
    fileprivate var part: TrackPart? {
        guard start != .zero || end != nil else { return nil }
        return TrackPart(start: start.seconds, end: end?.seconds)
    }

    /// True if it plays a track from its start.
    fileprivate func plays(_ track: Track) -> Bool {
        guard let part, let own = track.part else { return part == nil && track.part == nil }
        return abs(part.start - own.start) < 0.001
    }
}

extension QueueEntry {
    /// The entry that plays what an item plays.
    init(playing item: QueueItem) {
        self.init(
            item.source, start: item.start, end: item.end, title: item.knownTitle,
            duration: item.facts?.duration)
        artist = item.facts?.artist
        album = item.facts?.album
    }
}

extension MPDSong {
    /// The song of an entry whose file the library does not have.
    fileprivate init(outside entry: QueueEntry, _ path: FilePath) {
        uri = path.description
        tags.title = entry.title
        tags.artists = [entry.artist].compactMap(\.self)
        tags.album = entry.album
        if let duration = entry.duration, duration.isNumeric {
            sound = TrackSound(seconds: duration.seconds)
        }
    }

    /// The song of a file anywhere, by its tags; nil if it cannot be played. Waits for the disk.
    init?(reading path: FilePath) {
        guard path.isFile, let survey = try? DecoderRegistry.standard.survey(of: path) else {
            return nil
        }
        uri = path.description
        tags = survey.fields.tags
        sound = survey.sound
        modified = path.modified
    }
}

extension FilePath {
    /// The status of the file; nil if it is not there. Waits for the disk.
    var status: stat? {
        var status = stat()
        return unsafe withPlatformString { unsafe stat($0, &status) } == 0 ? status : nil
    }

    /// The time of the file's last change, in seconds since 1970; nil if it is not there. Waits for the
    /// disk.
    var modified: Double? { status.map { Double($0.st_mtim.tv_sec) } }

    /// True if it is a folder. Waits for the disk.
    var isFolder: Bool { status.map { $0.st_mode & S_IFMT == S_IFDIR } ?? false }

    /// True if it is a file, rather than a folder or a device. Waits for the disk.
    var isFile: Bool { status.map { $0.st_mode & S_IFMT == S_IFREG } ?? false }
}
