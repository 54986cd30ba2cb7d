import UndersongBase

/// Writes a playlist entry by entry, so that memory use does not depend on its length. Sources,
/// titles and times are read back unchanged.
package protocol PlaylistWriter: Sendable {
    /// The text before the entries.
    var head: String { get }

    /// The text after the entries.
    var tail: String { get }

    /// Appends the text of `entry` to `bytes`; `duration` is the length of its source, if known.
    /// Precondition: a playlist can hold the entry's source.
    func write(_ entry: QueueEntry, duration: CMTime?, to bytes: inout [UInt8])
}

/// The playlist formats that can be written.
package enum WrittenPlaylist: String, CaseIterable, Sendable {
    case m3u8, m3u, xspf

    /// The writer for this format.
    package var writer: any PlaylistWriter {
        switch self {
        case .m3u8, .m3u: M3UWriter()
        case .xspf: XSPFWriter()
        }
    }

    /// True if a playlist can hold `source`: a file with an absolute path, or a URL. The standard
    /// input cannot be read again, and a relative path means another file in another folder.
    package static func canHold(_ source: MediaSource) -> Bool {
        switch source {
        case .file(let path) where path.isAbsolute: !path.bytes.contains(0)
        case .file(let path), .network(let path): path.string.map(isURL) ?? false
        case .standardInput: false
        }
    }

    /// True if `path` is a URL that `PlaylistNames` leaves unchanged, and a single word.
    private static func isURL(_ path: String) -> Bool {
        let isWord = path.unicodeScalars.allSatisfy { scalar in
            !scalar.properties.isWhitespace && PlaylistTitle.isPlain(String(scalar))
        }
        var names = PlaylistNames(PlaylistContext(folder: "/"))
        return isWord && names.path(ofReference: Array(path.utf8)) == FilePath(path)
    }
}
