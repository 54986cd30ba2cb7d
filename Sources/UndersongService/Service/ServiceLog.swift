import Glibc

/// What the service says of itself, a line at a time on the standard error, where systemd's journal
/// or the file of a service that was started on demand takes it.
struct ServiceLog: Sendable {
    /// Writes one line. Any thread.
    func write(_ text: String) {
        _ = writeAll(Array("undersongd: \(text)\n".utf8), to: STDERR_FILENO)
    }
}
