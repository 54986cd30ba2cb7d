/// How the rows of a terminal are used: the list, with what plays below it, and in a terminal that is
/// high enough a heading.
struct ScreenLayout: Equatable, Sendable {
    /// The rows below the list: what plays, its progress, and the keys.
    private static let footer = 3

    var columns: Int
    var rows: Int

    /// Whether there is a row for the names of the columns.
    var hasHeading: Bool { rows >= 8 }

    /// Whether there is room for a panel beside the list, which then still has all its columns.
    var hasPanel: Bool { columns >= 150 }

    /// The columns of the list.
    var listColumns: Int { columns - (hasPanel ? ItemPanel.width : 0) }

    /// The number of rows for the list.
    var listRows: Int { max(rows - Self.footer - (hasHeading ? 1 : 0), 0) }
}
