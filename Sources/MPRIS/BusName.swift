/// The names by which players are found on a bus.
package enum BusName {
    /// The prefix of all players' names.
    private static let prefix = "org.mpris.MediaPlayer2."

    /// The name of a player, and the one to use if that is taken. `words` are joined by dots;
    /// characters that a name cannot have become `_`.
    package static func names(_ words: [String], process: Int32) -> [String] {
        let name = prefix + words.map(element).joined(separator: ".")
        return [name, "\(name).instance\(process)"]
    }

    private static func element(_ word: String) -> String {
        let text = String(
            decoding: word.utf8.map { isAllowed($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
        guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return "_" + text }
        return text
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: false
        }
    }
}
