/// Titles as written in playlists.
enum PlaylistTitle {
    /// `title` without characters that cause trouble in all formats: control characters, and those
    /// that XML cannot represent.
    static func plain(_ title: String) -> String {
        let scalars = title.unicodeScalars.filter { !isOdd($0) }
        let text = String(String.UnicodeScalarView(scalars))
        let start = text.unicodeScalars.drop(while: isSpace)
        guard let last = start.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(start[...last])
    }

    /// True if `title`, written as is, is read back unchanged.
    static func isPlain(_ title: String) -> Bool {
        !title.isEmpty && title.utf8.elementsEqual(plain(title).utf8)
    }

    /// The title of a piece by an artist: `Artist - Piece`. Nil if the piece has no name.
    package static func title(_ title: String, by performer: String) -> String? {
        if title.isEmpty { return nil }
        return performer.isEmpty ? title : performer + " - " + title
    }

    private static func isOdd(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0xFFFE, 0xFFFF: true
        default: false
        }
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " }
}
