/// A pane of the full screen.
enum Pane: Int, CaseIterable, Sendable {
    case queue, library, files, lyrics

    var title: String {
        switch self {
        case .queue: "Queue"
        case .library: "Library"
        case .files: "Files"
        case .lyrics: "Lyrics"
        }
    }

    /// Its name within a sentence.
    var name: String { title.lowercased() }

    /// The pane after it, or for -1 the one before it; after the last one comes the first.
    func neighbour(_ direction: Int) -> Pane {
        let all = Self.allCases
        return all[(rawValue + direction + all.count) % all.count]
    }

    /// The names of the panes, of which this one is shown.
    static func tabs(_ pane: Pane) -> TabBar {
        TabBar(tabs: allCases.map { TabBar.Tab(title: $0.title) }, selected: pane.rawValue)
    }
}

/// A key that gives the digit after it a meaning.
enum DigitKey: Equatable, Sendable {
    /// The digit is a rating.
    case rating
    /// The digit is a tenth of the current item, to seek to.
    case part
}

/// The command of a key on the full screen.
enum ScreenKey: Equatable, Sendable {
    /// A command for the player.
    case player(Key)
    case pane(Pane)
    /// Shows the next pane, or for -1 the previous one.
    case neighbour(Int)
    case digit(DigitKey)
    /// Moves the cursor by this many rows.
    case move(Int)
    /// Moves the cursor by this many screens.
    case page(Int)
    case first, last
    /// Moves the cursor to what plays.
    case current
    /// Plays what is at the cursor.
    case play
    /// Opens what is at the cursor.
    case open
    /// Goes back to where the rows that are shown were opened.
    case back
    case add(Addition.Position)
    /// Adds all that is listed.
    case addAll(Addition.Position)
    case favourite
    /// Groups the rows by something else.
    case regroup
    /// Shows or hides hidden files.
    case hidden
    /// Adds the folder at the cursor to the library.
    case watch
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

    private static let common: [KeyStroke: ScreenKey] = [
        .character("1"): .pane(.queue), .character("2"): .pane(.library),
        .character("3"): .pane(.files), .character("4"): .pane(.lyrics), .tab: .neighbour(1),
        .shiftTab: .neighbour(-1), .character("*"): .digit(.rating), .character("%"): .digit(.part),
        .up: .move(-1), .character("k"): .move(-1), .down: .move(1), .character("j"): .move(1),
        .pageUp: .page(-1), .control("b"): .page(-1), .pageDown: .page(1), .control("f"): .page(1),
        .home: .first, .character("g"): .first, .end: .last, .character("G"): .last,
        .character("c"): .current, .enter: .play, .character("f"): .favourite,
        .character("u"): .undo, .character("U"): .redo,
        .control("r"): .redo, .character("/"): .search, .character("n"): .match(1),
        .character("N"): .match(-1), .character("w"): .explain,
        .character("?"): .help, .control("l"): .repaint, .character("q"): .leave,
        .character("d"): .leave, .character("+"): .player(.volume(5)),
        .character("-"): .player(.volume(-5)),
    ]
    private static let queue: [KeyStroke: ScreenKey] = [
        .delete: .remove, .character("x"): .remove,
        .shiftUp: .carry(-1), .character("K"): .carry(-1), .shiftDown: .carry(1),
        .character("J"): .carry(1),
    ]
    private static let adding: [KeyStroke: ScreenKey] = [
        .right: .open, .character("l"): .open, .left: .back, .character("h"): .back,
        .backspace: .back, .escape: .back, .character("a"): .add(.end),
        .character("A"): .add(.next), .character("P"): .add(.now),
    ]
    private static let library = adding.merging(
        [
            .character("v"): .regroup, .character("e"): .addAll(.end),
            .character("E"): .addAll(.now),
        ]) { $1 }
    private static let files = adding.merging(
        [.character("."): .hidden, .character("L"): .watch, .enter: .open]) { $1 }

    private static func own(_ stroke: KeyStroke, in pane: Pane) -> ScreenKey? {
        let keys: [KeyStroke: ScreenKey] =
            switch pane {
            case .queue: queue
            case .library: library
            case .files: files
            case .lyrics: [:]
            }
        return keys[stroke] ?? common[stroke]
    }

