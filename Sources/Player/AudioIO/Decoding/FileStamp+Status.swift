import Glibc
package import UndersongBase
package import UndersongPlayback

extension FileStamp {
    /// The present stamp of the regular file at `path`; nil if there is none. Blocks on the disk.
    package init?(of path: FilePath) {
        var status = stat()
        guard unsafe path.withPlatformString({ unsafe stat($0, &status) }) == 0,
            status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        self.init(
            size: Int(status.st_size),
            modified: status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec)
    }
}
