import Glibc

/// Small files that are read at once, such as the kernel's under `/proc` and `/sys`. Any thread may
/// read them.
package enum KernelFile {
    /// The first `limit` bytes of a file; empty if it cannot be read.
    package static func text(of path: String, limit: Int = 128) -> String {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = unsafe read(file, &bytes, bytes.count)
        return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
    }

    /// The first line of a file; empty if it cannot be read.
    package static func line(of path: String) -> String {
        String(text(of: path).prefix { $0 != "\n" })
    }
}
