import UndersongBackground
import UndersongBase
import UndersongCommandOptions

/// Background fetches, refreshes and processing as text.
enum RefreshText {
    /// The next tasks with their reasons, and the last runs.
    static func status(_ reply: RefreshStatus) -> String {
        var rows = [("interval", interval(reply.interval))]
        if !reply.missing.isEmpty {
            rows.append(("missing", reply.missing.joined(separator: ", ")))
        }
        switch reply.availability {
        case .available: break
        case .denied:
            rows.append(("refresh", "denied; permit it with: undersong fetch allow"))
        case .restricted: rows.append(("refresh", "restricted: it cannot be switched on"))
        }
        if reply.shutDown {
            rows.append(("shut down", "nothing runs until the player is opened"))
        }
        for wish in reply.pending + reply.apps { rows += self.rows(wish, in: reply) }
        rows += fallbacks(reply)
        if reply.badge > 0 { rows.append(("new", String(reply.badge))) }
        if reply.pending.contains(where: { $0.kind == .processing }), !reply.promised {
            rows.append(
                ("promise", "none: the player has not been opened for more than a week"))
        }
        rows += Columns.rows("last", reply.runs.map { text($0, in: reply) })
        return Columns.lines(rows, column: 11)
    }

    /// The requests that are pending, one per line.
    static func pending(_ reply: RefreshStatus) -> String {
        let wishes = (reply.pending + reply.apps).filter { $0.request != nil }
        guard !wishes.isEmpty else { return "nothing is requested" }
        return wishes.map { wish in
            let date =
                wish.request?.earliestBeginDate.map { ", not before \(time($0, in: reply))" } ?? ""
            return name(wish) + date
        }.joined(separator: "\n")
    }

    /// The result of a run.
    static func end(_ run: RefreshRun) -> String {
        run.result.map { result($0, run.new) } ?? "running"
    }

    private static func result(_ result: RefreshResult, _ new: Int) -> String {
        switch result {
        case .newData: new > 0 ? "\(new) new" : "something new"
        case .noData: "nothing new"
        case .done: "done"
        case .interrupted: "interrupted when the service ended"
        case .overran: "failed: it ran out of time"
        case .failed: "failed"
        }
    }

    /// The time at which something is due, and the obstacles.
    static func rows(_ wish: RefreshForecast, in reply: RefreshStatus?) -> [(String, String)] {
        guard let reply else { return [] }
        let due = wish.due.map { $0 <= reply.now ? "now" : time($0, in: reply) } ?? "not yet"
        return [("due", "\(due): \(name(wish))")]
            + wish.obstacles.map { obstacle in
                let remedy = obstacle.remedy.map { " ('\($0)' changes that)" } ?? ""
                return ("because", Columns.printable(obstacle.text + remedy))
            }
    }

    /// The task and its kind, with the app whose task it is.
    private static func name(_ wish: RefreshForecast) -> String {
        let app = wish.app.map { " of \(Columns.printable($0))" } ?? ""
        return "\(Columns.printable(wish.identifier)) (\(wish.kind.rawValue))\(app)"
    }

    /// The substitutes for services of the machine that do not answer.
    static func fallbacks(_ reply: RefreshStatus?) -> [(String, String)] {
        (reply?.fallbacks ?? []).map { ("note", Columns.printable($0)) }
    }

    private static func text(_ run: RefreshRun, in reply: RefreshStatus) -> String {
        "\(time(run.began, in: reply)): \(Columns.printable(run.identifier)), "
            + "\(cause(run.cause)): \(end(run))\(cost(run))"
    }

    /// The processor time that a run has cost, if that is known.
    private static func cost(_ run: RefreshRun) -> String {
        run.processorTime.map { ", \(numberText(($0 * 100).rounded() / 100)) s of processor time" }
            ?? ""
    }

    /// The reason why a task has run.
    private static func cause(_ cause: RefreshCause) -> String {
        switch cause {
        case .schedule: "because it was due"
        case .push: "because of a push"
        case .simulate: "as a test"
        case .foreground: "because the player was opened"
        case .command: "at your request"
        }
    }

    private static func interval(_ interval: FetchInterval) -> String {
        guard case .seconds(let seconds) = interval else { return interval.word }
        return "\(ClockText.span(seconds)) at least"
    }

    /// The local date and time: `2026-11-24 08:30`.
    static func time(_ wall: Double, in reply: RefreshStatus) -> String {
        String(CalendarDate(secondsSince1970: wall + reply.utcOffset).text.prefix(16))
    }
}
