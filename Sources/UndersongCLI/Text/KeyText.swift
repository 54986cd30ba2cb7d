import CommandOptions

/// Formats the list of keys.
enum KeyText {
    private struct Entry {
        var keys: String
        var meaning: String
    }

    private static let left = [
        Entry(keys: "space", meaning: "pause, resume"),
        Entry(keys: "n p", meaning: "next, previous item"),
        Entry(keys: "s r", meaning: "random order, repeat"),
        Entry(keys: "d", meaning: "detach, and play on"),
        Entry(keys: "q", meaning: "stop, and quit"),
    ]
    private static let right = [
        Entry(keys: "→ ←", meaning: "five seconds forward, back"),
        Entry(keys: "↑ ↓ m", meaning: "louder, softer, mute"),
        Entry(keys: "] [ =", meaning: "faster, slower, normal speed"),
        Entry(keys: "0 … 9", meaning: "start, 10 % … 90 % of the item"),
        Entry(keys: "?", meaning: "these keys"),
    ]

    /// The text of `?`: side by side if `columns` suffice, otherwise one below the other.
    static func lines(columns: Int) -> [String] {
        let (left, right) = (texts(left), texts(right))
        let width = (left.map(Columns.width).max() ?? 0) + 2
        let pairs = zip(left, right).map { padded($0, to: width) + $1 }
        if pairs.allSatisfy({ Columns.width(of: $0) <= columns }) { return pairs }
        return (left + right).map { Columns.fitted($0, into: columns) }
    }

    private static func texts(_ entries: [Entry]) -> [String] {
        let width = (entries.map { Columns.width(of: $0.keys) }.max() ?? 0) + 2
        return entries.map { padded($0.keys, to: width) + $0.meaning }
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(width - Columns.width(of: text), 0))
    }
}
