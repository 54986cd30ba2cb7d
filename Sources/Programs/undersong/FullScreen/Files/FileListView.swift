import UndersongCommandOptions

/// Draws the folder that the file browser shows.
struct FileListView {
    let pane: FilePane

    func draw(on canvas: inout Canvas, in layout: ScreenLayout) {
        let (heading, area) = (layout.heading, layout.list)
        if heading.rows > 0 {
            canvas.write(
                path(columns: heading.columns), column: 0, row: heading.row, width: heading.columns,
                .dim)
        }
        guard area.rows > 0 else { return }
        guard pane.problem == nil, !pane.entries.isEmpty else {
            let text = pane.problem ?? (pane.isKnown ? "The folder is empty" : "…")
            canvas.writeFitted(text, column: 0, row: area.row, width: area.columns)
            return
        }
        let rows = pane.entries.map { entry in
            ListView.Row(
                text: entry.isFolder ? entry.name + "/" : entry.name,
                style: entry.isFolder ? .coloured(.cyan, isBold: true) : .plain)
        }
        let top = pane.cursor.top
        let shown = Array(rows.dropFirst(top).prefix(area.rows))
        canvas.draw(ListView(rows: shown, cursor: pane.cursor.place - top), in: area)
    }

    /// The end of the folder's path.
    private func path(columns: Int) -> String {
        let path = Columns.printable(pane.folder.description)
        guard Columns.width(of: path) > columns else { return path }
        var end = Substring(path)
        while !end.isEmpty, Columns.width(of: end) >= columns { end = end.dropFirst() }
        return "…" + end
    }
}
