import Dispatch
import Glibc
import UndersongAudioSession
import UndersongBase
import UndersongPlayback

/// The queues that the user keeps by name, as MPD's stored playlists. Its functions wait for the disk,
/// so they are called on `queue`, where an edit is never in the midst of another.
struct MPDStoredPlaylists: Sendable {
    private static let queue = DispatchQueue(label: "undersong.mpd.playlists")

    /// The folder, which need not exist.
    let folder: String

    /// The error for a name that nothing has.
    static let noSuchPlaylist = MPDError(.noExist, "No such playlist")

    /// Does work that waits for the disk, after what was begun before.
    func perform<Value: Sendable>(
        _ work: @escaping @Sendable (MPDStoredPlaylists) throws(MPDError) -> Value
    ) async throws(MPDError) -> Value {
        let result: Result<Value, MPDError> = await withCheckedContinuation { continuation in
            Self.queue.async {
                do throws(MPDError) {
                    continuation.resume(returning: .success(try work(self)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    // MARK: Names

    /// The name of a playlist.
    ///
    /// - Throws: It is none.
    @discardableResult
    static func check(_ name: String) throws(MPDError) -> SavedQueueName {
        guard let name = SavedQueueName(name) else {
            throw MPDError(.argument, "Bad playlist name")
        }
        return name
    }

    private func path(_ name: String) throws(MPDError) -> FilePath {
        let name = try Self.check(name)
        return FilePath("\(folder)/\(name.file)")
    }

    /// True if a playlist has this name.
    func hasPlaylist(_ name: String) -> Bool {
        guard let path = try? path(name) else { return false }
        return Self.exists(path)
    }

    private static func exists(_ path: FilePath) -> Bool {
        unsafe path.withPlatformString { unsafe access($0, F_OK) } == 0
    }

    /// Gives a playlist another name.
    func rename(_ name: String, to other: String) throws(MPDError) {
        let (old, new) = (try path(name), try path(other))
        guard !Self.exists(new) else { throw MPDError(.exist, "Playlist exists already") }
        switch moveFile(old, to: new) {
        case 0: break
        case ENOENT: throw Self.noSuchPlaylist
        case EEXIST: throw MPDError(.exist, "Playlist exists already")
        case let code: throw MPDError(.system, SystemError(code).reason)
        }
    }

    /// Removes a playlist.
    func remove(_ name: String) throws(MPDError) {
        let path = try path(name)
        guard unsafe path.withPlatformString({ unsafe unlink($0) }) != 0 else { return }
        let code = errno
        throw code == ENOENT ? Self.noSuchPlaylist : MPDError(.system, SystemError(code).reason)
    }

    // MARK: Entries

    /// The entries of a playlist.
    func entries(_ name: String) throws(MPDError) -> [QueueEntry] {
        let path = try path(name)
        guard Self.exists(path) else { throw Self.noSuchPlaylist }
        return MediaFinder([path]).all()
    }

    /// Writes a new playlist.
    func create(_ name: String, _ entries: [QueueEntry]) throws(MPDError) {
        guard !Self.exists(try path(name)) else {
            throw MPDError(.exist, "Playlist already exists")
        }
        try write(name, entries)
    }

    /// Changes the entries of a playlist, which `creates` makes if it is missing.
    func edit(
        _ name: String, creates: Bool = false,
        _ change: (inout [QueueEntry]) throws(MPDError) -> Void
    ) throws(MPDError) {
        let isNew = creates ? !Self.exists(try path(name)) : false
        var entries = isNew ? [] : try entries(name)
        try change(&entries)
        try write(name, entries)
    }

    private func write(_ name: String, _ entries: [QueueEntry]) throws(MPDError) {
        let path = try path(name)
        let writer = WrittenPlaylist.xspf.writer
        var bytes = Array(writer.head.utf8)
        for entry in entries where WrittenPlaylist.canHold(entry.source) {
            writer.write(entry, duration: entry.duration, to: &bytes)
        }
        bytes += writer.tail.utf8
        Folder.make(folder)
        do throws(NewFileError) {
            let file = try NewFile(at: path, mode: 0o600)
            try file.write(bytes)
            try file.commit()
        } catch {
            throw MPDError(.system, error.description)
        }
    }
}
