import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongControl
import UndersongPlayback

extension EndToEnd {
    /// The player as desktops have it, by the programs that they use.
    @Suite struct `A player on a desktop` {
        @Test func `A player on a desktop does what playerctl asks for`() throws {
            let desktop = try Desktop()
            try desktop.load()

            #expect(try desktop.players() == ["undersong"])
            // Tags are read in the background.
            try waitUntil { try desktop.playerctl("metadata", "title") == "Slack Water" }
            #expect(try desktop.playerctl("play") == "")
            try waitUntil { try desktop.playerctl("status") == "Playing" }
            #expect(try desktop.playerctl("pause") == "")
            #expect(try desktop.playerctl("status") == "Paused")
            #expect(try desktop.playerctl("position", "10") == "")
            #expect(try desktop.playerctl("position") == "10.000000")
            #expect(try desktop.playerctl("position", "2.5+") == "")
            #expect(try desktop.playerctl("position") == "12.500000")
            #expect(try desktop.playerctl("next") == "")
            try waitUntil {
                try desktop.playerctl("metadata", "xesam:title") == "The Tide Turns"
            }
            #expect(try desktop.playerctl("previous") == "")
            try waitUntil { try desktop.playerctl("metadata", "xesam:artist") == "Undersong" }
            #expect(try desktop.playerctl("volume", "0.3") == "")
            #expect(try desktop.playerctl("loop", "Track") == "")
            #expect(try desktop.playerctl("shuffle", "On") == "")
            #expect(try desktop.playerctl("stop") == "")
            #expect(try desktop.playerctl("status") == "Stopped")
            #expect(try desktop.playerctl("position") == "0.000000")

            let status = try desktop.client.call(GetStatus())
            #expect(status.settings.volume?.rounded() == 30 && status.settings.repeat == .one)
            #expect(status.settings.shuffle == true && !status.wantsPlayback)
            // Swift's shared threads would wake every second.
            #expect(try !desktop.daemon.threadNames().contains("oot.default-qos"))
        }

        @Test func `A player is started by the bus for any program that asks for it`() throws {
            let (bus, user) = (try MessageBus(), try RuntimeFolder())
            let name = "org.mpris.MediaPlayer2.undersong"
            let programs = user.path + "/.local/bin"
            try FileManager.default.createDirectory(
                atPath: programs, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: programs + "/undersongd",
                withDestinationPath: Program.path(of: "undersongd"))
            try FileManager.default.copyItem(
                at: URL(filePath: #filePath).appending(
                    path: "../../../Resources/dbus/\(name).service"
                ).standardizedFileURL,
                to: bus.folder.appending(path: "services/\(name).service"))
            let environment = user.environment.merging([
                "HOME": user.path, "DBUS_SESSION_BUS_ADDRESS": bus.address,
                "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere",
            ]) { $1 }
            try bus.start(environment: environment)
            for words in [["queue", "add"] + Desktop.songs, ["shutdown"]] {
                let program = try Program(Program.undersong, words, environment: environment)
                #expect(try program.wait() == 0, "\(program.errorText)")
            }
            #expect(ControlSocket.sessions(runtimeFolder: user.path).isEmpty)

            let call = try Program(
                "/usr/bin/busctl",
                ["--user", "call", name, "/org/mpris/MediaPlayer2", Desktop.player, "Next"],
                environment: environment)
            let status = try call.wait()
            let client = try ControlClient(
                socket: ControlSocket(session: "default", runtimeFolder: user.path).path,
                name: "test")

            #expect(status == 0, "\(call.errorText)")
            #expect(try client.call(GetStatus()).number == 2)
        }

