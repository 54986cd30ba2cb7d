/// Tells web pages from sound.
package enum MarkupSniffer {
    /// Whether bytes from the start of a file are those of a web page or another XML text.
    package static func isMarkup(_ bytes: ArraySlice<UInt8>) -> Bool {
        let start = bytes.drop { [0xef, 0xbb, 0xbf, 0x20, 0x09, 0x0a, 0x0d].contains($0) }
        let text = String(decoding: start.prefix(16), as: UTF8.self).lowercased()
        return ["<!doctype", "<html", "<head", "<body", "<?xml", "<!--"].contains {
            text.hasPrefix($0)
        }
    }
}
