@testable import UndersongLinuxPlatform

extension MediaPlayerState {
    /// A player that plays the second of three tracks, with everything that one can have.
    static var playing: MediaPlayerState {
        var state = MediaPlayerState()
        state.identity = "Test"
        state.canQuit = true
        state.schemes = ["file"]
        state.mediaTypes = ["audio/mpeg"]
        state.status = .playing
        state.loopStatus = LoopStatus.none
        state.isShuffled = false
        state.rates = 0.5...2
        state.volume = 0.5
        state.tracks = ["/t/1", "/t/2", "/t/3"].map { TrackMetadata(id: $0) }
        var track = TrackMetadata(id: "/t/2")
        track.title = "Slack Water"
        track.length = 30_000_000
        state.track = track
        state.tracks?[1] = track
        state.position = PlaybackPosition(microseconds: 2_000_000, hostTime: 1_000_000, rate: 1)
        state.canGoNext = true
        state.canGoPrevious = true
        state.canPlay = true
        state.canPause = true
        state.canSeek = true
        state.playlists = [
            PlaylistDescription(id: "/p/b", name: "B", modified: 1),
            PlaylistDescription(id: "/p/a", name: "A", modified: 2),
        ]
        return state
    }

    /// The state after `change`.
    func with(_ change: (inout MediaPlayerState) -> Void) -> MediaPlayerState {
        var state = self
        change(&state)
        return state
    }

    /// The action for a call of this object.
    func reaction(
        to member: String, of interface: String?, _ arguments: BusValue...
    ) -> CallReaction {
        reaction(
            to: BusCall(
                path: Self.path, interface: interface, member: member, arguments: arguments))
    }

    /// The reported value of a property.
    func property(_ name: String, _ interface: String = playerInterface) -> CallReaction {
        reaction(to: "Get", of: propertiesInterface, .string(interface), .string(name))
    }

    /// The result of setting a property.
    func setting(_ name: String, _ value: BusValue) -> CallReaction {
        reaction(
            to: "Set", of: propertiesInterface, .string(playerInterface), .string(name),
            .variant(value))
    }
}

extension CallReaction {
    /// The name of the error by which a call is refused, after its prefix.
    var error: String? {
        guard case .refuse(let error) = self else { return nil }
        return error.name.split(separator: ".").last.map(String.init)
    }
}

let rootInterface = "org.mpris.MediaPlayer2"
let playerInterface = "org.mpris.MediaPlayer2.Player"
let trackListInterface = "org.mpris.MediaPlayer2.TrackList"
let playlistsInterface = "org.mpris.MediaPlayer2.Playlists"
let propertiesInterface = "org.freedesktop.DBus.Properties"
