import Glibc
import UndersongBase
import UndersongCommandOptions

/// True if terminals are spared characters outside ASCII.
private let terminalsAreASCII = PlainCharacters.areNeeded { Environment[$0] }

/// `text` as `descriptor` can show it: a terminal that cannot show it as it is gets the nearest
/// ASCII.
private func bytes(of text: String, for descriptor: Int32) -> [UInt8] {
    let isPlain = terminalsAreASCII && isatty(descriptor) == 1
    return Array((isPlain ? PlainCharacters.only(text) : text).utf8)
}

/// Writes all of `text`, however long that takes; returns 0 or the `errno` of a failure.
@discardableResult
func writeAll(_ text: String, to descriptor: Int32) -> Int32 {
    writeAll(bytes(of: text, for: descriptor), to: descriptor)
}

/// Writes all of `text` to the standard output, or ends the program with the reason.
func writeOutput(_ text: String) {
    writeOutput(bytes(of: text, for: STDOUT_FILENO), orAfter: TerminalGuard.restore)
}

/// Reports a problem on the standard error, in the form of both programs.
func complain(_ text: String) { writeAll(complaint(text) + "\n", to: STDERR_FILENO) }

/// Texts for terminals that show no character outside ASCII.
enum PlainCharacters {
    private static let replacements: [Character: Character] = [
        "▶": ">", "⏸": "|", "…": "~", "━": "=", "─": "-", "│": "|", "×": "x", "✓": "*", "→": ">",
        "↑": "^", "↓": "v", "←": "<", "“": "\"", "”": "\"", "‘": "'", "’": "'", "–": "-", "—": "-",
        "█": "#", "▉": "#", "▊": "#", "▋": "=", "▌": "=", "▍": "=", "▎": "-", "▏": "-", "▀": "\"",
        "▄": "_", "▓": "%", "▒": "+", "░": ":", "·": ".", "▮": "|", "╭": "+", "╮": "+", "╰": "+",
        "╯": "+", "├": "+", "┤": "+", "●": "*", "○": "o", "◉": "@", "•": "*", "°": "'", "↗": "/",
        "↘": "\\", "↙": "/", "↖": "\\",
    ]
    /// The braille characters, which draw dots.
    private static let braille: ClosedRange<Character> = "\u{2800}"..."\u{28FF}"

    /// True if the environment names a locale in another encoding than UTF-8. Without any locale,
    /// UTF-8 is assumed: most terminals that do not name one show it.
    static func areNeeded(_ environment: (String) -> String?) -> Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first
        guard let name = locale?.lowercased() else { return false }
        return !name.contains("utf-8") && !name.contains("utf8")
    }

    /// The character for the dots of a braille character, by their number.
    private static func dots(_ character: Character) -> Character {
        switch character.unicodeScalars.first.map({ ($0.value & 0xFF).nonzeroBitCount }) ?? 0 {
        case 0: " "
        case 1, 2: "."
        case 3, 4: ":"
        default: "*"
        }
    }

    /// `text` in ASCII, which takes as many columns.
    static func only(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        return text.reduce(into: "") { plain, character in
            if character.isASCII {
                plain.append(character)
            } else if let replacement = replacements[character] {
                plain.append(replacement)
            } else if braille.contains(character) {
                plain.append(dots(character))
            } else {
                plain += String(repeating: "?", count: Columns.width(of: String(character)))
            }
        }
    }
}
