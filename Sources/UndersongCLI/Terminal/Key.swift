/// What a key asks for.
enum Key: Equatable, Sendable {
    case togglePause
    case next, previous
    /// Seconds to go forward, or back.
    case seek(Double)
    /// What the volume changes by, in percent.
    case volume(Double)
    case mute
    /// What the rate is multiplied by; nil: back to normal.
    case rate(Double?)
    case shuffle, repeatMode
    case quit
    /// Says what the keys are.
    case help

    private static let plain: [Character: Key] = [
        " ": .togglePause, "n": .next, ">": .next, "p": .previous, "<": .previous, "m": .mute,
        "[": .rate(1 / 1.1), "]": .rate(1.1), "=": .rate(nil), "s": .shuffle, "r": .repeatMode,
        "q": .quit, "?": .help,
    ]
    /// The last letter of what an arrow key sends.
    private static let arrows: [Character: Key] = [
        "A": .volume(5), "B": .volume(-5), "C": .seek(5), "D": .seek(-5),
    ]

    /// The keys in `text`, which a terminal sent.
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
