/// Formats the list of keys of the full screen.
enum ScreenKeyText {
    private static let queue = [
        KeyText.Entry(keys: "↑ ↓ k j", meaning: "move the cursor"),
        KeyText.Entry(keys: "PgUp PgDn", meaning: "by a screen"),
        KeyText.Entry(keys: "g G", meaning: "first, last item"),
        KeyText.Entry(keys: "c", meaning: "the item that plays"),
        KeyText.Entry(keys: "enter", meaning: "play the item"),
        KeyText.Entry(keys: "x Del", meaning: "remove the item"),
        KeyText.Entry(keys: "K J", meaning: "move the item up, down"),
        KeyText.Entry(keys: "u U", meaning: "undo, redo"),
        KeyText.Entry(keys: "/", meaning: "search"),
        KeyText.Entry(keys: "w", meaning: "why there is sound, or none"),
        KeyText.Entry(keys: "q d", meaning: "leave, and play on"),
    ]
    private static let player = [
        KeyText.Entry(keys: "space", meaning: "pause, resume"),
        KeyText.Entry(keys: "n p", meaning: "next, previous item"),
        KeyText.Entry(keys: "→ ←", meaning: "five seconds forward, back"),
        KeyText.Entry(keys: "0 … 9", meaning: "start, 10 % … 90 % of the item"),
        KeyText.Entry(keys: "+ - m", meaning: "louder, softer, mute"),
        KeyText.Entry(keys: "] [ =", meaning: "faster, slower, normal speed"),
        KeyText.Entry(keys: "s r", meaning: "random order, repeat"),
        KeyText.Entry(keys: "Ctrl-L", meaning: "draw everything again"),
        KeyText.Entry(keys: "?", meaning: "these keys"),
    ]

    /// The text of `?`.
    static func lines(columns: Int, own: [KeyText.Entry] = []) -> [String] {
        KeyText.lines(queue, player, columns: columns) + KeyText.lines(own, [], columns: columns)
    }
}
