import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct `The events of a session` {
        @Test
        func `A session's events have each 1/100 s in order, and an exact time at each end`() throws
        {
            let music = try Music()
            let first = try music.encode(Music.noise(seconds: 1.2345), to: "1.mp3")
            let second = try music.encode(Music.noise(seconds: 0.5), to: "2.mp3")

            let player = try Program(
                Program.undersong, ["play", "--output", "null", first, second])
            #expect(try player.wait() == 0)

            let events = try Events(player.text)
            #expect(events.ticks(of: 1) == Array(0...123))
            // The second item ends on the grid: its end is the last tick.
            #expect(events.ticks(of: 2) == Array(0...50))
            let exact = events["time"].filter { $0["exact"] as? Bool == true }
            #expect(exact.compactMap { $0["value"] as? Int } == [54441, 50])
            #expect(exact.compactMap { $0["timescale"] as? Int } == [44100, 100])
            let numbers = events.lines.compactMap { $0["seq"] as? Int }
            let start = try #require(numbers.first)
            #expect(numbers == Array(start..<start + events.lines.count))
            let times = events.lines.compactMap { $0["monotonic"] as? Int }
            #expect(times == times.sorted())
            // Which comes first decides whether a wait for the first item, and tags, are reported.
            var kinds: [String] = []
            for kind in events.lines.compactMap({ $0["event"] as? String })
            where !["time", "clock", "tags", kinds.last].contains(kind) {
                kinds.append(kind)
            }
            #expect(
                kinds == [
                    "session", "application", "policy", "queue", "state", "item", "state", "end",
                ])
            #expect(events["item"].count == 4)
        }

        @Test func `A session's events end the program when their reader goes, as SIGPIPE does`()
            throws
        {
            let music = try Music()
            let path = try music.encode(Music.noise(seconds: 20), to: "a.mp3")
            let command =
                "timeout 60 '\(Program.undersong)' play --output null '\(path)' | head -n 40"

            let shell = try Program(
                "/bin/bash", ["-c", command + "; echo ${PIPESTATUS[0]}"])
            #expect(try shell.wait() == 0)

            #expect(shell.text.hasSuffix("\n141\n"))
            #expect(shell.text.filter { $0 == "\n" }.count == 41)
        }

        @Test func `A session's events have the time of the sound, not of their reading`() throws {
            let music = try Music()
            let path = try music.encode(Music.noise(seconds: 2), to: "a.mp3")

            let player = try Program(Program.undersong, ["play", "--output", "null", path])
            #expect(try player.wait() == 0)

            #expect(abs(try Events(player.text).secondsOfTenTicks() / 0.1 - 1) < 0.01)
        }

        @Test func `A session's events follow their schema line by line`() throws {
            let music = try Music()
            let path = try music.encode(
                Music.noise(seconds: 0.3), to: "a.mp3", options: ["--tt", "Käse", "--ta", "\"Ω\""])
            let played = try Program(
                Program.undersong, ["render", "--json", "-o", "/dev/null", path, "missing.mp3"])
            #expect(try played.wait() == 1)
            let refused = try Program(
                Program.undersong, ["play", "--server", "unix:/nowhere", "--interval", "2", path])
            #expect(try refused.wait() == 69)

            let violations = try Schema.violations(
                of: played.data + refused.data, in: "events.schema.json")

            #expect(violations == "")
            #expect(try Events(played.text).lines.count > 40)
        }

        @Test func `A session's events contain an item's title, tags, length and format`() throws {
            let music = try Music()
            let path = try music.encode(
                Music.noise(seconds: 0.3), to: "käse.mp3",
                options: ["--tt", "Käse", "--ta", "Undersong", "--tn", "2/3", "--id3v2-utf16"])

            let player = try Program(
                Program.undersong, ["render", "--json", "-o", "/dev/null", path])
            #expect(try player.wait() == 0)

            let item = try #require(try Events(player.text)["item"].first)
            #expect(item["title"] as? String == "Käse")
            #expect(item["path"] as? String == path)
            let tags = item["tags"] as? [String: String]
            #expect(tags?["title"] == "Käse")
            #expect(tags?["artist"] == "Undersong")
            #expect(tags?["track"] == "2/3")
            let duration = item["duration"] as? [String: Any]
            #expect(duration?["value"] as? Int == 13230)
            #expect(duration?["timescale"] as? Int == 44100)
            #expect(duration?["exact"] as? Bool == true)
        }

        @Test func `A session's events show playlists and folders as a queue, in order`() throws {
            let music = try Music()
            let coded = try Data(
                contentsOf: URL(
                    filePath: music.encode(Music.noise(seconds: 0.1), to: "x.mp3")))
            try FileManager.default.createDirectory(
                atPath: music.path("album/disc 2"), withIntermediateDirectories: true)
            for name in ["album/b.MP3", "album/a.mp3", "album/disc 2/c.mp3", "d e.mp3", "f.mp3"] {
                try music.write(coded, to: name)
            }
            try music.write(Data("no music".utf8), to: "album/cover.txt")
            let list =
                "\u{FEFF}#EXTM3U\r\n#EXTINF:1,D\r\nd e.mp3\r\n\r\nfile://\(music.folder.path)/d%20e.mp3\r\ninner.m3u8\r\n"
            try music.write(Data(list.utf8), to: "list.m3u")
            try music.write(Data("album\n./f.mp3".utf8), to: "inner.m3u8")

            let player = try Program(
                Program.undersong, ["render", "--json", "-o", "/dev/null", music.path("list.m3u")])
            #expect(try player.wait() == 0)

            let queue = try #require(try Events(player.text)["queue"].first)
            let items = try #require(queue["items"] as? [[String: Any]])
            #expect(
                items.compactMap { $0["title"] as? String } == [
                    "D", "d e.mp3", "a.mp3", "b.MP3", "c.mp3", "f.mp3",
                ])
            #expect(items.compactMap { $0["id"] as? Int } == Array(1...6))
            #expect(queue["count"] as? Int == 6)
        }

        @Test func `The events of the demo show three songs without a gap and no audio mode`()
            throws
        {
            let music = try Music()

            let player = try Program(
                Program.undersong,
                [
                    "render", "--json", "-o", "\(music.path("out.wav"))",
                    Self.root + "/Resources/Demo/demo.m3u",
                ])
            #expect(try player.wait() == 0)

            let events = try Events(player.text)
            let lengths = events["item"].filter { $0["change"] as? String == "ended" }
                .compactMap { ($0["duration"] as? [String: Any])?["value"] as? Int }
            #expect(lengths == [1_270_820, 1_261_643, 1_630_828])
            let written = frames(try Music.samples(ofWAV: music.path("out.wav")))
            #expect(written.count == lengths.reduce(0, +))
        }

        @Test(.rule("B1"))
        func `A session's events show that the bundled manifest does not declare audio`() throws {
            let player = try Program(
                Program.undersong,
                ["play", "--output", "null", "--end", "0.1"]
                    + [Self.root + "/Resources/Demo/01 Slack Water.mp3"])
            #expect(try player.wait() == 0)

            let events = try Events(player.text)
            #expect(events["policy"].first?["audioCapability"] as? Bool == false)
            let source = try #require(events["session"].first?["capabilitySource"] as? String)
            #expect(source.hasSuffix("/Resources/Info.plist"))
        }

        private static let root = URL(filePath: #filePath)
            .appending(path: "../../..").standardizedFileURL.path
    }
}
