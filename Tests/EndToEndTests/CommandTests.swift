import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct `The command line` {
        @Test func `The option --at reports each time once per item, and --no-time no others`()
            throws
        {
            let music = try Music()
            let paths = try (0..<2).map { index in
                try music.encode(
                    Music.noise(seconds: 1.5, seed: UInt64(index)), to: "\(index).mp3")
            }

            let player = try Program(
                Program.undersong,
                ["render", "--json", "-o", "/dev/null", "--no-time", "--at", "1", "--at", "0.5"]
                    + paths)
            let status = try player.wait()

            #expect(status == 0)
            let events = try Events(player.text)
            let boundaries = events["boundary"].map {
                [$0["item"] as? Double, $0["seconds"] as? Double]
            }
            #expect(boundaries == [[1, 0.5], [1, 1], [2, 0.5], [2, 1]])
            #expect(events["time"].allSatisfy { $0["exact"] as? Bool == true })
        }

        @Test func `The verb render writes the requested part and reports its length`() throws {
            let music = try Music()
            let path = try music.encode(Music.noise(seconds: 3), to: "a.mp3")
            let expected = try Music.decoded([path])

            let program = try Program(
                Program.undersong,
                ["render", "-o", music.path("out.wav"), "--start", "0.5", "--end", "2", path])
            let status = try program.wait()

            #expect(status == 0)
            let written = frames(try Music.samples(ofWAV: music.path("out.wav")))
            let isExact = written == Array(expected[22_050..<88_200])
            #expect(isExact)
            #expect(program.text.hasPrefix("\(music.path("out.wav")): 1 item, 2 s, "))
        }

        @Test func `The tracks of a CUE sheet sound exactly like the file`() throws {
            let music = try Music()
            try music.encode(Music.noise(seconds: 2), to: "disc.mp3")
            let sheet = """
                FILE "disc.wav" WAVE
                TRACK 01 AUDIO
                TITLE "One"
                INDEX 01 00:00:00
                TRACK 02 AUDIO
                INDEX 01 00:00:37
                TRACK 03 AUDIO
                INDEX 01 00:01:02
                """
            let path = try music.write(Data(sheet.utf8), to: "disc.cue")

            let player = try Program(
                Program.undersong, ["render", "-o", music.path("out.wav"), path])

            #expect(try player.wait() == 0)
            #expect(player.text.contains("3 items"))
            let file = try Music.decoded([music.path("disc.mp3")])
            let isSame = try frames(Music.samples(ofWAV: music.path("out.wav"))) == file
            #expect(isSame)
        }

        @Test func `A rendered crossfade is shorter by the overlap`() throws {
            let music = try Music()
            let paths = try (0..<2).map { index in
                try music.encode(
                    Music.noise(seconds: 3, seed: UInt64(index)), to: "\(index).mp3")
            }
            let expected = try Music.decoded(paths)

            let program = try Program(
                Program.undersong,
                ["render", "-o", music.path("out.wav"), "--crossfade", "1"] + paths)
            let status = try program.wait()

            #expect(status == 0)
            let written = frames(try Music.samples(ofWAV: music.path("out.wav")))
            #expect(written.count == 5 * 44_100)
            let isExactBefore = written[..<88_200] == expected[..<88_200]
            let isExactBehind = written[132_300...] == expected[176_400...]
            #expect(isExactBefore && isExactBehind)
        }

        @Test func `A rate changes the length of one item and no other`() throws {
            let music = try Music()
            let path = try music.encode(Music.noise(seconds: 3), to: "a.mp3")

            let program = try Program(
                Program.undersong, ["render", "-o", music.path("out.wav"), "--rate", "1.5", path])
            let status = try program.wait()

            #expect(status == 0)
            #expect(frames(try Music.samples(ofWAV: music.path("out.wav"))).count == 88_200)
        }

        @Test(.comparesSamples) func `The mode repeat one loops without a gap`() throws {
            let server = try SoundServer()
            let music = try Music()
            let path = try music.encode(Music.noise(seconds: 1), to: "a.mp3")
            let expected = try Music.decoded([path])
            let recording = try Recording(server)

            let player = try Program(
                Program.undersong, ["play", "--json", "--repeat", "one", path],
                environment: server.environment)
            try recording.wait(4)
            player.signal(SIGTERM)
            try player.wait()

            let heard = sounds(in: try recording.finish())
            #expect(heard.count == 1)
            let rounds = Array(heard[0])
            let isRound = rounds.indices.allSatisfy { rounds[$0] == expected[$0 % expected.count] }
            #expect(isRound && rounds.count > 2 * expected.count)
        }

        @Test(arguments: [
            ["render", "-o", "x.wav", "--repeat", "all", "a.mp3"],
            ["render", "-o", "-", "--json", "a.mp3"], ["play", "--rate", "3", "a.mp3"],
            ["play", "--crossfade", "13", "a.mp3"],
            ["play", "--start", "2", "--end", "1", "a.mp3"],
            ["play", "--at", "1:75", "a.mp3"], ["play", "--repeat", "two", "a.mp3"],
        ])
        func `An invalid option is status 64`(_ arguments: [String]) throws {
            let program = try Program(Program.undersong, arguments)

            let status = try program.wait()

            #expect(status == 64)
            #expect(
                program.text.isEmpty
                    && program.errorText.hasPrefix("undersong: \(arguments[0]): "))
        }

        @Test func `Keys pause, resume and skip, and the terminal is restored`() throws {
            let server = try SoundServer()
            let music = try Music()
            let paths = try (0..<2).map { index in
                try music.encode(
                    Music.noise(seconds: 20, seed: UInt64(index)), to: "\(index).mp3")
            }
            let file = EventFile(music.path("events.jsonl"))
            let terminal = try Terminal(environment: server.environment)
            let command = "stty -a > \(music.path("before")); \(Program.undersong) play --json "

            try terminal.run(
                command + paths.joined(separator: " ") + " > \(file.path)", untilPrompt: false)
            try file.wait { $0["time"].count > 10 }
            terminal.type(" ")
            try file.wait { $0["state"].last?["status"] as? String == "paused" }
            terminal.type(" ")
            try file.wait { $0["state"].last?["status"] as? String == "playing" }
            terminal.type("\u{1B}[C")
            try file.wait { !$0["jump"].isEmpty }
            terminal.type("n")
            try file.wait {
                $0["item"].last?["change"] as? String == "began" && $0["item"].count > 2
            }
            terminal.type("q")
            try terminal.waitFor("ready> ")
            try terminal.run("stty -a > \(music.path("after"))")

            let events = try file.events
            #expect(
                events["item"].compactMap { $0["change"] as? String } == ["began", "left", "began"])
            let before = try String(contentsOfFile: music.path("before"), encoding: .utf8)
            let after = try String(contentsOfFile: music.path("after"), encoding: .utf8)
            #expect(!before.isEmpty && before == after)
        }
    }
}
