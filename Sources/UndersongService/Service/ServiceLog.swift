import Glibc

/// The service's log, written line by line to the standard error, which goes to systemd's journal,
/// or to the log file of a service started on demand.
struct ServiceLog: Sendable {
    /// Writes one line. May be called on any thread.
    func write(_ text: String) {
        _ = writeAll(Array("undersongd: \(text)\n".utf8), to: STDERR_FILENO)
    }
}
