import ArgumentParser
import FoundationEssentials
import Glibc
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback

/// Names of files in a file of their own, for more than a command line can hold.
struct FileListOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Read more names from this file (- for standard input): one per line, or separated by zero \
            bytes, as find -print0 writes them.
            """, valueName: "file"))
    var filesFrom: FilePath?

    /// Throws if neither `files` nor a list is given.
    func check(_ files: [FilePath]) throws {
        guard files.isEmpty, filesFrom == nil else { return }
        throw ValidationError("no file given")
    }

    /// `files` and then those that the list names.
    ///
    /// - Throws: a failure if the list cannot be read, or names none.
    func names(after files: [FilePath]) throws -> [FilePath] {
        guard let filesFrom else { return files }
        let file = InputFile(path: filesFrom)
        let names = Self.names(in: try file.bytes())
        guard !names.isEmpty else { throw file.failure("It names no files") }
        return files + names
    }

    /// The names in a list: separated by zero bytes if it has any, otherwise one per line. A line may
    /// end as on Windows. The name `-` is that of a file.
    static func names(in bytes: [UInt8]) -> [FilePath] {
        let isZeroed = bytes.contains(0)
        let separator = isZeroed ? 0 : UInt8(ascii: "\n")
        return bytes.split(separator: separator).compactMap { part in
            let hasReturn = !isZeroed && part.last == UInt8(ascii: "\r")
            let name = hasReturn ? part.dropLast() : part
            guard !name.isEmpty else { return nil }
            let path = FilePath(bytes: Array(name))
            return path == .standardStream ? "./-" : path
        }
    }
}

/// A file that is read, or the standard input for `-`.
struct InputFile {
    let path: FilePath

    /// Reads it, but not much more than `limit` bytes.
    func bytes(limit: Int = .max) throws -> [UInt8] {
        if path.bytes.isEmpty {
            throw Failure("cannot read '': The name is empty", status: 64)
        }
        let isInput = path == .standardStream
        let descriptor =
            isInput
            ? STDIN_FILENO
            : unsafe path.withPlatformString { unsafe open($0, O_RDONLY | O_CLOEXEC) }
        defer { if !isInput, descriptor >= 0 { close(descriptor) } }
        do throws(SystemError) {
            guard descriptor >= 0 else { throw .last }
            return try readAll(from: descriptor, limit: limit)
        } catch {
            throw failure(error.reason)
        }
    }

    /// The error for a file that cannot be read.
    func failure(_ reason: String) -> Failure {
        let name = path == .standardStream ? "standard input" : Columns.printable(path.description)
        return Failure("cannot read \(name): \(reason)")
    }
}

/// Files given on the command line.
extension Files {
    /// Makes the request for `files`, of which relative paths start at this program's working
    /// directory.
    ///
    /// - Throws: an error if a URL is not a file's.
    init(named files: [FilePath], start: Seconds? = nil, end: Seconds? = nil) throws(LocationError)
    {
        let folder = FilePath.current
        var paths: [FilePath] = []
        for file in files { paths.append(try file.located(in: folder)) }
        self.init(paths, start: start?.wireTime, end: end?.wireTime)
    }

    /// The most bytes of paths in one message.
    private static let pieceLength = 256 * 1024
    /// The most tracks of the library in one message.
    private static let pieceTracks = 10_000

    /// True if nothing is named.
    var isEmpty: Bool { paths.isEmpty && query == nil && tracks?.isEmpty != false }

    /// These files in as many requests as they need, in order; one if there are none.
    var pieces: [Files] {
        var pieces: [Files] = []
        var piece = Files([FilePath](), start: start, end: end)
        var length = 0
        for path in paths {
            let count = path.bytes.count
            if length + count > Self.pieceLength, length > 0 {
                pieces.append(piece)
                (piece.paths, length) = ([], 0)
            }
            piece.paths.append(path)
            length += count
        }
        piece.query = query
        var tracks = (tracks ?? [])[...]
        while !tracks.isEmpty {
            piece.tracks = Array(tracks.prefix(Self.pieceTracks))
            tracks = tracks.dropFirst(Self.pieceTracks)
            guard !tracks.isEmpty else { break }
            pieces.append(piece)
            piece = Files([FilePath](), start: start, end: end)
        }
        return pieces + [piece]
    }

    /// The descriptors to send with the message.
    var descriptors: [Int32] { paths.contains(.standardStream) ? [0] : [] }
}
