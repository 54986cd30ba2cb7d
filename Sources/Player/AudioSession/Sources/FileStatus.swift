import Glibc
import UndersongBase
import UndersongPlayback

/// File system status of a path. Blocks on the disk.
enum FileStatus {
    /// The status, following links; nil if nothing exists there.
    static func status(_ path: FilePath) -> stat? {
        var status = stat()
        return unsafe path.withPlatformString { unsafe stat($0, &status) } == 0 ? status : nil
    }

    /// The reason why nothing can be found at a path, as a value of errno; nil if something is
    /// there.
    static func absence(_ path: FilePath) -> Int32? {
        var status = stat()
        return unsafe path.withPlatformString { unsafe stat($0, &status) == 0 ? nil : errno }
    }

    /// True if the path is a regular file.
    static func isFile(_ path: FilePath) -> Bool {
        status(path).map { $0.st_mode & S_IFMT == S_IFREG } ?? false
    }
}
