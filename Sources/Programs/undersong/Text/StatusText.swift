import Glibc
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback

/// Formats the player's status.
enum StatusText {
    /// `▶ 1/12  0:41 / 4:05  First Song (userPaused)  muted`
    static func line(_ status: PlayerStatus) -> String {
        var parts = ["\(symbol(status.status)) \(place(status))"]
        if let item = status.item {
            let length = item.length.map { " / \(ClockText.text($0))" } ?? ""
            parts.append(ClockText.text(status.elapsed ?? 0) + length)
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
        if let badge = status.badge { lines.append("  \(badge) new since the player was opened") }
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
    /// True if the value differs from the default.
    fileprivate func isUnusual(in settings: Settings) -> Bool {
        settings[name] != wireValue(in: PlayerSettings())
    }
}

/// The reasons why nothing is heard, in words for people. Programs read their names.
enum ReasonText {
    /// The words for a reason. `count` is the number of items in the queue.
    static func words(_ reason: Open<SilenceReason>, count: Int) -> String {
        switch reason {
        case .known(let reason): words(reason, count: count)
        case .unknown(let word): Columns.printable(word)
        }
    }

    private static func words(_ reason: SilenceReason, count: Int) -> String {
        switch reason {
        case .userPaused: "paused"
        case .oldDeviceUnavailable: "paused, the device was unplugged"
        case .interruptionEnded: "paused after an interruption"
        case .appBackgrounded, .categoryForbidsBackground: "silent in the background"
        case .interrupted: "interrupted"
        case .hostStopped: "stopped by job control"
        case .deviceMissing: "the device is missing"
        case .noItemToPlay: count == 0 ? "the queue is empty" : "end of the queue"
        case .evaluatingBufferingRate: "opening"
        case .toMinimizeStalls: "waiting for data"
        case .noOutput: "waiting for the sound server"
        }
    }

    /// The words for a status; nil while it plays. A paused player without items has none to play.
    static func words(_ status: PlayerStatus) -> String? {
        if status.count == 0, status.status != .playing { return "the queue is empty" }
        if status.status == .waiting, let trouble = status.network?.trouble {
            return Columns.printable(trouble)
        }
        return status.reason.map { words($0, count: status.count) }
    }
}

/// Formats times.
enum ClockText {
    /// `4:05`, or `1:04:05` from an hour on. Fractions of a second are dropped.
    static func text(_ seconds: Double) -> String { clockText(seconds) }

    /// `4:05`.
    static func text(_ time: WireTime) -> String { text(time.seconds) }

    /// `23:15`, in the local time zone. The time is in seconds since 1970.
    static func timeOfDay(_ seconds: Double) -> String { local(seconds, as: "%H:%M") }

    /// A time in seconds since 1970, formatted by `strftime` in the local time zone.
    static func local(_ seconds: Double, as format: String) -> String {
        var time = time_t(min(max(seconds, -6e10), 2.5e11))
        var parts = unsafe tm()
        var text = [CChar](repeating: 0, count: 64)
        unsafe localtime_r(&time, &parts)
        let count = unsafe strftime(&text, text.count, format, &parts)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A duration in seconds.
    static func span(_ seconds: Double) -> String {
        span(nanoseconds: Int64(min(max(seconds, 0), 1e9) * 1e9))
    }

    /// A duration: `0.3 s`, `12 s`, `3 min 5 s`, `2 h 4 min`.
    static func span(nanoseconds: Int64) -> String {
        let tenths = max(nanoseconds, 0) / 100_000_000
        let seconds = tenths / 10
        switch seconds {
        case ..<10: return "\(seconds).\(tenths % 10) s"
        case ..<60: return "\(seconds) s"
        case ..<3600: return "\(seconds / 60) min \(seconds % 60) s"
        default: return "\(seconds / 3600) h \(seconds / 60 % 60) min"
        }
    }
}
