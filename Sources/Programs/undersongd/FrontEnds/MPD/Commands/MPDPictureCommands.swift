import Glibc
import UndersongAudioSession
import UndersongBase
import UndersongPlayback

/// The commands that read what is in files beside their sound.
extension MPDCommand {
    static let pictures = [
        MPDCommand("albumart", since: Version(21), .read, 2...2) {
            frontEnd, client, arguments, reply in
            let offset = try arguments.unsigned(1)
            let folders = try await frontEnd.foldersOfCover(arguments[0], for: client)
            let limit = client.binaryLimit
            let chunk = await PlayerService.onFilesQueue {
                CoverFile.first(in: folders)?.chunk(at: offset, limit: limit)
            }
            guard let chunk else { throw MPDError(.noExist, "No file exists") }
            guard offset <= chunk.size else { throw MPDError(.argument, "Offset too large") }
            reply.add("size", chunk.size)
            reply.add(binary: chunk.bytes)
        },
        MPDCommand("readpicture", since: Version(22), .read, 2...2) {
            frontEnd, client, arguments, reply in
            let offset = try arguments.unsigned(1)
            let path = try await frontEnd.file(arguments[0], for: client)
            guard let picture = try await frontEnd.pictures.picture(in: path, frontEnd.player)
            else { return }
            guard offset <= picture.bytes.count else {
                throw MPDError(.argument, "Bad file offset")
            }
            reply.add("size", picture.bytes.count)
            if !picture.mediaType.isEmpty { reply.add("type", picture.mediaType) }
            reply.add(binary: picture.bytes[offset...].prefix(client.binaryLimit))
        },
        MPDCommand("readcomments", since: Version(18), .read, 1...1) {
            frontEnd, client, arguments, reply in
            let path = try await frontEnd.file(arguments[0], for: client)
            guard let song = await PlayerService.onFilesQueue({ MPDSong(reading: path) }) else {
                throw MPDError(.noExist, "Failed to load file")
            }
            for line in song.comments { reply.add(name: line.name, line.value) }
        },
    ]
}

/// Keeps the picture that was read last, since clients ask for one in many chunks.
actor MPDPictures {
    struct Picture: Sendable {
        var bytes: [UInt8]
        var mediaType: String
    }

    private var last: (path: FilePath, modified: Double?, picture: Picture?)?

    /// The picture in a file; nil if it has none.
    ///
    /// - Throws: The file cannot be read.
    func picture(
        in path: FilePath, _ player: PlayerService
    ) async throws(MPDError) -> Picture? {
        let modified = await PlayerService.onFilesQueue { path.isFile ? path.modified : nil }
        if let last, last.path == path, last.modified == modified { return last.picture }
        guard modified != nil else { throw MPDError(.noExist, "Failed to load file") }
        let details = await player.details(of: .file(path: path))
        var picture: Picture?
        if case .embedded(let bytes, let mediaType) = details.artwork {
            picture = Picture(bytes: bytes, mediaType: mediaType)
        } else if await PlayerService.onFilesQueue({ MPDSong(reading: path) == nil }) {
            throw MPDError(.noExist, "Failed to load file")
        }
        last = (path, modified, picture)
        return picture
    }
}

extension MPDFrontEnd {
    /// The file of a URI.
    ///
    /// - Throws: There is none in the library, or the client must not name it.
    fileprivate func file(
        _ uri: String, for client: MPDClient
    ) async throws(MPDError) -> FilePath {
        switch try MPDLocation(uri, isLocal: client.isLocal) {
        case .library(let uri): return try await database().song(uri).track.path
        case .file(let path): return path
        case .stream: throw MPDError(.noExist, "Failed to load file")
        }
    }

    /// The folders in which the cover of a URI is looked for, in order: that of a song, and a folder
    /// itself.
    fileprivate func foldersOfCover(
        _ uri: String, for client: MPDClient
    ) async throws(MPDError) -> [FilePath] {
        switch try MPDLocation(uri, isLocal: client.isLocal) {
        case .file(let path): return [path.parent, path]
        case .stream: throw MPDError(.noExist, "No file exists")
        case .library(let uri):
            let database = try await database()
            if let song = try? await database.song(uri) { return [song.track.path.parent] }
            // Cantata asks for that of an album by its folder and a slash.
            let folder = uri.hasSuffix("/") ? String(uri.dropLast()) : uri
            guard let path = database.folders.path(of: folder) else {
                throw MPDError(.noExist, "No file exists")
            }
            let isInside = database.folders.uri(of: path.parent) != nil
            return isInside ? [path.parent, path] : [path]
        }
    }
}

/// The picture of an album in a folder.
private struct CoverFile {
    /// The names in the order in which they are looked for: first those that MPD knows.
    private static let names: [String] = {
        let known = ["cover.png", "cover.jpg", "cover.webp"]
        let others = ["cover", "folder", "front", "album", "Cover", "Folder", "Front", "Album"]
            .flatMap { name in
                ["jpg", "jpeg", "png", "webp", "JPG", "PNG"].map { "\(name).\($0)" }
            }
        return known + others.filter { !known.contains($0) }
    }()

    let path: FilePath

    /// The first that is there. Waits for the disk.
    static func first(in folders: [FilePath]) -> CoverFile? {
        for folder in folders {
            for name in names {
                let path = folder.appending(Array(name.utf8))
                if unsafe path.withPlatformString({ unsafe access($0, R_OK) }) == 0 {
                    return CoverFile(path: path)
                }
            }
        }
        return nil
    }

    /// The size, and at most `limit` bytes from an offset on; nil if it is not a file. Waits for
    /// the disk.
    func chunk(at offset: Int, limit: Int) -> (size: Int, bytes: [UInt8])? {
        let descriptor = unsafe path.withPlatformString {
            unsafe open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        let size = Int(status.st_size)
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: max(0, min(limit, size - offset))) {
            buffer, count in
            count = unsafe max(
                0, pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)))
        }
        return (size, bytes)
    }
}

extension MPDSong {
    /// The texts of its tags, by names as Vorbis comments have.
    fileprivate var comments: [(name: String, value: String)] {
        MPDTag.allCases.flatMap { tag in
            texts(of: tag).map { (name: tag.commentName, value: $0) }
        }
    }
}

extension MPDTag {
    fileprivate var commentName: String {
        switch self {
        case .track: "TRACKNUMBER"
        case .disc: "DISCNUMBER"
        default: rawValue.uppercased()
        }
    }
}
