import Glibc
import UndersongCommandOptions

/// Texts for terminals that show no character outside ASCII.
enum PlainCharacters {
    private static let replacements: [Character: Character] = [
        "▶": ">", "⏸": "|", "…": "~", "━": "=", "─": "-", "│": "|", "×": "x", "✓": "*", "→": ">",
        "↑": "^", "↓": "v", "←": "<", "“": "\"", "”": "\"", "‘": "'", "’": "'", "–": "-", "—": "-",
    ]

    /// Whether the environment names a locale in another encoding than UTF-8. Without any locale,
    /// UTF-8 is assumed: most terminals that do not name one show it.
    static func areNeeded(_ environment: (String) -> String?) -> Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first
        guard let name = locale?.lowercased() else { return false }
        return !name.contains("utf-8") && !name.contains("utf8")
    }

    /// `text` in ASCII, which takes as many columns.
    static func only(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        return text.reduce(into: "") { plain, character in
            if character.isASCII {
                plain.append(character)
            } else if let replacement = replacements[character] {
                plain.append(replacement)
            } else {
                plain += String(repeating: "?", count: Columns.width(of: String(character)))
            }
        }
    }
}
