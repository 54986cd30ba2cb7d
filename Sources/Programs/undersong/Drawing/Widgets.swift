import UndersongCommandOptions

/// A bar of which a part is filled, exact to an eighth of a column.
struct ProgressBar: Equatable, Sendable, Widget {
    private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    /// The filled part, from 0 to 1.
    var part: Double
    var style = Style.coloured(.cyan)
    var emptyStyle = Style.dim

    func draw(on canvas: inout Canvas, in area: Rectangle) {
        let part = part.isFinite ? min(max(part, 0), 1) : 0
        let (full, eighths) = Int(part * Double(area.columns * 8)).quotientAndRemainder(
            dividingBy: 8)
        for row in area.rowRange {
            canvas.fill(
                Rectangle(column: area.column, row: row, columns: area.columns, rows: 1), with: "─",
                emptyStyle)
            canvas.fill(
                Rectangle(column: area.column, row: row, columns: full, rows: 1), with: "█", style)
            canvas.write(Self.eighths[eighths], column: area.column + full, row: row, style)
        }
    }

    /// The part at a column of the bar, for a click.
    static func part(at column: Int, in area: Rectangle) -> Double? {
        guard area.columnRange.contains(column) else { return nil }
        return Double(column - area.column) / Double(area.columns)
    }
}

/// A bar for a level from 0 to 1: green, yellow near the top, red at it.
struct LevelBar: Equatable, Sendable, Widget {
    /// The level; nil if it is unknown.
    var level: Double?

    func draw(on canvas: inout Canvas, in area: Rectangle) {
        canvas.fill(area, with: "·", .dim)
        guard let level, level.isFinite else { return }
        let lit = Int((min(max(level, 0), 1) * Double(area.columns)).rounded())
        for column in 0..<lit {
            let part = Double(column) / Double(area.columns)
            let colour = part < 0.7 ? Colour.green : part < 0.9 ? .yellow : .red
            canvas.fill(
                Rectangle(
                    column: area.column + column, row: area.row, columns: 1, rows: area.rows),
                with: "▮", .coloured(colour))
        }
    }
}

/// Tabs in one row, each with its number and, where it is not 0, a badge.
struct TabBar: Equatable, Sendable, Widget {
    struct Tab: Equatable, Sendable {
        var title: String
        var badge = 0
        var colour = Colour.cyan
    }

    var tabs: [Tab]
    var selected: Int

    func draw(on canvas: inout Canvas, in area: Rectangle) {
        guard area.rows > 0 else { return }
        let (texts, ranges) = (texts(in: area), ranges(in: area))
        for (index, tab) in tabs.enumerated() {
            let ((label, badge), range) = (texts[index], ranges[index])
            let isSelected = index == selected
            var style = isSelected ? Style.coloured(tab.colour, isBold: true) : .plain
            style.isReversed = isSelected
            let room = max(min(range.upperBound, area.columnRange.upperBound) - range.lowerBound, 0)
            let end = canvas.write(
                label, column: range.lowerBound, row: area.row, width: room, style)
            var red = Style.coloured(.red, isBold: true)
            red.isReversed = true
            canvas.write(
                badge, column: end, row: area.row, width: room + range.lowerBound - end, red)
        }
    }

    /// The index of the tab at a cell, for a click.
    func tab(atColumn column: Int, row: Int, in area: Rectangle) -> Int? {
        areas(in: area).firstIndex { $0.contains(column: column, row: row) }
    }

    /// The cells of each tab; none for one that has no room.
    func areas(in area: Rectangle) -> [Rectangle] {
        ranges(in: area).map { range in
            let shown = range.clamped(to: area.columnRange)
            return Rectangle(
                column: shown.lowerBound, row: area.row, columns: shown.count,
                rows: min(area.rows, 1))
        }
    }

    /// The columns of each tab.
    private func ranges(in area: Rectangle) -> [Range<Int>] {
        var column = area.column
        return texts(in: area).map { label, badge in
            let start = column
            column += Columns.width(of: label) + Columns.width(of: badge) + 1
            return start..<column - 1
        }
    }

    /// The texts of the tabs: the longest that there is room for, of all titles, the selected one,
    /// the numbers, and numbers with a sign in place of a badge.
    private func texts(in area: Rectangle) -> [(label: String, badge: String)] {
        let choices = [tabs.indices.map { _ in true }, tabs.indices.map { $0 == selected }, []]
            .map { hasTitle in
                tabs.enumerated().map { index, tab in
                    let title = hasTitle.isEmpty || !hasTitle[index] ? "" : " " + tab.title
                    return (
                        label: " \(index + 1)\(title) ",
                        badge: tab.badge == 0 ? "" : tab.badge > 99 ? " 99+ " : " \(tab.badge) "
                    )
                }
            }
        let fitting = choices.first { texts in
            texts.reduce(-1) { $0 + Columns.width(of: $1.label + $1.badge) + 1 } <= area.columns
        }
        return fitting
            ?? tabs.enumerated().map { (String($0 + 1), $1.badge == 0 ? "" : "*") }
    }
}

/// A check box with a title.
struct CheckBox: Equatable, Sendable, Widget {
    var title: String
    var isOn: Bool
    /// True if the cursor is on it.
    var isFocused = false

    func draw(on canvas: inout Canvas, in area: Rectangle) {
        guard area.rows > 0 else { return }
        var style = isOn ? Style.coloured(.green, isBold: true) : .dim
        style.isReversed = isFocused
        let end = canvas.write(
            isOn ? "[✓]" : "[ ]", column: area.column, row: area.row, width: area.columns, style)
        canvas.writeFitted(
            " " + title, column: end, row: area.row, width: area.column + area.columns - end,
            Style(isReversed: isFocused))
    }
}

