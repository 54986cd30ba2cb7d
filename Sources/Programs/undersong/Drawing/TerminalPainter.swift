/// The picture of one moment of a full screen.
struct Frame: Equatable, Sendable {
    /// A picture, by a sequence that the terminal draws it from at the cursor.
    struct Picture: Equatable, Sendable {
        var text: String
        var area: Rectangle
        /// The sequence that removes it, beyond what drawing text in its place does.
        var removal = ""
    }

    /// A cell.
    struct Cell: Equatable, Sendable {
        var column: Int
        var row: Int
    }

    var canvas: Canvas
    /// The cell of the text cursor; nil without one.
    var caret: Cell?
    /// Nothing of the canvas is shown in its area.
    var picture: Picture?
}

/// Turns frames into what a terminal is sent to show them: what has changed since the last one.
struct TerminalPainter: Sendable {
    /// The number of equal cells between two changed ones up to which they are drawn at once, since
    /// a position takes as many bytes.
    private static let gap = 6

    let hasColours: Bool
    let hasMouse: Bool
    /// The frame that the terminal shows; nil if that is unknown.
    private var shown: Frame?

    init(hasColours: Bool = true, hasMouse: Bool = true) {
        self.hasColours = hasColours
        self.hasMouse = hasMouse
    }

    /// A painter for the terminal that these variables describe.
    init(environment: (String) -> String?) {
        let name = environment("TERM") ?? ""
        hasColours = (environment("NO_COLOR") ?? "").isEmpty && name != "dumb"
        // The Linux console knows no other form of reports than one that would look like keys.
        hasMouse = name != "linux"
    }

    /// Handles that the terminal may show anything, as another program may have had it: the next
    /// frame is drawn as a whole.
    mutating func forget() { shown = nil }

    /// True if the next frame is drawn as a whole, since nothing is known of what is shown.
    var isForgotten: Bool { shown == nil }

    /// The text that begins the full screen.
    var beginning: String { ScreenControl.enter + (hasMouse ? ScreenControl.mouse : "") }

    /// The text that shows a frame in place of the last one; empty if nothing has changed.
    mutating func changes(to frame: Frame) -> String {
        defer { shown = frame }
        var old = shown
        let size = old.map { ($0.canvas.columns, $0.canvas.rows) }
        if let size, size != (frame.canvas.columns, frame.canvas.rows) { old = nil }
        var text = old == nil ? beginning : ""
        let isNewPicture = old?.picture != frame.picture || old == nil
        if isNewPicture, let picture = shown?.picture { text += picture.removal }
        // Text that is drawn in the place of sixels removes them.
        let freed = isNewPicture ? [old?.picture, frame.picture].compactMap { $0?.area } : []
        let hidden = isNewPicture ? nil : frame.picture?.area
        for row in 0..<frame.canvas.rows {
            text += changes(
                of: row, from: old?.canvas, to: frame.canvas,
                freed: freed.filter { $0.rowRange.contains(row) },
                hidden: hidden.flatMap { $0.rowRange.contains(row) ? $0.columnRange : nil })
        }
        if isNewPicture, let picture = frame.picture {
            text += ScreenControl.position(column: picture.area.column, row: picture.area.row)
            text += picture.text
        }
        // What was drawn has moved the text cursor.
        if let caret = frame.caret, !text.isEmpty || caret != old?.caret {
            text += ScreenControl.position(column: caret.column, row: caret.row)
            text += ScreenControl.showCaret
        } else if frame.caret == nil, old?.caret != nil {
            text += ScreenControl.hideCaret
        }
        return text.isEmpty ? "" : ScreenControl.begin + text + ScreenControl.end
    }

    private func changes(
        of row: Int, from old: Canvas?, to new: Canvas, freed: [Rectangle], hidden: Range<Int>?
    ) -> String {
        if let old, freed.isEmpty, old.isEqual(row: row, to: new) { return "" }
        let blank = Canvas.Cell()
        var needed = (0..<new.columns).map { column in
            if hidden?.contains(column) == true { return false }
            return freed.contains { $0.columnRange.contains(column) }
                || (old.map { $0[column, row] } ?? blank) != new[column, row]
        }
        // Terminals do not agree about the width of some characters: their rows are drawn whole.
        let isUncertain =
            new.cells(row: row).contains { !$0.isCertain }
            || old?.cells(row: row).contains { !$0.isCertain } == true
        if isUncertain, needed.contains(true) {
            needed = (0..<new.columns).map { hidden?.contains($0) != true }
        }
        return Self.runs(of: needed, hidden: hidden).map { run in
            ScreenControl.position(column: run.lowerBound, row: row)
                + Canvas.sequence(of: new.cells(row: row, columns: run), hasColours: hasColours)
        }.joined()
    }

    /// The ranges of columns to draw, with gaps too short for a new position.
    private static func runs(of needed: [Bool], hidden: Range<Int>?) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for column in needed.indices where needed[column] {
            let isNear =
                runs.last.map { run in
                    column - run.upperBound <= gap
                        && hidden?.overlaps(run.lowerBound..<column) != true
                } ?? false
            if isNear {
                runs[runs.count - 1] = runs[runs.count - 1].lowerBound..<column + 1
            } else {
                runs.append(column..<column + 1)
            }
        }
        return runs
    }
}

/// The control sequences by which a full screen is drawn, which all terminals but those for
/// printing understand, or do not mind.
enum ScreenControl {
    /// Begins the full screen: the terminal keeps what it shows, hides the cursor, and cuts off
    /// what is wider than it.
    static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J"
    /// Makes the terminal report clicks and the wheel.
    static let mouse = "\u{1B}[?1000h\u{1B}[?1006h"
    /// Ends the full screen: the terminal keeps the mouse to itself, and shows again what it has
    /// kept.
    static let leave =
        "\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?2026l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
    /// Begins and ends a frame: the terminal shows it at once.
    static let begin = "\u{1B}[?2026h"
    static let end = "\u{1B}[?2026l"
    static let showCaret = "\u{1B}[?25h"
    static let hideCaret = "\u{1B}[?25l"

    /// Moves the cursor to a cell.
    static func position(column: Int, row: Int) -> String { "\u{1B}[\(row + 1);\(column + 1)H" }

    /// True if the terminal with this value of `TERM` understands them.
    static func isUnderstood(by name: String?) -> Bool { !["", "dumb"].contains(name ?? "") }
}
