package import Glibc
package import UndersongBase
import UndersongPlayback

/// A file that is written completely or not at all: it is written under a temporary name in the
/// same folder, and moved to its path once it is on the disk.
package struct NewFile: ~Copyable {
    /// The temporary path: a hidden file, named after the final one.
    package let temporary: FilePath
    /// The descriptor to write to.
    package let descriptor: Int32
    private let path: FilePath
    /// The final path. A symbolic link is resolved: its target is replaced, not the link.
    private let target: FilePath
    private let replaces: Bool

    /// Starts writing the file at `path`; `mode` applies if no file is replaced. Unless `replaces`
    /// is true, `commit()` fails if a file exists by then.
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
        // Has no effect after `commit()`, when the file no longer has that name.
        _ = unsafe temporary.withPlatformString { unsafe unlink($0) }
    }

    /// Moves the file to its path.
    package consuming func commit() throws(NewFileError) {
        guard fsync(descriptor) == 0, place() else { throw NewFileError(path, errno) }
        // The new name is durable only once its folder is on the disk.
        let folder = unsafe FilePath(bytes: Self.folder(of: target) + [UInt8(ascii: ".")])
            .withPlatformString { unsafe open($0, O_RDONLY | O_CLOEXEC) }
        fsync(folder)
        close(folder)
    }

    /// Gives the file its name; false with `errno` if that fails.
    private func place() -> Bool {
        unsafe temporary.withPlatformString { temporary in
            unsafe target.withPlatformString { target in
                guard !replaces else { return unsafe rename(temporary, target) == 0 }
                if unsafe link(temporary, target) == 0 { return true }
                // Not every file system supports links.
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

    /// The bytes of `path` before its last component.
    private static func folder(of path: FilePath) -> [UInt8] {
        let bytes = path.bytes
        return bytes.lastIndex(of: UInt8(ascii: "/")).map { Array(bytes[...$0]) } ?? []
    }

    /// `path` with a dot before its last component, which is truncated if it is long.
    private static func hidden(_ path: FilePath) -> [UInt8] {
        let folder = folder(of: path)
        return folder + [UInt8(ascii: ".")] + path.bytes[folder.count...].prefix(200)
    }

    /// The mode of the file that is replaced, or this user's mode for new files.
    private static func mode(of path: FilePath, orNew mode: mode_t) -> mode_t {
        var status = stat()
        let isThere = unsafe path.withPlatformString { unsafe stat($0, &status) } == 0
        if isThere { return status.st_mode & 0o777 }
        let mask = umask(0)
        umask(mask)
        return mode & ~mask
    }
}

/// Why a file could not be written.
package struct NewFileError: Error, CustomStringConvertible {
    private let path: FilePath
    private let code: Int32

    /// Makes the error for the system's `code` while writing the file at `path`.
    package init(_ path: FilePath, _ code: Int32) { (self.path, self.code) = (path, code) }

    package var description: String {
        "cannot write \(path): " + (unsafe String(cString: strerror(code)))
    }
}
