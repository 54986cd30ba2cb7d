/// Something that a player is asked to do.
package enum MediaPlayerCommand: Hashable, Sendable {
    case quit
    case next
    case previous
    case pause
    case playPause
    case stop
    case play
    /// Go so many microseconds on, or back when they are negative.
    case seek(by: Int64)
    /// Go to this microsecond of the current track.
    case setPosition(Int64)
    /// Open a URL and play it.
    case open(url: String)
    case setLoopStatus(MediaPlayerState.LoopStatus)
    /// Within the rates that there are.
    case setRate(Double)
    case setShuffled(Bool)
    /// 0 to 1.
    case setVolume(Double)
    /// Add a URL after a track, nil: before all others.
    case addTrack(url: String, after: String?, becomesCurrent: Bool)
    case removeTrack(String)
    case goTo(track: String)
    /// Play a playlist, by its object path.
    case activatePlaylist(String)
}
