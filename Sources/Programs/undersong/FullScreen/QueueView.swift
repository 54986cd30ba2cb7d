import UndersongCommandOptions
import UndersongPlayback

/// Draws the full screen as lines of text.
struct QueueScreenText {
    /// One row.
    struct Line: Equatable, Sendable {
        enum Style: Sendable {
            case plain, bold, dim
            /// The row of the cursor.
            case selected
        }

        var text: String
        var style = Style.plain
        /// The text beside it, in the plain style.
        var panel = ""
        /// True if a picture is beside that, which must not be erased.
        var hasPicture = false
    }

    /// All rows.
    struct Frame: Equatable, Sendable {
        var lines: [Line]
        /// The column, from 0, of the text cursor in the last row; nil without one.
        var caret: Int?
        var picture: Picture?
    }

    /// A cover, and the row and column, from 0, where it begins.
    struct Picture: Equatable, Sendable {
        var cover: Cover
        var row: Int
        var column: Int

        var rows: Range<Int> { row..<row + cover.rows }
    }

    private let screen: QueueScreen
    private var columns: Int { screen.layout.columns }

    init(_ screen: QueueScreen) { self.screen = screen }

    /// As many rows as the terminal has, none longer than it.
    var frame: Frame {
        let layout = screen.layout
        var lines = layout.hasHeading ? [Line(text: heading, style: .dim)] : []
        lines += list.prefix(layout.listRows)
        let isEmpty = layout.listRows + (layout.hasHeading ? 1 : 0) - lines.count
        lines += (0..<max(isEmpty, 0)).map { _ in Line(text: "") }
        let footer = [Line(text: playing, style: .bold), Line(text: progress), lastLine]
        lines += footer.suffix(max(layout.rows, 0))
        let panel = layout.hasPanel && !isText ? panel(besides: lines.count - footer.count) : []
        for index in lines.indices {
            let hasPanel = index < panel.count
            let width = hasPanel ? layout.listColumns : columns
            lines[index].text = Columns.fitted(lines[index].text, into: width)
            if hasPanel || lines[index].style == .selected {
                lines[index].text = Columns.padded(lines[index].text, to: width)
            }
            if hasPanel { lines[index].panel = panel[index] }
            lines[index].hasPicture = hasPanel && index < coverRows
        }
        let picture = cover.map {
            Picture(cover: $0, row: 0, column: columns - ItemPanel.width + 3)
        }
        return Frame(lines: lines, caret: caret, picture: picture)
    }

    private var cover: Cover? { isText ? nil : screen.covers.shown }
    private var coverRows: Int { cover?.rows ?? 0 }

    private var isText: Bool { if case .text = screen.view { true } else { false } }

    private func panel(besides rows: Int) -> [String] {
        let facts = coverRows == 0 ? rows : rows - coverRows - 1
        return Array(repeating: ItemPanel.empty, count: rows - facts)
            + screen.panel.lines(at: screen.playing.position, rows: facts)
    }

    // MARK: What plays

    private var playing: String {
        let start = screen.playing.start + "  "
        let marks = screen.playing.marks.map { "  " + $0 }.joined()
        let room = columns - Columns.width(of: start) - Columns.width(of: marks)
        guard room >= 4 else { return start + screen.playing.words(columns: columns) }
        return start + screen.playing.words(columns: room) + marks
    }

    private var progress: String {
        let start = screen.playing.positionText + " "
        guard let length = screen.playing.lengthText else { return start }
        let room = columns - start.count - length.count - 1
        return start + screen.playing.bar(columns: max(room, 0)) + " " + length
    }

    private var lastLine: Line {
        if case .search(let search) = screen.view {
            return Line(text: "/" + shownField(search.text))
        }
        if let note = screen.note { return Line(text: Columns.printable(note)) }
        return Line(text: hints, style: .dim)
    }

    /// The keys that are named first, as many as there is room for.
    private var hints: String {
        if case .text = screen.view { return "↑ ↓ scroll  any other key: back to the queue" }
        let all = [
            "? keys", "q leave", "space pause", "enter play", "/ search", "x remove", "u undo",
            "J K move", "+ - volume", "w why",
        ]
        return all.dropFirst().reduce(all[0]) { text, hint in
            let longer = text + "  " + hint
            return Columns.width(of: longer) <= columns ? longer : text
        }
    }

    /// The end of the typed text, with room for the caret.
    private func shownField(_ text: String) -> String {
        var shown = Columns.printable(text)
        while !shown.isEmpty, Columns.width(of: shown) > columns - 2 { shown.removeFirst() }
        return shown
    }

    private var caret: Int? {
        guard case .search(let search) = screen.view else { return nil }
        return min(1 + Columns.width(of: shownField(search.text)), max(columns - 1, 0))
    }

    // MARK: The list

    private var heading: String {
        switch screen.view {
        case .queue: table(of: []).heading(QueueText.count(screen.list.count))
        case .search(let search):
            search.text.isEmpty
                ? "Type words of a title, artist, album or path"
                : found(search)
        case .text: ""
        }
    }

    private func found(_ search: QueueSearch) -> String {
        let isReading = search.reply?.hasUnreadTags == true
        let reading = isReading ? " so far, not all titles are read yet" : ""
        return
            "\(QueueText.count(search.reply?.foundCount ?? 0)) found\(reading); enter goes to it, escape back"
    }

