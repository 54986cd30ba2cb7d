/// Names of processes on a bus.
package enum BusName {
    /// The most bytes of a name.
    package static let limit = 255

    /// A text as an element of a name: characters that it cannot have become `_`.
    package static func element(_ word: String) -> String {
        let text = String(
            decoding: word.utf8.map { isAllowed($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
        guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return "_" + text }
        return text
    }

    /// Returns true if a text is a name that a process can ask for.
    package static func isValid(_ text: String) -> Bool {
        let elements = text.split(separator: ".", omittingEmptySubsequences: false)
        return elements.count > 1 && text.utf8.count <= limit
            && elements.allSatisfy { element in
                guard let first = element.utf8.first, !(0x30...0x39).contains(first) else {
                    return false
                }
                return element.utf8.allSatisfy(isAllowed)
            }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: false
        }
    }
}

/// The names by which players are found on a bus.
extension BusName {
    /// The prefix of all players' names.
    private static let prefix = "org.mpris.MediaPlayer2."

    /// The name of a player, and the one to use if that is taken. `words` are joined by dots;
    /// characters that a name cannot have become `_`.
    package static func names(_ words: [String], process: Int32) -> [String] {
        let name = prefix + words.map(element).joined(separator: ".")
        return [name, "\(name).instance\(process)"]
    }
}
