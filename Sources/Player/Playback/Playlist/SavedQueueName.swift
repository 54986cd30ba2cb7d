/// The name of a queue that the user keeps as a playlist of its own.
package struct SavedQueueName: Hashable, Comparable, Sendable {
    private static let suffix = ".xspf"

    /// The name, as people read it.
    package let text: String

    /// Nil where it is none: 1 to 64 letters and digits of any script, spaces, `.`, `_` and `-`, none of
    /// these at its start but `_`, nor a space at its end.
    package init?(_ text: String) {
        let scalars = text.unicodeScalars
        guard let first = scalars.first, let last = scalars.last, last != " ",
            scalars.count <= 64, text.utf8.count <= 200
        else { return nil }
        guard !" .-".unicodeScalars.contains(first), scalars.allSatisfy(Self.isAllowed) else {
            return nil
        }
        self.text = text
    }

    /// The name of the queue in a file; nil: it is not a queue's.
    package init?(file: String) {
        guard file.hasSuffix(Self.suffix) else { return nil }
        self.init(String(file.dropLast(Self.suffix.count)))
    }

    /// The file in which the queue is kept.
    package var file: String { text + Self.suffix }

    /// In order of the texts.
    package static func < (left: SavedQueueName, right: SavedQueueName) -> Bool {
        left.text < right.text
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .nonspacingMark, .spacingMark, .decimalNumber:
            true
        default:
            // Two of these joiners distinguish words of some scripts.
            " ._-\u{200C}\u{200D}".unicodeScalars.contains(scalar)
        }
    }
}
