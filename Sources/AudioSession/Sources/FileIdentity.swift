package import Glibc
package import Playback

/// Distinguishes files, whatever they are called.
package struct FileIdentity: Hashable, Sendable {
    private let device: dev_t
    private let node: ino_t

    package init(_ status: stat) { (device, node) = (status.st_dev, status.st_ino) }

    /// That of the file at `path`, with links followed; nil where there is none.
    package init?(path: FilePath) {
        guard let status = FileStatus.status(path) else { return nil }
        self.init(status)
    }
}
