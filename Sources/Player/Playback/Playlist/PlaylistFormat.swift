/// The playlist formats that can be read.
package enum PlaylistFormat: Sendable {
    /// Lines of names; `.m3u8` is the same.
    case m3u
    /// Numbered keys and values, as written by Winamp and web radios.
    case pls
    /// XML; see xspf.org.
    case xspf
    /// The tracks of a disc, in one file or several.
    case cue

    /// The number of bytes that suffice to detect a file's format.
    package static let headLength = 1024

    /// The format of files with this extension, in lower case; nil if it has none.
    package init?(fileExtension: String) {
        switch fileExtension {
        case "m3u", "m3u8": self = .m3u
        case "pls": self = .pls
        case "xspf": self = .xspf
        case "cue": self = .cue
        default: return nil
        }
    }

    /// The format of a file that begins with `head`; nil if that is not a playlist.
    package init?(head: [UInt8]) {
        let marked = head.starts(with: byteOrderMark)
        var bytes = Array(head.dropFirst(marked ? 3 : 0))
        if var decoder = UTF16Decoder(mark: head.prefix(2)) {
            bytes = []
            decoder.decode(head.span.extracting(2...), into: &bytes)
        }
        let text = String(decoding: bytes, as: UTF8.self).lowercased()
        let start = text.drop(while: \.isWhitespace)
        if start.hasPrefix("#extm3u") {
            self = .m3u
        } else if start.hasPrefix("[playlist]") {
            self = .pls
        } else if start.hasPrefix("<"), text.contains("xspf.org/ns/") {
            self = .xspf
        } else if Self.sheetCommands.contains(where: start.hasPrefix), text.contains("file \"") {
            self = .cue
        } else {
            return nil
        }
    }

    private static let sheetCommands = [
        "rem ", "file ", "performer ", "title ", "catalog ", "songwriter ", "cdtextfile ",
    ]

    /// The reader for this format in `context`; nil for XSPF, which needs an XML parser.
    package func lineReader(_ context: PlaylistContext) -> (any PlaylistReader)? {
        switch self {
        case .m3u: LineReader(M3ULines(context))
        case .pls: LineReader(PLSLines(context))
        case .cue: LineReader(CueLines(context))
        case .xspf: nil
        }
    }
}

/// Reads a playlist whose bytes arrive in pieces. Entries are added as soon as they are complete,
/// so memory use does not depend on the length of the playlist.
package protocol PlaylistReader {
    /// Reads the next bytes, and adds the entries that they complete, in order. Must not be called
    /// again after it throws.
    mutating func read(
        _ bytes: Span<UInt8>, into entries: inout [QueueEntry]
    ) throws(PlaylistError)

    /// Adds entries that are complete once there are no more bytes.
    mutating func finish(into entries: inout [QueueEntry]) throws(PlaylistError)
}

/// The reason why a playlist cannot be read any further.
package struct PlaylistError: Error, Equatable, Sendable {
    /// The reason as in `MediaError`: `Line 3: mismatched tag`.
    package let reason: String

    /// Creates an error.
    package init(_ reason: String) { self.reason = reason }
}
