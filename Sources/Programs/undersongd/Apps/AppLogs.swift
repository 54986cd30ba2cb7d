import Glibc
import UndersongBackground
import UndersongBase

/// The logs of apps: a line for each change of their life cycle, and the output of those that the
/// service has launched.
struct AppLogs: Sendable {
    /// The size in bytes from which on a log is put aside at a launch.
    static let limit = 1 << 20

    private let folder: String

    /// Creates the logs in a folder, which is made when there is something to write.
    init(folder: String) { self.folder = folder }

    /// The path of an app's log.
    func path(of app: String) -> String { "\(folder)/\(app).log" }

    /// Adds a change to the log of its app. A log that cannot be written loses it.
    func add(_ event: AppEvent, at time: ScheduleTime) {
        let date = CalendarDate(secondsSince1970: (time.wall + time.utcOffset).rounded(.down)).text
        let process = event.process.map { " [\($0)]" } ?? ""
        Folder.make(folder)
        let path = path(of: event.app)
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        _ = writeAll(Array("\(date) undersong\(process): \(event.text)\n".utf8), to: file)
    }

    /// Puts the log of an app that is about to be launched aside if it has become long, in place of
    /// the one before.
    func rotate(_ app: String) {
        var status = stat()
        let path = path(of: app)
        guard unsafe stat(path, &status) == 0, status.st_size >= Self.limit else { return }
        _ = unsafe rename(path, path + ".1")
    }

    /// Removes the logs of an app.
    func remove(_ app: String) {
        let path = path(of: app)
        for path in [path, path + ".1"] { _ = unsafe unlink(path) }
    }
}

extension AppEvent {
    /// The change in words, on one line.
    fileprivate var text: String {
        let details = [
            state.map { "\($0.rawValue)" }, reason.map { "for \($0)" },
        ]
        let words: [String]
        switch phase {
        case .known(.entered): words = ["entered"] + details.compactMap(\.self)
        case .known(.suspended): words = ["suspended"]
        case .known(.woken): words = ["woken", reason.map { "for \($0)" }].compactMap(\.self)
        case .known(.problem): words = ["problem", reason].compactMap(\.self)
        case .known(.ended): words = ["ended", end?.text ?? reason].compactMap(\.self)
        case .known(let phase): words = [phase.rawValue] + details.compactMap(\.self)
        case .unknown(let word): words = [word] + details.compactMap(\.self)
        }
        return words.joined(separator: " ").replacing("\n", with: " ")
    }
}

extension AppEnd {
    /// The end in words: `overstayed (status 137)`.
    fileprivate var text: String {
        let cause =
            switch cause {
            case .known(let cause): cause.rawValue
            case .unknown(let word): word
            }
        let details = [status.map { "status \($0)" }, reason].compactMap(\.self)
        return details.isEmpty ? cause : "\(cause) (\(details.joined(separator: ", ")))"
    }
}
