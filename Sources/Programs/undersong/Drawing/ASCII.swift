/// Replaces what a terminal without UTF-8 does not show.
enum ASCII {
    private static let replacements: [Character: Character] = [
        "─": "-", "│": "|", "╭": "+", "╮": "+", "╰": "+", "╯": "+", "├": "+", "┤": "+",
        "█": "#", "▀": "\"", "▄": "_", "▓": "#", "▒": "+", "░": "-", "▮": "#", "·": ".",
        "▏": "-", "▎": "-", "▍": "-", "▌": "=", "▋": "=", "▊": "=", "▉": "#",
        "●": "o", "○": ".", "◉": "@", "•": "*", "✓": "x", "▶": ">", "⏸": "=", "…": "~", "°": "'",
        "↑": "^", "→": ">", "↓": "v", "←": "<", "↗": "/", "↙": "/", "↘": "\\", "↖": "\\",
    ]

    /// The character that stands for another one; `?` where none is alike.
    static func character(for character: Character) -> Character {
        if character.isASCII { return character }
        if let replacement = replacements[character] { return replacement }
        guard let scalar = character.unicodeScalars.first, 0x2800...0x28FF ~= scalar.value else {
            return "?"
        }
        switch (scalar.value - 0x2800).nonzeroBitCount {
        case 0: return " "
        case 1, 2: return "."
        case 3, 4: return ":"
        default: return "*"
        }
    }

    /// The canvas in ASCII alone.
    static func canvas(_ canvas: Canvas) -> Canvas {
        var result = canvas
        for row in 0..<canvas.rows {
            for column in 0..<canvas.columns {
                let cell = canvas[column, row]
                guard let character = cell.text.first, !character.isASCII else { continue }
                let text = String(Self.character(for: character))
                result.write(text, column: column, row: row, cell.style)
            }
        }
        return result
    }
}
