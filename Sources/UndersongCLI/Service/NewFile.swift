import Glibc

/// A file that comes to be whole or not at all: it is written beside its place, and put there in one
/// step when the disk has it.
struct NewFile: ~Copyable {
    private let path: String
    /// A link is followed: what it points to is replaced, not the link.
    private let target: String
    private let temporary: String
    private let descriptor: Int32

    /// Begins to write the file at `path`; `mode` is that of a file that replaces none.
    init(at path: String, mode: mode_t = 0o666) throws {
        let target = Self.resolved(path)
        var name = Array((target + ".XXXXXX").utf8CString)
        let descriptor = unsafe mkstemp(&name)
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
        guard fchmod(descriptor, Self.mode(of: target, orNew: mode)) == 0 else {
            let code = errno
            close(descriptor)
            unsafe unlink(name)
            throw Self.failure(path, code)
        }
        self.path = path
        self.target = target
        self.descriptor = descriptor
        temporary = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        close(descriptor)
        // Where it has been put into its place it has that name no more.
        unsafe unlink(temporary)
    }

    /// Adds `bytes`.
    func write(_ bytes: [UInt8]) throws {
        let code = writeAll(bytes, to: descriptor)
        guard code == 0 else { throw Self.failure(path, code) }
    }

    /// Puts the file into its place.
    consuming func commit() throws {
        guard fsync(descriptor) == 0, unsafe rename(temporary, target) == 0 else {
            throw Self.failure(path, errno)
        }
        // A name is as safe as its folder on the disk.
        let end = target.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = unsafe open(end.map { target[...$0] + "." } ?? ".", O_RDONLY | O_CLOEXEC)
        fsync(folder)
        close(folder)
    }

    private static func resolved(_ path: String) -> String {
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    /// The mode of the file that is replaced, else what this user's new files have.
    private static func mode(of path: String, orNew mode: mode_t) -> mode_t {
        var status = stat()
        if unsafe stat(path, &status) == 0 { return status.st_mode & 0o777 }
        let mask = umask(0)
        umask(mask)
        return mode & ~mask
    }

    private static func failure(_ path: String, _ code: Int32) -> Failure {
        Failure("cannot write \(path): " + (unsafe String(cString: strerror(code))))
    }
}
