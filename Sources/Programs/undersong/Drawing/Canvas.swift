import UndersongCommandOptions

/// One of the terminal's sixteen colours.
enum Colour: Int, Sendable {
    case black, red, green, yellow, blue, magenta, cyan, white
    case brightBlack, brightRed, brightGreen, brightYellow, brightBlue, brightMagenta, brightCyan
    case brightWhite
}

/// The look of text.
struct Style: Equatable, Sendable {
    static let plain = Style()
    static let bold = Style(isBold: true)
    static let dim = Style(isDim: true)

    /// All of the look, so that cells are compared quickly: five bits for each colour and one for
    /// each attribute.
    private var bits: UInt16 = 0

    init(
        foreground: Colour? = nil, background: Colour? = nil, isBold: Bool = false,
        isDim: Bool = false, isReversed: Bool = false
    ) {
        self.foreground = foreground
        self.background = background
        self.isBold = isBold
        self.isDim = isDim
        self.isReversed = isReversed
    }

    var foreground: Colour? {
        get { Colour(rawValue: Int(bits & 0x1F) - 1) }
        set { bits = bits & ~0x1F | UInt16((newValue?.rawValue ?? -1) + 1) }
    }
    var background: Colour? {
        get { Colour(rawValue: Int(bits >> 5 & 0x1F) - 1) }
        set { bits = bits & ~0x3E0 | UInt16((newValue?.rawValue ?? -1) + 1) << 5 }
    }
    var isBold: Bool {
        get { bits & 0x400 != 0 }
        set { bits = newValue ? bits | 0x400 : bits & ~0x400 }
    }
    var isDim: Bool {
        get { bits & 0x800 != 0 }
        set { bits = newValue ? bits | 0x800 : bits & ~0x800 }
    }
    var isReversed: Bool {
        get { bits & 0x1000 != 0 }
        set { bits = newValue ? bits | 0x1000 : bits & ~0x1000 }
    }

    static func coloured(_ colour: Colour, isBold: Bool = false) -> Style {
        Style(foreground: colour, isBold: isBold)
    }

    /// The sequence that sets this look, from any other. Without colours, only the attributes.
    func sequence(hasColours: Bool) -> String {
        var codes = ["0"]
        if isBold { codes.append("1") }
        if isDim { codes.append("2") }
        if isReversed { codes.append("7") }
        if hasColours, let foreground {
            codes.append(String((foreground.rawValue < 8 ? 30 : 82) + foreground.rawValue))
        }
        if hasColours, let background {
            codes.append(String((background.rawValue < 8 ? 40 : 92) + background.rawValue))
        }
        return "\u{1B}[" + codes.joined(separator: ";") + "m"
    }
}

/// A part of a canvas, in cells; it may reach beyond it.
struct Rectangle: Equatable, Sendable {
    var column: Int
    var row: Int
    var columns: Int
    var rows: Int

    init(column: Int = 0, row: Int = 0, columns: Int, rows: Int) {
        self.column = column
        self.row = row
        self.columns = max(columns, 0)
        self.rows = max(rows, 0)
    }

    var columnRange: Range<Int> { column..<column + columns }
    var rowRange: Range<Int> { row..<row + rows }

    func contains(column: Int, row: Int) -> Bool {
        columnRange.contains(column) && rowRange.contains(row)
    }

    /// The rectangle without so many cells at each side.
    func inset(columns: Int = 1, rows: Int = 1) -> Rectangle {
        Rectangle(
            column: column + columns, row: row + rows, columns: self.columns - 2 * columns,
            rows: self.rows - 2 * rows)
    }

    /// Removes rows from the top. Returns them.
    mutating func removeTop(_ count: Int) -> Rectangle {
        let count = min(max(count, 0), rows)
        defer {
            row += count
            rows -= count
        }
        return Rectangle(column: column, row: row, columns: columns, rows: count)
    }

    /// Removes rows from the bottom. Returns them.
    mutating func removeBottom(_ count: Int) -> Rectangle {
        let count = min(max(count, 0), rows)
        rows -= count
        return Rectangle(column: column, row: row + rows, columns: columns, rows: count)
    }

