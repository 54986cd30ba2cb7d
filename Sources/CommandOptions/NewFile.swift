package import Glibc
package import Playback

/// A file that comes to be whole or not at all: it is written beside its place, and put there in one
/// step when the disk has it.
package struct NewFile: ~Copyable {
    /// Where it is until then: a hidden file, named after the one that it becomes.
    package let temporary: FilePath
    /// Where it is written.
    package let descriptor: Int32
    private let path: FilePath
    /// A link is followed: what it points to is replaced, not the link.
    private let target: FilePath
    private let replaces: Bool

    /// Begins to write the file at `path`; `mode` is that of a file that replaces none. Unless it
    /// `replaces` another, a file that is there by the end stays.
    package init(
        at path: FilePath, mode: mode_t = 0o666, replaces: Bool = true
    ) throws(NewFileError) {
        let target = Self.resolved(path)
        var name = (Self.hidden(target) + Array(".XXXXXX".utf8) + [0]).map { CChar(bitPattern: $0) }
        let descriptor = unsafe mkstemp(&name)
        guard descriptor >= 0 else { throw NewFileError(path, errno) }
        guard fchmod(descriptor, Self.mode(of: target, orNew: mode)) == 0 else {
            let code = errno
            close(descriptor)
            unsafe unlink(name)
            throw NewFileError(path, code)
        }
        self.path = path
        self.target = target
        self.descriptor = descriptor
        self.replaces = replaces
        temporary = FilePath(bytes: name.dropLast().map { UInt8(bitPattern: $0) })
    }

    deinit {
        close(descriptor)
        // Where it has been put into its place it has that name no more.
        _ = unsafe temporary.withPlatformString { unsafe unlink($0) }
    }

    /// Puts the file into its place.
    package consuming func commit() throws(NewFileError) {
        guard fsync(descriptor) == 0, place() else { throw NewFileError(path, errno) }
        // A name is as safe as its folder on the disk.
        let folder = unsafe FilePath(bytes: Self.folder(of: target) + [UInt8(ascii: ".")])
            .withPlatformString { unsafe open($0, O_RDONLY | O_CLOEXEC) }
        fsync(folder)
        close(folder)
    }

    /// Gives the file its name; false and `errno` where that fails.
    private func place() -> Bool {
        unsafe temporary.withPlatformString { temporary in
            unsafe target.withPlatformString { target in
                guard !replaces else { return unsafe rename(temporary, target) == 0 }
                if unsafe link(temporary, target) == 0 { return true }
                // Not every file system has links.
                guard errno != EEXIST, unsafe access(target, F_OK) != 0 else {
                    errno = EEXIST
                    return false
                }
                return unsafe rename(temporary, target) == 0
            }
        }
    }

    private static func resolved(_ path: FilePath) -> FilePath {
        guard let real = unsafe path.withPlatformString({ unsafe realpath($0, nil) }) else {
            return path
        }
        defer { unsafe free(real) }
        return unsafe FilePath(
            bytes: Array(UnsafeRawBufferPointer(start: real, count: strlen(real))))
    }

    /// The bytes of `path` up to its name.
    private static func folder(of path: FilePath) -> [UInt8] {
        let bytes = path.bytes
        return bytes.lastIndex(of: UInt8(ascii: "/")).map { Array(bytes[...$0]) } ?? []
    }

    /// `path` with a point before the name, of which a long one loses its end.
    private static func hidden(_ path: FilePath) -> [UInt8] {
        let folder = folder(of: path)
        return folder + [UInt8(ascii: ".")] + path.bytes[folder.count...].prefix(200)
    }

    /// The mode of the file that is replaced, else what this user's new files have.
    private static func mode(of path: FilePath, orNew mode: mode_t) -> mode_t {
        var status = stat()
        let isThere = unsafe path.withPlatformString { unsafe stat($0, &status) } == 0
        if isThere { return status.st_mode & 0o777 }
        let mask = umask(0)
        umask(mask)
        return mode & ~mask
    }
}
