import Glibc

/// What the system reports about a file or folder.
struct FileFacts {
    private let status: stat

    /// Nil if the file does not exist. Follows a link unless `followsLinks` is false.
    init?(_ path: String, followsLinks: Bool = true) {
        var status = stat()
        let code = followsLinks ? unsafe stat(path, &status) : unsafe lstat(path, &status)
        guard code == 0 else { return nil }
        self.status = status
    }

    var isFolder: Bool { status.st_mode & S_IFMT == S_IFDIR }
    var isPipe: Bool { status.st_mode & S_IFMT == S_IFIFO }
    var isSocket: Bool { status.st_mode & S_IFMT == S_IFSOCK }
    var isOwn: Bool { status.st_uid == geteuid() }

    /// The permissions, as `chmod` takes them: `0700`.
    var mode: String {
        let digits = String(status.st_mode & 0o777, radix: 8)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// Whether anyone but the owner has any permission.
    var isOpenToOthers: Bool { status.st_mode & 0o077 != 0 }
}
