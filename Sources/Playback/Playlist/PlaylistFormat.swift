/// The kinds of playlist that are read.
package enum PlaylistFormat: Sendable {
    /// Lines of names; `.m3u8` is the same.
    case m3u
    /// Numbered keys and values, as Winamp and web radios write them.
    case pls
    /// XML, see xspf.org.
    case xspf
    /// The tracks of a disc, which stand in few files or in one.
    case cue

    /// How many bytes of a file are enough to tell its format.
    package static let headLength = 1024

    /// The format of files with this extension, in lower-case letters; nil where it names none.
    package init?(fileExtension: String) {
        switch fileExtension {
        case "m3u", "m3u8": self = .m3u
        case "pls": self = .pls
        case "xspf": self = .xspf
        case "cue": self = .cue
        default: return nil
        }
    }

    /// The format of a file that begins with `head`; nil where that looks like no playlist.
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

    /// What reads a playlist of this format in `context`; nil for XSPF, which takes an XML parser.
    package func lineReader(_ context: PlaylistContext) -> (any PlaylistReader)? {
        switch self {
        case .m3u: LineReader(M3ULines(context))
        case .pls: LineReader(PLSLines(context))
        case .cue: LineReader(CueLines(context))
        case .xspf: nil
        }
    }
}

/// Reads a playlist whose bytes come in pieces. Entries are told as soon as they are complete, so
/// that a playlist of any length takes the memory of a piece.
package protocol PlaylistReader {
    /// Takes the next bytes, and adds the entries that are complete with them, in order. After an
    /// error there is no more to come.
    mutating func read(
        _ bytes: Span<UInt8>, into entries: inout [QueueEntry]
    ) throws(PlaylistError)

    /// Adds what is complete only now that there are no more bytes.
    mutating func finish(into entries: inout [QueueEntry]) throws(PlaylistError)
}

/// Why a playlist cannot be read on.
package struct PlaylistError: Error, Equatable, Sendable {
    /// As `MediaError` has it: `Line 3: mismatched tag`.
    package let reason: String

    /// Makes an error.
    package init(_ reason: String) { self.reason = reason }
}
