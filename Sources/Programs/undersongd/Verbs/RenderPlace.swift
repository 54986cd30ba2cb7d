import Glibc
import UndersongAudioSession
import UndersongBase
import UndersongPlayback

/// The destination given by the user for `undersong render`.
struct RenderPlace {
    /// The name; - for the standard output.
    let name: FilePath
    /// The path of the destination.
    let path: FilePath
    /// True if a new file is made, which replaces the destination when complete. Anything but a
    /// file receives the bytes as they come, and so does a file that is already open.
    let takesNewFile: Bool
    /// True if the destination exists.
    let isTaken: Bool
    /// The existing file.
    private let file: FileIdentity?

    init(_ name: FilePath) {
        self.name = name
        path = name == .standardStream ? "/dev/stdout" : name
        var status = stat()
        isTaken = unsafe path.withPlatformString { unsafe lstat($0, &status) } == 0
        let isThere = unsafe path.withPlatformString { unsafe stat($0, &status) } == 0
        let isFile = isThere && status.st_mode & S_IFMT == S_IFREG
        file = isFile ? FileIdentity(status) : nil
        let open = ["/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/self/fd/"]
        takesNewFile = (isFile || !isThere) && !open.contains(where: path.description.hasPrefix)
    }

    /// True if this is the standard output.
    var isStandardOutput: Bool {
        FileIdentity(path: path) == FileIdentity(path: "/dev/stdout")
    }

    /// Returns true if the existing file is one of `names`.
    func isOne(of names: [FilePath]) -> Bool {
        guard let file else { return false }
        return names.contains {
            FileIdentity(path: $0 == .standardStream ? "/dev/stdin" : $0) == file
        }
    }

    /// True if the existing file is one of those to be rendered, or one of the playlists that name
    /// them.
    func isOne(of entries: [QueueEntry], or playlists: Set<FileIdentity>) -> Bool {
        guard let file else { return false }
        return playlists.contains(file) || entries.contains { isOne(of: [$0.source.path]) }
    }
}
