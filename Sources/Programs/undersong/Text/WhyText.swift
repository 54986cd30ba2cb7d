import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback
import UndersongTransfers

/// The reasons for sound or silence, with what the client asks for besides.
struct Reasons: Encodable {
    var why: Why
    /// Downloads that are not over. The service does not know them.
    var downloads: TransferList?
    /// Background fetches, refreshes and processing.
    var background: RefreshStatus?
    /// The apps, and other programs that do not run although they have work.
    var apps: AppList?

    private enum CodingKeys: CodingKey { case downloads, background, apps }

    init(_ why: Why) { self.why = why }

    /// Encodes the reasons, all in one object.
    func encode(to encoder: any Encoder) throws {
        try why.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encodeIfPresent(downloads, forKey: .downloads)
        try members.encodeIfPresent(background, forKey: .background)
        try members.encodeIfPresent(apps, forKey: .apps)
    }
}

/// Explains on one screen why there is sound or silence.
struct WhyText {
    /// The number of downloads, of pushes and of apps that are shown.
    static let downloadLimit = 5

    private let reasons: Reasons
    private let isPipe: Bool

    private var why: Why { reasons.why }

    /// `isPipe` says whether the current item is a named pipe.
    init(_ reasons: Reasons, isPipe: Bool = false) {
        self.reasons = reasons
        self.isPipe = isPipe
    }

    /// One fact per line, the answer first.
    var screen: String {
        var rows = [("player", StatusText.line(why.status))] + unheard
        rows.append(("wanted", wanted))
        rows += suppressions
        if let sleep = why.status.sleep { rows.append(("sleep", SleepText.line(sleep))) }
        rows.append(("volume", volume))
        let rate = numberText(why.status.settings.rate ?? 1)
        if rate != "1" { rows.append(("rate", rate)) }
        rows.append(("host", host))
        rows += clients
        if let said = why.hostOverride {
            rows.append(("override", "\(said.name), by 'undersong host'"))
        }
        if let session = why.loginSession { rows.append(("login", session)) }
        rows.append(("capability", capability))
        rows.append(("category", why.category.rawValue))
        rows.append(("output", why.output))
        rows += sound
        rows.append(("item", item))
        if let gain = why.status.replayGain { rows.append(("replay gain", Self.text(gain))) }
        if let network = why.status.network { rows.append(("network", Self.text(network))) }
        rows.append(("tasks", tasks))
        rows += downloads + pushes + LocationText.rows(why.locations)
        rows += (reasons.background?.pending ?? []).flatMap {
            RefreshText.rows($0, in: reasons.background)
        }
        rows += RefreshText.fallbacks(reasons.background)
        rows += AppText.rows(reasons.apps, limit: Self.downloadLimit)
        if let trouble = why.stateTrouble { rows.append(("state", Columns.printable(trouble))) }
        if let trouble = why.libraryTrouble {
            rows += Columns.rows(
                "library", [trouble.reason, trouble.remedy].map(Columns.printable))
        }
        return Columns.lines(rows)
    }

    /// The reasons why nothing is heard although the player is playing.
    private var unheard: [(String, String)] {
        guard why.status.status == .playing else { return [] }
        var reasons = (why.silencedBy ?? []).map(reason)
        if let start = why.digitalSilenceSince {
            reasons.append("the sound itself is digital silence, \(since(start))")
        }
        return Columns.rows("not heard", reasons)
    }

    private func reason(_ silencer: Why.Silencer) -> String {
        let device = why.sound?.outputs.current
        let name = Columns.printable(device?.name ?? "")
        switch silencer {
        case .muted: return "the player is muted"
        case .volumeZero: return "the player's volume is 0"
        case .deviceMuted:
            return "the device is muted (unmute it with: pactl set-sink-mute \(name) 0)"
        case .deviceVolumeZero:
            return "the device's volume is 0 (raise it with: pactl set-sink-volume \(name) 50%)"
        }
    }

    /// `80`; with the remedy if nothing can be heard.
    private var volume: String {
        let settings = why.status.settings
        if settings.muted == true { return "muted (unmute with: undersong volume unmute)" }
        let volume = numberText(settings.volume ?? 100)
        return volume == "0" ? "0 (raise it with: undersong volume 50)" : volume
    }

    private var wanted: String {
        guard !why.status.wantsPlayback else { return "sound" }
        guard let reason = why.status.reason, reason != .known(.userPaused) else {
            return "silence, by the user"
        }
        return "silence (\(ReasonText.words(reason, count: why.status.count)))"
    }

    /// The thing that the player waits for, the sound server last: that may be gone without being
    /// noticed.
    private var awaited: String {
        if why.status.status == .waiting {
            if let trouble = why.status.network?.trouble { return Columns.printable(trouble) }
            if let words = ReasonText.words(why.status) { return words }
        }
        let isLost = why.sound?.outputs.isLost == true
        return isLost ? ReasonText.words(.known(.noOutput), count: why.status.count) : "by nothing"
    }

