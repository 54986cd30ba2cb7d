/// The use of a terminal's rows and columns: the list, with what plays below it, and in a terminal that
/// is large enough a heading, a row of the modes, and a panel beside the list.
struct ScreenLayout: Equatable, Sendable {
    /// The rows of the panel that are left to what is shown below a cover.
    private static let facts = 8
    private static let lowestCover = 4
    private static let highestCover = 18
    /// The columns of the panel, with the line before it.
    private static let widePanel = 39
    private static let narrowPanel = 26

    /// All columns but the terminal's last one.
    var columns: Int
    var rows: Int
    /// True if a cover is shown.
    var hasCover = false

    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// True if there is a row for the names of the columns.
    var hasHeading: Bool { rows >= 8 }

    /// True if there is a row for the modes and the playing time.
    var hasModes: Bool { rows >= 16 }

    /// True if there is always room for a panel beside the list, which then still has all its
    /// columns.
    var hasWidePanel: Bool { columns >= 149 }

    /// The columns of the panel; 0 without one. A terminal of 80 columns has one for a cover.
    private var panelColumns: Int {
        hasWidePanel ? Self.widePanel : columns >= 79 && hasCover ? Self.narrowPanel : 0
    }

    /// The cells beside the list in which there is room for a cover; nil for none.
    var coverCells: (columns: Int, rows: Int)? {
        let rows = min(rows - footer - Self.facts, Self.highestCover)
        guard columns >= 79, rows >= Self.lowestCover else { return nil }
        return ((hasWidePanel ? Self.widePanel : Self.narrowPanel) - 3, rows)
    }

    /// The number of rows for the list.
    var listRows: Int { max(rows - footer - (hasHeading ? 1 : 0), 0) }

    var heading: Rectangle {
        Rectangle(columns: columns - panelColumns, rows: hasHeading ? 1 : 0)
    }

    var list: Rectangle {
        Rectangle(
            row: hasHeading ? 1 : 0, columns: columns - panelColumns, rows: listRows)
    }

    /// The panel with the line before it; nil without one.
    var panel: Rectangle? {
        guard panelColumns > 0 else { return nil }
        return Rectangle(
            column: columns - panelColumns, columns: panelColumns, rows: max(rows - footer, 0))
    }

    /// All that is above what plays.
    var main: Rectangle { Rectangle(columns: columns, rows: max(rows - footer, 0)) }

    // In the lowest terminals the upper ones of these rows lie outside the screen.

    var playing: Rectangle { row(rows - footer) }
    var progress: Rectangle { row(rows - footer + 1) }
    /// The row of the modes; nil without one.
    var modes: Rectangle? { hasModes ? row(rows - 2) : nil }
    var last: Rectangle { row(rows - 1) }

    /// The rows below the list: what plays, its progress, the modes, and the keys.
    private var footer: Int { hasModes ? 4 : 3 }

    private func row(_ row: Int) -> Rectangle { Rectangle(row: row, columns: columns, rows: 1) }
}
