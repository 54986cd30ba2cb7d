import Glibc
import UndersongBase
import UndersongLibrary
import UndersongPlayback

/// The contents of an open folder as far as a library is concerned: playable files, CUE sheets, folders,
/// and the existence of a picture. Hidden names are left out. Closed on deinitialization.
///
/// Compact, since a folder may contain a great many files.
@safe
final class FolderListing {
    private struct Name {
        var start: UInt32
        var count: UInt16
    }

    /// The names of pictures that are covers, without their extensions.
    private static let coverNames: Set<String> = ["cover", "folder", "front", "album"]
    private static let coverExtensions: Set<String> = ["jpg", "jpeg", "png", "webp"]

    let path: FilePath
    let identity: FileIdentity
    /// The name of the folder's picture; nil if it has none.
    private(set) var cover: [UInt8]?
    private(set) var folders: [[UInt8]] = []
    /// Links that lead to folders.
    private(set) var links: [[UInt8]] = []
    private(set) var sheets: [[UInt8]] = []
    private let stream: OpaquePointer
    private var bytes: [UInt8] = []
    private var names: [Name] = []

    /// Reads the folder at `path`.
    /// - Throws: An error if it is not there, or cannot be read to its end.
    init(_ path: FilePath) throws(SystemError) {
        self.path = path
        let descriptor = unsafe path.withPlatformString {
            unsafe open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)
        }
        guard descriptor >= 0 else { throw .last }
        guard let stream = unsafe fdopendir(descriptor) else {
            let error = SystemError.last
            close(descriptor)
            throw error
        }
        unsafe self.stream = stream
        var status = stat()
        unsafe fstat(descriptor, &status)
        identity = FileIdentity(status)
        errno = 0
        while let entry = unsafe readdir(stream) {
            let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
            let name = unsafe UnsafeRawPointer(entry) + offset
            let count = unsafe strlen(name.assumingMemoryBound(to: CChar.self))
            let bytes = unsafe UnsafeRawBufferPointer(start: name, count: count)
            unsafe add(Array(bytes), Int32(entry.pointee.d_type))
            errno = 0
        }
        guard errno == 0 else { throw .last }
        folders.sort { $0.lexicographicallyPrecedes($1) }
        links.sort { $0.lexicographicallyPrecedes($1) }
        sheets.sort { $0.lexicographicallyPrecedes($1) }
    }

    deinit { unsafe closedir(stream) }

    /// The number of playable files.
    var fileCount: Int { names.count }

    /// The name of a file.
    func fileName(_ index: Int) -> [UInt8] {
        let start = Int(names[index].start)
        return Array(bytes[start..<start + Int(names[index].count)])
    }

    /// The state of the regular file with this name; nil if there is none any more.
    func status(_ name: [UInt8]) -> stat? {
        guard let status = anyStatus(name), status.st_mode & S_IFMT == S_IFREG else { return nil }
        return status
    }

    private func add(_ name: [UInt8], _ type: Int32) {
        guard let first = name.first, first != UInt8(ascii: ".") else { return }
        switch type {
        case Int32(DT_DIR): folders.append(name)
        case Int32(DT_REG): addFile(name)
        case Int32(DT_LNK), Int32(DT_UNKNOWN):
            // What a file system does not say is treated as a link.
            if isFolder(name) { links.append(name) } else { addFile(name) }
        default: break
        }
    }

    private func addFile(_ name: [UInt8]) {
        if FileName.isMedia(name.span) {
            names.append(Name(start: UInt32(bytes.count), count: UInt16(name.count)))
            bytes += name
        } else if Self.hasExtension("cue", name) {
            sheets.append(name)
        } else if Self.isCover(name), cover.map({ name.lexicographicallyPrecedes($0) }) ?? true {
            cover = name
        }
    }

    private func isFolder(_ name: [UInt8]) -> Bool {
        anyStatus(name).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
    }

    private func anyStatus(_ name: [UInt8]) -> stat? {
        var status = stat()
        let text = name.map { CChar(bitPattern: $0) } + [0]
        return unsafe fstatat(dirfd(stream), text, &status, 0) == 0 ? status : nil
    }

    /// True if the name is that of a file on which the library depends.
    static func isRelevant(_ name: [UInt8]) -> Bool {
        name.first != UInt8(ascii: ".")
            && (FileName.isMedia(name.span) || hasExtension("cue", name) || isCover(name))
    }

    private static func hasExtension(_ suffix: String, _ name: [UInt8]) -> Bool {
        name.count > suffix.utf8.count + 1
            && String(decoding: name.suffix(suffix.utf8.count + 1), as: UTF8.self).lowercased()
                == "." + suffix
    }

    private static func isCover(_ name: [UInt8]) -> Bool {
        guard name.count <= 11, let point = name.lastIndex(of: UInt8(ascii: ".")) else {
            return false
        }
        return coverNames.contains(String(decoding: name[..<point], as: UTF8.self).lowercased())
            && coverExtensions.contains(
                String(decoding: name[(point + 1)...], as: UTF8.self).lowercased())
    }
}

extension ScanStamp {
    /// The stamp of a file with this status.
    init(_ status: stat) {
        let time = status.st_mtim
        self.init(
            size: Int64(status.st_size),
            modified: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec),
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }
}
