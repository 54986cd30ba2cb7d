/// A URL that can be transferred: of HTTP or HTTPS, with a host (J5).
package struct TransferURL: Hashable, Sendable {
    /// The host in lower case, with the port if there is one.
    package let host: String
    /// The last part of the path, without percent signs; nil if that is no name for a file.
    package let fileName: String?

    /// Nil for all other texts.
    package init?(_ text: String) {
        guard !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f }),
            let colon = text.firstIndex(of: ":"),
            ["http", "https"].contains(text[..<colon].lowercased()),
            text[colon...].hasPrefix("://")
        else { return nil }
        let rest = text[text.index(colon, offsetBy: 3)...]
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        let authority = rest[..<end]
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        guard let first = host.first, first != ":" else { return nil }
        self.host = host.lowercased()
        let path = rest[end...].prefix { $0 != "?" && $0 != "#" }
        fileName = path.split(separator: "/").last.flatMap { Self.name($0) }
    }

    /// The extension of the file's name in lower case.
    package var fileExtension: String? {
        guard let fileName, let dot = fileName.lastIndex(of: "."), dot > fileName.startIndex
        else { return nil }
        return fileName[fileName.index(after: dot)...].lowercased()
    }

    /// A name for a file of at most 255 bytes that leads nowhere else.
    private static func name(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, !digits.hasPrefix("+"),
                let value = UInt8(digits, radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        guard let name = String(validating: bytes, as: UTF8.self), name != ".", name != "..",
            (1...255).contains(bytes.count),
            !bytes.contains(where: { $0 < 0x20 || $0 == 0x7f || $0 == UInt8(ascii: "/") })
        else { return nil }
        return name
    }
}
