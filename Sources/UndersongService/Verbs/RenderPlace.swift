import AudioSession
import Glibc
import Playback

/// What the user named for `undersong render` to write to.
struct RenderPlace {
    /// The name, - for the standard output.
    let name: FilePath
    /// Where that is.
    let path: FilePath
    /// Whether a file is made, which takes this place when it is whole. What is no file takes the
    /// bytes as they come, and so does one that is open already.
    let takesNewFile: Bool
    /// Whether something is in that place.
    let isTaken: Bool
    /// The file that is there.
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

    /// Whether it is the standard output.
    var isStandardOutput: Bool {
        FileIdentity(path: path) == FileIdentity(path: "/dev/stdout")
    }

    /// Whether the file that is there is one of those that `names` name.
    func isOne(of names: [FilePath]) -> Bool {
        guard let file else { return false }
        return names.contains {
            FileIdentity(path: $0 == .standardStream ? "/dev/stdin" : $0) == file
        }
    }

    /// Whether the file that is there is one of those that were found to render, or of the playlists
    /// that name them.
    func isOne(of entries: [QueueEntry], or playlists: Set<FileIdentity>) -> Bool {
        guard let file else { return false }
        return playlists.contains(file) || entries.contains { isOne(of: [$0.source.path]) }
    }
}
