package import UndersongBase
package import UndersongPlayback

/// The names of files, folders and playlists, to be expanded when needed.
package struct MediaNames: Sendable {
    /// Absolute paths; `-` is the MP3 stream on the standard input.
    package var paths: [FilePath]
    /// Where each item starts.
    package var start: CMTime
    /// Where each item ends; nil for its end.
    package var end: CMTime?
    /// Connects the stream named `-` to the process's standard input. Returns false if there is
    /// none.
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
