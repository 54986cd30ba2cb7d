package import Glibc

/// A file that comes to be whole or not at all: it is written beside its place, and put there in one
/// step when the disk has it.
package struct NewFile: ~Copyable {
    /// Where it is until then: a hidden file, named after the one that it becomes.
    package let temporary: String
    /// Where it is written.
    package let descriptor: Int32
    private let path: String
    /// A link is followed: what it points to is replaced, not the link.
    private let target: String
    private let replaces: Bool

    /// Begins to write the file at `path`; `mode` is that of a file that replaces none. Unless it
    /// `replaces` another, a file that is there by the end stays.
    package init(
        at path: String, mode: mode_t = 0o666, replaces: Bool = true
    ) throws(NewFileError) {
        let target = Self.resolved(path)
        var name = Array((Self.hidden(target) + ".XXXXXX").utf8CString)
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
        temporary = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        close(descriptor)
        // Where it has been put into its place it has that name no more.
        unsafe unlink(temporary)
    }

    /// Puts the file into its place.
    package consuming func commit() throws(NewFileError) {
        guard fsync(descriptor) == 0, place() else { throw NewFileError(path, errno) }
        // A name is as safe as its folder on the disk.
        let end = target.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = unsafe open(end.map { target[...$0] + "." } ?? ".", O_RDONLY | O_CLOEXEC)
        fsync(folder)
        close(folder)
    }

    /// Gives the file its name; false and `errno` where that fails.
    private func place() -> Bool {
        guard !replaces else { return unsafe rename(temporary, target) == 0 }
        if unsafe link(temporary, target) == 0 { return true }
        // Not every file system has links.
        guard errno != EEXIST, unsafe access(target, F_OK) != 0 else {
            errno = EEXIST
            return false
        }
        return unsafe rename(temporary, target) == 0
    }

    private static func resolved(_ path: String) -> String {
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    /// `path` with a point before the name, of which a long one loses its end.
    private static func hidden(_ path: String) -> String {
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let start = end.map { path.utf8.index(after: $0) } ?? path.startIndex
        let name = String(decoding: path.utf8[start...].prefix(200), as: UTF8.self)
        return "\(path[..<start]).\(name)"
    }

    /// The mode of the file that is replaced, else what this user's new files have.
    private static func mode(of path: String, orNew mode: mode_t) -> mode_t {
        var status = stat()
        if unsafe stat(path, &status) == 0 { return status.st_mode & 0o777 }
        let mask = umask(0)
        umask(mask)
        return mode & ~mask
    }
}
