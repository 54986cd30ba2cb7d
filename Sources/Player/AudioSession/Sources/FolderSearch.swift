import Glibc
import UndersongBase
import UndersongPlayback

/// Searches a folder and its subfolders by name for playable files. At the end it reports other
/// audio files.
///
/// A folder reachable by several links is searched only the first time.
final class FolderSearch {
    private let path: FilePath
    private var open: [FolderNames] = []
    private var seen: Set<FileIdentity> = []
    private var error: MediaError?
    private var isEmpty = true
    /// The number of audio files of each unsupported kind.
    private var leftOut: [String: Int] = [:]

    /// Creates a search of the folder at `path`.
    init(_ path: FilePath) {
        self.path = path
        enter(path)
    }

    /// The next result; nil after the end. A folder without any playable file gives an error.
    func next() -> Found? {
        let found = search()
        defer { isEmpty = false }
        guard found == nil, isEmpty || !leftOut.isEmpty else { return found }
        defer { leftOut = [:] }
        let others = leftOutText
        guard isEmpty else {
            return .error(
                MediaError(.otherFormats, operation: "play all of \(path)", reason: others))
        }
        let reason = "No music was found in it" + (others.isEmpty ? "" : "; \(others)")
        return .error(MediaError(.noMedia, operation: "play \(path)", reason: reason))
    }

    /// `skipped 3 files in unsupported formats: 2 WMA, 1 MP4`; empty if there are none.
    private var leftOutText: String {
        let count = leftOut.values.reduce(0, +)
        guard count > 0 else { return "" }
        let kinds = leftOut.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\($0.value) \($0.key)" }
        let files =
            count == 1
            ? "1 file in an unsupported format" : "\(count) files in unsupported formats"
        return "skipped \(files): \(kinds.joined(separator: ", "))"
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
            case .file where FileName.isMedia(path):
                return .entry(QueueEntry(.file(path: path)))
            case .file: FileName.otherKind(path.bytes.span).map { leftOut[$0, default: 0] += 1 }
            case .unknown: break
            }
        }
    }

    private func enter(_ path: FilePath) {
        var status = stat()
        guard unsafe path.withPlatformString({ unsafe stat($0, &status) }) == 0 else {
            return error = MediaError(reading: path, errno)
        }
        guard seen.insert(FileIdentity(status)).inserted else { return }
        do throws(MediaError) {
            open.append(try FolderNames(path))
        } catch {
            self.error = error
        }
    }

    /// The kind of a link's target, or of an entry whose kind the file system does not report;
    /// unknown if it does not exist.
    private static func kind(_ path: FilePath) -> FolderNames.Kind {
        var status = stat()
        guard unsafe path.withPlatformString({ unsafe stat($0, &status) }) == 0 else {
            return .unknown
        }
        return status.st_mode & S_IFMT == S_IFDIR ? .folder : .file
    }
}

/// The relevant names in a folder, sorted. Compact, because a folder may contain a great many.
struct FolderNames {
    /// The kind of a directory entry.
    enum Kind: UInt8 {
        case file, folder
        /// The kind has to be looked up.
        case unknown
    }

    private struct Name {
        var start: UInt32
        var count: UInt16
        var kind: Kind
        var isASCII: Bool

        var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
    }

    private let prefix: [UInt8]
    private var bytes: [UInt8] = []
    private var names: [Name] = []
    private var index = 0

    /// Reads the folder at `path`. Throws if that fails.
    init(_ path: FilePath) throws(MediaError) {
        let slash = UInt8(ascii: "/")
        prefix = path.bytes.last == slash ? path.bytes : path.bytes + [slash]
        guard let folder = unsafe path.withPlatformString({ unsafe opendir($0) }) else {
            throw MediaError(reading: path, errno)
        }
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

    /// The next path and its kind.
    mutating func next() -> (path: FilePath, kind: Kind)? {
        guard index < names.count else { return nil }
        defer { index += 1 }
        return (FilePath(bytes: prefix + bytes[names[index].range]), names[index].kind)
    }

    /// Skips hidden names, and files whose names are not those of audio files.
    private mutating func add(_ name: UnsafeRawBufferPointer, _ type: Int32) {
        guard let first = unsafe name.first, first != UInt8(ascii: ".") else { return }
        let kind: Kind =
            switch type {
            case Int32(DT_REG): .file
            case Int32(DT_DIR): .folder
            default: .unknown
            }
        let bytes = unsafe name.bindMemory(to: UInt8.self)
        guard unsafe kind != .file || Self.isSound(bytes.span) else { return }
        names.append(
            unsafe Name(
                start: UInt32(self.bytes.count), count: UInt16(name.count), kind: kind,
                isASCII: name.allSatisfy { $0 < 0x80 }))
        unsafe self.bytes.append(contentsOf: name)
    }

    /// In natural order; names that are alike by their bytes.
    private mutating func sort() {
        let bytes = bytes
        var folded: [UInt32: [UInt8]] = [:]
        for name in names where !name.isASCII {
            folded[name.start] = NaturalOrder.folded(Array(bytes[name.range]))
        }
        names.sort { first, second in
            let (left, right) = (bytes[first.range], bytes[second.range])
            return NaturalOrder.precedes(
                folded[first.start]?[...] ?? left, folded[second.start]?[...] ?? right)
                ?? left.lexicographicallyPrecedes(right)
        }
    }

    private static func isSound(_ name: Span<UInt8>) -> Bool {
        FileName.isMedia(name) || FileName.otherKind(name) != nil
    }
}
