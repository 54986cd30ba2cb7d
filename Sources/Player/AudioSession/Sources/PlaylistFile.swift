import Glibc
import UndersongBase
import UndersongPlayback

/// A result of expanding names.
enum Found {
    /// Something to play; within a playlist, possibly the name of a folder or another playlist.
    case entry(QueueEntry)
    /// Something that cannot be read.
    case error(MediaError)
}

/// An open playlist, read as its entries are requested. Closed on deinitialization.
final class PlaylistFile {
    private static let pieceLength = 1 << 16

    let format: PlaylistFormat
    let identity: FileIdentity
    let path: FilePath
    private let descriptor: Int32
    private var reader: any PlaylistReader
    private var piece = [UInt8](repeating: 0, count: pieceLength)
    private var entries: [QueueEntry] = []
    private var nextEntry = 0
    private var error: MediaError?
    private var isAtEnd = false
    private var isEmpty = true

    /// Opens the playlist at `path`. Throws if that fails.
    convenience init(_ path: FilePath, _ format: PlaylistFormat) throws(MediaError) {
        let file = unsafe path.withPlatformString { unsafe open($0, O_RDONLY | O_CLOEXEC) }
        guard file >= 0 else { throw MediaError(reading: path, errno) }
        self.init(file, of: path, format)
    }

    /// Takes over the open file of the playlist at `path`, which may be a URL.
    init(_ file: Int32, of path: FilePath, _ format: PlaylistFormat) {
        descriptor = file
        var status = stat()
        unsafe fstat(descriptor, &status)
        identity = FileIdentity(status)
        self.path = path
        self.format = format
        let end = path.bytes.lastIndex(of: UInt8(ascii: "/"))
        let folder = end.map { FilePath(bytes: Array(path.bytes[...$0])) } ?? ""
        let context = PlaylistContext(
            folder: folder, isThere: { FileStatus.status($0) != nil }, text: CharacterSet.text)
        reader = format.lineReader(context) ?? XSPFReader(context)
    }

    deinit { close(descriptor) }

    /// The next result; nil after the end, or after an error.
    func next() -> Found? {
        while nextEntry == entries.count {
            if isAtEnd {
                if isEmpty && error == nil {
                    error = MediaError(
                        .noMedia, operation: "play \(path)", reason: "It is an empty playlist")
                }
                isEmpty = false
                defer { error = nil }
                return error.map { .error($0) }
            }
            readPiece()
        }
        isEmpty = false
        defer { nextEntry += 1 }
        return .entry(entries[nextEntry])
    }

    private func readPiece() {
        entries.removeAll(keepingCapacity: true)
        nextEntry = 0
        let count = unsafe piece.withUnsafeMutableBytes {
            unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
        }
        if count < 0 && errno == EINTR { return }
        isAtEnd = count <= 0
        error = count < 0 ? MediaError(reading: path, errno) : nil
        let piece = piece
        do throws(PlaylistError) {
            if count > 0 {
                try reader.read(piece.span.extracting(0..<count), into: &entries)
            } else {
                try reader.finish(into: &entries)
            }
        } catch {
            isAtEnd = true
            self.error =
                self.error
                ?? MediaError(.badPlaylist, operation: "read \(path)", reason: error.reason)
        }
    }
}

extension MediaError {
    /// Creates an error for a playlist or folder that cannot be read because of the `errno`
    /// `number`.
    init(reading path: FilePath, _ number: Int32) {
        self.init(
            number == EACCES ? .notPermitted : .readFailed, operation: "read \(path)",
            reason: SystemError(number).reason)
    }
}
