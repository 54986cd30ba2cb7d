import Glibc
import UndersongAudioIO
import UndersongBase
import UndersongPlayback

/// Expands names, and the playlists and folders that they refer to.
struct MediaSearch {
    /// The maximum nesting depth of playlists.
    private static let depthLimit = 32
    /// The maximum number of errors kept.
    private static let errorLimit = 1000
    /// The number of files that are opened in search of a playable one.
    private static let checkLimit = 1000

    private enum Level {
        case playlist(PlaylistFile)
        case folder(FolderSearch)

        func next() -> Found? {
            switch self {
            case .playlist(let file): file.next()
            case .folder(let search): search.next()
            }
        }
    }

    private var names: ArraySlice<FilePath>
    private let start: CMTime
    private let end: CMTime?
    private let hasRange: Bool
    /// The open levels: playlists, each named by the one before it, and possibly a folder.
    private var open: [Level] = []
    private var kept: [MediaError] = []
    private var lostErrorCount = 0
    /// The file last named by a CUE sheet, and the file played instead.
    private var sheetFile: (path: FilePath, music: FilePath) = ("", "")

    /// The fetcher of playlists on the network; nil for none.
    private let network: PlaylistFetcher?
    private let check: MediaFinder.Check
    /// True if something that can be played was found, or nothing more is opened in search of it.
    private var hasPlayable: Bool
    /// Entries that cannot be played, found before the first one that can, and why.
    private var dead: [(entry: QueueEntry, error: MediaError)] = []
    /// Entries beyond the last limit.
    private var ready: [QueueEntry] = []

    init(
        _ names: [FilePath], start: CMTime, end: CMTime?, network: PlaylistFetcher? = nil,
        checking check: MediaFinder.Check = .nothing
    ) {
        self.names = names[...]
        self.network = network
        self.check = check
        hasPlayable = check == .nothing
        (self.start, self.end) = (start, end)
        hasRange = start != .zero || end != nil
    }

    /// The playlists read so far.
    private(set) var playlists: Set<FileIdentity> = []

    /// Errors so far.
    var errors: [MediaError] {
        guard lostErrorCount > 0 else { return kept }
        let rest = MediaError(
            .readFailed, operation: "read \(lostErrorCount) more playlists and folders",
            reason: "There are too many to list")
        return kept + [rest]
    }

    /// The next entries, `limit` of them unless fewer are left.
    mutating func next(_ limit: Int) -> [QueueEntry] {
        var entries = ready
        ready = []
        while entries.count < limit {
            if let level = open.last {
                guard let found = level.next() else {
                    open.removeLast()
                    continue
                }
                add(found, from: level, into: &entries)
            } else if let name = names.popFirst() {
                look(at: name, into: &entries)
            } else {
                for item in dead { note(item.error) }
                dead = []
                break
            }
        }
        let rest = entries.dropFirst(limit)
        guard !rest.isEmpty else { return entries }
        ready = Array(rest)
        return Array(entries.prefix(limit))
    }

    private mutating func add(
        _ found: Found, from level: Level, into entries: inout [QueueEntry]
    ) {
        switch (found, level) {
        case (.error(let error), _): note(error)
        case (.entry(let entry), .folder): add(entry, to: &entries)
        case (.entry(var entry), .playlist(let file)) where file.format == .cue:
            entry.source = .file(path: music(for: entry.source.path))
            add(entry, to: &entries)
        case (.entry(var entry), .playlist(let file)):
            if let base = file.url { entry.source = base.source(of: entry.source) }
            // Avoids a disk access for each of a million files.
            let path = entry.source.path
            if FileName.isMedia(path) || !enter(path, isNamedByUser: false) {
                add(entry, to: &entries)
            }
        }
    }

    private mutating func look(at name: FilePath, into entries: inout [QueueEntry]) {
        if name == .standardStream {
            add(QueueEntry(.standardInput), to: &entries)
        } else if !enter(name, isNamedByUser: true) {
            add(QueueEntry(.file(path: name)), isNamedByUser: true, to: &entries)
        }
    }

    private mutating func add(
        _ entry: QueueEntry, isNamedByUser: Bool = false, to entries: inout [QueueEntry]
    ) {
        var entry = entry
        if NetworkName.isOne(entry.source.path) { entry.source = .network(url: entry.source.path) }
        if hasRange, entry.end == nil, entry.start == .zero {
            (entry.start, entry.end) = (start, end)
        }
        guard let error = reasonNotToPlay(entry, isNamedByUser: isNamedByUser) else {
            if !hasPlayable {
                hasPlayable = true
                entries += dead.map(\.entry)
                dead = []
            }
            return entries.append(entry)
        }
        if isNamedByUser { return note(error) }
        dead.append((entry, error))
        guard dead.count == Self.checkLimit else { return }
        hasPlayable = true
        entries += dead.map(\.entry)
        dead = []
    }

