import CUndersongLinux
import Glibc

/// Measures how many terminal columns a text takes, and truncates it to fit.
package enum Columns {
    /// Loads the character tables that `wcwidth` reads, whatever the user's locale is.
    private static let hasTables = unsafe setlocale(LC_CTYPE, "C.UTF-8") != nil

    /// The number of columns that `text` takes.
    package static func width(of text: some StringProtocol) -> Int {
        text.unicodeScalars.reduce(0) { $0 + max(width(of: $1), 0) }
    }

    /// True if each byte of `text` is a character of one column.
    package static func isPlain(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { 0x20..<0x7F ~= $0 }
    }

    /// `text` without characters that move the terminal's cursor, change the writing direction, or
    /// have no known width. A line's end or other control characters become one space.
    package static func printable(_ text: some StringProtocol) -> String {
        if isPlain(text) { return String(text) }
        var scalars = String.UnicodeScalarView()
        var isParted = false
        for scalar in text.unicodeScalars where !turnsDirection(scalar) {
            if parts(scalar) || isParted && scalar == " " {
                isParted = true
                continue
            }
            if isParted, let last = scalars.last, last != " " { scalars.append(" ") }
            isParted = false
            scalars.append(width(of: scalar) >= 0 ? scalar : "\u{FFFD}")
        }
        return String(scalars)
    }

    /// The longest beginning of printable `text` that fits into `columns`, with an ellipsis if it
    /// is truncated.
    package static func fitted(_ text: String, into columns: Int) -> String {
        guard width(of: text) > columns else { return text }
        guard columns > 0 else { return "" }
        var kept = ""
        var used = 1
        for character in text {
            used += width(of: character)
            guard used <= columns else { break }
            kept.append(character)
        }
        return kept + "…"
    }

    /// `text` with spaces after it, so that it takes `columns`, unless it takes more.
    package static func padded(_ text: String, to columns: Int) -> String {
        text + String(repeating: " ", count: max(columns - width(of: text), 0))
    }

    /// `text` with spaces before it, so that it takes `columns`, unless it takes more.
    package static func trailing(_ text: String, to columns: Int) -> String {
        String(repeating: " ", count: max(columns - width(of: text), 0)) + text
    }

    /// `texts`, all as wide as the widest one.
    package static func aligned(_ texts: [String]) -> [String] {
        let width = texts.map { Self.width(of: $0) }.max() ?? 0
        return texts.map { padded($0, to: width) }
    }

    /// `texts` with spaces before them, all as wide as the widest one.
    package static func rightAligned(_ texts: [String]) -> [String] {
        let width = texts.map { Self.width(of: $0) }.max() ?? 0
        return texts.map { trailing($0, to: width) }
    }

    /// A row of a table: the cells that are not empty, without spaces at the end.
    package static func row(_ cells: [String]) -> String {
        let row = cells.lazy.filter { !$0.isEmpty }.joined(separator: "  ")
        // By bytes: by characters, the trimming took a third of the time of a long list.
        let end = row.utf8.lastIndex { $0 != UInt8(ascii: " ") }.map(row.utf8.index(after:))
        return String(row[..<(end ?? row.startIndex)])
    }

    /// Rows of a name and a text, as lines in which the texts begin at `column`.
    package static func lines(_ rows: [(String, String)], column: Int = 12) -> String {
        rows.map { padded($0, to: column - 1) + " " + $1 }.joined(separator: "\n")
    }

    /// Rows for texts, of which the first one has the name; none if there are none.
    package static func rows(_ name: String, _ texts: [String]) -> [(String, String)] {
        texts.enumerated().map { ($0 == 0 ? name : "", $1) }
    }

    private static func width(of character: Character) -> Int {
        character.unicodeScalars.reduce(0) { $0 + max(width(of: $1), 0) }
    }

    /// 0 to 2 columns; negative if not printable.
    private static func width(of scalar: Unicode.Scalar) -> Int {
        if scalar.isASCII { return 0x20..<0x7F ~= scalar.value ? 1 : -1 }
        return hasTables ? Int(wcwidth(wchar_t(scalar.value))) : 2
    }

    /// True if it separates words: a control character, or the end of a line or paragraph.
    private static func parts(_ scalar: Unicode.Scalar) -> Bool {
        [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }

    /// True if it is a mark or override of the writing direction, which would affect the rest of
    /// the line.
    private static func turnsDirection(_ scalar: Unicode.Scalar) -> Bool {
        [0x061C...0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069]
            .contains { $0.contains(scalar.value) }
    }
}
