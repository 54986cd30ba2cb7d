import FoundationEssentials

/// Writes values as JSON on one line, with sorted keys.
package enum JSONLine {
    private static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    /// The bytes of `value`, without a line feed.
    package static func bytes(of value: some Encodable) throws -> [UInt8] {
        Array(try encoder.encode(value))
    }

    /// The text of `value`, without a line feed; empty if it cannot be encoded.
    package static func text(of value: some Encodable) -> String {
        (try? bytes(of: value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