    private var list: [Line] {
        switch screen.view {
        case .queue: queue
        case .search(let search): rows(of: search)
        case .text(let lines, let cursor): lines.dropFirst(cursor.top).map { Line(text: $0) }
        }
    }

    private var queue: [Line] {
        guard screen.list.count > 0 else {
            return [Line(text: "The queue is empty. Add to it with: undersong queue add FILE")]
        }
        let places = screen.visible.clamped(to: 0..<screen.list.count)
        let table = table(of: places.compactMap { screen.list[$0] })
        return places.map { place in
            line(table, place, screen.list[place], isSelected: place == screen.cursor.place)
        }
    }

    private func rows(of search: QueueSearch) -> [Line] {
        let shown = search.cursor.top..<search.cursor.top + max(screen.layout.listRows, 1)
        let found = shown.clamped(to: 0..<search.found.count)
        let table = table(of: found.map { search.found[$0] })
        return found.map { index in
            let item = search.found[index]
            return line(
                table, item.index ?? 0, item, isSelected: index == search.cursor.place)
        }
    }

    private func line(
        _ table: QueueTable, _ place: Int, _ item: ListedItem?, isSelected: Bool
    ) -> Line {
        let isCurrent = item != nil && item?.id == screen.current
        return Line(
            text: table.row(place: place, item, isCurrent: isCurrent),
            style: isSelected ? .selected : isCurrent ? .bold : .plain)
    }

    private func table(of items: [ListedItem]) -> QueueTable {
        QueueTable(columns: screen.layout.listColumns, count: screen.list.count, items: items)
    }
}

/// The use of a terminal's rows: the list, with what plays below it, and in a terminal that is
/// high enough a heading.
struct ScreenLayout: Equatable, Sendable {
    /// The rows below the list: what plays, its progress, and the keys.
    private static let footer = 3
    /// The rows of the panel that are left to what is shown below a cover.
    private static let facts = 8
    private static let lowestCover = 4
    private static let highestCover = 18

    var columns: Int
    var rows: Int

    /// True if there is a row for the names of the columns.
    var hasHeading: Bool { rows >= 8 }

    /// True if there is room for a panel beside the list, which then still has all its columns.
    var hasPanel: Bool { columns >= 150 }

    /// The columns of the list.
    var listColumns: Int { columns - (hasPanel ? ItemPanel.width : 0) }

    /// The cells beside the list in which there is room for a cover; nil for none.
    var coverCells: (columns: Int, rows: Int)? {
        let rows = min(rows - Self.footer - Self.facts, Self.highestCover)
        return hasPanel && rows >= Self.lowestCover ? (ItemPanel.width - 3, rows) : nil
    }

    /// The number of rows for the list.
    var listRows: Int { max(rows - Self.footer - (hasHeading ? 1 : 0), 0) }
}

/// The columns of a queue: place, title, artist, album and length, as far as there is room.
struct QueueTable {
    /// The narrowest terminals in which the artist and the album have columns of their own.
    private static let withArtist = 60
    private static let withAlbum = 110
    /// The least width of the length's column, so that it seldom changes.
    private static let shortestLength = 6

    private let placeWidth: Int
    private let lengthWidth: Int
    /// The widths of title, artist and album; fewer in a narrow terminal.
    private let widths: [Int]

    /// `count` is the number of items in the queue; `items` are those to be shown.
    init(columns: Int, count: Int, items: [ListedItem]) {
        placeWidth = String(count).count
        let lengths = items.map { QueueText.length($0).count }
        lengthWidth = max(Self.shortestLength, lengths.max() ?? 0)
        let parts =
            columns < Self.withArtist
            ? [1.0]
            : columns < Self.withAlbum
                ? [0.6, 0.4] : [0.42, 0.29, 0.29]
        // The mark, the place and the length, with two spaces between all columns.
        let room = columns - 2 - placeWidth - 2 * (parts.count + 1) - lengthWidth
        let others = parts.dropFirst().map { max(Int(Double(room) * $0), 0) }
        widths = [max(room - others.reduce(0, +), 0)] + others
    }

    /// The names of the columns; `count` is that of the list, in words.
    func heading(_ count: String) -> String {
        let names = [count, "Artist", "Album"].prefix(widths.count)
        return row(mark: " ", place: "", cells: Array(names), length: "Length")
    }

    /// The row of an item; nil for one that is not known yet.
    func row(place: Int, _ item: ListedItem?, isCurrent: Bool) -> String {
        row(
            mark: isCurrent ? ">" : " ", place: String(place + 1),
            cells: item.map(cells) ?? ["…"], length: item.map(QueueText.length) ?? "")
    }

    private func cells(_ item: ListedItem) -> [String] {
        let remark =
            item.missing == true
            ? "  (\(QueueText.absence(item)))" : item.finished == true ? "  ✓" : ""
        guard widths.count > 1 else { return [item.name + remark] }
        return [Columns.printable(item.title) + remark]
            + [item.artist, item.album].map { Columns.printable($0 ?? "") }
    }

    private func row(mark: String, place: String, cells: [String], length: String) -> String {
        let texts = zip(widths, cells).map { width, text in
            Columns.padded(Columns.fitted(text, into: width), to: width)
        }
        let missing = widths.dropFirst(texts.count).map { String(repeating: " ", count: $0) }
        return
            ([mark + " " + Columns.trailing(place, to: placeWidth)] + texts + missing
            + [Columns.trailing(length, to: lengthWidth)]).joined(separator: "  ")
    }
}
