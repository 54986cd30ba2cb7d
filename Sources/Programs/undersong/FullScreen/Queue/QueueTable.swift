import UndersongCommandOptions
import UndersongPlayback

/// The columns of a queue: place, title, artist, album and length, as far as there is room.
struct QueueTable {
    /// The narrowest lists in which the artist and the album have columns of their own.
    private static let withArtist = 60
    private static let withAlbum = 110
    /// The least width of the length's column, so that it seldom changes.
    private static let shortestLength = 6
    /// The look of what is not the title.
    private static let meta = Style.dim

    private let placeWidth: Int
    private let lengthWidth: Int
    /// The widths of title, artist and album; fewer in a narrow list.
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

    /// Draws the names of the columns; `count` is that of the list, in words.
    func drawHeading(_ count: String, on canvas: inout Canvas, in area: Rectangle) {
        let names = [count, "Artist", "Album"].prefix(widths.count).map { ($0, Style.dim) }
        draw(mark: " ", place: "", names, length: "Length", .dim, on: &canvas, in: area)
    }

    /// Draws the row of an item; nil for one that is not known yet.
    func draw(
        place: Int, _ item: ListedItem?, isCurrent: Bool, isSelected: Bool,
        on canvas: inout Canvas, in area: Rectangle
    ) {
        let title = isCurrent ? Style.coloured(.green, isBold: true) : .plain
        draw(
            mark: isCurrent ? ">" : " ", place: String(place + 1),
            item.map { cells($0, title) } ?? [("…", Self.meta)],
            length: item.map(QueueText.length) ?? "", title, on: &canvas, in: area)
        guard isSelected else { return }
        canvas.restyle(area) {
            // Some terminals show dim text on a bright ground hardly at all. The ground is of one colour.
            if $0.isDim { $0.foreground = title.foreground }
            $0.isReversed = true
            $0.isDim = false
        }
    }

    private func cells(_ item: ListedItem, _ title: Style) -> [(String, Style)] {
        let remark =
            item.missing == true
            ? "  (\(QueueText.absence(item)))" : item.finished == true ? "  ✓" : ""
        let name = widths.count > 1 ? Columns.printable(item.title) : item.name
        let style = item.missing == true ? Style.coloured(.red) : title
        return [(name + remark, style)]
            + [item.artist, item.album].map { (Columns.printable($0 ?? ""), Self.meta) }
    }

    private func draw(
        mark: String, place: String, _ cells: [(String, Style)], length: String, _ style: Style,
        on canvas: inout Canvas, in area: Rectangle
    ) {
        let row = area.row
        canvas.fill(area, style)
        canvas.write(mark, column: area.column, row: row, width: area.columns, style)
        var column = area.column + 2 + placeWidth
        canvas.write(
            Columns.trailing(place, to: placeWidth), column: area.column + 2, row: row,
            width: max(area.columns - 2, 0), style)
        for (width, cell) in zip(widths, cells) {
            canvas.writeFitted(cell.0, column: column + 2, row: row, width: width, cell.1)
            column += 2 + width
        }
        column = area.column + 2 + placeWidth + widths.reduce(0) { $0 + 2 + $1 } + 2
        canvas.write(
            Columns.trailing(length, to: lengthWidth), column: column, row: row,
            width: max(area.column + area.columns - column, 0), Self.meta)
    }
}
