import Glibc
import Playback

/// Goes through a folder and all below it, by name, and tells the files that can be played.
///
/// A folder that links lead to more than once counts where it is met first.
final class FolderSearch {
    private let path: String
    private var open: [FolderNames] = []
    private var seen: Set<FileIdentity> = []
    private var error: MediaError?
    private var isEmpty = true

    /// Begins with the folder at `path`.
    init(_ path: String) {
        self.path = path
        enter(path)
    }

    /// What comes next, nil behind the end. A folder that holds nothing is an error.
    func next() -> Found? {
        let found = search()
        defer { isEmpty = false }
        guard found == nil, isEmpty else { return found }
        return .error(
            MediaError(.noMedia, operation: "play \(path)", reason: "It holds no MP3 files"))
    }

    private func search() -> Found? {
        while true {
            if let error {
                self.error = nil
                return .error(error)
            }
            guard !open.isEmpty else { return nil }
            guard let (path, kind) = open[open.count - 1].next() else {
                open.removeLast()
                continue
            }
            switch kind == .unknown ? Self.kind(path) : kind {
            case .folder: enter(path)
            case .file: return .entry(QueueEntry(.file(path: path)))
            case .unknown: break
            }
        }
    }

    private func enter(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            return error = MediaError(reading: path, errno)
        }
        guard seen.insert(FileIdentity(status)).inserted else { return }
        do throws(MediaError) {
            open.append(try FolderNames(path))
        } catch {
            self.error = error
        }
    }

    /// What a link leads to, or what the file system does not tell by itself; unknown where it is
    /// nothing to play.
    private static func kind(_ path: String) -> FolderNames.Kind {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return .unknown }
        if status.st_mode & S_IFMT == S_IFDIR { return .folder }
        return FileName.isMedia(path) ? .file : .unknown
    }
}

/// The names in a folder that matter, sorted, in little memory: a folder may have very many.
struct FolderNames {
    /// What a name stands for.
    enum Kind: UInt8 {
        case file, folder
        /// The file system has to be asked.
        case unknown
    }

    private struct Name {
        var start: UInt32
        var count: UInt16
        var kind: Kind
        var isASCII: Bool

        var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
    }

    private let prefix: String
    private var bytes: [UInt8] = []
    private var names: [Name] = []
    private var index = 0

    /// Reads the folder at `path`. Errors: that is not possible.
    init(_ path: String) throws(MediaError) {
        prefix = path.hasSuffix("/") ? path : path + "/"
        guard let folder = unsafe opendir(path) else { throw MediaError(reading: path, errno) }
        defer { unsafe closedir(folder) }
        errno = 0
        while let entry = unsafe readdir(folder) {
            let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
            let name = unsafe UnsafeRawPointer(entry) + offset
            let count = unsafe strlen(name.assumingMemoryBound(to: CChar.self))
            unsafe add(
                UnsafeRawBufferPointer(start: name, count: count), Int32(entry.pointee.d_type))
            errno = 0
        }
        guard errno == 0 else { throw MediaError(reading: path, errno) }
        sort()
    }

    /// The path of the next name.
    mutating func next() -> (path: String, kind: Kind)? {
        guard index < names.count else { return nil }
        defer { index += 1 }
        return (prefix + text(names[index]), names[index].kind)
    }

    /// Hidden names count for nothing, nor do files that cannot be played.
    private mutating func add(_ name: UnsafeRawBufferPointer, _ type: Int32) {
        guard let first = unsafe name.first, first != UInt8(ascii: ".") else { return }
        let kind: Kind =
            switch type {
            case Int32(DT_REG): .file
            case Int32(DT_DIR): .folder
            default: .unknown
            }
        guard unsafe kind != .file || FileName.isMedia(String(decoding: name, as: UTF8.self)) else {
            return
        }
        names.append(
            unsafe Name(
                start: UInt32(bytes.count), count: UInt16(name.count), kind: kind,
                isASCII: name.allSatisfy { $0 < 0x80 }))
        unsafe bytes.append(contentsOf: name)
    }

    /// By the order of `String`, which for ASCII is that of the bytes.
    private mutating func sort() {
        let bytes = bytes
        names.sort { first, second in
            guard first.isASCII, second.isASCII else {
                return Self.text(first, bytes) < Self.text(second, bytes)
            }
            return bytes[first.range].lexicographicallyPrecedes(bytes[second.range])
        }
    }

    private func text(_ name: Name) -> String { Self.text(name, bytes) }

    private static func text(_ name: Name, _ bytes: [UInt8]) -> String {
        String(decoding: bytes[name.range], as: UTF8.self)
    }
}
