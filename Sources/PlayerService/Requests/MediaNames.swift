package import Playback

/// Files, folders and playlists by their names, which are looked for when they are needed.
package struct MediaNames: Sendable {
    /// Absolute paths; `-` is the MP3 stream on the standard input.
    package var paths: [FilePath]
    /// Where each item begins.
    package var start: CMTime
    /// Where each item ends; nil: at its end.
    package var end: CMTime?
    /// Makes what `-` names the process's standard input. False: it did not come with the names.
    package var connectStream: @Sendable () -> Bool

    package init(
        _ paths: [FilePath], start: CMTime = .zero, end: CMTime? = nil,
        connectStream: @escaping @Sendable () -> Bool = { false }
    ) {
        self.paths = paths
        self.start = start
        self.end = end
        self.connectStream = connectStream
    }
}
