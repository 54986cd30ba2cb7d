import UndersongBackground
import UndersongBase
import UndersongCommandOptions

/// Pushes as text.
enum PushText {
    /// `push 7 was delivered`
    static func receipt(_ receipt: PushReceipt) -> String {
        let push = "push \(receipt.push)" + (receipt.duplicate ? " was accepted before, and" : "")
        if let reason = receipt.reason { return "\(push) waits: \(text(of: reason))" }
        return push + (receipt.duplicate ? " does not wait" : " was delivered")
    }

    /// `ntfy.sh has accepted the push`
    static func receipt(_ receipt: PublishedPush) -> String {
        let limit = receipt.lifetime.map { seconds in
            seconds == 0
                ? ", and does not keep it" : ", and keeps it for \(ClockText.span(Double(seconds)))"
        }
        return "\(Columns.printable(receipt.host)) has accepted the push" + (limit ?? "")
    }

    /// The reason why a push waits, and what releases it.
    static func text(of reason: Open<PushObstacle>) -> String {
        switch reason {
        case .known(.shutDown): "the service was shut down; 'undersong play' opens it again"
        case .known(.notDeclared):
            "the mode is not declared: undersong capability remote-notification on"
        case .known(.noWake):
            "it does not ask for a wake, so it waits until the player is in the foreground"
        case .known(.noProgram): "no program handles it: undersong push run -- COMMAND"
        case .known(.programStopped): "the program that handles it is stopped"
        case .known(.busy): "too many pushes are being handled"
        case .known(.throttled): "there were too many wakes in the last hour"
        case .unknown(let word): Columns.printable(word)
        }
    }

    /// `push 7 (net.example) for 3 min: the mode is not declared ...`
    static func line(_ waiting: PushStatus.Waiting) -> String {
        let wait = waiting.wait.map { ", next in \(ClockText.span($0))" } ?? ""
        return "push \(waiting.push) (\(Columns.printable(waiting.topic))) waits: "
            + text(of: waiting.reason) + wait
    }

    /// Everything, one fact per line.
    static func screen(_ status: PushStatus) -> String {
        let counts = status.counts
        var rows = source(status)
        rows += [
            (
                "mode",
                status.declared
                    ? "remote-notification is declared" : text(of: .known(.notDeclared))
            ),
            ("programs", status.programs == 0 ? "none" : "\(status.programs)"),
            (
                "wakes",
                "\(status.wakes) of \(PushThrottle.capacity)"
                    + (status.nextWake.map { ", next in \(ClockText.span($0))" } ?? "")
            ),
        ]
        rows += Columns.rows(
            "waiting", status.waiting.isEmpty ? ["none"] : status.waiting.map(line))
        rows.append(
            (
                "counted",
                "\(counts.received) received: \(counts.handled) handled, "
                    + "\(counts.superseded) superseded, \(counts.abandoned) abandoned, "
                    + "\(status.waiting.count) waiting, \(counts.handling) being handled"
            ))
        rows.append(
            ("", "\(counts.duplicates) repeated, \(counts.refused) refused"))
        return Columns.lines(rows)
    }

    /// The token, and what senders by UnifiedPush need.
    static func token(_ token: PushToken) -> String {
        let rows = token.subscription.map { keys($0) + trouble($0).map { ("state", $0) } } ?? []
        return token.token + (rows.isEmpty ? "" : "\n" + Columns.lines(rows))
    }

    /// The origin of pushes, and its state.
    static func source(_ status: PushStatus) -> [(String, String)] {
        var rows = [("provider", provider(status))]
        guard let subscription = status.subscription else { return rows }
        rows += keys(subscription)
        if subscription.refused > 0 {
            let last = subscription.refusal.map { ", the last because \(Columns.printable($0))" }
            rows.append(("unreadable", "\(subscription.refused)\(last ?? "")"))
        }
        return rows
    }

    /// `ntfy, https://ntfy.example/topic`
    static func provider(_ status: PushStatus) -> String {
        let provider = Columns.printable(status.provider.word)
        guard let subscription = status.subscription else {
            return provider + (status.url.map { ", \(Columns.printable($0))" } ?? "")
        }
        if let trouble = trouble(subscription).first { return "\(provider): \(trouble)" }
        let distributor = subscription.distributor.map { " with \(Columns.printable($0))" } ?? ""
        return "\(provider), \(subscription.state.rawValue)\(distributor)"
    }

    private static func keys(_ subscription: UnifiedPushStatus) -> [(String, String)] {
        guard let endpoint = subscription.endpoint else { return [] }
        return [
            ("endpoint", Columns.printable(endpoint)),
            ("p256dh", Columns.printable(subscription.p256dh ?? "")),
            ("auth", Columns.printable(subscription.auth ?? "")),
        ]
    }

    /// The reason why no pushes come by UnifiedPush; empty if they do, or are about to.
    static func trouble(_ subscription: UnifiedPushStatus) -> [String] {
        guard let reason = subscription.reason else { return [] }
        let retry = subscription.retry.map { ", next attempt in \(ClockText.span($0))" } ?? ""
        return [text(of: reason, distributor: subscription.distributor) + retry]
    }

    private static func text(
        of problem: Open<UnifiedPushProblem>, distributor: String?
    ) -> String {
        switch problem {
        case .known(.noBus): "there is no session bus"
        case .known(.nameTaken): "another program has this service's name on the session bus"
        case .known(.noDistributor):
            distributor.map { "\(Columns.printable($0)) is not running" }
                ?? "no distributor is running"
        case .known(.notKept): "the registration cannot be written to the disk"
        case .known(.noKeys): "the system has no random numbers for keys"
        case .known(.internalError): "the distributor has failed"
        case .known(.network): "the distributor does not reach the network"
        case .known(.actionRequired): "the distributor needs attention, such as a login"
        case .known(.vapidRequired):
            "the distributor wants to know the sender: "
                + "undersong push provider unifiedpush --vapid KEY"
        case .known(.unauthorized): "the distributor accepts sandboxed applications only"
        case .known(.noAnswer): "the distributor does not answer"
        case .known(.noEndpoint): "the distributor has not named an endpoint"
        case .known(.invalidAnswer): "the distributor's answer is not valid"
        case .known(.unregistered): "the distributor has ended the registration"
        case .known(.unknown): "undersong-transferd does not answer"
        case .unknown(let word): Columns.printable(word)
        }
    }

    // MARK: Payloads

    /// The payload with these values: `{"aps":{"content-available":1},"content-id":42}`
    static func payload(_ made: MadePayload) -> String {
        let values = [
            ("alert", made.alert.map { JSONLine.text(of: $0) }),
            ("badge", made.badge.map { String($0) }),
            ("sound", made.sound.map { JSONLine.text(of: $0) }),
            ("category", made.category.map { JSONLine.text(of: $0) }),
            ("content-available", made.contentAvailable ? "1" : nil),
        ]
        let aps = values.compactMap { key, value in value.map { "\"\(key)\":\($0)" } }
        let members = made.data.map { entry in
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
