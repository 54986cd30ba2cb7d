import Glibc

/// Makes and reads folders.
package enum Folder {
    /// The names in the folder at `path`, in any order; empty if it cannot be read.
    package static func names(in path: String) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
                unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Makes the folder at `path`, and the ones above it, as far as they are missing. Returns 0 or the
    /// `errno` of a failure.
    @discardableResult
    package static func make(_ path: String, mode: UInt32 = 0o700) -> Int32 {
        var next = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            next += "/" + part
            guard unsafe mkdir(next, mode) != 0, errno != EEXIST else { continue }
            let code = errno
            // What is there need not be writable.
            guard unsafe access(next, F_OK) == 0 else { return code }
        }
        return 0
    }

    /// The folder of the file at `path`.
    package static func path(of path: String) -> String {
        guard let end = path.lastIndex(of: "/") else { return "." }
        return end == path.startIndex ? "/" : String(path[..<end])
    }

    /// Waits until the names in the folder have reached the disk. Returns 0 or the `errno` of a
    /// failure.
    package static func sync(_ path: FilePath) -> Int32 {
        let descriptor = unsafe path.withPlatformString {
            unsafe open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        // Some file systems cannot, and need not.
        return fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno
    }
}
