/// Percent-encoding as in URLs.
package enum PercentCoding {
    /// Appends `bytes` with each `%` and two hex digits decoded; other bytes are unchanged.
    package static func decode(_ bytes: Span<UInt8>, into decoded: inout [UInt8]) {
        var index = 0
        while index < bytes.count {
            let code =
                index + 2 < bytes.count && bytes[index] == percent
                ? byte(bytes[index + 1], bytes[index + 2]) : nil
            decoded.append(code ?? bytes[index])
            index += code == nil ? 1 : 3
        }
    }

    /// Appends `bytes` with everything escaped except letters, digits, `-._~` and `/`.
    package static func encode(_ bytes: some Sequence<UInt8>, into encoded: inout [UInt8]) {
        for byte in bytes {
            switch byte {
            case 0x2D...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x7E: encoded.append(byte)
            default: encoded += [percent, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
    }

    /// The decoded text of `bytes`.
    package static func text(_ bytes: Span<UInt8>) -> String {
        var decoded: [UInt8] = []
        decode(bytes, into: &decoded)
        return decoded.span.text(decoded.span.indices)
    }

    private static let percent = UInt8(ascii: "%")
    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func byte(_ high: UInt8, _ low: UInt8) -> UInt8? {
        guard let high = value(high), let low = value(low) else { return nil }
        return high << 4 | low
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x37
        case 0x61...0x66: digit - 0x57
        default: nil
        }
    }
}

extension FilePath {
    /// The `file:` URL of an absolute path.
    package var fileURL: String {
        var url = Array("file://".utf8)
        PercentCoding.encode(bytes, into: &url)
        return String(decoding: url, as: UTF8.self)
    }
}
