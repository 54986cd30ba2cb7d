import UndersongBackground
import UndersongBase
import UndersongCommandOptions

/// Formats apps.
enum AppText {
    /// A table of identifiers, states, what each app does or waits for, and its last end; then what
    /// the user should know.
    static func list(_ list: AppList) -> String {
        let apps = list.apps
        let columns = [
            apps.map { Columns.printable($0.app.identifier) }, apps.map { state($0) },
            apps.map { activity($0) ?? "" }, apps.map { $0.lastEnd.map(end) ?? "" },
        ].map(Columns.aligned)
        let rows = apps.indices.map { index in
            Columns.row(columns.map { $0[index] })
        }
        let lines = (apps.isEmpty ? ["no apps"] : rows) + problems(list)
        return lines.joined(separator: "\n")
    }

    /// `net.example.player: background, audio, process 42`
    static func line(_ status: AppStatus) -> String {
        let parts = [
            state(status), activity(status), status.process.map { "process \($0)" },
            status.problem.map { Columns.printable($0) },
        ].compactMap(\.self)
        return "\(Columns.printable(status.app.identifier)): \(parts.joined(separator: ", "))"
    }

    /// The app, and what it has declared.
    static func installed(_ status: AppStatus) -> String {
        let app = status.app
        let modes = app.modes.map(\.rawValue)
        var rows = [
            ("program", app.command.joined(separator: " ")), ("folder", app.folder),
            ("manifest", app.manifest ?? "none"),
            ("modes", modes.isEmpty ? "none" : modes.joined(separator: ", ")),
        ]
        rows += Columns.rows("permitted", app.permitted)
        return line(status) + "\n"
            + Columns.lines(rows.map { ($0, Columns.printable($1)) }, column: 11)
    }

    /// `suspended`, `not running`
    static func state(_ status: AppStatus) -> String {
        switch status.state {
        case .known(.notRunning): "not running"
        case .known(let state): state.rawValue
        case .unknown(let word): Columns.printable(word)
        }
    }

    /// The needs that keep the app running and their time, or else its next task. Nil if there is
    /// neither.
    static func activity(_ status: AppStatus) -> String? {
        var parts = status.running.map { Columns.printable($0) }
        if let left = status.timeRemaining { parts.append("\(ClockText.span(left)) left") }
        if parts.isEmpty, status.isClosed { return "closed by you" }
        if parts.isEmpty, let next = status.next { parts.append("next \(date(next))") }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// `2026-11-28 06:30: its time in the background was over`
    static func end(_ end: AppEnd) -> String { "\(date(end.time)): \(cause(end))" }

    /// `its time in the background was over`
    static func cause(_ end: AppEnd) -> String {
        let cause =
            switch end.cause {
            case .known(let cause): words(cause, end.status)
            case .unknown(let word): Columns.printable(word)
            }
        return cause + (end.reason.map { " (\(Columns.printable($0)))" } ?? "")
    }

    /// The lines about what the user should know.
    static func problems(_ list: AppList) -> [String] {
        let ofApps = list.apps.compactMap { status in
            status.problem.map { "\(status.app.identifier): \($0)" }
        }
        return (ofApps + list.problems).map { "note: \(Columns.printable($0))" }
    }

    /// The rows of `undersong why`: the apps that run or wait in the background, and what does not
    /// run although it has work.
    static func rows(_ list: AppList?, limit: Int) -> [(String, String)] {
        let shown = (list?.apps ?? []).filter {
            $0.state == .known(.background) || $0.state == .known(.suspended)
        }
        var lines = shown.prefix(limit).map(line)
        if shown.count > limit { lines.append("and \(shown.count - limit) more: undersong app") }
        let held = (list?.problems ?? []).map { Columns.printable($0) }
        return Columns.rows("apps", lines) + Columns.rows("held", held)
    }

    private static func words(_ cause: AppEnd.Cause, _ status: Int32?) -> String {
        switch cause {
        case .exited: status.map { "it exited with \($0)" } ?? "it exited"
        case .signalled: status.map { "signal \($0 - 128) ended it" } ?? "a signal ended it"
        case .overstayed: "its time in the background was over"
        case .killed: "you closed it"
        case .unresponsive: "it did not connect in time"
        case .notStarted: "it could not be started"
        }
    }

    private static func date(_ seconds: Double) -> String {
        ClockText.local(seconds, as: "%Y-%m-%d %H:%M")
    }
}
