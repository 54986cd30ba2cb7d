/// A media player at one moment: all that its MPRIS properties show.
package struct MediaPlayerState: Hashable, Sendable {
    /// Whether it plays.
    package enum PlaybackStatus: String, Hashable, Sendable {
        case playing = "Playing"
        case paused = "Paused"
        case stopped = "Stopped"
    }

    /// What is repeated.
    package enum LoopStatus: String, Hashable, Sendable, CaseIterable {
        case none = "None"
        case track = "Track"
        case playlist = "Playlist"
    }

    /// The player's name for display.
    package var identity = ""
    /// Whether `Quit` ends it.
    package var canQuit = false
    /// The kinds of URLs that it opens: `file`, `http`.
    package var schemes: [String] = []
    /// The types of files that it opens: `audio/mpeg`.
    package var mediaTypes: [String] = []

    package var status = PlaybackStatus.stopped
    /// Nil if the player cannot repeat, and so lacks the property.
    package var loopStatus: LoopStatus?
    /// Nil if the player cannot shuffle, and so lacks the property.
    package var isShuffled: Bool?
    /// The rate while it plays: seconds of the track per second.
    package var rate = 1.0
    /// The supported rates, which include 1.
    package var rates = 1.0...1.0
    /// From 0, silence, to 1, the loudest.
    package var volume = 1.0
    /// The current track; nil if there is none.
    package var track: TrackMetadata?
    package var position = PlaybackPosition()
    /// Increases with every jump within a track.
    package var jumpCount = 0

    package var canGoNext = false
    package var canGoPrevious = false
    package var canPlay = false
    package var canPause = false
    package var canSeek = false

    /// The tracks around the current one, in order; nil if there is no track list.
    package var tracks: [TrackMetadata]?
    /// The saved playlists, by name; nil if the player has none, and so lacks the interface.
    package var playlists: [PlaylistDescription]?
    /// The playlist that is playing, if any.
    package var activePlaylist: PlaylistDescription?

    package init() {}

    /// The position in the track at `hostTime`, in microseconds.
    package func position(at hostTime: Int64) -> Int64 {
        let microseconds = max(0, position.microseconds(at: hostTime))
        return track?.length.map { min(microseconds, max($0, position.microseconds)) }
            ?? microseconds
    }
}

/// A position in a track at one moment, and the rate at which it advances.
package struct PlaybackPosition: Hashable, Sendable {
    /// The position in microseconds.
    package var microseconds: Int64
    /// When the track was there, in nanoseconds of CLOCK_MONOTONIC.
    package var hostTime: Int64
    /// Seconds of the track per second from then on; 0 while silent.
    package var rate: Double

    package init(microseconds: Int64 = 0, hostTime: Int64 = 0, rate: Double = 0) {
        self.microseconds = microseconds
        self.hostTime = hostTime
        self.rate = rate
    }

    /// The position at `hostTime` if playback simply continues.
    package func microseconds(at hostTime: Int64) -> Int64 {
        guard rate != 0 else { return microseconds }
        let way = Double(max(0, hostTime - self.hostTime)) / 1000 * rate
        return Int64(exactly: (Double(microseconds) + way).rounded()) ?? microseconds
    }

    /// Whether to ask for the position again at `hostTime`: the sound's clock drifts against the
    /// host's, and a start is reported before its first frame is heard.
    package func isStale(at hostTime: Int64) -> Bool {
        rate != 0 && hostTime - self.hostTime > 50_000_000
    }
}

/// A saved playlist.
package struct PlaylistDescription: Hashable, Sendable {
    /// Its unique object path.
    package var id: String
    package var name: String
    /// When it was last changed, in nanoseconds since 1970.
    package var modified: Int64

    package init(id: String, name: String, modified: Int64) {
        self.id = id
        self.name = name
        self.modified = modified
    }
}
