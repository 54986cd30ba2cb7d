import Testing

@testable import UndersongLinuxPlatform

/// The signals that changes make.
@Suite struct `A player that changes` {
    private let state = MediaPlayerState.playing

    @Test func `A player that changes reports nothing where nothing has changed`() {
        let later = state.with { state in
            state.position = PlaybackPosition(
                microseconds: 3_000_000, hostTime: 1_001_000_000, rate: 1)
        }

        #expect(state.signals(to: state) == [])
        #expect(state.signals(to: later) == [])
    }

    @Test func `A player that changes reports the properties that have changed, and no others`() {
        let changed = state.with { state in
            state.volume = 0.25
            state.status = .paused
            state.position.rate = 0
        }

        #expect(
            state.signals(to: changed) == [
                BusSignal(
                    path: MediaPlayerState.path, interface: propertiesInterface,
                    member: "PropertiesChanged",
                    [
                        .string(playerInterface),
                        .dictionary(["PlaybackStatus": .string("Paused"), "Volume": .double(0.25)]),
                        .strings([]),
                    ])
            ])
    }

    @Test func `A player that changes reports where it has jumped to`() {
        let jumped = state.with { state in
            state.position.microseconds = 12_000_000
        }
        let nearby = state.with { state in
            state.position.microseconds += 40_000
            state.jumpCount += 1
        }

        #expect(state.signals(to: jumped).map(\.member) == ["Seeked"])
        #expect(state.signals(to: jumped).first?.arguments == [.int64(12_000_000)])
        #expect(state.signals(to: nearby).first?.arguments == [.int64(2_040_000)])
    }

    @Test
    func `A player that changes reports the position of another track unless that is at its start`()
    {
        let start = state.with { state in
            state.track = TrackMetadata(id: "/t/3")
            state.position.microseconds = 0
        }
        let middle = start.with { $0.position.microseconds = 5_000_000 }

        #expect(state.signals(to: start).map(\.member) == ["PropertiesChanged"])
        #expect(state.signals(to: middle).map(\.member) == ["PropertiesChanged", "Seeked"])
    }

    @Test func `A player that changes reports tracks that come, go and become known`() {
        let fewer = state.with { $0.tracks?.remove(at: 0) }
        let more = state.with { $0.tracks?.insert(TrackMetadata(id: "/t/4"), at: 0) }
        let middle = state.with { $0.tracks?.insert(TrackMetadata(id: "/t/4"), at: 1) }
        let known = state.with { $0.tracks?[2].title = "Harbour Lights" }

        #expect(trackSignals(to: fewer) == ["TrackRemoved"])
        #expect(state.signals(to: fewer).last?.arguments == [.objectPath("/t/1")])
        #expect(trackSignals(to: more) == ["TrackAdded"])
        #expect(
            state.signals(to: more).last?.arguments == [
                TrackMetadata(id: "/t/4").value, .objectPath(TrackMetadata.noTrack),
            ])
        #expect(state.signals(to: middle).last?.arguments.last == .objectPath("/t/1"))
        #expect(trackSignals(to: known) == ["TrackMetadataChanged"])
    }

    @Test
    func `A player that changes reports another list where tracks have moved, or most are others`()
    {
        let moved = state.with { $0.tracks?.swapAt(0, 2) }
        let other = state.with { state in
            state.tracks = (10...19).map { TrackMetadata(id: "/t/\($0)") }
            state.track = nil
        }

        #expect(trackSignals(to: moved) == ["TrackListReplaced"])
        #expect(
            state.signals(to: moved).last?.arguments == [
                .objectPaths(["/t/3", "/t/2", "/t/1"]), .objectPath("/t/2"),
            ])
        #expect(trackSignals(to: other) == ["TrackListReplaced"])
        #expect(
            state.signals(to: other).last?.arguments.last
                == .objectPath(TrackMetadata.noTrack))
    }

    @Test func `A player that changes reports changed tracks without saying which there are`() {
        let fewer = state.with { $0.tracks?.remove(at: 0) }

        #expect(
            state.signals(to: fewer).first?.arguments == [
                .string(trackListInterface), .dictionary([:]), .strings(["Tracks"]),
            ])
    }

    @Test func `A player that changes reports how many playlists there are, and which is played`() {
        let changed = state.with { state in
            state.playlists?.removeLast()
            state.activePlaylist = state.playlists?.first
        }

        let arguments = state.signals(to: changed).first?.arguments

        #expect(
            arguments?[1]
                == .dictionary([
                    "PlaylistCount": .uint32(1),
                    "ActivePlaylist": .structure([
                        .boolean(true),
                        .structure([.objectPath("/p/b"), .string("B"), .string("")]),
                    ]),
                ]))
    }

    private func trackSignals(to new: MediaPlayerState) -> [String] {
        state.signals(to: new).filter { $0.interface == trackListInterface }.map(\.member)
    }
}