    /// The command of a key in a pane; all that the screen does not use are those of `undersong
    /// play`, in `keys`, but for the digits without a meaning of their own.
    init(_ stroke: KeyStroke, _ keys: KeyMap = .usual, in pane: Pane = .queue) {
        if let own = Self.own(stroke, in: pane) {
            self = own
            return
        }
        switch keys.key(for: stroke) {
        case .quit, .detach: self = .leave
        case .help: self = .help
        case .part where stroke.digit != nil && !keys.isOwn(stroke): self = .player(.unknown)
        case let key: self = .player(key)
        }
    }
}

/// Formats the list of keys of the full screen.
enum ScreenKeyText {
    private static let lists = [
        KeyText.Entry(keys: "1 2 3 4", meaning: "queue, library, files, lyrics"),
        KeyText.Entry(keys: "Tab", meaning: "the next of them"),
        KeyText.Entry(keys: "↑ ↓ k j", meaning: "move the cursor"),
        KeyText.Entry(keys: "PgUp PgDn", meaning: "by a screen"),
        KeyText.Entry(keys: "g G", meaning: "first, last row"),
        KeyText.Entry(keys: "/ n N", meaning: "search; next, previous match"),
        KeyText.Entry(keys: "f", meaning: "a favourite, or none"),
        KeyText.Entry(keys: "* 0 … 5", meaning: "rate; 0 for none"),
        KeyText.Entry(keys: "u U", meaning: "undo, redo"),
        KeyText.Entry(keys: "w", meaning: "why there is sound, or none"),
        KeyText.Entry(keys: "q d", meaning: "leave, and play on"),
    ]
    private static let player = [
        KeyText.pause, KeyText.Entry(keys: "> <", meaning: "next, previous item"), KeyText.seek,
        KeyText.Entry(keys: "% 0 … 9", meaning: "seek to 0 % … 90 %"),
        KeyText.Entry(keys: "+ - m", meaning: "louder, softer, mute"),
        KeyText.speed, KeyText.order, KeyText.background,
        KeyText.Entry(keys: "Ctrl-L", meaning: "draw everything again"), KeyText.help,
    ]
    private static let queue = [
        KeyText.Entry(keys: "enter", meaning: "play the item"),
        KeyText.Entry(keys: "c", meaning: "go to what plays"),
        KeyText.Entry(keys: "x Del", meaning: "remove the item"),
        KeyText.Entry(keys: "K J", meaning: "move the item up, down"),
    ]
    private static let adding = [
        KeyText.Entry(keys: "→ l", meaning: "open; ← h go back"),
        KeyText.Entry(keys: "a A", meaning: "add at the end, play next"),
        KeyText.Entry(keys: "P", meaning: "play now"),
    ]
    private static let library =
        adding + [
            KeyText.Entry(keys: "enter", meaning: "play now"),
            KeyText.Entry(keys: "e E", meaning: "add, play everything listed"),
            KeyText.Entry(keys: "v", meaning: "albums, artists, genres, tracks …"),
        ]
    private static let files =
        adding + [
            KeyText.Entry(keys: "enter", meaning: "open the folder, play the file"),
            KeyText.Entry(keys: ".", meaning: "show or hide hidden files"),
            KeyText.Entry(keys: "L", meaning: "add the folder to the library"),
        ]
    private static let lyrics = [
        KeyText.Entry(keys: "enter", meaning: "seek to the line"),
        KeyText.Entry(keys: "c", meaning: "follow what is heard again"),
    ]
    private static let mouse = [
        KeyText.Entry(keys: "click", meaning: "select; on the bar: seek; on the title: pause"),
        KeyText.Entry(keys: "double click", meaning: "as enter"),
        KeyText.Entry(keys: "wheel", meaning: "scroll"),
        KeyText.Entry(keys: "shift", meaning: "leaves the mouse to the terminal"),
    ]

    /// The text of `?` in a pane.
    static func lines(columns: Int, in pane: Pane = .queue, own: [KeyText.Entry] = []) -> [String] {
        let special =
            switch pane {
            case .queue: queue
            case .library: library
            case .files: files
            case .lyrics: lyrics
            }
        let half = (special.count + 1) / 2
        return KeyText.lines(lists, player, columns: columns)
            + ["", "\(pane.title):"]
            + KeyText.lines(
                Array(special.prefix(half)), Array(special.dropFirst(half)), columns: columns)
            + KeyText.lines(own, [], columns: columns)
            + [""] + KeyText.lines(mouse, [], columns: columns)
    }
}
