/// Bytes as text in base64 (RFC 4648).
public struct Base64: Codable, Hashable, Sendable {
    /// The bytes.
    public var bytes: [UInt8]

    /// Creates text of bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Creates bytes from text; nil if it is not valid.
    package init?(text: String) {
        let digits = Array(text.utf8)
        let content = digits.prefix { $0 != UInt8(ascii: "=") }
        guard digits.count % 4 == 0, digits.count - content.count <= 2,
            digits[content.count...].allSatisfy({ $0 == UInt8(ascii: "=") })
        else { return nil }
        bytes = []
        var (bits, count) = (0 as UInt32, 0)
        for digit in content {
            guard let value = Self.digits.firstIndex(of: digit) else { return nil }
            (bits, count) = (bits << 6 | UInt32(value), count + 6)
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
    }

    /// The text.
    package var text: String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let number = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            for index in 0...part.count {
                text.append(Self.digits[number >> (18 - 6 * index) & 63])
            }
            for _ in part.count..<3 { text.append(UInt8(ascii: "=")) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static let digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Decodes bytes from text. Throws if it is not base64.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = Base64(text: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "It is not base64")
        }
        self = value
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension FilePath {
    /// Creates a path from its text in a message and, if present, its bytes.
    package init(text: String, bytes: Base64?) {
        self = bytes.map { FilePath(bytes: $0.bytes) } ?? FilePath(text)
    }

    /// The bytes of a path that is not UTF-8 and therefore differs from its text.
    package var exactBytes: Base64? { string == nil ? Base64(bytes) : nil }
}
