/// A JSON text that was checked as a whole, and the ranges of its values. The bytes stay as they
/// came: a number of any size and any spelling is the sender's.
package struct JSONText: Hashable, Sendable {
    /// The maximum depth of nested values.
    package static let depthLimit = 512

    /// The reason the bytes are no JSON text.
    package struct Problem: Error, Hashable, Sendable {
        /// The offset of the first byte that does not fit.
        package let offset: Int
        /// "a value is missing"
        package let reason: String
    }

    /// A member of an object.
    package struct Member: Hashable, Sendable {
        /// The key, without escapes.
        package let key: String
        /// The range of its value.
        package let value: Range<Int>
    }

    /// The bytes.
    package let bytes: [UInt8]
    /// The range of the outermost value, without the white space around it.
    package let value: Range<Int>

    /// Checks `bytes`.
    ///
    /// - Throws: An error if they are not UTF-8, or not one JSON value.
    package init(_ bytes: [UInt8]) throws(Problem) {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw Problem(offset: 0, reason: "it is not UTF-8")
        }
        var scanner = JSONScanner(bytes)
        value = try scanner.text()
        self.bytes = bytes
    }

    /// The members of the object at `range`, in their order; nil if the value there is not an
    /// object.
    package func members(at range: Range<Int>) -> [Member]? {
        guard bytes[range].first == UInt8(ascii: "{") else { return nil }
        var scanner = JSONScanner(bytes, from: range.lowerBound)
        return try? scanner.members()
    }

    /// Returns the ranges of the elements of the array at `range`; nil if the value there is not an
    /// array.
    package func elements(at range: Range<Int>) -> [Range<Int>]? {
        guard bytes[range].first == UInt8(ascii: "[") else { return nil }
        var scanner = JSONScanner(bytes, from: range.lowerBound)
        return try? scanner.elements()
    }

    /// The string at `range`, without escapes; nil if the value there is not a string.
    package func string(at range: Range<Int>) -> String? {
        guard bytes[range].first == UInt8(ascii: "\"") else { return nil }
        return JSONScanner.unescaped(bytes[range].dropFirst().dropLast())
    }

    /// The number at `range`, as the nearest `Double`; nil if the value there is not a number.
    package func number(at range: Range<Int>) -> Double? {
        guard let first = bytes[range].first, first == UInt8(ascii: "-") || first.isDigit else {
            return nil
        }
        return Double(String(decoding: bytes[range], as: UTF8.self))
    }
}

/// The members of an object in a JSON text. Of two with the same key, the last one counts.
package struct JSONObject: Hashable, Sendable {
    private let text: JSONText
    private let members: [String: Range<Int>]

    /// Creates the object that `bytes` are; nil if they are not one.
    package init?(_ bytes: [UInt8]) {
        guard let text = try? JSONText(bytes) else { return nil }
        self.init(text, at: text.value)
    }

    private init?(_ text: JSONText, at range: Range<Int>) {
        guard let members = text.members(at: range) else { return nil }
        self.text = text
        self.members = Dictionary(members.map { ($0.key, $0.value) }) { $1 }
    }

    package func string(_ key: String) -> String? { members[key].flatMap { text.string(at: $0) } }

    /// A finite number.
    package func number(_ key: String) -> Double? {
        members[key].flatMap { text.number(at: $0) }.flatMap { $0.isFinite ? $0 : nil }
    }

    package func object(_ key: String) -> JSONObject? {
        members[key].flatMap { JSONObject(text, at: $0) }
    }

    package func elements(_ key: String) -> [Range<Int>]? {
        members[key].flatMap { text.elements(at: $0) }
    }
}