/// A list that scrolls as far as it must to show its cursor.
struct ListView: Equatable, Sendable, Widget {
    struct Row: Equatable, Sendable {
        var text: String
        /// Text at the end of the row, which is not shortened.
        var end = ""
        var style = Style.plain
    }

    var rows: [Row]
    /// The row of the cursor; nil without one.
    var cursor: Int?

    func draw(on canvas: inout Canvas, in area: Rectangle) {
        for (offset, row) in rows.dropFirst(top(in: area)).prefix(area.rows).enumerated() {
            var style = row.style
            if cursor == top(in: area) + offset { style.isReversed = true }
            let line = Rectangle(
                column: area.column, row: area.row + offset, columns: area.columns, rows: 1)
            canvas.fill(line, style)
            let end = Columns.width(of: row.end)
            let room = area.columns - (end == 0 ? 0 : end + 1)
            canvas.writeFitted(
                row.text, column: area.column, row: line.row, width: max(room, 0), style)
            if room >= 0 {
                canvas.write(
                    row.end, endingAt: area.column + area.columns, row: line.row, style)
            }
        }
    }

    /// The index of the row at a cell, for a click.
    func row(atColumn column: Int, row: Int, in area: Rectangle) -> Int? {
        guard area.contains(column: column, row: row) else { return nil }
        let index = top(in: area) + row - area.row
        return rows.indices.contains(index) ? index : nil
    }

    /// The first row that is shown.
    private func top(in area: Rectangle) -> Int {
        let last = max(rows.count - area.rows, 0)
        return min(max((cursor ?? 0) - area.rows / 2, 0), last)
    }
}

/// The 48 half-hours of a day in shades, with the hours below in a second row, if there is one.
struct HalfHourStrip: Equatable, Sendable, Widget {
    private static let shades = ["·", "░", "▒", "▓", "█"]

    /// The value of each half-hour, from 0 to 1.
    var values: [Double]
    /// The half-hour that is now; nil for none.
    var now: Int?
    var style = Style.coloured(.magenta)

    func draw(on canvas: inout Canvas, in area: Rectangle) {
        guard area.rows > 0, !values.isEmpty else { return }
        // Two columns each where there is room for that, or several half-hours in a column.
        let width = min(max(area.columns / values.count, 1) * values.count, area.columns)
        for column in 0..<width {
            let first = column * values.count / width
            let end = max((column + 1) * values.count / width, first + 1)
            let value = values[first..<end].filter(\.isFinite).max() ?? 0
            let shade = Int((min(max(value, 0), 1) * Double(Self.shades.count - 1)).rounded(.up))
            var style = shade == 0 ? Style.dim : style
            style.isReversed = now.map { (first..<end).contains($0) } ?? false
            canvas.write(
                Self.shades[shade], column: area.column + column, row: area.row, style)
        }
        guard area.rows > 1 else { return }
        for hour in stride(from: 0, to: 24, by: width >= 24 ? 6 : 12) {
            canvas.write(
                String(hour), column: area.column + hour * width / 24, row: area.row + 1,
                width: max(width - hour * width / 24, 0), .dim)
        }
    }
}

/// A box around a rectangle, with a title in its upper line.
struct FramedBox: Equatable, Sendable, Widget {
    var title = ""
    var style = Style.dim
    var titleStyle = Style.bold

    func draw(on canvas: inout Canvas, in area: Rectangle) {
        guard area.columns >= 2, area.rows >= 2 else { return }
        let line = String(repeating: "─", count: area.columns - 2)
        let last = area.row + area.rows - 1
        canvas.write("╭\(line)╮", column: area.column, row: area.row, style)
        for row in area.row + 1..<last {
            canvas.write("│", column: area.column, row: row, style)
            canvas.write("│", column: area.column + area.columns - 1, row: row, style)
        }
        canvas.write("╰\(line)╯", column: area.column, row: last, style)
        guard !title.isEmpty, area.columns >= 8 else { return }
        let title = " \(Columns.fitted(title, into: area.columns - 6)) "
        canvas.write(title, column: area.column + 2, row: area.row, titleStyle)
    }

    /// The rectangle inside the box.
    static func inside(_ area: Rectangle) -> Rectangle { area.inset() }
}

/// The last lines of a console, as many as there is room for. Long lines are wrapped.
struct ConsoleLines: Equatable, Sendable, Widget {
    struct Line: Equatable, Sendable {
        var text: String
        var style = Style.plain
    }

    var lines: [Line]

    func draw(on canvas: inout Canvas, in area: Rectangle) {
        var shown: [Line] = []
        for line in lines.reversed() where shown.count < area.rows {
            let parts = Self.wrapped(line.text, into: area.columns)
            shown += parts.reversed().map { Line(text: $0, style: line.style) }
        }
        for (offset, line) in shown.prefix(area.rows).reversed().enumerated() {
            canvas.write(
                line.text, column: area.column, row: area.row + offset, width: area.columns,
                line.style)
        }
    }

    private static func wrapped(_ text: String, into columns: Int) -> [String] {
        guard columns > 1 else { return [text] }
        let text = Columns.printable(text)
        if text.utf8.count <= columns, Columns.isPlain(text) { return [text] }
        var parts = [""]
        var width = 0
        for character in text {
            let size = Columns.width(of: String(character))
            if width + size > columns {
                parts.append("")
                width = 0
            }
            parts[parts.count - 1].append(character)
            width += size
        }
        return parts
    }
}
