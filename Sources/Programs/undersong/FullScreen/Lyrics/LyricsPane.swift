import UndersongBackground
import UndersongCommandOptions
import UndersongLibrary

/// A request for the words of an item.
struct LyricsRequest: Equatable, Sendable {
    var item: Int
    /// Distinguishes the reply from those to other requests.
    var number: Int
}

/// The reply to a request for the words of an item.
enum LyricsReply: Sendable {
    case lyrics(ItemLyrics)
    /// The words could not be found, for this reason.
    case problem(String)
}

/// The words of what plays on the full screen. The line that is heard is marked and kept in the
/// middle, until the cursor is moved.
struct LyricsPane {
    /// The state of the search for the words.
    enum State: Equatable {
        /// Nothing plays.
        case noItem
        /// They are not known yet.
        case awaited
        case lyrics(Lyrics)
        /// The item has none.
        case none
        case problem(String)
    }

    /// A row of the pane: a line of the words, or a part of one that is longer than the pane.
    struct Row: Equatable {
        /// The index of the line.
        var line: Int
        var text: String
    }

    private(set) var state = State.noItem
    /// The index of the line that is heard; nil before the first one, and if no times are known.
    private(set) var heard: Int?
    /// The index of the line at the cursor; nil while the pane follows what is heard.
    private(set) var selected: Int?
    /// The first row while the cursor was set by the mouse, so that the rows do not move between the
    /// two clicks of a double one; nil to have the cursor in the middle.
    private var top: Int?
    private var item: Int?
    private var isRequested = false
    private var number = 0
    private var position = 0.0
    /// The times whose events were asked for.
    private var followed: [Double] = []
    private var columns = 0
    private var height = 0
    /// The rows of all lines.
    private var all: [Row] = []

    private var lines: [Lyrics.Line] {
        if case .lyrics(let lyrics) = state { lyrics.lines } else { [] }
    }

    mutating func resize(columns: Int, rows: Int) {
        height = rows
        guard columns != self.columns else { return }
        self.columns = columns
        wrap()
    }

    // MARK: Events and replies

    /// Handles an event, after which `current` plays, at `position` in seconds.
    mutating func apply(_ event: PlayerEvent, current: Int?, position: Double) {
        self.position = position
        if current != item {
            item = current
            (state, heard, selected, isRequested) = (
                current == nil ? .noItem : .awaited, nil, nil, false
            )
            number += 1
            wrap()
        }
        findHeard()
    }

    private mutating func findHeard() {
        heard = lines.lastIndex { line in line.seconds.map { $0 <= position } ?? false }
    }

    /// The request that is due; nil if there is none.
    mutating func request() -> LyricsRequest? {
        guard let item, !isRequested else { return nil }
        isRequested = true
        return LyricsRequest(item: item, number: number)
    }

    /// The times of the lines, if they are not those that were asked for last; nil otherwise.
    mutating func newTimes() -> [Double]? {
        let times = lines.compactMap(\.seconds)
        guard times != followed else { return nil }
        followed = times
        return times
    }

    /// Handles the reply to a request. That for an earlier item is dropped.
    mutating func receive(_ reply: LyricsReply, for request: LyricsRequest) {
        guard request.number == number else { return }
        switch reply {
        case .lyrics(let reply): state = reply.lyrics.map { .lyrics($0) } ?? .none
        case .problem(let text): state = .problem(text)
        }
        wrap()
        findHeard()
    }

    // MARK: Keys and the mouse

    /// Performs the command of a key.
    mutating func perform(_ key: ScreenKey) -> PaneReaction {
        switch key {
        case .move(let rows): move(by: rows)
        case .page(let pages): move(by: pages * max(height - 1, 1))
        case .first: move(by: -lines.count)
        case .last: move(by: lines.count)
        case .current: selected = nil
        case .play: return choose()
        case .search, .match: return PaneReaction(note: "2 shows the library, where / searches")
        case .player, .pane, .neighbour, .digit, .open, .back, .add, .addAll, .favourite, .regroup,
            .hidden, .watch, .remove, .carry, .undo, .redo, .explain, .help, .repaint, .leave:
            break
        }
        return PaneReaction()
    }

    mutating func scroll(by rows: Int) { move(by: rows) }

    private mutating func move(by distance: Int) {
        guard !lines.isEmpty else { return }
        top = nil
        selected = min(max((selected ?? heard ?? 0) + distance, 0), lines.count - 1)
    }

    /// Selects the line in a row. Returns its index; nil if none is there.
    mutating func select(row: Int) -> Int? {
        let rows = rows
        guard row < rows.count else { return nil }
        top = rows.startIndex
        selected = rows[rows.startIndex + row].line
        return selected
    }

    /// Seeks to the line at the cursor, and follows again.
    mutating func choose() -> PaneReaction {
        guard let line = selected else { return PaneReaction() }
        guard let time = lines[line].seconds else {
            return PaneReaction(note: "the time of this line is not known")
        }
        selected = nil
        return PaneReaction(.seek(time))
    }

    // MARK: The rows

    /// The rows that are shown, with the line at the cursor, or the one that is heard, in the
    /// middle.
    var rows: ArraySlice<Row> {
        let line = selected ?? heard ?? 0
        let center = all.firstIndex { $0.line == line } ?? 0
        let fixed = selected == nil ? nil : top
        let first = min(max(fixed ?? center - height / 2, 0), max(all.count - height, 0))
        return all[first...].prefix(height)
    }

    private mutating func wrap() {
        all = lines.enumerated().flatMap { index, line in
            Self.wrapped(Columns.printable(line.text), into: columns)
                .map { Row(line: index, text: $0) }
        }
    }

    /// The parts of a text that fit into so many columns, at least one. Words that are longer are
    /// parted.
    private static func wrapped(_ text: String, into columns: Int) -> [String] {
        var (parts, part) = ([String](), "")
        for word in text.split(separator: " ") {
            let longer = part.isEmpty ? String(word) : part + " " + word
            guard Columns.width(of: longer) > columns else {
                part = longer
                continue
            }
            if !part.isEmpty { parts.append(part) }
            part = ""
            for character in word {
                if !part.isEmpty, Columns.width(of: part + String(character)) > columns {
                    parts.append(part)
                    part = ""
                }
                part.append(character)
            }
        }
        return parts + (part.isEmpty && !parts.isEmpty ? [] : [part])
    }
}
