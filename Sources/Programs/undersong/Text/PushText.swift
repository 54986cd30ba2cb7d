import UndersongBase
import UndersongCommandOptions
import UndersongControl

/// Pushes as text.
enum PushText {
    /// `push 7 was delivered`
    static func receipt(_ reply: PushCall.Reply) -> String {
        let push = "push \(reply.push ?? 0)"
        let again = reply.duplicate == true ? " was accepted before, and" : ""
        guard let because = reply.because else {
            return "\(push)\(again) " + (again.isEmpty ? "was delivered" : "does not wait")
        }
        return "\(push)\(again) waits: \(reason(because))"
    }

    /// Why a push waits, and what releases it.
    static func reason(_ because: String) -> String {
        switch because {
        case "shutDown": "the service was shut down; 'undersong play' opens it again"
        case "notDeclared":
            "the mode is not declared: undersong capability remote-notification on"
        case "noWake":
            "it does not ask for a wake, so it waits until the player is in the foreground"
        case "noProgram": "no program handles it: undersong push run -- COMMAND"
        case "busy": "too many pushes are being handled"
        case "throttled": "there were too many wakes in the last hour"
        default: Columns.printable(because)
        }
    }

    /// `push 7 (net.example) for 3 min: the mode is not declared ...`
    static func line(_ waiting: PushState.Waiting) -> String {
        let wait = waiting.wait.map { ", next in \(span($0))" } ?? ""
        return "push \(waiting.push) (\(Columns.printable(waiting.topic))) waits: "
            + reason(waiting.because) + wait
    }

    /// Everything, one fact per line.
    static func screen(_ state: PushState) -> String {
        let counts = state.counts
        var rows = source(state)
        rows += [
            (
                "mode",
                state.declared
                    ? "remote-notification is declared" : reason("notDeclared")
            ),
            ("programs", state.programs == 0 ? "none" : "\(state.programs)"),
            (
                "wakes",
                "\(state.wakes) of 3" + (state.nextWake.map { ", next in \(span($0))" } ?? "")
            ),
        ]
        rows += state.waiting.enumerated().map { ($0 == 0 ? "waiting" : "", line($1)) }
        if state.waiting.isEmpty { rows.append(("waiting", "none")) }
        rows.append(
            (
                "counted",
                "\(counts.received) received: \(counts.handled) handled, "
                    + "\(counts.superseded) superseded, \(counts.abandoned) abandoned, "
                    + "\(state.waiting.count) waiting, \(counts.handling) being handled"
            ))
        rows.append(
            ("", "\(counts.duplicates) repeated, \(counts.refused) refused"))
        return lines(rows)
    }

    /// Rows of a name and a text, as lines.
    static func lines(_ rows: [(String, String)]) -> String {
        rows.map { name, text in
            name + String(repeating: " ", count: max(1, 12 - name.count)) + text
        }.joined(separator: "\n")
    }

    /// The token, and what senders by UnifiedPush need.
    static func token(_ reply: PushCall.Reply) -> String {
        let subscription = reply.state?.subscription
        let rows = subscription.map { keys($0) + trouble($0).map { ("state", $0) } } ?? []
        return (reply.token ?? "") + (rows.isEmpty ? "" : "\n" + lines(rows))
    }

    /// Where pushes come from, and how that is.
    static func source(_ state: PushState) -> [(String, String)] {
        var rows = [("provider", provider(state))]
        guard let subscription = state.subscription else { return rows }
        rows += keys(subscription)
        if subscription.refused > 0 {
            let last = subscription.refusal.map { ", the last because \(Columns.printable($0))" }
            rows.append(("unreadable", "\(subscription.refused)\(last ?? "")"))
        }
        return rows
    }

    /// `ntfy, https://ntfy.example/topic`
    static func provider(_ state: PushState) -> String {
        guard let subscription = state.subscription else {
            return state.provider + (state.url.map { ", \(Columns.printable($0))" } ?? "")
        }
        if let trouble = trouble(subscription).first { return "\(state.provider): \(trouble)" }
        let distributor = subscription.distributor.map { " with \(Columns.printable($0))" } ?? ""
        return subscription.state == "registered"
            ? "\(state.provider), registered\(distributor)"
            : "\(state.provider), registering\(distributor)"
    }

    private static func keys(_ subscription: PushSubscription) -> [(String, String)] {
        guard let endpoint = subscription.endpoint else { return [] }
        return [
            ("endpoint", Columns.printable(endpoint)),
            ("p256dh", Columns.printable(subscription.p256dh ?? "")),
            ("auth", Columns.printable(subscription.auth ?? "")),
        ]
    }

    /// Why no pushes come by UnifiedPush; empty if they do, or are about to.
    static func trouble(_ subscription: PushSubscription) -> [String] {
        guard subscription.state == "failed" else { return [] }
        let retry = subscription.retry.map { ", next attempt in \(span($0))" } ?? ""
        return [
            problem(subscription.because ?? "", of: subscription.distributor) + retry
        ]
    }

    private static func problem(_ because: String, of distributor: String?) -> String {
        let name = distributor.map { Columns.printable($0) }
        switch because {
        case "noBus": return "there is no session bus"
        case "nameTaken": return "another program has this service's name on the session bus"
        case "noDistributor":
            return name.map { "\($0) is not running" } ?? "no distributor is running"
        case "notKept": return "the registration cannot be written to the disk"
        case "noKeys": return "the system has no random numbers for keys"
        case "internalError": return "the distributor has failed"
        case "network": return "the distributor does not reach the network"
        case "actionRequired": return "the distributor needs attention, such as a login"
        case "vapidRequired":
            return "the distributor wants to know the sender: "
                + "undersong push provider unifiedpush --vapid KEY"
        case "unauthorized": return "the distributor accepts sandboxed applications only"
        case "noAnswer": return "the distributor does not answer"
        case "noEndpoint": return "the distributor has not named an endpoint"
        case "invalidAnswer": return "the distributor's answer is not valid"
        case "unregistered": return "the distributor has ended the registration"
        case "unknown": return "undersong-transferd does not answer"
        default: return Columns.printable(because)
        }
    }

    private static func span(_ seconds: Double) -> String {
        ClockText.span(nanoseconds: Int64(min(max(seconds, 0), 1e9) * 1e9))
    }

    // MARK: Payloads

    /// The payload with these values: `{"aps":{"content-available":1},"content-id":42}`
    static func payload(_ isContentAvailable: Bool, alert: String?, _ data: [String]) -> String {
        var aps: [String] = []
        if let alert { aps.append("\"alert\":\(JSONLine.text(of: alert))") }
        if isContentAvailable { aps.append("\"content-available\":1") }
        let members = data.map { entry in
            let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return "\(JSONLine.text(of: String(parts[0]))):\(value(String(parts[1])))"
        }
        return "{" + (["\"aps\":{\(aps.joined(separator: ","))}"] + members).joined(separator: ",")
            + "}"
    }

    /// A number, true, false and null as they are, anything else as a string.
    private static func value(_ word: String) -> String {
        let json = try? JSONText(Array(word.utf8))
        let isPlain =
            json?.value.count == word.utf8.count && !["\"", "[", "{"].contains(word.prefix(1))
        return isPlain ? word : JSONLine.text(of: word)
    }
}