    /// The reasons that forbid sound, or else what is waited for.
    private var suppressions: [(String, String)] {
        guard !why.suppressions.isEmpty else { return [("blocked", awaited)] }
        let texts = why.suppressions.map { suppression in
            ReasonText.words(suppression.reason, count: why.status.count)
                + ", \(since(suppression.since))"
        }
        return Columns.rows("blocked", texts)
    }

    private var host: String {
        let suspended = why.status.suspended ? ", suspended: nothing runs" : ""
        return "\(why.status.host.name), \(since(why.hostSince)) (\(why.status.hostSource))"
            + suspended
    }

    private var clients: [(String, String)] {
        let texts = why.clients.map { client in
            "\(Columns.printable(client.name)) (process \(client.process)): "
                + "\(client.state.name) (\(client.source))"
        }
        return Columns.rows("clients", texts.isEmpty ? ["none"] : texts)
    }

    private var capability: String {
        let declared = why.audioCapability ? "audio is declared" : "audio is not declared"
        return why.capabilitySource == "none"
            ? declared + ": there is no manifest"
            : "\(declared) in \(Columns.printable(why.capabilitySource))"
    }

    /// The sound server, if sound goes to one, and the state of its connection.
    private var sound: [(String, String)] {
        guard let sound = why.sound else { return [] }
        var rows = [("server", server(sound))]
        if !sound.outputs.isLost { rows.append(("route", route(sound.outputs))) }
        if let chosen = sound.outputs.chosen { rows.append(("chosen", Columns.printable(chosen))) }
        let settings = why.status.settings
        rows.append(("on unplug", (settings.onUnplug ?? .pause).rawValue))
        rows.append(("mixing", (settings.mixing ?? .exclusive).rawValue))
        return rows
            + Columns.rows("interrupted", sound.interruptions.map { SoundText.interruption($0) })
    }

    private func server(_ sound: Why.Sound) -> String {
        guard sound.outputs.isLost else {
            return sound.outputs.server.map { Columns.printable($0) } ?? "none has answered yet"
        }
        let reason = Columns.printable(sound.outputs.lostReason ?? "unknown")
        return "lost" + (sound.lostSince.map { " \(since($0))" } ?? "") + ": \(reason)"
    }

    private func route(_ outputs: Outputs) -> String {
        outputs.current.map { OutputText.name($0) + OutputText.loudness($0) } ?? "no device"
    }

    private var item: String {
        guard let item = why.status.item else { return "none" }
        let path = Columns.printable(item.path == "-" ? "the standard input" : item.path)
        let isOpening = why.status.reason == .known(.evaluatingBufferingRate)
        return isPipe && isOpening ? path + ", a pipe: waiting for what writes to it" : path
    }

    /// `-3.2 dB for the track, as measured`
    static func text(_ gain: AppliedGain) -> String {
        let source =
            switch gain.source {
            case .measured: "as measured"
            case .tags: "by its tags"
            }
        return "\(numberText(gain.decibels)) dB for the \(gain.mode.rawValue), \(source)"
    }

    /// `receiving from example.org, 1.2 of 4.5 MB`
    private static func text(_ network: NetworkItemState) -> String {
        if let trouble = network.trouble { return Columns.printable(trouble) }
        let host = Columns.printable(network.host)
        let words =
            switch network.state {
            case .connecting: "connecting to \(host)"
            case .receiving: "receiving from \(host)"
            case .failed: "\(host) has failed"
            case .idle, .waiting: "enough has been received from \(host)"
            }
        if network.live {
            return words + (network.station.map { ", live: " + Columns.printable($0) } ?? ", live")
        }
        let received = TransferText.size(network.received)
        return words + ", "
            + (network.total.map { "\(received) of \(TransferText.size($0))" } ?? received)
    }

    private var tasks: String {
        guard !why.tasks.isEmpty else { return "none" }
        let names = why.tasks.map { Columns.printable($0) }.joined(separator: ", ")
        guard let left = why.backgroundTimeRemaining else { return names }
        return names + ", \(ClockText.span(left)) left"
    }

    /// The downloads, each with what it is doing or waits for.
    private var downloads: [(String, String)] {
        guard let list = reasons.downloads, !list.transfers.isEmpty else { return [] }
        var lines = list.transfers.map(TransferText.line)
        let rest = (list.count ?? lines.count) - lines.count
        if rest > 0 { lines.append("and \(rest) more: undersong download list") }
        return Columns.rows("downloads", lines)
    }

    /// The pushes that wait, and why.
    private var pushes: [(String, String)] {
        guard let waiting = why.pushes?.waiting else { return [] }
        var lines = why.pushes?.subscription.map { PushText.trouble($0) } ?? []
        lines += waiting.prefix(Self.downloadLimit).map(PushText.line)
        let rest = waiting.count - Self.downloadLimit
        if rest > 0 { lines.append("and \(rest) more: undersong push status") }
        return Columns.rows("pushes", lines)
    }

    private func since(_ moment: Int64) -> String {
        "for \(ClockText.span(nanoseconds: why.now - moment))"
    }
}
