package import UndersongPlayback

/// A request to the player.
package enum MediaPlayerCommand: Hashable, Sendable {
    case quit
    case player(PlayerCommand)
    /// Seek by a number of microseconds; negative values seek backward.
    case seek(by: Int64)
    /// Seek to this microsecond of the current track.
    case setPosition(Int64)
    /// Open a URL and play it.
    case open(url: String)
    case setLoopStatus(MediaPlayerState.LoopStatus)
    /// Set the rate, within the player's range.
    case setRate(Double)
    case setShuffled(Bool)
    /// Set the volume, 0 to 1.
    case setVolume(Double)
    /// Add a URL after a track; nil to add it before all others.
    case addTrack(url: String, after: String?, becomesCurrent: Bool)
    case removeTrack(String)
    case goTo(track: String)
    /// Play a playlist, by its object path.
    case activatePlaylist(String)
}
