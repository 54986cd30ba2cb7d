import UndersongCommandOptions

/// A time as `h:mm:ss.cc` in large digits of half blocks, or as plain text where they have no room.
struct LargeClock: Equatable, Sendable, Widget {
    /// The rows of pixels of a character, two of which make one row of cells.
    private static let pixels: [Character: [String]] = [
        "0": ["###", "# #", "# #", "# #", "# #", "###"],
        "1": [" # ", "## ", " # ", " # ", " # ", "###"],
        "2": ["###", "  #", "  #", "###", "#  ", "###"],
        "3": ["###", "  #", " ##", "  #", "  #", "###"],
        "4": ["# #", "# #", "# #", "###", "  #", "  #"],
        "5": ["###", "#  ", "###", "  #", "  #", "###"],
        "6": ["###", "#  ", "###", "# #", "# #", "###"],
        "7": ["###", "  #", "  #", " # ", " # ", " # "],
        "8": ["###", "# #", "###", "# #", "# #", "###"],
        "9": ["###", "# #", "# #", "###", "  #", "###"],
        ":": [" ", "#", " ", " ", "#", " "],
        ".": [" ", " ", " ", " ", " ", "#"],
        "-": ["  ", "  ", "##", "  ", "  ", "  "],
    ]
    /// The rows of cells of a character, by its code.
    private static let glyphs: [UInt8: [String]] = Dictionary(
        uniqueKeysWithValues: pixels.map { character, pixels in
            let cells = (0..<rows).map { row in
                zip(pixels[row * 2], pixels[row * 2 + 1]).map { upper, lower in
                    switch (upper == "#", lower == "#") {
                    case (true, true): "█"
                    case (true, false): "▀"
                    case (false, true): "▄"
                    case (false, false): " "
                    }
                }.joined()
            }
            return (character.asciiValue ?? 0, cells)
        })
    /// The rows of cells of the digits.
    static let rows = 3

    /// The time in seconds.
    var seconds: Double
    var style = Style.coloured(.cyan, isBold: true)

    /// The time in words: `0:03:07.42`. A second is never rounded up.
    var text: String {
        guard seconds.isFinite, seconds.magnitude < 360_000 else { return "-:--:--.--" }
        let hundredths = Int(seconds.magnitude * 100 + 1e-6)
        let (minutes, rest) = (hundredths / 6000, hundredths % 6000)
        let sign = seconds < 0 && hundredths > 0 ? "-" : ""
        return "\(sign)\(minutes / 60):\(Self.two(minutes % 60)):\(Self.two(rest / 100))."
            + Self.two(rest % 100)
    }

    /// The columns of the large digits.
    var columns: Int { Self.columns(of: text) }

    func draw(on canvas: inout Canvas, in area: Rectangle) {
        let text = text
        guard area.rows >= Self.rows, area.columns >= Self.columns(of: text) else {
            guard area.rows > 0 else { return }
            canvas.write(text, column: area.column, row: area.row, width: area.columns, style)
            return
        }
        var column = area.column
        for code in text.utf8 {
            guard let glyph = Self.glyphs[code] else { continue }
            for (row, cells) in glyph.enumerated() {
                canvas.write(cells, column: column, row: area.row + row, style)
            }
            column += glyph[0].count + 1
        }
    }

    /// The columns of a text in large digits.
    private static func columns(of text: String) -> Int {
        text.utf8.reduce(-1) { $0 + (glyphs[$1]?[0].count ?? 0) + 1 }
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
