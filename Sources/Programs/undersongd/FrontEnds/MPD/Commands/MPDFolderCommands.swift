import Glibc
import UndersongAudioIO
import UndersongAudioSession
import UndersongBase
import UndersongLibrary
import UndersongPlayback

/// The commands that list folders, and say what is understood.
extension MPDCommand {
    static let folders = [
        MPDCommand("decoders", .read, 0...0) { _, _, _, reply in
            reply.add("plugin", "undersong")
            for suffix in DecoderRegistry.standard.fileExtensions { reply.add("suffix", suffix) }
            for type in ["audio/mpeg", "audio/flac", "audio/ogg", "audio/x-wav", "audio/aiff"] {
                reply.add("mime_type", type)
            }
        },
        MPDCommand("listall", since: Version(9), .read, 0...1) {
            frontEnd, client, arguments, reply in
            try await frontEnd.listAll(arguments.text(at: 0) ?? "", for: nil, to: &reply)
        },
        MPDCommand("listallinfo", since: Version(9), .read, 0...1) {
            frontEnd, client, arguments, reply in
            try await frontEnd.listAll(arguments.text(at: 0) ?? "", for: client, to: &reply)
        },
        MPDCommand("listfiles", since: Version(19), .read, 0...1) {
            frontEnd, client, arguments, reply in
            try await frontEnd.listFiles(arguments.text(at: 0) ?? "", for: client, to: &reply)
        },
        MPDCommand("listmounts", since: Version(19), .read, 0...0) { frontEnd, client, _, reply in
            let database = try await frontEnd.database()
            reply.add("mount", "")
            if client.isLocal, let folder = database.folders.onlyFolder {
                reply.add("storage", folder.description)
            }
        },
        MPDCommand("lsinfo", since: Version(9), .read, 0...1) {
            frontEnd, client, arguments, reply in
            try await frontEnd.list(arguments.text(at: 0) ?? "", for: client, to: &reply)
        },
        MPDCommand("mount", since: Version(19), .admin, 2...2) { _, _, _, _ in
            throw MPDError(.argument, "Unrecognized storage URI")
        },
        MPDCommand("unmount", since: Version(19), .admin, 1...1) { _, _, _, _ in
            throw MPDError(.argument, "Not a mount point")
        },
        MPDCommand("urlhandlers", since: Version(9), .read, 0...0) { _, client, _, reply in
            if client.isLocal { reply.add("handler", "file://") }
            reply.add("handler", "http://")
            reply.add("handler", "https://")
        },
    ]
}

extension MPDFrontEnd {
    /// Adds what is in a folder, and all below it: only names, or, for a client, all that is known.
    fileprivate func listAll(
        _ uri: String, for client: MPDClient?, to reply: inout MPDReply
    ) async throws(MPDError) {
        var walk = try await database().walk(uri == "/" ? "" : uri, isRecursive: true)
        while let entries = try await walk.next() {
            if let client {
                await add(entries, for: client, to: &reply)
            } else {
                for entry in entries {
                    switch entry {
                    case .folder(let uri, _): reply.add("directory", uri)
                    case .song(let found): reply.add("file", found.song.uri)
                    }
                }
            }
        }
    }

    /// Adds what is in a folder, and the stored playlists to that of the root; or what is known of a
    /// song.
    fileprivate func list(
        _ uri: String, for client: MPDClient, to reply: inout MPDReply
    ) async throws {
        // Some clients ask so for the root.
        let uri = uri == "/" ? "" : uri
        switch try MPDLocation(uri, isLocal: client.isLocal) {
        case .library(let uri):
            let database = try await database()
            var walk = try await database.walk(uri, isRecursive: false)
            var entries: [MPDDatabase.Entry] = []
            while let more = try await walk.next() { entries += more }
            let end = entries.firstIndex { $0.isFolder } ?? entries.endIndex
            await add(Array(entries[..<end]), for: client, to: &reply)
            let folder = uri.isEmpty ? database.folders.onlyFolder : database.folders.path(of: uri)
            await addPlaylists(in: folder, uri, to: &reply)
            await add(Array(entries[end...]), for: client, to: &reply)
            if uri.isEmpty { await addStoredPlaylists(to: &reply) }
        case .file(let path):
            guard let song = await PlayerService.onFilesQueue({ MPDSong(reading: path) }) else {
                throw MPDError(.noExist, "No such file")
            }
            reply.add(song, client.shownTags)
        case .stream: throw MPDError(.noExist, "No such file")
        }
    }

