import UndersongCommandOptions
import UndersongLibrary

/// Draws the library: the list with the cursor, and in a wide terminal the one before it.
struct LibraryListView {
    /// The narrowest lists in which the artist, and then the album, have columns of their own.
    private static let withArtist = 60
    private static let withAlbum = 90
    /// The columns at the end of a row: the marks of a track, and its length.
    private static let marks = 7
    private static let length = 8

    let pane: LibraryPane

    func draw(on canvas: inout Canvas, in layout: ScreenLayout) {
        let list = pane.list
        var (heading, area) = (layout.heading, layout.list)
        if let columns = pane.parentColumns(of: area.columns) {
            let parent = pane.lists[pane.lists.count - 2]
            draw(
                parent, isFront: false, on: &canvas, heading: heading.removeLeft(columns),
                area: area.removeLeft(columns))
            let line = area.removeLeft(2)
            _ = heading.removeLeft(2)
            canvas.fill(
                Rectangle(column: line.column, row: line.row, columns: 1, rows: line.rows),
                with: "│", .dim)
        }
        draw(list, isFront: true, on: &canvas, heading: heading, area: area)
    }

    private func draw(
        _ list: LibraryList, isFront: Bool, on canvas: inout Canvas, heading: Rectangle,
        area: Rectangle
    ) {
        if heading.rows > 0 {
            canvas.writeFitted(
                title(of: list, isFront: isFront), column: heading.column, row: heading.row,
                width: heading.columns, .dim)
        }
        guard area.rows > 0 else { return }
        guard list.count > 0 else {
            canvas.writeFitted(
                emptyText(list), column: area.column, row: area.row, width: area.columns)
            return
        }
        for (offset, place) in list.visible(rows: area.rows).enumerated() {
            let row = Rectangle(
                column: area.column, row: area.row + offset, columns: area.columns, rows: 1)
            if let content = list[place] {
                draw(content, on: &canvas, in: row)
            } else {
                canvas.write("…", column: row.column, row: row.row, width: row.columns, .dim)
            }
            guard place == list.cursor.place else { continue }
            canvas.restyle(row) {
                $0.isReversed = isFront
                $0.isBold = !isFront
                $0.isDim = false
            }
        }
    }

    // MARK: Texts

    private func title(of list: LibraryList, isFront: Bool) -> String {
        if isFront, let typed = pane.typed, typed.text.isEmpty {
            return "Type words, or artist:björk year:1995.. rating:4.. is:favourite"
        }
        let name = list.title.isEmpty ? "" : list.title + ": "
        let typing = isFront && pane.typed != nil ? "; enter ends typing, escape the search" : ""
        return name + (list.isKnown ? list.view.count(list.count) : "…")
            + (isFront ? scanText(list) : "") + typing
    }

    private func scanText(_ list: LibraryList) -> String {
        if let scan = pane.scan { return ", scanning: \(scan.fileCount) files" }
        return list.isScanning ? ", scanning" : ""
    }

    private func emptyText(_ list: LibraryList) -> String {
        if let problem = list.problem { return Columns.printable(problem) }
        guard list.isKnown else { return "…" }
        if pane.lists.count > 1 { return "nothing was found" }
        switch list.view {
        case .lists: return "No query is saved. Save one with: undersong library save NAME QUERY"
        case .artists, .albums, .newAlbums, .genres, .years, .composers, .tracks:
            return pane.isScanning
                ? "The library is being read"
                : "The library is empty. Add a folder to it from files (3), with L"
        }
    }

    // MARK: Rows

    private func draw(_ content: LibraryRow, on canvas: inout Canvas, in row: Rectangle) {
        switch content {
        case .track(let track): draw(track, on: &canvas, in: row)
        case .group(let group):
            let tracks = LibraryView.tracks.count(group.trackCount)
            let year = group.year.map { "  \($0)" } ?? ""
            draw(
                content.name + year, Columns.printable(group.artist ?? ""), "",
                end: row.columns < Self.withArtist ? "" : tracks + "  " + clock(group.seconds),
                width: 14 + Self.length, on: &canvas, in: row)
        case .list(let list):
            draw(
                content.name, Columns.printable(list.query), "", end: "", width: 0, on: &canvas,
                in: row)
        }
    }

    private func draw(_ track: Track, on canvas: inout Canvas, in row: Rectangle) {
        let isNarrow = row.columns < Self.withArtist
        let number = track.tags.number.map { "\($0)." } ?? ""
        let title = Columns.trailing(number, to: 3) + " " + Columns.printable(track.title)
        let marks = RatingText.marks(track)
        let seconds = track.sound?.seconds.map { ClockText.text($0) } ?? ""
        let end =
            isNarrow
            ? (track.isFavourite ? "♥" : "")
            : Columns.padded(marks, to: Self.marks) + Columns.trailing(seconds, to: Self.length)
        let gone = track.missingSince == nil ? "" : "  (file not found)"
        draw(
            title + gone, Columns.printable(track.tags.artist ?? ""),
            Columns.printable(track.tags.album ?? ""), end: end,
            width: isNarrow ? 1 : Self.marks + Self.length, on: &canvas, in: row,
            track.missingSince == nil ? .plain : .coloured(.red))
    }

    /// Draws a row of a name and two other texts, as far as there is room, with `end` in the last
    /// `width` columns.
    private func draw(
        _ name: String, _ second: String, _ third: String, end: String, width: Int,
        on canvas: inout Canvas, in row: Rectangle, _ style: Style = .plain
    ) {
        let width = row.columns < Self.withArtist ? min(width, Columns.width(of: end)) : width
        let room = max(row.columns - (width > 0 ? width + 2 : 0), 0)
        let parts =
            row.columns < Self.withArtist || second.isEmpty
            ? [1.0]
            : row.columns < Self.withAlbum || third.isEmpty ? [0.6, 0.4] : [0.42, 0.29, 0.29]
        var column = row.column
        for (index, (text, part)) in zip([name, second, third], parts).enumerated() {
            let size = Int(Double(room) * part)
            let gap = index == parts.count - 1 ? 0 : 2
            canvas.writeFitted(
                text, column: column, row: row.row, width: max(size - gap, 0),
                index == 0 ? style : .dim)
            column += size
        }
        canvas.write(end, endingAt: row.column + row.columns, row: row.row, .dim)
    }

    private func clock(_ seconds: Double) -> String {
        Columns.trailing(ClockText.text(seconds), to: Self.length)
    }
}

/// Formats ratings.
enum RatingText {
    /// `♥ ★★★★`
    static func marks(_ track: Track) -> String {
        (track.isFavourite ? "♥ " : "  ") + String(repeating: "★", count: track.rating ?? 0)
    }

    /// The note on what was rated: `Jóga: favourite, ★★★★`, `12 tracks changed`.
    static func note(_ rated: RatedTracks) -> String {
        guard let track = rated.track else {
            return rated.count == 0
                ? "the library does not have it"
                : LibraryView.tracks.count(rated.count) + " changed"
        }
        let stars = String(repeating: "★", count: track.rating ?? 0)
        let texts = [track.isFavourite ? "favourite" : "no favourite", stars.isEmpty ? nil : stars]
        return "\(track.title): " + texts.compactMap(\.self).joined(separator: ", ")
    }
}
