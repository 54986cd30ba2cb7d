import Glibc

/// The kernel's small files under `/proc` and `/sys`.
package enum KernelFile {
    /// The first 128 bytes of a file; empty if it cannot be read. Any thread may call it.
    package static func text(of path: String) -> String {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = unsafe read(file, &bytes, bytes.count)
        return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
    }
}
