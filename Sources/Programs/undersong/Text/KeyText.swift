import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback

/// Formats the list of keys.
enum KeyText {
    /// Keys, and what they do.
    struct Entry: Equatable {
        var keys: String
        var meaning: String
    }

    static let pause = Entry(keys: "space", meaning: "pause, resume")
    static let skip = Entry(keys: "n p", meaning: "next, previous item")
    static let order = Entry(keys: "s r", meaning: "random order, repeat")
    static let background = Entry(keys: "b", meaning: "background sound on, off")
    static let seek = Entry(keys: "→ ←", meaning: "five seconds forward, back")
    static let speed = Entry(keys: "] [ =", meaning: "faster, slower, normal speed")
    static let parts = Entry(keys: "0 … 9", meaning: "start, 10 % … 90 % of the item")
    static let help = Entry(keys: "?", meaning: "these keys")

    private static let ownersEnds = [
        Entry(keys: "d", meaning: "detach, and play on"),
        Entry(keys: "q", meaning: "stop, and quit"),
    ]
    private static let onlookersEnds = [Entry(keys: "d q", meaning: "leave, and play on")]
    private static let right = [
        seek, Entry(keys: "↑ ↓ m", meaning: "louder, softer, mute"), speed, parts, background,
        help,
    ]

    /// The text of `?`: side by side if `columns` suffice, otherwise one below the other. `ownsRun`
    /// is whether the key q stops what plays; the user's `own` keys come last.
    static func lines(columns: Int, ownsRun: Bool, own: [Entry] = []) -> [String] {
        lines(
            [pause, skip, order] + (ownsRun ? ownersEnds : onlookersEnds), right, columns: columns)
            + lines(own, [], columns: columns)
    }

    /// Two lists: side by side if `columns` suffice, otherwise one below the other.
    static func lines(_ left: [Entry], _ right: [Entry], columns: Int) -> [String] {
        let (left, right) = (texts(left), texts(right))
        let width = (left.map(Columns.width).max() ?? 0) + 2
        let pairs = (0..<max(left.count, right.count)).map { index in
            let first = index < left.count ? left[index] : ""
            return index < right.count ? Columns.padded(first, to: width) + right[index] : first
        }
        if pairs.allSatisfy({ Columns.width(of: $0) <= columns }) { return pairs }
        return (left + right).map { Columns.fitted($0, into: columns) }
    }

    private static func texts(_ entries: [Entry]) -> [String] {
        let width = (entries.map { Columns.width(of: $0.keys) }.max() ?? 0) + 2
        return entries.map { Columns.padded($0.keys, to: width) + $0.meaning }
    }
}

/// Formats what a key has just changed.
enum NoteText {
    /// `background sound on`, if the mode `audio` is declared now.
    static func background(_ status: CapabilityStatus) -> String {
        let isDeclared = status.modes.contains { $0.mode == .known(.audio) && $0.declared }
        return "background sound " + (isDeclared ? "on" : "off")
    }

    /// `volume 60 %`, `muted`, `speed 1.1×`, `repeat all`, `shuffle on`; empty for other keys.
    static func text(_ key: Key, _ settings: Settings) -> String {
        switch key {
        case .volume, .mute:
            let volume = "volume \(numberText((settings.volume ?? 100).rounded())) %"
            return settings.muted == true ? volume + ", muted" : volume
        case .rate: return "speed \(numberText(((settings.rate ?? 1) * 100).rounded() / 100))×"
        case .shuffle: return "shuffle " + (settings.shuffle == true ? "on" : "off")
        case .repeatMode: return "repeat \((settings.repeat ?? .off).rawValue)"
        default: return ""
        }
    }
}
