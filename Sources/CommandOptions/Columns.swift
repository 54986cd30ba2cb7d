import CLinux
import Glibc

/// Counts how many columns of a terminal a text takes, and cuts it to fit.
package enum Columns {
    /// The character tables that `wcwidth` reads, whatever the user's locale is.
    private static let hasTables = unsafe setlocale(LC_CTYPE, "C.UTF-8") != nil

    /// The columns that `text` takes.
    package static func width(of text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + width(of: $1) }
    }

    /// `text` without what moves a terminal's cursor, turns its direction, or has no known width. One
    /// space keeps apart what a line's end or other control characters do.
    package static func printable(_ text: some StringProtocol) -> String {
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

    /// As much of printable `text` as fits into `columns`, with an ellipsis where some is left out.
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

    private static func width(of character: Character) -> Int {
        character.unicodeScalars.reduce(0) { $0 + max(width(of: $1), 0) }
    }

    /// 0 to 2 columns; below 0 for what is not printed.
    private static func width(of scalar: Unicode.Scalar) -> Int {
        if scalar.isASCII { return 0x20..<0x7F ~= scalar.value ? 1 : -1 }
        return hasTables ? Int(wcwidth(wchar_t(scalar.value))) : 2
    }

    /// Control characters, and the ends of lines and paragraphs.
    private static func parts(_ scalar: Unicode.Scalar) -> Bool {
        [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }

    /// Marks and overrides of the writing direction, which would turn the rest of the line.
    private static func turnsDirection(_ scalar: Unicode.Scalar) -> Bool {
        [0x061C...0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069]
            .contains { $0.contains(scalar.value) }
    }
}