    /// Adds the playlists that are files in a folder.
    private func addPlaylists(
        in folder: FilePath?, _ uri: String, to reply: inout MPDReply
    ) async {
        guard let folder else { return }
        let files = await PlayerService.onFilesQueue {
            (ListedFile.all(in: folder) ?? []).filter {
                $0.size != nil
                    && PlaylistFormat(fileExtension: FilePath($0.name).fileExtension) != nil
            }
        }
        for file in files.sorted(by: { MPDCollationKey($0.name) < MPDCollationKey($1.name) }) {
            reply.add("playlist", uri.isEmpty ? file.name : "\(uri)/\(file.name)")
            reply.add(modified: file.modified)
        }
    }

    /// Adds entries with all that is known of them.
    private func add(
        _ entries: [MPDDatabase.Entry], for client: MPDClient, to reply: inout MPDReply
    ) async {
        let paths = entries.compactMap { entry in
            if case .folder(_, let path) = entry { path } else { nil }
        }
        let times = await PlayerService.onFilesQueue {
            Dictionary(paths.map { ($0, $0.modified) }) { first, _ in first }
        }
        for entry in entries {
            switch entry {
            case .folder(let uri, let path):
                reply.add("directory", uri)
                if let time = path.flatMap({ times[$0] ?? nil }) { reply.add(modified: time) }
            case .song(let found): reply.add(found.song, client.shownTags)
            }
        }
    }

    // MARK: Files

    /// Adds the files and folders in a folder, whether they are music or not.
    fileprivate func listFiles(
        _ uri: String, for client: MPDClient, to reply: inout MPDReply
    ) async throws(MPDError) {
        let folder: FilePath
        switch try MPDLocation(uri, isLocal: client.isLocal) {
        case .file(let path): folder = path
        case .stream: throw MPDError(.argument, "Unrecognized storage URI")
        case .library(let name):
            let database = try await database()
            let uri = name.hasSuffix("/") ? String(name.dropLast()) : name
            if uri.isEmpty, database.folders.roots.count != 1 {
                for root in database.folders.roots { reply.add("directory", root.name) }
                return
            }
            guard
                let path = uri.isEmpty
                    ? database.folders.onlyFolder : database.folders.path(of: uri)
            else { throw MPDError(.noExist, "No such directory") }
            folder = path
        }
        let listed = await PlayerService.onFilesQueue { ListedFile.all(in: folder) }
        guard let listed else {
            throw MPDError(.system, "Failed to open \(folder): No such file or directory")
        }
        for file in listed {
            if let size = file.size {
                reply.add("file", file.name)
                reply.add("size", size)
            } else {
                reply.add("directory", file.name)
            }
            reply.add(modified: file.modified)
        }
    }
}

extension MPDDatabase.Entry {
    fileprivate var isFolder: Bool { if case .folder = self { true } else { false } }
}

/// A file or folder as `listfiles` shows it.
private struct ListedFile: Sendable {
    var name: String
    /// The size of a file; nil for a folder.
    var size: Int?
    /// The time of its last change, in seconds since 1970.
    var modified: Double

    /// All in a folder whose names are lines of text, but for links that lead nowhere; nil if it
    /// cannot be read. Waits for the disk.
    static func all(in folder: FilePath) -> [ListedFile]? {
        guard let stream = unsafe folder.withPlatformString({ unsafe opendir($0) }) else {
            return nil
        }
        defer { unsafe closedir(stream) }
        var files: [ListedFile] = []
        while let entry = unsafe readdir(stream) {
            let bytes = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { name in
                unsafe Array(name.prefix { $0 != 0 })
            }
            guard let name = String(validating: bytes, as: UTF8.self), name != ".", name != "..",
                !name.utf8.contains(0x0A), let status = folder.appending(bytes).status
            else { continue }
            let modified = Double(status.st_mtim.tv_sec)
            switch status.st_mode & S_IFMT {
            case S_IFREG:
                files.append(ListedFile(name: name, size: Int(status.st_size), modified: modified))
            case S_IFDIR: files.append(ListedFile(name: name, size: nil, modified: modified))
            default: break
            }
        }
        return files
    }
}
