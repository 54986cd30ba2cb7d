import UndersongPlayback

/// The command of a key.
enum Key: Equatable, Sendable {
    case player(PlayerCommand)
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

    private static let plain: [KeyStroke: Key] = [
        .character(" "): .player(.toggle), .character("n"): .player(.next),
        .character(">"): .player(.next), .character("p"): .player(.previous),
        .character("<"): .player(.previous), .character("m"): .mute,
        .character("["): .rate(1 / 1.1), .character("]"): .rate(1.1), .character("="): .rate(nil),
        .character("s"): .shuffle, .character("r"): .repeatMode, .character("q"): .quit,
        .character("d"): .detach, .character("?"): .help,
        .up: .volume(5), .down: .volume(-5), .right: .seek(5), .left: .seek(-5),
    ]

    /// The command of a key of `undersong play`.
    init(_ stroke: KeyStroke) {
        if case .character(let character) = stroke, character.isASCII,
            let digit = character.wholeNumberValue
        {
            self = .part(Double(digit) / 10)
        } else {
            self = Self.plain[stroke] ?? .unknown
        }
    }
}