        @Test func `A player on a desktop has every property of the specification`() throws {
            let desktop = try Desktop()
            try desktop.load()
            // Tags are read in the background.
            try waitUntil { try desktop.playerctl("metadata", "title") == "Slack Water" }
            let root = "org.mpris.MediaPlayer2"

            #expect(try desktop.property("Identity", root) == "s \"Undersong\"")
            #expect(try desktop.property("CanQuit", root) == "b true")
            #expect(try desktop.property("CanRaise", root) == "b false")
            #expect(try desktop.property("HasTrackList", root) == "b true")
            #expect(
                try desktop.property("SupportedUriSchemes", root)
                    == "as 3 \"file\" \"http\" \"https\"")
            #expect(try desktop.property("SupportedMimeTypes", root).contains("\"audio/mpeg\""))
            #expect(try desktop.property("PlaybackStatus") == "s \"Paused\"")
            #expect(try desktop.property("LoopStatus") == "s \"None\"")
            #expect(try desktop.property("Rate") == "d 1")
            #expect(try desktop.property("MinimumRate") == "d 0.5")
            #expect(try desktop.property("MaximumRate") == "d 2")
            #expect(try desktop.property("Shuffle") == "b false")
            #expect(try desktop.property("Volume") == "d 1")
            #expect(try desktop.property("Position").hasPrefix("x "))
            #expect(try desktop.property("CanGoNext") == "b true")
            #expect(try desktop.property("CanGoPrevious") == "b false")
            for name in ["CanPlay", "CanPause", "CanSeek", "CanControl"] {
                #expect(try desktop.property(name) == "b true")
            }
            let metadata = try desktop.property("Metadata")
            for text in [
                "\"mpris:trackid\" o \"/org/undersong/track/1\"", "\"mpris:length\" x 28816780",
                "\"xesam:album\" s \"Evening Tide\"", "\"xesam:trackNumber\" i 1",
                "Resources/Demo/01%20Slack%20Water.mp3\"",
            ] {
                #expect(metadata.contains(text), "\(text) is not in \(metadata)")
            }
            #expect(
                try desktop.property("Tracks", Desktop.trackList)
                    == "ao 3 \"/org/undersong/track/1\" \"/org/undersong/track/2\" "
                    + "\"/org/undersong/track/3\"")
            #expect(try desktop.property("CanEditTracks", Desktop.trackList) == "b true")
            #expect(try desktop.property("PlaylistCount", Desktop.playlists) == "u 0")
            #expect(
                try desktop.property("Orderings", Desktop.playlists)
                    == "as 2 \"Alphabetical\" \"Modified\"")
            #expect(
                try desktop.property("ActivePlaylist", Desktop.playlists)
                    == "(b(oss)) false \"/\" \"\" \"\"")
        }

        @Test func `A player on a desktop edits its track list, and ignores tracks that are gone`()
            throws
        {
            let desktop = try Desktop()
            try desktop.load()
            let (list, none) = (Desktop.trackList, "/org/mpris/MediaPlayer2/TrackList/NoTrack")
            let url = URL(filePath: Desktop.songs[2]).absoluteString
            func tracks() throws -> [String] {
                try desktop.property("Tracks", list).split(separator: "/track/").dropFirst()
                    .map { String($0.prefix { $0 != "\"" }) }
            }

            #expect(try desktop.call("AddTrack", "sob", url, none, "false", of: list) == "")
            #expect(try tracks() == ["4", "1", "2", "3"])
            #expect(
                try desktop.call(
                    "AddTrack", "sob", url, "/org/undersong/track/1", "true", of: list) == "")
            #expect(try tracks() == ["4", "1", "5", "2", "3"])
            #expect(try desktop.playerctl("metadata", "mpris:trackid").contains("/track/5"))
            #expect(
                try desktop.call("GoTo", "o", "/org/undersong/track/2", of: list) == "")
            // Tags are read in the background.
            try waitUntil { try desktop.playerctl("metadata", "title") == "The Tide Turns" }
            #expect(
                try desktop.call("RemoveTrack", "o", "/org/undersong/track/4", of: list) == "")
            #expect(
                try desktop.call("RemoveTrack", "o", "/org/undersong/track/4", of: list) == "")
            #expect(try desktop.call("GoTo", "o", "/org/undersong/track/4", of: list) == "")
            #expect(try tracks() == ["1", "5", "2", "3"])
            #expect(
                try desktop.call(
                    "AddTrack", "sob", url, "/org/undersong/track/4", "false", of: list
                ).contains("no such item"))
            #expect(
                try desktop.call("SetPosition", "ox", "/org/undersong/track/1", "5000000") == "")
            #expect(try desktop.playerctl("position") == "0.000000")
            #expect(
                try desktop.call(
                    "GetTracksMetadata", "ao", "2", "/org/undersong/track/4",
                    "/org/undersong/track/3", of: list
                ).hasPrefix("aa{sv} 1 "))
        }

        @Test func `A player on a desktop adds what is on the network, and shows its URL`() throws {
            let desktop = try Desktop()
            try desktop.load()
            let (list, last) = (Desktop.trackList, "/org/undersong/track/3")

            let answer = try desktop.call(
                "AddTrack", "sob", "http://127.0.0.1:9/one two.mp3", last, "false", of: list)
            let metadata = try desktop.call(
                "GetTracksMetadata", "ao", "1", "/org/undersong/track/4", of: list)

            #expect(answer == "")
            #expect(metadata.contains("\"xesam:url\" s \"http://127.0.0.1:9/one%20two.mp3\""))
        }

        @Test func `A player on a desktop shows a station's title wherever it shows one`() throws {
            let song = try Data(contentsOf: URL(filePath: Desktop.songs[0]))
            // The second song begins when the first one's title was seen.
            let isSeen = Mutex(false)
            let server = try ScriptedHTTPServer { _ in
                var response = ScriptedHTTPServer.Response()
                response.fields = [
                    ("icy-metaint", "16000"), ("icy-name", "Radio"), ("icy-br", "128"),
                    ("Content-Type", "audio/mpeg"),
                ]
                response.announcesLength = false
                for (index, place) in stride(from: 0, to: 160_000, by: 16_000).enumerated() {
                    response.body += song[place..<place + 16_000]
                    let title = "StreamTitle='Band - \(index < 3 ? "One" : "Two")';"
                    let text = Array(title.utf8) + Array(repeating: 0, count: 48 - title.utf8.count)
                    response.body += [3] + text
                }
                response.pause = (
                    after: 60_000, wait: { try? waitUntil { isSeen.withLock { $0 } } }
                )
                response.stall = response.body.count
                return response
            }
            let desktop = try Desktop()
            _ = try desktop.client.call(Attach(state: .active, source: "test"))
            _ = try desktop.client.call(
                Play(files: Files([server.url("/live")]), output: .null))

            for title in ["Band - One", "Band - Two"] {
                try waitUntil { try desktop.client.call(GetStatus()).item?.title == title }
                try waitUntil { try desktop.playerctl("metadata", "xesam:title") == title }
                isSeen.withLock { $0 = true }
            }
            _ = try desktop.client.call(Command(.stop))
            try waitUntil { try desktop.client.call(GetHistory(limit: 10)).entries.count == 2 }
            let history = try desktop.client.call(GetHistory(limit: 10)).entries

            #expect(history.map(\.title) == ["Band - Two", "Band - One"])
            #expect(history.allSatisfy { $0.path == server.url("/live") && $0.seconds > 0 })
        }

        @Test func `A player on a desktop opens files, and says why it cannot open others`() throws
        {
            let desktop = try Desktop()
            try desktop.load()

            #expect(
                try desktop.playerctl("open", URL(filePath: Desktop.songs[1]).absoluteString)
                    == "")
            #expect(try desktop.playerctl("metadata", "mpris:trackid").contains("/track/4"))
            #expect(
                try desktop.call("OpenUri", "s", "gopher://example.org/a.mp3")
                    == "Call failed: cannot open gopher://example.org/a.mp3: "
                    + "It is not a file, HTTP or HTTPS URL")
            #expect(
                try desktop.call("OpenUri", "s", "file:///nowhere.mp3")
                    == "Call failed: cannot open file:///nowhere.mp3: No such file or directory")
            #expect(try desktop.client.call(GetStatus()).count == 4)
        }

        @Test func `A player on a desktop plays the queues that are kept by name`() throws {
            let desktop = try Desktop()
            try desktop.load()
            let queues = desktop.bus.folder.appending(path: "data/undersong/queues")
            try FileManager.default.createDirectory(at: queues, withIntermediateDirectories: true)
            let list = """
                <playlist version="1" xmlns="http://xspf.org/ns/0/"><trackList><track>
                <location>\(URL(filePath: Desktop.songs[2]).absoluteString)</location>
                </track></trackList></playlist>
                """

            try list.write(
                to: queues.appending(path: "Für später.xspf"), atomically: true, encoding: .utf8)

            try waitUntil { try desktop.property("PlaylistCount", Desktop.playlists) == "u 1" }
            let id = "/org/undersong/playlist/46c3bc72207370c3a4746572"
            #expect(
                try desktop.call(
                    "GetPlaylists", "uusb", "0", "9", "Modified", "true", of: Desktop.playlists
                ).contains("\"\(id)\""))
            #expect(try desktop.call("ActivatePlaylist", "o", id, of: Desktop.playlists) == "")
            try waitUntil { try desktop.playerctl("metadata", "title") == "Harbour Lights" }
            #expect(
                try desktop.property("ActivePlaylist", Desktop.playlists)
                    .hasPrefix("(b(oss)) true \"\(id)\""))
            #expect(
                try desktop.call("ActivatePlaylist", "o", id + "00", of: Desktop.playlists)
                    .contains("There is no such playlist"))
        }

        @Test func `A player on a desktop says why it cannot play in the background`() throws {
            let desktop = try Desktop()
            try desktop.load()

            _ = try desktop.client.call(Attach(state: .background, source: "test"))
            try waitUntil { try desktop.property("CanPlay") == "b false" }
            let refusal =
                "Call failed: cannot play: The host is in the background, and the audio mode is "
                + "not declared"

            #expect(try desktop.call("Play") == refusal)
            #expect(try desktop.call("PlayPause") == refusal)
            #expect(try !desktop.client.call(GetStatus()).wantsPlayback)
            _ = try desktop.client.call(Attach(state: .active, source: "test"))
            try waitUntil { try desktop.property("CanPlay") == "b true" }
            #expect(try desktop.call("Play") == "")
        }

        @Test func `A player refuses wrong types and names, and does not exceed its ranges`() throws
        {
            let desktop = try Desktop()
            try desktop.load()

            #expect(try desktop.call("Seek", "s", "1").contains("takes 'x', not 's'"))
            #expect(try desktop.call("Dance").contains("No such method"))
            #expect(try desktop.property("Fame").contains("No such property"))
            #expect(try desktop.set("Volume", "s", "loud").contains("takes 'd', not 's'"))
            #expect(try desktop.set("Rate", "d", "9").contains("from 0.5 to 2.0"))
            #expect(try desktop.set("Volume", "d", "9") == "")
            #expect(try desktop.property("Volume") == "d 1")
        }

        @Test func `A session is on the bus beside another one, and absent where nobody wants it`()
            throws
        {
            let desktop = try Desktop()
            for name in ["work", "hidden"] {
                try FileManager.default.createDirectory(
                    at: desktop.bus.folder.appending(path: name),
                    withIntermediateDirectories: false)
            }
            let work = try Daemon(
                in: desktop.bus.folder.path + "/work", ["--session", "work"],
                environment: ["DBUS_SESSION_BUS_ADDRESS": desktop.bus.address])
            let hidden = try Daemon(
                in: desktop.bus.folder.path + "/hidden", ["--session", "hidden", "--no-mpris"],
                environment: ["DBUS_SESSION_BUS_ADDRESS": desktop.bus.address])
            defer { [work, hidden].forEach { $0.end(by: SIGTERM) } }

            try waitUntil { try desktop.players().sorted() == ["undersong", "undersong.work"] }
            #expect(try !hidden.threadNames().contains("mpris"))
            #expect(try desktop.players().count == 2)
        }

        @Test func `A player joins a bus that comes later, and plays without one`() throws {
            let desktop = try Desktop(isBusThere: false)
            _ = try desktop.client.call(Attach(state: .active, source: "test"))
            _ = try desktop.client.call(Play(files: Files(Desktop.songs), output: .null))

            for _ in 0..<2 {
                try desktop.bus.start()
                try waitUntil { try desktop.playerctl("status") == "Playing" }
                desktop.bus.stop()
                #expect(try desktop.client.call(GetStatus()).status == .playing)
            }
        }

        @Test func `A player on a desktop is followed by those who watch`() throws {
            let desktop = try Desktop()
            try desktop.load()
            let follower = try desktop.start("/usr/bin/playerctl", "--follow", "status")
            func wait(for lines: String) throws {
                try follower.waitForOutput { String(decoding: $0, as: UTF8.self) == lines }
            }

            try wait(for: "Paused\n")
            _ = try desktop.client.call(Command(.resume))
            try wait(for: "Paused\nPlaying\n")
            _ = try desktop.client.call(Command(.pause))
            try wait(for: "Paused\nPlaying\nPaused\n")

            follower.signal(SIGTERM)
        }

        @Test func `A player on a desktop shows the picture in a file, and the one beside it`()
            throws
        {
            let desktop = try Desktop()
            let music = try Music()
            let picture = Data([0xFF, 0xD8, 0xFF, 0xE0] + Array("\0\u{10}JFIF\0 a picture".utf8))
            try picture.write(to: URL(filePath: music.path("a.jpg")))
            let inside = try music.encode(
                Music.noise(seconds: 1, seed: 1), to: "inside.mp3",
                options: ["-b", "128", "--ti", music.path("a.jpg")])
            let beside = try music.encode(Music.noise(seconds: 1, seed: 2), to: "beside.mp3")
            try picture.write(to: URL(filePath: music.path("cover.png")))
            _ = try desktop.client.call(Attach(state: .active, source: "test"))
            _ = try desktop.client.call(AddToQueue(Files([inside, beside])))

            try waitUntil {
                try desktop.playerctl("metadata", "mpris:artUrl").hasPrefix("file://")
            }
            let url = try desktop.playerctl("metadata", "mpris:artUrl")
            #expect(url.contains("/cache/undersong/artwork/") && url.hasSuffix(".jpg"))
            #expect(try Data(contentsOf: #require(URL(string: url))) == picture)
            #expect(try desktop.playerctl("next") == "")
            try waitUntil {
                try desktop.playerctl("metadata", "mpris:artUrl").hasSuffix("/cover.png")
            }
        }

        @Test func `A player on a desktop shows the position of the sound, to 5 ms`() throws {
            let desktop = try Desktop()
            _ = try desktop.client.call(Attach(state: .active, source: "test"))
            _ = try desktop.client.call(
                Subscribe(interval: WireTime(value: 1, timescale: 100), kinds: ["time"]))
            _ = try desktop.client.call(Play(files: Files(Desktop.songs), output: .null))
            try waitUntil { desktop.times.count > 50 }

            // Of many readings the quickest: when it was made is known best.
            let script = """
                name, best = "org.mpris.MediaPlayer2.Player", None
                for _ in range(1000):
                    before = time.monotonic_ns()
                    position = properties.Get(name, "Position")
                    after = time.monotonic_ns()
                    if best is None or after - before < best[1] - best[0]:
                        best = (before, after, position)
                print(*best)
                """
            let numbers = try desktop.python(script).split(separator: " ").compactMap { Int64($0) }
            try #require(numbers.count == 3)
            try waitUntil { desktop.times.last.map { $0.monotonic > numbers[1] } ?? false }

            // What the events say of that moment.
            let crossed = try #require(desktop.times.last { $0.monotonic <= numbers[0] })
            let early = crossed.seconds + Double(numbers[0] - crossed.monotonic) / 1e9
            let late = crossed.seconds + Double(numbers[1] - crossed.monotonic) / 1e9
            let position = Double(numbers[2]) / 1e6
            #expect(position > early - 0.005)
            #expect(position < late + 0.005)
        }

        @Test(.comparesSamples)
        func `A player loses no frame while its properties are read 10,000 times`() throws {
            let server = try SoundServer()
            let music = try Music()
            let path = try music.encode(Music.noise(seconds: 12), to: "a.mp3")
            let recording = try Recording(server)
            let desktop = try Desktop(environment: ["PULSE_SERVER": server.address])
            _ = try desktop.client.call(Attach(state: .active, source: "test"))
            _ = try desktop.client.call(Play(files: Files([path])))
            try waitUntil { try desktop.playerctl("status") == "Playing" }

            let script = """
                names, count = ["Position", "Metadata", "PlaybackStatus", "Volume"], 0
                for number in range(10000):
                    properties.Get("org.mpris.MediaPlayer2.Player", names[number % 4])
                    count += 1
                print(count)
                """
            #expect(try desktop.python(script) == "10000")
            try waitUntil { try desktop.client.call(GetStatus()).item == nil }

            let heard = sounds(in: try recording.finish())
            let isAll = heard.map(Array.init) == [trimmed(try Music.decoded([path]))]
            #expect(isAll)
        }

        @Test func `A player on a desktop quits when it is asked to`() throws {
            let desktop = try Desktop()
            try waitUntil { try desktop.players() == ["undersong"] }

            #expect(
                try desktop.call("Quit", of: "org.mpris.MediaPlayer2") == "")
            try waitUntil { try !desktop.players().contains("undersong") }
        }
    }
}
