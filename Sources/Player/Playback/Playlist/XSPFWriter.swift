import UndersongBase

/// Writes an XSPF playlist (xspf.org). Times, and titles that XML cannot represent, are in `meta`
/// elements.
package struct XSPFWriter: PlaylistWriter {
    /// The values of `rel` in the `meta` elements of a track.
    package enum Meta: String, CaseIterable, Sendable {
        /// A title in which bytes other than letters and digits are escaped.
        case title = "urn:undersong:title"
        /// The start in seconds: `1/75`.
        case start = "urn:undersong:start"
        /// The end, likewise.
        case end = "urn:undersong:end"
    }

    /// Creates a writer.
    package init() {}

    package var head: String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <playlist version="1" xmlns="http://xspf.org/ns/0/">
          <trackList>

        """
    }

    package var tail: String { "  </trackList>\n</playlist>\n" }

    package func write(_ entry: QueueEntry, duration: CMTime?, to bytes: inout [UInt8]) {
        bytes += "    <track>\n      <location>".utf8
        writeLocation(entry.source.path, to: &bytes)
        bytes += "</location>\n".utf8
        if let title = entry.title.map(PlaylistTitle.plain), !title.isEmpty {
            bytes += "      <title>".utf8
            writeText(title, to: &bytes)
            bytes += "</title>\n".utf8
        }
        if let duration, PlaylistTime.isReported(duration),
            let milliseconds = Int(exactly: (duration.seconds * 1000).rounded())
        {
            bytes += "      <duration>\(milliseconds)</duration>\n".utf8
        }
        if let title = entry.title, !PlaylistTitle.isPlain(title) {
            write(.title, to: &bytes) { PercentCoding.encode(title.utf8, into: &$0) }
        }
        if PlaylistTime.isReported(entry.start) {
            write(.start, to: &bytes) { $0 += PlaylistTime.exact(entry.start).utf8 }
        }
        if let end = entry.end, PlaylistTime.isReported(end) {
            write(.end, to: &bytes) { $0 += PlaylistTime.exact(end).utf8 }
        }
        bytes += "    </track>\n".utf8
    }

    private func write(_ meta: Meta, to bytes: inout [UInt8], _ write: (inout [UInt8]) -> Void) {
        bytes += "      <meta rel=\"\(meta.rawValue)\">".utf8
        write(&bytes)
        bytes += "</meta>\n".utf8
    }

    private func writeLocation(_ path: FilePath, to bytes: inout [UInt8]) {
        guard path.isAbsolute else { return writeText(path.description, to: &bytes) }
        bytes += path.fileURL.utf8
    }

    private func writeText(_ text: String, to bytes: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: ">"): bytes += "&gt;".utf8
            default: bytes.append(byte)
            }
        }
    }
}
