import Glibc
import Playback

/// What the file system says of a path. Blocks on the disk.
enum FileStatus {
    /// What is there, links followed; nil where nothing is.
    static func status(_ path: FilePath) -> stat? {
        var status = stat()
        return unsafe path.withPlatformString { unsafe stat($0, &status) } == 0 ? status : nil
    }

    /// Whether a regular file is there.
    static func isFile(_ path: FilePath) -> Bool {
        status(path).map { $0.st_mode & S_IFMT == S_IFREG } ?? false
    }
}
