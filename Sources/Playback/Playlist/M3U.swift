/// Reads the text of an M3U or M3U8 playlist.
package enum M3U {
    /// The entries in order, as paths: absolute as they stand, relative ones behind `folder`
    /// (empty: the current one).
    ///
    /// Comments, empty lines, CR LF line ends and a byte order mark are left out; `file://` URLs
    /// are decoded. Bytes that are no UTF-8 are taken as Latin-1, as old `.m3u` files have them.
    package static func paths(in bytes: [UInt8], folder: String) -> [String] {
        let marked = bytes.starts(with: byteOrderMark)
        let bytes = marked ? Array(bytes.dropFirst(byteOrderMark.count)) : bytes
        let text = String(validating: bytes, as: UTF8.self) ?? latin1(bytes)
        return text.unicodeScalars.split { $0 == "\n" || $0 == "\r" }.compactMap { line in
            let entry = trimmed(String(line))
            guard !entry.isEmpty, !entry.utf8.starts(with: "#".utf8) else { return nil }
            let isURL = entry.lowercased().hasPrefix("file://")
            guard let path = isURL ? filePath(ofURL: entry) : entry else { return nil }
            let isComplete = path.utf8.starts(with: "/".utf8) || folder.isEmpty
            return isComplete ? path : folder + "/" + path
        }
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The path of a `file://` URL, with its percent escapes decoded; nil when it has none.
    private static func filePath(ofURL entry: String) -> String? {
        let afterScheme = entry.utf8.dropFirst("file://".utf8.count)
        let path = afterScheme.drop { $0 != UInt8(ascii: "/") }  // the host: empty or localhost
        return path.isEmpty ? nil : percentDecoded(Substring(path))
    }

    private static func percentDecoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                rest.prefix(2).allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func trimmed(_ line: String) -> String {
        let start = line.drop { $0 == " " || $0 == "\t" }
        guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return String(start[...last])
    }

    private static func latin1(_ bytes: [UInt8]) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
