import CUndersongLinux
import Glibc

/// A file that is written completely or not at all: it is written under a temporary name in the
/// same folder, and moved to its path once it is on the disk.
package struct NewFile: ~Copyable {
    /// The temporary path.
    package let temporary: FilePath
    /// The descriptor to write to.
    package let descriptor: Int32
    private let path: FilePath
    /// The final path.
    private let target: FilePath
    private let replaces: Bool
    /// True once the file has its final name.
    private var isPlaced = false

    /// The parts that are on the disk when a file has its name.
    package enum Durability: Sendable {
        /// Maybe nothing: after a power failure the file may be empty.
        case none
        /// Its bytes: after a power failure the path has these, or the ones before.
        case bytes
        /// Its bytes and its name.
        case name
    }

    /// Starts writing the file at `path`, under a hidden name that is like it; `mode` applies if no
    /// file is replaced. A symbolic link is resolved: its target is replaced, not the link. Unless
    /// `replaces` is true, `commit()` fails if a file exists by then.
    package init(
        at path: FilePath, mode: UInt32 = 0o666, replaces: Bool = true
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

    /// Starts writing a file of a program's own at `path`, which only this user can read and one
    /// process at a time writes. The temporary name is always `path.new`, so that a process that is
    /// killed leaves one such file at most.
    package init(own path: FilePath) throws(NewFileError) {
        let temporary = FilePath(bytes: path.bytes + Array(".new".utf8))
        let descriptor = unsafe temporary.withPlatformString {
            unsafe open($0, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o600)
        }
        guard descriptor >= 0 else { throw NewFileError(path, errno) }
        // One that was left may have another mode.
        guard fchmod(descriptor, 0o600) == 0 else {
            let code = errno
            close(descriptor)
            throw NewFileError(path, code)
        }
        self.path = path
        target = path
        self.temporary = temporary
        self.descriptor = descriptor
        replaces = true
    }

    deinit {
        close(descriptor)
        if !isPlaced { _ = unsafe temporary.withPlatformString { unsafe unlink($0) } }
    }

    /// Writes all of `bytes`.
    package func write(_ bytes: [UInt8]) throws(NewFileError) {
        let code = writeAll(bytes, to: descriptor)
        guard code == 0 else { throw NewFileError(path, code) }
    }

    /// Moves the file to its path.
    package consuming func commit(_ durability: Durability = .name) throws(NewFileError) {
        if durability != .none {
            guard fsync(descriptor) == 0 else { throw NewFileError(path, errno) }
        }
        let code = place()
        guard code == 0 else { throw NewFileError(path, code) }
        isPlaced = true
        guard durability == .name else { return }
        let end = target.bytes.lastIndex(of: UInt8(ascii: "/"))
        let folder = FilePath(bytes: end.map { Array(target.bytes[...$0]) } ?? [UInt8(ascii: ".")])
        _ = Folder.sync(folder)
    }

    /// Gives the file its name. Returns 0 or the `errno` of a failure.
    private borrowing func place() -> Int32 {
        guard replaces else { return moveFile(temporary, to: target) }
        return unsafe temporary.withPlatformString { temporary in
            unsafe target.withPlatformString { unsafe rename(temporary, $0) == 0 ? 0 : errno }
        }
    }

    /// Replaces a program's own file, durably but for its name. Returns 0 or the `errno` of a failure.
    package static func replace(own path: String, with bytes: [UInt8]) -> Int32 {
        do throws(NewFileError) {
            let file = try NewFile(own: FilePath(path))
            try file.write(bytes)
            try file.commit(.bytes)
            return 0
        } catch {
            return error.cause.code
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

    /// `path` with a dot before its last component, which is truncated if it is long.
    private static func hidden(_ path: FilePath) -> [UInt8] {
        let bytes = path.bytes
        let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        return bytes[..<start] + [UInt8(ascii: ".")] + bytes[start...].prefix(200)
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

/// The reason a file could not be written.
package struct NewFileError: Error, CustomStringConvertible {
    private let path: FilePath
    package let cause: SystemError

    /// Makes the error for the system's `code` while writing the file at `path`.
    init(_ path: FilePath, _ code: Int32) { (self.path, cause) = (path, SystemError(code)) }

    package var description: String { "cannot write \(path): \(cause.reason)" }
}

/// Moves a file without replacing another one. Returns 0 or the `errno` of a failure.
package func moveFile(_ path: FilePath, to target: FilePath) -> Int32 {
    unsafe path.withPlatformString { path in
        unsafe target.withPlatformString { target in
            let flag = UInt32(CLINUX_RENAME_NOREPLACE)
            if unsafe renameat2(AT_FDCWD, path, AT_FDCWD, target, flag) == 0 { return 0 }
            guard errno == EINVAL || errno == ENOSYS else { return errno }
            // Not every file system can promise it.
            if unsafe link(path, target) == 0 {
                unsafe unlink(path)
                return 0
            }
            guard errno != EEXIST, unsafe access(target, F_OK) != 0 else { return EEXIST }
            return unsafe rename(path, target) == 0 ? 0 : errno
        }
    }
}
