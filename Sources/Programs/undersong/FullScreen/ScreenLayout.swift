/// The use of a terminal's rows and columns: the list, with what plays below it, and in a terminal that
/// is large enough a row of the panes, a heading, a row of the modes, and a panel beside the list.
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

    /// True if there are rows for the panes, and for the modes and the playing time.
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
    var listRows: Int { list.rows }

    /// The row of the panes; nil without one.
    var tabs: Rectangle? {
        hasModes ? Rectangle(columns: columns - panelColumns, rows: 1) : nil
    }

    var heading: Rectangle {
        Rectangle(
            row: hasModes ? 1 : 0, columns: columns - panelColumns, rows: hasHeading ? 1 : 0)
    }

    var list: Rectangle {
        let row = heading.row + heading.rows
        return Rectangle(
            row: row, columns: columns - panelColumns, rows: max(rows - footer - row, 0))
    }

    /// The panel with the line before it; nil without one.
    var panel: Rectangle? {
        guard panelColumns > 0 else { return nil }
        return Rectangle(
            column: columns - panelColumns, columns: panelColumns, rows: max(rows - footer, 0))
    }

    /// The rows for a text in place of the list and the panel.
    var text: Rectangle { Rectangle(row: list.row, columns: columns, rows: list.rows) }

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

/// The part of the full screen that the mouse is at.
enum MouseTarget: Equatable {
    /// A row of the list.
    case list(row: Int)
    /// The item that is playing.
    case playing
    /// A part of the progress bar, from 0 to 1.
    case progress(Double)
    /// The name of a pane.
    case pane(Pane)

    /// The part at a cell; nil for none. `pane` is shown, and `bar` is the progress bar, if there is
    /// one.
    init?(column: Int, row: Int, in layout: ScreenLayout, of pane: Pane, bar: Rectangle?) {
        if let bar, row == bar.row, let part = ProgressBar.part(at: column, in: bar) {
            self = .progress(part)
        } else if layout.playing.contains(column: column, row: row) {
            self = .playing
        } else if layout.list.contains(column: column, row: row) {
            self = .list(row: row - layout.list.row)
        } else if let tabs = layout.tabs,
            let index = Pane.tabs(pane).tab(atColumn: column, row: row, in: tabs)
        {
            self = .pane(Pane.allCases[index])
        } else {
            return nil
        }
    }
}

/// Finds out which clicks are double ones.
struct DoubleClick {
    /// The longest time between the two, in seconds.
    private static let time = 0.4

    private var last: (index: Int, time: Double)?

    /// Handles a click on a row of a list. Returns true for the second one on it within a short
    /// time.
    mutating func receive(_ index: Int, at time: Double) -> Bool {
        if let last, last.index == index, time - last.time <= Self.time {
            self.last = nil
            return true
        }
        last = (index, time)
        return false
    }

    /// Handles that the rows of the list have moved.
    mutating func reset() { last = nil }
}
