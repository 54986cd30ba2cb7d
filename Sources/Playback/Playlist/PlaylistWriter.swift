/// Writes a playlist entry by entry, so that one of any length takes no memory. What it writes is
/// read back as it was: sources, titles and times.
package protocol PlaylistWriter: Sendable {
    /// What stands before the entries.
    var head: String { get }

    /// What stands behind them.
    var tail: String { get }

    /// Adds the text of `entry` to `bytes`; `duration` is the length of its source where that is
    /// known. Precondition: a playlist can hold it.
    func write(_ entry: QueueEntry, duration: CMTime?, to bytes: inout [UInt8])
}

/// The playlists that are written.
package enum WrittenPlaylist: String, CaseIterable, Sendable {
    case m3u8, m3u, xspf

    /// What writes it.
    package var writer: any PlaylistWriter {
        switch self {
        case .m3u8, .m3u: M3UWriter()
        case .xspf: XSPFWriter()
        }
    }

    /// Whether a playlist can hold `source`: a file by its full path, or a URL. A stream from a
    /// descriptor cannot be read again, and a relative path leads elsewhere from another folder.
    package static func canHold(_ source: MediaSource) -> Bool {
        guard case .file(let path) = source else { return false }
        if path.isAbsolute { return !path.bytes.contains(0) }
        return path.string.map(isURL) ?? false
    }

    /// Whether `path` is one that `PlaylistNames` leaves as it is, and that is a word.
    private static func isURL(_ path: String) -> Bool {
        let isWord = path.unicodeScalars.allSatisfy { scalar in
            !scalar.properties.isWhitespace && PlaylistTitle.isPlain(String(scalar))
        }
        var names = PlaylistNames(PlaylistContext(folder: "/"))
        return isWord && names.path(ofReference: Array(path.utf8)) == FilePath(path)
    }
}
