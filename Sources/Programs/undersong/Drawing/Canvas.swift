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

    var foreground: Colour?
    var background: Colour?
    var isBold = false
    var isDim = false
    var isReversed = false

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

/// A rectangle of character cells, on which views are drawn before the terminal gets its rows.
struct Canvas: Equatable, Sendable {
    /// A cell; the second cell of a wide character has no text.
    private struct Cell: Equatable, Sendable {
        var text = " "
        var style = Style.plain
    }

    let columns: Int
    let rows: Int
    private var cells: [Cell]

    init(columns: Int, rows: Int) {
        self.columns = max(columns, 0)
        self.rows = max(rows, 0)
        cells = Array(repeating: Cell(), count: self.columns * self.rows)
    }

    /// Writes text from a cell to the right, as far as `width`, and the canvas, reach. Rows and columns
    /// outside the canvas are left out. Returns the column after it.
    @discardableResult
    mutating func write(
        _ text: String, column: Int, row: Int, width: Int = .max, _ style: Style = .plain
    ) -> Int {
        guard row >= 0, row < rows else { return column }
        var column = column
        let end = width == .max ? columns : min(column + width, columns)
        for character in text {
            let size = Columns.width(of: String(character))
            guard column + size <= end else { break }
            guard size > 0 else { continue }
            if column >= 0 {
                cells[row * columns + column] = Cell(text: String(character), style: style)
                if size == 2 { cells[row * columns + column + 1] = Cell(text: "", style: style) }
            }
            column += size
        }
        return column
    }

    /// Draws another canvas with its upper left corner at a cell.
    mutating func draw(_ other: Canvas, column: Int, row: Int) {
        for y in 0..<other.rows where row + y >= 0 && row + y < rows {
            for x in 0..<other.columns where column + x >= 0 && column + x < columns {
                cells[(row + y) * columns + column + x] = other.cells[y * other.columns + x]
            }
        }
    }

    /// The text of a row, without its look.
    func text(row: Int) -> String {
        cells[row * columns..<(row + 1) * columns].map(\.text).joined()
    }

    /// A row as the terminal gets it, with the sequences of its looks, plain at its end.
    func row(_ row: Int, hasColours: Bool) -> String {
        var (result, last) = ("", Style.plain)
        for cell in cells[row * columns..<(row + 1) * columns] {
            if cell.style != last {
                result += cell.style.sequence(hasColours: hasColours)
                last = cell.style
            }
            result += cell.text
        }
        return last == .plain ? result : result + Style.plain.sequence(hasColours: hasColours)
    }
}
