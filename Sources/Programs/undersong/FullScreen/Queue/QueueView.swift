import UndersongCommandOptions
import UndersongPlayback

/// Draws the queue, or what is found in it.
struct QueueView {
    let pane: QueuePane

    func draw(on canvas: inout Canvas, in layout: ScreenLayout) {
        guard let search = pane.search else {
            drawQueue(on: &canvas, in: layout)
            return
        }
        if layout.hasHeading {
            let text =
                search.field.text.isEmpty
                ? "Type words of a title, artist, album or path" : Self.found(search)
            let area = layout.heading
            canvas.writeFitted(text, column: 0, row: area.row, width: area.columns, .dim)
        }
        let shown = search.cursor.top..<search.cursor.top + layout.listRows
        let found = shown.clamped(to: 0..<search.found.count)
        let table = table(of: found.map { search.found[$0] }, in: layout)
        for (offset, index) in found.enumerated() {
            let item = search.found[index]
            draw(
                table, item.index ?? 0, item, isSelected: index == search.cursor.place,
                on: &canvas, in: layout, offset: offset)
        }
    }

    private func drawQueue(on canvas: inout Canvas, in layout: ScreenLayout) {
        if layout.hasHeading {
            table(of: [], in: layout).drawHeading(
                QueueText.count(pane.list.count), on: &canvas, in: layout.heading)
        }
        guard pane.list.count > 0 else {
            let text = "The queue is empty. Add to it from the library (2) or from files (3)"
            guard layout.listRows > 0 else { return }
            canvas.writeFitted(text, column: 0, row: layout.list.row, width: layout.list.columns)
            return
        }
        let places = pane.visible.clamped(to: 0..<pane.list.count)
        let table = table(of: places.compactMap { pane.list[$0] }, in: layout)
        for (offset, place) in places.prefix(layout.listRows).enumerated() {
            draw(
                table, place, pane.list[place], isSelected: place == pane.cursor.place,
                on: &canvas, in: layout, offset: offset)
        }
    }

    private static func found(_ search: QueueSearch) -> String {
        let isReading = search.reply?.hasUnreadTags == true
        let reading = isReading ? " so far, not all titles are read yet" : ""
        return
            "\(QueueText.count(search.reply?.foundCount ?? 0)) found\(reading); enter goes to it, escape back"
    }

    private func draw(
        _ table: QueueTable, _ place: Int, _ item: ListedItem?, isSelected: Bool,
        on canvas: inout Canvas, in layout: ScreenLayout, offset: Int
    ) {
        let list = layout.list
        table.draw(
            place: place, item, isCurrent: item != nil && item?.id == pane.current,
            isSelected: isSelected, on: &canvas,
            in: Rectangle(row: list.row + offset, columns: list.columns, rows: 1))
    }

    private func table(of items: [ListedItem], in layout: ScreenLayout) -> QueueTable {
        QueueTable(columns: layout.list.columns, count: pane.list.count, items: items)
    }
}