    /// Removes columns from the left. Returns them.
    mutating func removeLeft(_ count: Int) -> Rectangle {
        let count = min(max(count, 0), columns)
        defer {
            column += count
            columns -= count
        }
        return Rectangle(column: column, row: row, columns: count, rows: rows)
    }

    /// Removes columns from the right. Returns them.
    mutating func removeRight(_ count: Int) -> Rectangle {
        let count = min(max(count, 0), columns)
        columns -= count
        return Rectangle(column: column + columns, row: row, columns: count, rows: rows)
    }
}

/// Something that draws itself in a rectangle of a canvas, and nowhere else.
protocol Widget {
    func draw(on canvas: inout Canvas, in area: Rectangle)
}

/// A rectangle of character cells, on which views are drawn before the terminal gets its rows.
struct Canvas: Equatable, Sendable {
    /// A cell; all but the first cell of a wide character have no text.
    struct Cell: Equatable, Sendable {
        fileprivate(set) var text = " "
        fileprivate(set) var style = Style.plain

        /// True if a wide character begins in a cell before.
        var isContinuation: Bool { text.isEmpty }
        /// True if its text is one character of one column, and no part of a wider one.
        var isCertain: Bool {
            let scalars = text.unicodeScalars
            return !scalars.isEmpty && scalars.index(after: scalars.startIndex) == scalars.endIndex
        }
    }

    /// The texts of cells, by their code.
    private static let ascii = (0..<0x80 as Range<UInt8>).map {
        String(Character(Unicode.Scalar($0)))
    }

    let columns: Int
    let rows: Int
    private var cells: [Cell]

    init(columns: Int, rows: Int) {
        self.columns = max(columns, 0)
        self.rows = max(rows, 0)
        cells = Array(repeating: Cell(), count: self.columns * self.rows)
    }

    /// All of the canvas.
    var area: Rectangle { Rectangle(columns: columns, rows: rows) }

