import Glibc
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback

/// A request for the names in a folder.
struct FolderRequest: Equatable, Sendable {
    var folder: FilePath
    /// Distinguishes the reply from those to other requests.
    var number: Int
}

/// A name in a folder.
struct FolderEntry: Equatable, Sendable {
    var path: FilePath
    var isFolder: Bool

    /// The last component, for display.
    var name: String { Columns.printable(path.lastComponent) }

    var isHidden: Bool { path.lastComponent.hasPrefix(".") }
}

/// The names of folders and files in a folder, folders first, both in natural order.
struct FolderListing: Equatable, Sendable {
    var entries: [FolderEntry] = []
    /// The reason why they could not be read; nil if they were.
    var problem: String?

    init(_ entries: [FolderEntry] = [], problem: String? = nil) {
        (self.entries, self.problem) = (entries, problem)
    }

    /// Reads a folder. Pipes, sockets and devices are left out. Blocks on the disk.
    init(of folder: FilePath) {
        guard let stream = unsafe folder.withPlatformString({ unsafe opendir($0) }) else {
            problem = SystemError.last.reason
            return
        }
        defer { unsafe closedir(stream) }
        var keys: [(key: [UInt8], entry: FolderEntry)] = []
        errno = 0
        while let entry = unsafe readdir(stream) {
            let type = unsafe Int32(entry.pointee.d_type)
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
                unsafe Array($0.prefix { $0 != 0 })
            }
            guard name != [UInt8(ascii: ".")], name != Array("..".utf8),
                let isFolder = unsafe Self.isFolder(name, type, in: dirfd(stream))
            else { continue }
            let path = folder.appending(name)
            keys.append((NaturalOrder.folded(name), FolderEntry(path: path, isFolder: isFolder)))
            errno = 0
        }
        if errno != 0 { problem = SystemError.last.reason }
        keys.sort { first, second in
            if first.entry.isFolder != second.entry.isFolder { return first.entry.isFolder }
            return NaturalOrder.precedes(first.key[...], second.key[...])
                ?? first.entry.path.bytes.lexicographicallyPrecedes(second.entry.path.bytes)
        }
        entries = keys.map(\.entry)
    }

    /// True for a folder, or a link to one, false for a file; nil for something else.
    private static func isFolder(_ name: [UInt8], _ type: Int32, in folder: Int32) -> Bool? {
        switch type {
        case Int32(DT_DIR): return true
        case Int32(DT_REG): return false
        case Int32(DT_LNK), Int32(DT_UNKNOWN):
            var status = stat()
            let isFound = unsafe FilePath(bytes: name).withPlatformString {
                unsafe fstatat(folder, $0, &status, 0) == 0
            }
            // The link of a file that has gone is shown; the service says that it is missing.
            guard isFound else { return false }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: return true
            case S_IFREG: return false
            default: return nil
            }
        default: return nil
        }
    }
}
