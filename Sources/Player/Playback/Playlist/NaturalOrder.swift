/// The order in which people expect names: numbers by their value, upper and lower case alike, and
/// letters with accents beside those without.
package enum NaturalOrder {
    /// `name` in the form that `precedes` compares. Names that are all ASCII need not be folded.
    package static func folded(_ name: [UInt8]) -> [UInt8] {
        guard name.contains(where: { $0 >= 0x80 }) else { return name }
        var folded: [UInt8] = []
        for scalar in String(decoding: name, as: UTF8.self).unicodeScalars {
            if scalar.isASCII {
                folded.append(UInt8(ascii: scalar))
            } else if scalar.properties.generalCategory != .nonspacingMark {
                folded += Array((base(of: scalar) ?? scalar.properties.lowercaseMapping).utf8)
            }
        }
        return folded
    }

    /// True if `first` comes before `second`; nil if they are alike. Both are folded.
    package static func precedes(
        _ first: ArraySlice<UInt8>, _ second: ArraySlice<UInt8>
    ) -> Bool? {
        var (left, right) = (first, second)
        while let a = left.first, let b = right.first {
            if isDigit(a), isDigit(b) {
                let (number, other) = (popNumber(from: &left), popNumber(from: &right))
                if number.count != other.count { return number.count < other.count }
                if !number.elementsEqual(other) { return number.lexicographicallyPrecedes(other) }
                continue
            }
            let (letter, other) = (lower(a), lower(b))
            if letter != other { return letter < other }
            left.removeFirst()
            right.removeFirst()
        }
        return left.isEmpty == right.isEmpty ? nil : left.isEmpty
    }

    /// Removes the digits at the start of `text`, and returns them without leading zeros.
    private static func popNumber(from text: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let digits = text.prefix(while: isDigit)
        text = text[digits.endIndex...]
        return digits.drop { $0 == UInt8(ascii: "0") }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
    }

    /// The letters without accents that a Latin letter is sorted by, from its name in Unicode, such
    /// as LATIN SMALL LETTER A WITH DIAERESIS; nil for other characters.
    private static func base(of scalar: Unicode.Scalar) -> String? {
        guard let words = scalar.properties.name?.split(separator: " "), words.count > 3,
            words[0] == "LATIN", words[2] == "LETTER" || words[2] == "LIGATURE"
        else { return nil }
        if words[3] == "SHARP" { return "ss" }
        return words[3].count <= 2 ? words[3].lowercased() : nil
    }
}
