import CommandOptions
import Control

/// What the player does, as people read it.
enum StatusText {
    /// `▶ 1/12  0:41 / 4:05  First Song (userPaused)  muted`
    static func line(_ status: Status) -> String {
        var parts = ["\(symbol(status.status)) \(place(status))"]
        if let item = status.item {
            let length = item.duration.map { " / \(ClockText.text($0))" } ?? ""
            parts.append(ClockText.text(status.position) + length)
            parts.append(Columns.printable(item.title))
        }
        let settings = status.settings
        let marks =
            SoundMarks.marks(
                volume: settings.volume, isMuted: settings.muted, rate: settings.rate)
            + (status.deviceSilent == true ? [SoundMarks.deviceSilent] : [])
        return parts.joined(separator: "  ") + (status.reason.map { " (\($0))" } ?? "")
            + marks.map { "  " + $0 }.joined()
    }

    /// The line, and what goes with it.
    static func screen(_ status: Status) -> String {
        var lines = [line(status)]
        if let item = status.item { lines.append("  " + Columns.printable(item.path)) }
        lines.append("  " + settings(status.settings))
        if let sleep = status.sleep { lines.append("  " + SleepText.line(sleep)) }
        lines.append("  host \(status.host) (\(status.hostSource))" + suspended(status))
        return lines.joined(separator: "\n")
    }

    /// `volume 80, rate 1, repeat off, shuffle off`, and what else is not as usual.
    static func settings(_ settings: Settings) -> String {
        var parts = [
            volume(settings), rate(settings), repeatMode(settings), shuffle(settings),
        ]
        if settings.single { parts.append("single") }
        if settings.consume { parts.append("consume") }
        if settings.replayGain != "off" { parts.append("replay gain \(settings.replayGain)") }
        if settings.crossfade > 0 {
            parts.append("crossfade \(numberText(settings.crossfade)) s")
        }
        if settings.resumeItems == true { parts.append(resumeItems(settings)) }
        if settings.skipBack ?? 0 > 0 { parts.append(skipBack(settings)) }
        if let device = settings.outputDevice {
            parts.append("output \(Columns.printable(device))")
        }
        if settings.onUnplug ?? "pause" != "pause" { parts.append(onUnplug(settings)) }
        if settings.mixing ?? "exclusive" != "exclusive" { parts.append(mixing(settings)) }
        if settings.inhibit ?? "none" != "none" { parts.append(inhibit(settings)) }
        return parts.joined(separator: ", ")
    }

    static func resumeItems(_ settings: Settings) -> String {
        "resume items \(settings.resumeItems == true ? "on" : "off")"
    }

    static func skipBack(_ settings: Settings) -> String {
        "skip back \(numberText(settings.skipBack ?? 0)) s"
    }

    static func onUnplug(_ settings: Settings) -> String {
        "on unplug \(settings.onUnplug ?? "pause")"
    }

    static func mixing(_ settings: Settings) -> String {
        "mixing \(settings.mixing ?? "exclusive")"
    }

    static func inhibit(_ settings: Settings) -> String { "inhibit \(settings.inhibit ?? "none")" }

    static func volume(_ settings: Settings) -> String {
        "volume \(numberText(settings.volume))" + (settings.muted ? " (muted)" : "")
    }

    static func rate(_ settings: Settings) -> String { "rate \(numberText(settings.rate))" }

    static func repeatMode(_ settings: Settings) -> String { "repeat \(settings.repeat)" }

    static func shuffle(_ settings: Settings) -> String {
        "shuffle \(settings.shuffle ? "on" : "off")"
    }

    /// The sign that stands for a status.
    static func symbol(_ status: String) -> String {
        switch status {
        case "playing": "▶"
        case "waiting": "…"
        default: "⏸"
        }
    }

    /// `3/12`; `-/12` where no item is the current one.
    private static func place(_ status: Status) -> String {
        "\(status.item == nil ? "-" : "\(status.place + 1)")/\(status.count)"
    }

    private static func suspended(_ status: Status) -> String {
        status.suspended ? ", suspended" : ""
    }
}
