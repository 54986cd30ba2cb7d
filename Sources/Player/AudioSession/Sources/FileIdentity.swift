package import Glibc
package import UndersongBase
import UndersongPlayback

/// Identifies a file independently of its name.
package struct FileIdentity: Hashable, Sendable {
    private let device: dev_t
    private let node: ino_t

    package init(_ status: stat) { (device, node) = (status.st_dev, status.st_ino) }

    /// The identity of the file at `path`, following links; nil if there is none.
    package init?(path: FilePath) {
        guard let status = FileStatus.status(path) else { return nil }
        self.init(status)
    }
}
