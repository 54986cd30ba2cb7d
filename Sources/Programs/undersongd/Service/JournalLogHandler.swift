import Glibc
import Logging
import UndersongBase
import UndersongCommandOptions

/// Writes what is logged to a file, a line each: for systemd's journal with its priority, which the
/// journal takes off, and without it for a terminal or the file of a service that was started on
/// demand.
struct JournalLogHandler: LogHandler {
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    private let label: String
    private let descriptor: Int32
    private let isJournal: Bool

    /// Makes one for what `label` logs, on a descriptor that is open.
    init(label: String, descriptor: Int32, isJournal: Bool) {
        self.label = label
        self.descriptor = descriptor
        self.isJournal = isJournal
    }

    /// The log of the service, on the standard error.
    static func logger(_ label: String) -> Logger {
        Logger(label: label) {
            JournalLogHandler(
                label: $0, descriptor: STDERR_FILENO,
                isJournal: isJournal(STDERR_FILENO, stream: Environment["JOURNAL_STREAM"]))
        }
    }

    /// Returns true if a descriptor leads to the journal. `stream` is systemd's name of the one that it
    /// opened, `DEVICE:INODE`: a program that is started by another has that, too, and may write
    /// elsewhere.
    static func isJournal(_ descriptor: Int32, stream: String?) -> Bool {
        var info = stat()
        guard let stream, unsafe fstat(descriptor, &info) == 0 else { return false }
        return stream == "\(info.st_dev):\(info.st_ino)"
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let priority = isJournal ? "<\(event.level.priority)>" : ""
        let facts = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        let rest = facts.map { " \($0.key)=\($0.value)" }.joined()
        let line = "\(priority)\(label): \(event.message)\(rest)\n"
        _ = writeAll(Array(line.utf8), to: descriptor)
    }
}

extension Logger.Level {
    /// The same as a priority of syslog.
    fileprivate var priority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
