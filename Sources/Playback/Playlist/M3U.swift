/// Reads the text of an M3U or M3U8 playlist.
package enum M3U {
    /// The entries in order, as paths: absolute as they stand, relative ones behind `folder`
    /// (empty: the current one).
    ///
    /// Comments, empty lines, CR LF line ends and a byte order mark are left out; `file://` URLs
    /// are decoded. Bytes that are no UTF-8 are taken as Latin-1, as old `.m3u` files have them.
    package static func paths(in bytes: [UInt8], folder: String) -> [String] {
        let text = String(validating: bytes, as: UTF8.self) ?? latin1(bytes)
        let lines = text.unicodeScalars.split { $0 == "\n" || $0 == "\r" || $0 == "\u{FEFF}" }
        return lines.compactMap { line in
            let entry = trimmed(String(line))
            guard !entry.isEmpty, !entry.hasPrefix("#") else { return nil }
            let path = filePath(ofURL: entry) ?? entry
            return path.hasPrefix("/") || folder.isEmpty ? path : folder + "/" + path
        }
    }

    /// The path of a `file://` URL, with its percent escapes decoded; nil for anything else.
    private static func filePath(ofURL entry: String) -> String? {
        guard entry.lowercased().hasPrefix("file://") else { return nil }
        let afterScheme = entry.dropFirst("file://".count)
        let path = afterScheme.drop { $0 != "/" }  // the host, which is empty or localhost
        return percentDecoded(path)
    }

    private static func percentDecoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
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
