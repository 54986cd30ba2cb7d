import FoundationEssentials
import Glibc
public import Playback

/// Finds what there is to play behind the names that a user gives: files, playlists and folders.
///
/// A playlist may name other playlists and folders. What cannot be read becomes an error in its
/// place; a missing file stays an item, since the player reports it when its turn comes.
public struct MediaFinder: Sendable {
    /// Names of files that a folder is searched for.
    private static let mediaExtensions: Set = ["mp3", "mp2", "mpga"]
    private static let playlistExtensions: Set = ["m3u", "m3u8"]

    /// What was found, in order.
    public private(set) var sources: [MediaSource] = []
    /// What could not be read.
    public private(set) var errors: [MediaError] = []
    /// The playlists that are being read, by their real paths: none may hold itself.
    private var open: [String] = []

    /// Looks behind each of `names`; `-` is the standard input. Blocks on the disk.
    public init(_ names: [String]) {
        for name in names { add(name) }
    }

    private mutating func add(_ name: String) {
        guard name != "-" else { return sources.append(.standardInput) }
        var status = stat()
        let exists = unsafe stat(name, &status) == 0
        let isFolder = exists && status.st_mode & S_IFMT == S_IFDIR
        if isFolder {
            addFolder(name)
        } else if exists && Self.playlistExtensions.contains(Self.fileExtension(name)) {
            addPlaylist(name)
        } else {
            sources.append(.file(path: name))
        }
    }

    private mutating func addPlaylist(_ path: String) {
        let realPath = Self.realPath(path)
        guard !open.contains(realPath) else {
            errors.append(
                MediaError(.badPlaylist, operation: "read \(path)", reason: "It names itself"))
            return
        }
        open.append(realPath)
        defer { open.removeLast() }
        guard let data = FileManager.default.contents(atPath: path) else {
            errors.append(Self.readError(path))
            return
        }
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : path[..<$0] } ?? ""
        for entry in M3U.paths(in: [UInt8](data), folder: String(folder)) { add(entry) }
    }

    private mutating func addFolder(_ path: String) {
        let before = (sources.count, errors.count)
        var seen: Set<String> = []
        search(path, &seen)
        guard before == (sources.count, errors.count) else { return }
        errors.append(
            MediaError(.noMedia, operation: "play \(path)", reason: "It holds no MP3 files"))
    }

    /// Adds what lies in a folder and below it, by name. A folder that links lead to more than once
    /// counts where it is met first.
    private mutating func search(_ path: String, _ seen: inout Set<String>) {
        guard seen.insert(Self.realPath(path)).inserted else { return }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            errors.append(Self.readError(path))
            return
        }
        for name in names.sorted() where !name.hasPrefix(".") {
            let entry = path.hasSuffix("/") ? path + name : path + "/" + name
            var status = stat()
            guard unsafe stat(entry, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                search(entry, &seen)
            } else if Self.mediaExtensions.contains(Self.fileExtension(name)) {
                sources.append(.file(path: entry))
            }
        }
    }

    /// Asks the system once more, since Foundation may have changed `errno` meanwhile.
    private static func readError(_ path: String) -> MediaError {
        let number = unsafe access(path, R_OK) == 0 ? EIO : errno
        return MediaError(
            number == EACCES ? .notPermitted : .readFailed, operation: "read \(path)",
            reason: unsafe String(cString: strerror(number)))
    }

    private static func fileExtension(_ name: String) -> String {
        guard let dot = name.lastIndex(of: ".") else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }

    private static func realPath(_ path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
