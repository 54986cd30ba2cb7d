import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// Formats the player's status.
enum StatusText {
    /// `▶ 1/12  0:41 / 4:05  First Song (userPaused)  muted`
    static func line(_ status: PlayerStatus) -> String {
        var parts = ["\(symbol(status.status)) \(place(status))"]
        if let item = status.item {
            let length = item.duration.map { " / \(ClockText.text($0))" } ?? ""
            parts.append(ClockText.text(status.position) + length)
            parts.append(item.name)
        }
        let settings = status.settings
        let marks =
            SoundMarks.marks(
                volume: settings.volume ?? 100, isMuted: settings.muted == true,
                rate: settings.rate ?? 1)
            + (status.deviceSilent == true ? [SoundMarks.deviceSilent] : [])
        return parts.joined(separator: "  ")
            + (ReasonText.words(status).map { " (\($0))" } ?? "")
            + marks.map { "  " + $0 }.joined()
    }

    /// The line, and details below it.
    static func screen(_ status: PlayerStatus) -> String {
        var lines = [line(status)]
        if let item = status.item { lines.append("  " + Columns.printable(item.path)) }
        lines.append("  " + settings(status.settings))
        if let gain = status.replayGain { lines.append("  replay gain " + WhyText.text(gain)) }
        if let sleep = status.sleep { lines.append("  " + SleepText.line(sleep)) }
        lines.append("  host \(status.host.name) (\(status.hostSource))" + suspended(status))
        return lines.joined(separator: "\n")
    }

    /// `volume 80, rate 1, repeat off, shuffle off`, and other settings that are not at their
    /// defaults.
    static func settings(_ settings: Settings) -> String {
        commandSettings.map { $0.texts }.compactMap { texts in
            switch texts.style {
            case .always: setting(texts, of: settings)
            case .ifUnusual: texts.row.isUnusual(in: settings) ? setting(texts, of: settings) : nil
            case .mark: texts.row.isUnusual(in: settings) ? texts.label : nil
            case .remark: nil
            }
        }.joined(separator: ", ")
    }

    /// `skip back 15 s`; `volume 80 (muted)`, which is also the text of what is muted.
    static func setting(_ texts: SettingTexts, of settings: Settings) -> String {
        if case .remark(let other) = texts.style { return setting(other.texts, of: settings) }
        let value =
            switch settings[texts.row.name] {
            case .number(let number): numberText(number)
            case .flag(let isOn): isOn ? Switch.on.rawValue : Switch.off.rawValue
            case .text(let text): Columns.printable(text)
            case nil: "default"
            }
        let remarks = commandSettings.map { $0.texts }.filter { other in
            guard case .remark(on: let setting) = other.style else { return false }
            return setting.texts.row.name == texts.row.name && other.row.isUnusual(in: settings)
        }
        return "\(texts.label) \(value)\(texts.unit)"
            + remarks.map { " (\($0.label))" }.joined()
    }

    /// The symbol of a status.
    static func symbol(_ status: PlayingState) -> String {
        switch status {
        case .playing: "▶"
        case .waiting: "…"
        case .paused: "⏸"
        }
    }

    /// `3/12`; `-/12` without a current item.
    private static func place(_ status: PlayerStatus) -> String {
        "\(status.item == nil ? "-" : "\(status.place + 1)")/\(status.count)"
    }

    private static func suspended(_ status: PlayerStatus) -> String {
        status.suspended ? ", suspended" : ""
    }
}

extension SettingRow {
    /// Whether the value differs from the default.
    fileprivate func isUnusual(in settings: Settings) -> Bool {
        settings[name] != wireValue(in: PlayerSettings())
    }
}
