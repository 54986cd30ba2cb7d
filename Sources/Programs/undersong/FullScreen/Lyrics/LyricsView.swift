import UndersongCommandOptions

/// Draws the words of what plays.
struct LyricsView {
    let pane: LyricsPane

    func draw(on canvas: inout Canvas, in layout: ScreenLayout) {
        let (heading, area) = (layout.heading, layout.list)
        if heading.rows > 0 {
            canvas.writeFitted(
                title, column: 0, row: heading.row, width: heading.columns, .dim)
        }
        for (offset, row) in pane.rows.prefix(area.rows).enumerated() {
            var style = row.line == pane.heard ? Style.coloured(.green, isBold: true) : .plain
            style.isReversed = row.line == pane.selected
            canvas.writeFitted(
                row.text, column: 0, row: area.row + offset, width: area.columns, style)
        }
    }

    private var title: String {
        switch pane.state {
        case .noItem: return "Nothing plays"
        case .awaited: return "…"
        case .none: return "There are no lyrics: an .lrc file beside the song, or a tag, has them"
        case .problem(let text): return Columns.printable(text)
        case .lyrics(let lyrics):
            let isTimed = lyrics.lines.contains { $0.seconds != nil }
            guard isTimed else { return "Lyrics, whose times are not known" }
            return pane.selected == nil
                ? "Lyrics" : "Lyrics; enter seeks to the line, c follows what is heard"
        }
    }
}
