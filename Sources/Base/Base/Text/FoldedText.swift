@_spi(_Unicode) import Swift

extension String {
    /// The combining diacritical marks, such as the dots of ö in its decomposed form.
    private static let marks: ClosedRange<Unicode.Scalar> = "\u{300}"..."\u{36F}"
    /// Letters that Unicode does not decompose, as people type them who do not have them.
    private static let plainLetters: [Unicode.Scalar: String] = [
        "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ß": "ss",
        "ı": "i",
    ]

    /// The text as searches compare it: in small letters, without diacritics.
    package var folded: String {
        let small = lowercased()
        guard !small.utf8.allSatisfy({ $0 < 0x80 }) else { return small }
        var folded = String.UnicodeScalarView()
        for scalar in small._nfd where !Self.marks.contains(scalar) {
            if let plain = Self.plainLetters[scalar] {
                folded.append(contentsOf: plain.unicodeScalars)
            } else {
                folded.append(scalar)
            }
        }
        return String(folded)
    }
}