    /// The reason why an entry cannot be played, as far as that is checked; nil if it can, or may.
    /// Opens ordinary files only, since that might wait, or take bytes away from
    /// the player.
    private func reasonNotToPlay(_ entry: QueueEntry, isNamedByUser: Bool) -> MediaError? {
        guard check != .nothing, check == .all || isNamedByUser,
            case .file(let path) = entry.source
        else { return nil }
        if let absence = FileStatus.absence(path) {
            return isNamedByUser || !hasPlayable ? MediaError(opening: path, absence) : nil
        }
        guard !hasPlayable || isNamedByUser && !FileName.isMedia(path), FileStatus.isFile(path)
        else { return nil }
        do throws(MediaError) {
            try MediaLoader.check(entry)
            return nil
        } catch {
            return error
        }
    }

    private mutating func note(_ error: MediaError) {
        if kept.count < Self.errorLimit { kept.append(error) } else { lostErrorCount += 1 }
    }

    /// Descends into `path` if it is a folder or a playlist; returns whether it is.
    private mutating func enter(_ path: FilePath, isNamedByUser: Bool) -> Bool {
        if NetworkName.isOne(path) { return fetch(path, isNamedByUser: isNamedByUser) }
        guard let status = FileStatus.status(path) else { return false }
        let kind = status.st_mode & S_IFMT
        if kind == S_IFDIR {
            open.append(.folder(FolderSearch(path)))
            return true
        }
        // A name in a playlist must not make it wait for the writer of a pipe.
        guard kind == S_IFREG || isNamedByUser,
            let format = Self.format(of: path, looksInside: isNamedByUser && kind == S_IFREG)
        else { return false }
        enter(path, format)
        return true
    }

    /// Descends into what is at a URL if that is a playlist; returns whether it is.
    private mutating func fetch(_ url: FilePath, isNamedByUser: Bool) -> Bool {
        guard let network, network.mayBePlaylist(url, isNamedByUser: isNamedByUser) else {
            return false
        }
        do throws(MediaError) {
            guard let file = try network.playlist(at: url) else { return false }
            enter(url, file)
        } catch {
            note(error)
        }
        return true
    }

    private mutating func enter(_ path: FilePath, _ format: PlaylistFormat) {
        do throws(MediaError) {
            enter(path, try PlaylistFile(path, format))
        } catch {
            note(error)
        }
    }

    private mutating func enter(_ path: FilePath, _ file: PlaylistFile) {
        do throws(MediaError) {
            let isOpen = open.contains { level in
                if case .playlist(let other) = level { return other.identity == file.identity }
                return false
            }
            guard !isOpen else {
                throw MediaError(
                    .badPlaylist, operation: "read \(path)", reason: "It refers to itself")
            }
            guard open.count < Self.depthLimit else {
                throw MediaError(
                    .badPlaylist, operation: "read \(path)", reason: "It is nested too deep")
            }
            playlists.insert(file.identity)
            open.append(.playlist(file))
        } catch {
            note(error)
        }
    }

    /// The format of the playlist at `path`, by its extension or else by its first bytes.
    private static func format(of path: FilePath, looksInside: Bool) -> PlaylistFormat? {
        if let format = PlaylistFormat(fileExtension: path.fileExtension) {
            return format
        }
        guard looksInside, !FileName.isMedia(path) else { return nil }
        let descriptor = unsafe path.withPlatformString {
            unsafe Glibc.open($0, O_RDONLY | O_CLOEXEC)
        }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var head = [UInt8](repeating: 0, count: PlaylistFormat.headLength)
        let count = unsafe head.withUnsafeMutableBytes {
            unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
        }
        return PlaylistFormat(head: Array(head.prefix(max(count, 0))))
    }

    /// The file to play if a CUE sheet names `path`: that one, or the one next to it made from it.
    private mutating func music(for path: FilePath) -> FilePath {
        if path == sheetFile.path { return sheetFile.music }
        let others = FileName.mediaExtensions.flatMap { [$0, $0.uppercased()] }
            .map { FileName.replacingExtension(of: path, by: $0) }
        let isThere = FileName.isMedia(path) && FileStatus.isFile(path)
        let music = isThere ? path : others.first(where: FileStatus.isFile) ?? path
        sheetFile = (path, music)
        return music
    }
}
