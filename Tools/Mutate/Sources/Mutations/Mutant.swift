/// A change to one place of a source file that a test should notice.
package struct Mutant: Equatable, Sendable {
    /// The line of the changed place, from 1.
    package let line: Int
    /// The range of the changed place, in UTF-8 code units.
    package let range: Range<Int>
    package let original: String
    package let replacement: String

    /// Returns all mutants of a source, in the order of their places.
    package static func all(in source: String) -> [Mutant] { MutantFinder.mutants(of: source) }

    /// The source with the change.
    package func applied(to source: String) -> String {
        var bytes = Array(source.utf8)
        bytes.replaceSubrange(range, with: replacement.utf8)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Mutant: CustomStringConvertible {
    package var description: String {
        "\(line): \(Self.shortened(original)) becomes \(Self.shortened(replacement))"
    }

    /// A text on one line, cut at 60 characters.
    private static func shortened(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.count > 60 ? "`\(line.prefix(59))…`" : "`\(line)`"
    }
}

/// SplitMix64: the same sequence for the same seed.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
