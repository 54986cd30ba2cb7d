/// The command of a key on the full screen.
enum ScreenKey: Equatable, Sendable {
    /// A command for the player.
    case player(Key)
    /// Moves the cursor by this many rows.
    case move(Int)
    /// Moves the cursor by this many screens.
    case page(Int)
    case first, last
    /// Moves the cursor to the item that plays.
    case current
    /// Plays the item at the cursor.
    case play
    case remove
    /// Moves the item at the cursor by one place.
    case carry(Int)
    case undo, redo
    case search
    /// Moves the cursor to the next match of the last search, or by -1 to the previous one.
    case match(Int)
    /// Shows why there is sound, or none.
    case explain
    case help
    case repaint
    case leave

    private static let own: [KeyStroke: ScreenKey] = [
        .up: .move(-1), .character("k"): .move(-1), .down: .move(1), .character("j"): .move(1),
        .pageUp: .page(-1), .control("b"): .page(-1), .pageDown: .page(1), .control("f"): .page(1),
        .home: .first, .character("g"): .first, .end: .last, .character("G"): .last,
        .character("c"): .current, .enter: .play, .delete: .remove, .character("x"): .remove,
        .shiftUp: .carry(-1), .character("K"): .carry(-1), .shiftDown: .carry(1),
        .character("J"): .carry(1), .character("u"): .undo, .character("U"): .redo,
        .control("r"): .redo, .character("/"): .search, .character("n"): .match(1),
        .character("N"): .match(-1), .character("w"): .explain,
        .character("?"): .help, .control("l"): .repaint, .character("q"): .leave,
        .character("d"): .leave, .character("+"): .player(.volume(5)),
        .character("-"): .player(.volume(-5)),
    ]

    /// The command of a key; all that the screen does not use are those of `undersong play`, in
    /// `keys`.
    init(_ stroke: KeyStroke, _ keys: KeyMap = .usual) {
        if let own = Self.own[stroke] {
            self = own
            return
        }
        switch keys.key(for: stroke) {
        case .quit, .detach: self = .leave
        case .help: self = .help
        case let key: self = .player(key)
        }
    }
}

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
        KeyText.Entry(keys: "/ n N", meaning: "search; next, previous match"),
        KeyText.Entry(keys: "w", meaning: "why there is sound, or none"),
        KeyText.Entry(keys: "q d", meaning: "leave, and play on"),
    ]
    private static let player = [
        KeyText.pause, KeyText.Entry(keys: "> <", meaning: "next, previous item"), KeyText.seek,
        KeyText.parts,
        KeyText.Entry(keys: "+ - m", meaning: "louder, softer, mute"),
        KeyText.speed, KeyText.order, KeyText.background,
        KeyText.Entry(keys: "Ctrl-L", meaning: "draw everything again"), KeyText.help,
    ]
    private static let mouse = [
        KeyText.Entry(keys: "click", meaning: "select; on the bar: seek; on the title: pause"),
        KeyText.Entry(keys: "double click", meaning: "play the item"),
        KeyText.Entry(keys: "wheel", meaning: "scroll"),
        KeyText.Entry(keys: "shift", meaning: "leaves the mouse to the terminal"),
    ]

    /// The text of `?`.
    static func lines(columns: Int, own: [KeyText.Entry] = []) -> [String] {
        KeyText.lines(queue, player, columns: columns) + KeyText.lines(own, [], columns: columns)
            + [""] + KeyText.lines(mouse, [], columns: columns)
    }
}