    /// Writes printable text from a cell to the right, as far as `width`, and the canvas, reach. Rows and
    /// columns outside the canvas are left out; combining characters belong to the cell before. A wide
    /// character of which a part is overwritten loses the rest. Returns the column after it.
    @discardableResult
    mutating func write(
        _ text: String, column: Int, row: Int, width: Int = .max, _ style: Style = .plain
    ) -> Int {
        guard row >= 0, row < rows else { return column }
        let end = width > columns ? columns : min(column + width, columns)
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            return write(ascii: text, column: column, end: end, row: row, style)
        }
        var column = column
        var last = columns > 0 && 1...columns ~= column ? first(of: column - 1, row) : nil
        for character in text {
            let text = String(character)
            let size = Columns.width(of: text)
            guard column + size <= end else { break }
            if size == 0 {
                if let last { cells[last].text += text }
                continue
            }
            last = nil
            if column >= 0 {
                let index = row * columns + column
                for half in column..<column + size {
                    part(half, row)
                    cells[row * columns + half] = Cell(text: "", style: style)
                }
                cells[index].text = text
                last = index
            }
            column += size
        }
        return column
    }

    private mutating func write(ascii text: String, column: Int, end: Int, row: Int, _ style: Style)
        -> Int
    {
        var column = column
        for byte in text.utf8 {
            guard column < end else { break }
            if column >= 0 {
                part(column, row)
                cells[row * columns + column] = Cell(text: Self.ascii[Int(byte)], style: style)
            }
            column += 1
        }
        return column
    }

    /// Writes text as `write`, shortened with an ellipsis to `width` columns.
    @discardableResult
    mutating func writeFitted(
        _ text: String, column: Int, row: Int, width: Int, _ style: Style = .plain
    ) -> Int {
        let text = Columns.fitted(text, into: min(width, columns - column))
        return write(text, column: column, row: row, width: width, style)
    }

    /// Writes text that ends before a column.
    mutating func write(_ text: String, endingAt column: Int, row: Int, _ style: Style = .plain) {
        write(text, column: column - Columns.width(of: text), row: row, style)
    }

    /// Fills a rectangle with a character of one column.
    mutating func fill(_ area: Rectangle, with text: String = " ", _ style: Style = .plain) {
        for row in area.rowRange.clamped(to: 0..<rows) {
            for column in area.columnRange.clamped(to: 0..<columns) {
                part(column, row)
                cells[row * columns + column] = Cell(text: text, style: style)
            }
        }
    }

    /// Changes the look of what is in a rectangle.
    mutating func restyle(_ area: Rectangle, _ change: (inout Style) -> Void) {
        for row in area.rowRange.clamped(to: 0..<rows) {
            for column in area.columnRange.clamped(to: 0..<columns) {
                change(&cells[row * columns + column].style)
            }
        }
    }

    /// Draws another canvas with its upper left corner at a cell.
    mutating func draw(_ other: Canvas, column: Int, row: Int) {
        let shown = max(-column, 0)..<max(min(other.columns, columns - column), -column, 0)
        guard !shown.isEmpty else { return }
        for y in 0..<other.rows where row + y >= 0 && row + y < rows {
            part(column + shown.lowerBound, row + y)
            part(column + shown.upperBound - 1, row + y)
            let start = (row + y) * columns + column
            for x in shown { cells[start + x] = other[x, y] }
            // Parts of wide characters at the borders.
            for x in shown {
                guard cells[start + x].isContinuation else { break }
                cells[start + x].text = " "
            }
            guard shown.upperBound < other.columns, other[shown.upperBound, y].isContinuation else {
                continue
            }
            for x in shown.reversed() {
                defer { cells[start + x].text = " " }
                guard cells[start + x].isContinuation else { break }
            }
        }
    }

    /// Draws a widget.
    mutating func draw(_ widget: some Widget, in area: Rectangle) {
        widget.draw(on: &self, in: area)
    }

    /// A cell of the canvas.
    subscript(column: Int, row: Int) -> Cell { cells[row * columns + column] }

    /// True if a row has the same cells as that of another canvas of the same size.
    func isEqual(row: Int, to other: Canvas) -> Bool {
        (row * columns..<(row + 1) * columns).allSatisfy { cells[$0] == other.cells[$0] }
    }

    /// The cells of a row.
    func cells(row: Int) -> ArraySlice<Cell> { cells[row * columns..<(row + 1) * columns] }

    /// The cells of a part of a row.
    func cells(row: Int, columns range: Range<Int>) -> ArraySlice<Cell> {
        cells[row * columns + range.lowerBound..<row * columns + range.upperBound]
    }

    /// The text of a row, without its look.
    func text(row: Int) -> String { cells(row: row).map(\.text).joined() }

    /// The text of all rows, without their look and the spaces at their ends.
    var text: String {
        (0..<rows).map { row in
            var text = Substring(text(row: row))
            while text.last == " " { text.removeLast() }
            return text + "\n"
        }.joined()
    }

    /// A row as the terminal gets it, with the sequences of its looks, plain at its end.
    func row(_ row: Int, hasColours: Bool) -> String {
        Self.sequence(of: cells(row: row), hasColours: hasColours)
    }

    /// Cells as the terminal gets them, with the sequences of their looks, plain at the end.
    static func sequence(of cells: ArraySlice<Cell>, hasColours: Bool) -> String {
        var (result, last) = ("", Style.plain)
        for cell in cells {
            if cell.style != last {
                result += cell.style.sequence(hasColours: hasColours)
                last = cell.style
            }
            result += cell.text
        }
        return last == .plain ? result : result + Style.plain.sequence(hasColours: hasColours)
    }

    /// The index of the cell in which the character at a cell begins.
    private func first(of column: Int, _ row: Int) -> Int {
        var index = row * columns + column
        while index > row * columns, cells[index].isContinuation { index -= 1 }
        return index
    }

    /// Removes the wide character that is partly in a cell, before the cell is overwritten.
    private mutating func part(_ column: Int, _ row: Int) {
        let next = column + 1 < columns && cells[row * columns + column + 1].isContinuation
        guard next || cells[row * columns + column].isContinuation else { return }
        var index = first(of: column, row)
        repeat {
            cells[index].text = " "
            index += 1
        } while index < (row + 1) * columns && cells[index].isContinuation
    }
}
