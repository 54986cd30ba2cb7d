/// The command of a key.
enum Key: Equatable, Sendable {
    case togglePause
    case next, previous
    /// Seeks by this many seconds, forward or back.
    case seek(Double)
    /// Seeks to this part of the item's length, 0 to 0.9.
    case part(Double)
    /// Changes the volume by this many percent.
    case volume(Double)
    case mute
    /// Multiplies the rate by this factor; nil resets it.
    case rate(Double?)
    case shuffle, repeatMode
    case quit
    /// Ends this program and lets the music play on.
    case detach
    /// Shows the keys.
    case help
    /// A key that does nothing.
    case unknown

    private static let plain: [Character: Key] = [
        " ": .togglePause, "n": .next, ">": .next, "p": .previous, "<": .previous, "m": .mute,
        "[": .rate(1 / 1.1), "]": .rate(1.1), "=": .rate(nil), "s": .shuffle, "r": .repeatMode,
        "q": .quit, "d": .detach, "?": .help,
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
                keys.append(end.flatMap { arrows[rest[$0]] } ?? .unknown)
                rest = end.map { rest[rest.index(after: $0)...] } ?? ""
            } else if first.isASCII, let digit = first.wholeNumberValue {
                keys.append(.part(Double(digit) / 10))
            } else {
                keys.append(plain[first] ?? .unknown)
            }
        }
        return keys
    }
}
