/// Distinguishes web pages and other texts from sound.
package enum TextSniffer {
    private static let playlists = [".m3u", ".m3u8", ".pls", ".xspf"]

    /// Returns the kind of text that a file of this name begins with instead of sound; nil if it
    /// may be sound, or a playlist by its name.
    package static func whatIsNoSound(_ bytes: ArraySlice<UInt8>, name: String) -> String? {
        let name = name.lowercased()
        if playlists.contains(where: { name.hasSuffix($0) }) { return nil }
        if bytes.isEmpty { return "nothing" }
        if isMarkup(bytes) { return "a web page" }
        return isText(bytes) ? "text" : nil
    }

    /// Returns true if they are those of a web page or another XML text.
    private static func isMarkup(_ bytes: ArraySlice<UInt8>) -> Bool {
        let start = bytes.drop { [0xef, 0xbb, 0xbf, 0x20, 0x09, 0x0a, 0x0d].contains($0) }
        let text = String(decoding: start.prefix(16), as: UTF8.self).lowercased()
        return ["<!doctype", "<html", "<head", "<body", "<?xml", "<!--"].contains {
            text.hasPrefix($0)
        }
    }

    /// Returns true if all may be text in UTF-8. Every format of sound has other bytes in its first
    /// header.
    private static func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.prefix(512).allSatisfy { byte in
            switch byte {
            case 0x09, 0x0a, 0x0d, 0x20...0x7e, 0x80...0xbf, 0xc2...0xf4: true
            default: false
            }
        }
    }
}
