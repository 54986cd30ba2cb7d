/// A media player at one moment, as MPRIS shows it: all that its properties say.
package struct MediaPlayerState: Hashable, Sendable {
    /// Whether it plays.
    package enum PlaybackStatus: String, Hashable, Sendable {
        case playing = "Playing"
        case paused = "Paused"
        case stopped = "Stopped"
    }

    /// What is played again.
    package enum LoopStatus: String, Hashable, Sendable, CaseIterable {
        case none = "None"
        case track = "Track"
        case playlist = "Playlist"
    }

    /// The player's name for display.
    package var identity = ""
    /// Whether `Quit` ends it.
    package var canQuit = false
    /// The kinds of URLs that it opens: `file`.
    package var schemes: [String] = []
    /// The types of files that it opens: `audio/mpeg`.
    package var mediaTypes: [String] = []

    package var status = PlaybackStatus.stopped
    /// Nil: it repeats nothing, and has no such property.
    package var loopStatus: LoopStatus?
    /// Nil: it has one order, and no such property.
    package var isShuffled: Bool?
    /// Seconds of a track in one second while it plays.
    package var rate = 1.0
    /// The rates that there are; they include 1.
    package var rates = 1.0...1.0
    /// 0 for silence, 1 for the loudest.
    package var volume = 1.0
    /// What is heard, or would be; nil: there is nothing.
    package var track: TrackMetadata?
    package var position = PlaybackPosition()
    /// Grows by jumps within a track.
    package var jumpCount = 0

    package var canGoNext = false
    package var canGoPrevious = false
    package var canPlay = false
    package var canPause = false
    package var canSeek = false

    /// The tracks around the current one, in order; nil: it has no track list.
    package var tracks: [TrackMetadata]?
    /// The playlists that it keeps, by their names; nil: it keeps none, and has no such interface.
    package var playlists: [PlaylistDescription]?
    /// The playlist that is played, if one is.
    package var activePlaylist: PlaylistDescription?

    package init() {}

    /// Where the track is heard at `hostTime`, in microseconds.
    package func position(at hostTime: Int64) -> Int64 {
        let microseconds = max(0, position.microseconds(at: hostTime))
        return track?.length.map { min(microseconds, max($0, position.microseconds)) }
            ?? microseconds
    }
}

/// A position in a track at one moment, and the rate at which it advances.
package struct PlaybackPosition: Hashable, Sendable {
    /// Microseconds of the track.
    package var microseconds: Int64
    /// Nanoseconds of CLOCK_MONOTONIC when it was there.
    package var hostTime: Int64
    /// The seconds of the track per second from then on; 0 while it is silent.
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

    /// Whether it has to be asked for again at `hostTime`: the sound's clock differs from the host's,
    /// and a start is reported before its first frame is heard.
    package func isStale(at hostTime: Int64) -> Bool {
        rate != 0 && hostTime - self.hostTime > 50_000_000
    }
}

/// A playlist that a player keeps.
package struct PlaylistDescription: Hashable, Sendable {
    /// Its object path, which is its own.
    package var id: String
    package var name: String
    /// When it was changed last, in nanoseconds since 1970.
    package var modified: Int64

    package init(id: String, name: String, modified: Int64) {
        self.id = id
        self.name = name
        self.modified = modified
    }
}
