import UndersongCommandOptions
import UndersongPlayback

/// Draws the full screen of the queue.
struct QueueView {
    private static let accent = Style.coloured(.cyan)

    private let screen: QueueScreen
    private let layout: ScreenLayout
    private var canvas: Canvas

    private init(_ screen: QueueScreen) {
        self.screen = screen
        layout = screen.layout
        canvas = Canvas(columns: layout.columns, rows: layout.rows)
    }

    /// The screen in the terminal's size.
    static func frame(of screen: QueueScreen) -> Frame {
        var view = QueueView(screen)
        return view.draw()
    }

    private mutating func draw() -> Frame {
        var picture: Frame.Picture?
        switch screen.view {
        case .queue:
            drawQueue()
            picture = drawPanel()
        case .search(let search):
            draw(search)
            picture = drawPanel()
        case .text(let lines, let cursor):
            let area = layout.main
            let first = layout.hasHeading ? 1 : 0
            for (offset, line) in lines.dropFirst(cursor.top).prefix(layout.listRows).enumerated() {
                canvas.writeFitted(line, column: 0, row: first + offset, width: area.columns)
            }
        }
        drawPlaying()
        drawProgress()
        if let area = layout.modes { drawModes(in: area) }
        drawLastLine()
        return Frame(canvas: canvas, caret: caret, picture: picture)
    }

    // MARK: The list

    private mutating func drawQueue() {
        let heading = table(of: [])
        if layout.hasHeading {
            heading.drawHeading(
                QueueText.count(screen.list.count), on: &canvas, in: layout.heading)
        }
        guard screen.list.count > 0 else {
            let text = "The queue is empty. Add to it with: undersong queue add FILE"
            guard layout.listRows > 0 else { return }
            canvas.writeFitted(text, column: 0, row: layout.list.row, width: layout.list.columns)
            return
        }
        let places = screen.visible.clamped(to: 0..<screen.list.count)
        let table = table(of: places.compactMap { screen.list[$0] })
        for (offset, place) in places.prefix(layout.listRows).enumerated() {
            draw(
                table, place, screen.list[place], isSelected: place == screen.cursor.place,
                offset: offset)
        }
    }

    private mutating func draw(_ search: QueueSearch) {
        if layout.hasHeading {
            let text =
                search.text.isEmpty
                ? "Type words of a title, artist, album or path" : Self.found(search)
            let area = layout.heading
            canvas.writeFitted(text, column: 0, row: area.row, width: area.columns, .dim)
        }
        let shown = search.cursor.top..<search.cursor.top + layout.listRows
        let found = shown.clamped(to: 0..<search.found.count)
        let table = table(of: found.map { search.found[$0] })
        for (offset, index) in found.enumerated() {
            let item = search.found[index]
            draw(
                table, item.index ?? 0, item, isSelected: index == search.cursor.place,
                offset: offset)
        }
    }

    private static func found(_ search: QueueSearch) -> String {
        let isReading = search.reply?.hasUnreadTags == true
        let reading = isReading ? " so far, not all titles are read yet" : ""
        return
            "\(QueueText.count(search.reply?.foundCount ?? 0)) found\(reading); enter goes to it, escape back"
    }

    private mutating func draw(
        _ table: QueueTable, _ place: Int, _ item: ListedItem?, isSelected: Bool, offset: Int
    ) {
        let list = layout.list
        table.draw(
            place: place, item, isCurrent: item != nil && item?.id == screen.current,
            isSelected: isSelected, on: &canvas,
            in: Rectangle(row: list.row + offset, columns: list.columns, rows: 1))
    }

    private func table(of items: [ListedItem]) -> QueueTable {
        QueueTable(columns: layout.list.columns, count: screen.list.count, items: items)
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
        if case .search(let search) = screen.view {
            canvas.write("/" + shownField(search.text), column: 0, row: row)
        } else if let note = screen.note {
            canvas.writeFitted(
                Columns.printable(note), column: 0, row: row, width: layout.columns)
        } else {
            canvas.writeFitted(hints, column: 0, row: row, width: layout.columns, .dim)
        }
    }

    /// The keys that are named first, as many as there is room for.
    private var hints: String {
        if case .text = screen.view { return "↑ ↓ scroll  any other key: back to the queue" }
        let all = [
            "? keys", "q leave", "space pause", "enter play", "/ search", "x remove", "u undo",
            "J K move", "+ - volume", "w why", "n N match", "< > skip",
        ]
        return all.dropFirst().reduce(all[0]) { text, hint in
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
        guard case .search(let search) = screen.view else { return nil }
        let column = 1 + Columns.width(of: shownField(search.text))
        return Frame.Cell(
            column: min(column, max(layout.columns - 1, 0)), row: max(layout.last.row, 0))
    }
}
