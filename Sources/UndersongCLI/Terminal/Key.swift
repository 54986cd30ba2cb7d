/// The command of a key.
enum Key: Equatable, Sendable {
    case togglePause
    case next, previous
    /// Seeks by this many seconds, forward or back.
    case seek(Double)
    /// Changes the volume by this many percent.
    case volume(Double)
    case mute
    /// Multiplies the rate by this factor; nil resets it.
    case rate(Double?)
    case shuffle, repeatMode
    case quit
    /// Shows the keys.
    case help

    private static let plain: [Character: Key] = [
        " ": .togglePause, "n": .next, ">": .next, "p": .previous, "<": .previous, "m": .mute,
        "[": .rate(1 / 1.1), "]": .rate(1.1), "=": .rate(nil), "s": .shuffle, "r": .repeatMode,
        "q": .quit, "?": .help,
    ]
    /// The arrow keys, by the last letter of their escape sequence.
    private static let arrows: [Character: Key] = [
        "A": .volume(5), "B": .volume(-5), "C": .seek(5), "D": .seek(-5),
    ]

    /// The keys in `text`, as sent by a terminal.
    static func all(in text: some StringProtocol) -> [Key] {
        var keys: [Key] = []
        var rest = text[...]
        while let first = rest.popFirst() {
            if first == "\u{1B}", let second = rest.first, "[O".contains(second) {
                rest.removeFirst()
                let end = rest.firstIndex(where: \.isLetter)
                if let end, let key = arrows[rest[end]] { keys.append(key) }
                rest = end.map { rest[rest.index(after: $0)...] } ?? ""
            } else if let key = plain[first] {
                keys.append(key)
            }
        }
        return keys
    }
}
