import UndersongCommandOptions
import UndersongPlayback

/// Draws the full screen.
struct PlayerView {
    private static let accent = Style.coloured(.cyan)

    private let screen: PlayerScreen
    private let layout: ScreenLayout
    private var canvas: Canvas

    private init(_ screen: PlayerScreen) {
        self.screen = screen
        layout = screen.layout
        canvas = Canvas(columns: layout.columns, rows: layout.rows)
    }

    /// The screen in the terminal's size.
    static func frame(of screen: PlayerScreen) -> Frame {
        var view = PlayerView(screen)
        return view.draw()
    }

    private mutating func draw() -> Frame {
        var picture: Frame.Picture?
        if let text = screen.text {
            let area = layout.text
            let lines = text.lines.dropFirst(text.cursor.place).prefix(area.rows)
            for (offset, line) in lines.enumerated() {
                canvas.writeFitted(line, column: 0, row: area.row + offset, width: area.columns)
            }
        } else {
            drawPane()
            picture = drawPanel()
        }
        if let area = layout.tabs { canvas.draw(Pane.tabs(screen.pane), in: area) }
        drawPlaying()
        drawProgress()
        if let area = layout.modes { drawModes(in: area) }
        drawLastLine()
        return Frame(canvas: canvas, caret: caret, picture: picture)
    }

    private mutating func drawPane() {
        switch screen.pane {
        case .queue: QueueView(pane: screen.queue).draw(on: &canvas, in: layout)
        case .library: LibraryListView(pane: screen.library).draw(on: &canvas, in: layout)
        case .files: FileListView(pane: screen.files).draw(on: &canvas, in: layout)
        case .lyrics: LyricsView(pane: screen.lyrics).draw(on: &canvas, in: layout)
        }
    }

    // MARK: The panel

    /// Draws the panel, if there is one. Returns the cover in it.
    private mutating func drawPanel() -> Frame.Picture? {
        guard var area = layout.panel else { return nil }
        let line = area.removeLeft(3)
        canvas.fill(
            Rectangle(column: line.column + 1, row: line.row, columns: 1, rows: line.rows),
            with: "│", .dim)
        guard let cover = screen.covers.shown else {
            screen.panel.draw(on: &canvas, in: area, at: screen.playing.position)
            return nil
        }
        let place = area.removeTop(cover.rows)
        _ = area.removeTop(1)
        screen.panel.draw(on: &canvas, in: area, at: screen.playing.position)
        return Frame.Picture(
            text: cover.text,
            area: Rectangle(
                column: place.column, row: place.row, columns: cover.columns, rows: cover.rows),
            removal: cover.request.style.removal)
    }

    // MARK: What plays

    private mutating func drawPlaying() {
        let row = layout.playing.row
        let marks =
            layout.hasModes ? "" : screen.playing.marks.map { "  " + $0 }.joined()
        let symbol = screen.playing.status == .playing ? Colour.green : .yellow
        let start = canvas.write(
            screen.playing.start + "  ", column: 0, row: row, .coloured(symbol, isBold: true))
        let room = layout.columns - start - Columns.width(of: marks)
        let words = screen.playing.words(columns: room < 4 ? layout.columns - start : room)
        let end = canvas.write(words, column: start, row: row, .bold)
        if room >= 4 { canvas.write(marks, column: end, row: row, .coloured(.yellow)) }
    }

    private mutating func drawProgress() {
        let row = layout.progress.row
        canvas.write(screen.playing.positionText, column: 0, row: row)
        guard let length = screen.playing.lengthText else { return }
        guard let bar = screen.progressBar, let part = screen.playing.part else {
            canvas.write(" " + length, endingAt: layout.columns, row: row)
            return
        }
        canvas.draw(ProgressBar(part: part, style: Self.accent), in: bar)
        canvas.write(length, endingAt: layout.columns, row: row)
    }

    /// Draws the modes, and at the end of the row the playing time of the queue: all of that if there
    /// is room, otherwise only what is unusual.
    private mutating func drawModes(in area: Rectangle) {
        let modes = screen.playing.modes
        let unusual = modes.filter(\.isUnusual)
        let times = screen.timeTexts
        let choices = times.map { (modes, $0) } + times.map { (unusual, $0) }
        let shown =
            choices.first { modes, time in
                let width = modes.reduce(0) { $0 + Columns.width(of: $1.text) + 2 }
                return width + Columns.width(of: time) <= area.columns
            } ?? (unusual, "")
        var column = 0
        for mode in shown.0 {
            column = canvas.write(
                mode.text, column: column, row: area.row,
                mode.isUnusual ? .coloured(.yellow) : .dim)
            column += 2
        }
        canvas.write(shown.1, endingAt: area.columns, row: area.row, .dim)
    }

    // MARK: The last line

    private mutating func drawLastLine() {
        let row = layout.last.row
        if let typed = screen.typed {
            canvas.write("/" + shownField(typed), column: 0, row: row)
        } else if let note = screen.digitKey?.note ?? screen.note {
            canvas.writeFitted(
                Columns.printable(note), column: 0, row: row, width: layout.columns)
        } else {
            canvas.writeFitted(hints, column: 0, row: row, width: layout.columns, .dim)
        }
    }

    /// The keys that are named first, as many as there is room for.
    private var hints: String {
        guard screen.text == nil else {
            return "↑ ↓ scroll  any other key: back to the \(screen.pane.name)"
        }
        let common = ["? keys", "q leave", "space pause"]
        let special =
            switch screen.pane {
            case .queue:
                [
                    "enter play", "/ search", "x remove", "u undo", "2 library", "3 files",
                    "4 lyrics", "J K move", "+ - volume", "w why", "n N match", "< > skip",
                ]
            case .library:
                [
                    "enter play", "→ open", "/ search", "a add", "A next", "e E all", "v view",
                    "f favourite", "*1-5 rate", "1 queue", "u undo",
                ]
            case .files:
                [
                    "enter open, play", "← back", "a add", "A next", "/ find", "L to the library",
                    "1 queue", "u undo",
                ]
            case .lyrics:
                ["↑ ↓ move", "enter seek to the line", "c follow", "f favourite", "1 queue"]
            }
        return (common + special).dropFirst().reduce(common[0]) { text, hint in
            let longer = text + "  " + hint
            return Columns.width(of: longer) <= layout.columns ? longer : text
        }
    }

    /// The end of the typed text, with room for the caret.
    private func shownField(_ text: String) -> String {
        var shown = Columns.printable(text)
        while !shown.isEmpty, Columns.width(of: shown) > layout.columns - 2 { shown.removeFirst() }
        return shown
    }

    private var caret: Frame.Cell? {
        guard let typed = screen.typed else { return nil }
        let column = 1 + Columns.width(of: shownField(typed))
        return Frame.Cell(
            column: min(column, max(layout.columns - 1, 0)), row: max(layout.last.row, 0))
    }
}

extension DigitKey {
    /// The digits that may follow.
    fileprivate var note: String {
        switch self {
        case .rating: "rate: 1 to 5, or 0 for none"
        case .part: "seek: 0 for the start, 1 to 9 for 10 % to 90 %"
        }
    }
}
