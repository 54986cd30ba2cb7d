/// Titles as playlists write them.
enum PlaylistTitle {
    /// `title` without the characters that every format has its difficulties with: controls, and
    /// what XML cannot hold.
    static func plain(_ title: String) -> String {
        let scalars = title.unicodeScalars.filter { !isOdd($0) }
        let text = String(String.UnicodeScalarView(scalars))
        let start = text.unicodeScalars.drop(while: isSpace)
        guard let last = start.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(start[...last])
    }

    /// Whether `title` is read again as it was when it is written as it stands.
    static func isPlain(_ title: String) -> Bool {
        !title.isEmpty && title.utf8.elementsEqual(plain(title).utf8)
    }

    /// The title of a piece by somebody: `Somebody - Piece`. Nil without a piece's name.
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
