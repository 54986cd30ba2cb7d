/// How the rows of a terminal are used: the list, with what plays below it, and in a terminal that is
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

    /// Whether there is a row for the names of the columns.
    var hasHeading: Bool { rows >= 8 }

    /// Whether there is room for a panel beside the list, which then still has all its columns.
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
