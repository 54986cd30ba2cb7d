import Testing
import UndersongPlayback

@testable import UndersongLinuxPlatform

/// The effects of calls, without a bus.
@Suite struct `A call to a player` {
    private let state = MediaPlayerState.playing

    @Test(
        arguments: [
            ("Next", PlayerCommand.next), ("Previous", .previous), ("Pause", .pause),
            ("PlayPause", .toggle), ("Stop", .stop), ("Play", .resume),
        ])
    func `A call becomes the command of its name`(method: String, command: PlayerCommand) {
        #expect(state.reaction(to: method, of: playerInterface) == .perform(.player(command)))
        #expect(state.reaction(to: method, of: nil) == .perform(.player(command)))
    }

    @Test func `A call has no effect if its property says that it cannot be done`() {
        let stuck = state.with { state in
            (state.canGoNext, state.canGoPrevious, state.canPause) = (false, false, false)
            state.canSeek = false
        }

        for method in ["Next", "Previous", "Pause"] {
            #expect(stuck.reaction(to: method, of: playerInterface) == .answer([]))
        }
        #expect(stuck.reaction(to: "Seek", of: playerInterface, .int64(1)) == .answer([]))
        #expect(
            stuck.reaction(
                to: "SetPosition", of: playerInterface, .objectPath("/t/2"), .int64(1))
                == .answer([]))
        #expect(
            stuck.with { $0.canQuit = false }.reaction(to: "Quit", of: rootInterface)
                == .answer([]))
        #expect(state.reaction(to: "Quit", of: rootInterface) == .perform(.quit))
        #expect(state.reaction(to: "Raise", of: rootInterface) == .answer([]))
    }

    @Test func `A call goes to a position of the current track only, and within it`() {
        func position(_ id: String, _ microseconds: Int64) -> CallReaction {
            state.reaction(
                to: "SetPosition", of: playerInterface, .objectPath(id), .int64(microseconds))
        }

        #expect(position("/t/2", 30_000_000) == .perform(.setPosition(30_000_000)))
        #expect(position("/t/1", 1) == .answer([]))
        #expect(position("/t/2", -1) == .answer([]))
        #expect(position("/t/2", 30_000_001) == .answer([]))
        #expect(
            state.reaction(to: "Seek", of: playerInterface, .int64(.min))
                == .perform(.seek(by: .min)))
    }

    @Test func `A call is refused if it carries other types than it should`() {
        let wrong = [
            state.reaction(to: "Seek", of: playerInterface, .double(1)),
            state.reaction(to: "Next", of: playerInterface, .string("")),
            state.reaction(to: "SetPosition", of: playerInterface, .string("/t/2"), .int64(1)),
            state.reaction(to: "GoTo", of: trackListInterface),
            state.reaction(to: "Get", of: propertiesInterface, .string(playerInterface)),
            state.reaction(to: "GetAll", of: propertiesInterface, .int32(1)),
            state.reaction(
                to: BusCall(
                    path: MediaPlayerState.path, interface: playerInterface, member: "OpenUri",
                    arguments: nil, signature: "h")),
        ]

        #expect(wrong.map(\.error) == Array(repeating: "InvalidArgs", count: 7))
    }

    @Test func `A call is refused if there is no such object, interface or method`() {
        let object = state.reaction(
            to: BusCall(path: "/org/mpris/Other", interface: nil, member: "Next"))
        let plain = state.with { ($0.tracks, $0.playlists) = (nil, nil) }

        #expect(object.error == "UnknownObject")
        #expect(state.reaction(to: "Next", of: "org.example").error == "UnknownInterface")
        #expect(state.reaction(to: "Dance", of: playerInterface).error == "UnknownMethod")
        #expect(state.reaction(to: "Dance", of: nil).error == "UnknownMethod")
        #expect(
            plain.reaction(to: "GoTo", of: trackListInterface, .objectPath("/t/1")).error
                == "UnknownInterface")
        #expect(plain.property("PlaylistCount", playlistsInterface).error == "UnknownInterface")
    }

    @Test func `Calls edit and read the track list`() {
        let no = BusValue.objectPath(TrackMetadata.noTrack)
        let url = BusValue.string("file:///a")

        let first = state.reaction(
            to: "AddTrack", of: trackListInterface, url, no, .boolean(true))
        let second = state.reaction(
            to: "AddTrack", of: trackListInterface, url, .objectPath("/t/1"), .boolean(false))
        let metadata = state.reaction(
            to: "GetTracksMetadata", of: trackListInterface,
            .objectPaths(["/t/2", "/t/9", "/t/1"]))

        #expect(
            first == .perform(.addTrack(url: "file:///a", after: nil, becomesCurrent: true)))
        #expect(
            second == .perform(.addTrack(url: "file:///a", after: "/t/1", becomesCurrent: false)))
        #expect(
            metadata
                == .answer([
                    .array(
                        of: "a{sv}",
                        [TrackMetadata(id: "/t/1").value, state.track?.value ?? .boolean(false)])
                ]))
    }

    @Test(
        arguments: [
            ("Alphabetical", false, ["/p/a", "/p/b"]), ("Alphabetical", true, ["/p/b", "/p/a"]),
            ("Modified", false, ["/p/b", "/p/a"]),
        ])
    func `A call lists playlists in the order that it names`(
        order: String, isReverse: Bool, ids: [String]
    ) {
        let all = playlists(0, .max, order, isReverse)

        #expect(all == ids)
        #expect(playlists(1, 1, order, isReverse) == [ids[1]])
        #expect(playlists(2, 1, order, isReverse) == [])
        #expect(
            state.reaction(
                to: "GetPlaylists", of: playlistsInterface, .uint32(0), .uint32(1),
                .string("Played"), .boolean(false)
            ).error == "InvalidArgs")
    }

    private func playlists(
        _ index: UInt32, _ count: UInt32, _ order: String, _ isReverse: Bool
    ) -> [String]? {
        let reaction = state.reaction(
            to: "GetPlaylists", of: playlistsInterface, .uint32(index), .uint32(count),
            .string(order), .boolean(isReverse))
        guard case .answer(let values) = reaction, case .array(_, let playlists)? = values.first
        else { return nil }
        return playlists.compactMap { playlist in
            guard case .structure(let fields) = playlist, case .objectPath(let id) = fields[0]
            else { return nil }
            return id
        }
    }

    @Test func `A call is described, as is the way to its object`() throws {
        func description(_ path: String) -> String {
            let reaction = state.reaction(
                to: BusCall(
                    path: path, interface: "org.freedesktop.DBus.Introspectable",
                    member: "Introspect"))
            guard case .answer(let values) = reaction, case .string(let text)? = values.first
            else { return "" }
            return text
        }

        let player = description(MediaPlayerState.path)

        #expect(description("/").contains("<node name=\"org\"/>"))
        #expect(description("/org/mpris").contains("<node name=\"MediaPlayer2\"/>"))
        for name in ["Seeked", "TrackListReplaced", "GetPlaylists", "PropertiesChanged", "Volume"] {
            #expect(player.contains("name=\"\(name)\""))
        }
        #expect(player.contains("<property name=\"Rate\" type=\"d\" access=\"readwrite\">"))
    }
}
