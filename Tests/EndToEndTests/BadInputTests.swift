import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct `Bad input` {
        @Test(arguments: [
            (["missing.mp3"], "cannot open missing.mp3: No such file or directory", "not-found"),
            (["folder"], "cannot play folder: No music was found in it", "no-media"),
            (["text.mp3"], "cannot play text.mp3: No MPEG audio was found in it", "not-mpeg-audio"),
            (
                ["pack.mp3"], "cannot play pack.mp3: It is WavPack audio, which is not supported",
                "unsupported-format"
            ),
            (
                ["noise.mp3"], "cannot play noise.mp3: No MPEG audio was found in it",
                "not-mpeg-audio"
            ),
            (["empty.mp3"], "cannot play empty.mp3: The file is empty", "empty"),
            (["loop.m3u"], "cannot read ./loop.m3u: It refers to itself", "bad-playlist"),
            (["empty.mp3/a.mp3"], "cannot open empty.mp3/a.mp3: Not a directory", "not-found"),
        ])
        func `Bad input is refused with name, reason and code, and nothing to play is status 1`(
            arguments: [String], message: String, code: String
        ) throws {
            let music = try BadMusic()

            let player = try music.play(arguments)
            let status = try player.wait()

            #expect(status == 1)
            let folder = music.files.folder.path + "/"
            #expect(
                player.errorText.replacingOccurrences(of: folder, with: "")
                    == "undersong: \(message)\n")
            let events = try Events(player.text.replacingOccurrences(of: folder, with: ""))
            #expect(events["error"].count == 1)
            #expect(events["error"].first?["code"] as? String == code)
            #expect(events["error"].first?["message"] as? String == message)
            #expect(events.lines.last?["event"] as? String == "end")
            #expect(events["end"].first?["played"] as? Int == 0)
        }

        @Test(arguments: 1...15)
        func `Quiet samples without a header that resemble frames are not music`(
            seed: UInt64
        ) throws {
            let music = try Music()
            var samples = Music.noise(seconds: 0.34, seed: seed)
            for index in stride(from: 1, to: samples.count, by: 2) {
                samples[index] = [0xFF, 0, 0xFE, 1][Int(samples[index] & 3)]
            }
            let path = try music.write(samples, to: "quiet.mp3")

            let player = try Program(
                Program.undersong, ["render", "--json", "-o", "/dev/null", path])

            #expect(try player.wait() == 1)
            #expect(player.errorText.hasSuffix("No MPEG audio was found in it\n"))
        }

        @Test(arguments: 1...8)
        func `Samples with another header that resemble frames are played as samples`(
            seed: UInt64
        ) throws {
            let music = try Music()
            // Most bytes are those that frames begin with.
            let samples: [Int32] = Music.fineNoise(frames: 60_000, seed: seed).map { sample in
                [255, -5, 0, -1][Int(sample & 3)] << 8
            }
            let path = try music.make(.wave64, of: samples, to: "quiet")

            let player = try Program(
                Program.undersong, ["render", "-o", music.path("out.wav"), path])

            #expect(try player.wait() == 0)
            let expected = Music.wav(samples, rate: 44_100, channels: 2, bits: 16).dropFirst(44)
            #expect(try Music.samples(ofWAV: music.path("out.wav")) == expected)
        }

        @Test(arguments: 1...6)
        func `Random bytes are not music, in a file or from the standard input`(
            seed: UInt64
        ) throws {
            let music = try Music()
            var numbers = SeededNumbers(seed)
            let bytes = Data((0..<300_000).map { _ in UInt8(numbers.below(256)) })
            let path = try music.write(bytes, to: "random.mp3")

            for (name, input, reason) in [
                (path, Data(), "No MPEG audio was found in it"), ("-", bytes, "It is not an MP3"),
            ] {
                let player = try Program(
                    Program.undersong, ["render", "--json", "-o", "/dev/null", name], input: input)
                #expect(try player.wait() == 1)
                #expect(player.errorText.hasSuffix(reason + "\n"))
            }
        }

        @Test func `A device that gives random bytes for ever is not music`() throws {
            let player = try Program(
                Program.undersong, ["play", "--output", "null", "/dev/urandom"])

            #expect(try player.wait() == 1)
            #expect(
                player.errorText
                    == "undersong: cannot play /dev/urandom: No MPEG audio was found in it\n")
        }

        @Test func `An empty standard input is not music`() throws {
            let player = try Program(
                Program.undersong, ["play", "--output", "null", "-"], input: Data())
            let status = try player.wait()

            #expect(status == 1)
            #expect(
                player.errorText
                    == "undersong: cannot play standard input: It is not an MP3\n")
        }

        @Test
        func `Unplayable files are skipped with one event each, without a gap`() throws {
            let music = try BadMusic()

            let player = try music.run(
                ["render", "--json", "-o", "out.wav", "good.mp3", "missing.mp3"]
                    + ["text.mp3", "good.mp3", "empty.mp3"])
            let status = try player.wait()

            #expect(status == 1)
            let good = music.files.path("good.mp3")
            let written = frames(try Music.samples(ofWAV: music.files.path("out.wav")))
            #expect(try written == Music.decoded([good, good]))
            let events = try Events(player.text)
            #expect(events["error"].compactMap { $0["item"] as? Int } == [2, 3, 5])
            #expect(events["item"].compactMap { $0["item"] as? Int } == [1, 1, 4, 4])
            #expect(events["end"].first?["played"] as? Int == 2)
            #expect(events["end"].first?["failed"] as? Int == 3)
        }

        @Test func `A missing sound server is status 69`() throws {
            let music = try BadMusic()

            let player = try Program(
                Program.undersong,
                [
                    "play", "--server", "unix:/nowhere/native", "--output-deadline", "1",
                    music.files.path("good.mp3"),
                ])
            let status = try player.wait()

            #expect(status == 69)
            #expect(
                player.errorText
                    == "undersong: cannot connect to the sound server unix:/nowhere/native: "
                    + "Connection refused\n")
        }

        @Test func `A sound server that dies during a song is waited for`() throws {
            let server = try SoundServer()
            let music = try Music()
            let path = try music.encode(Music.noise(seconds: 4), to: "a.mp3")

            let player = try Program(
                Program.undersong, ["play", path], environment: server.environment)
            try player.waitForOutput { $0.count > 20_000 }
            server.stop()
            try player.waitForOutput { String(decoding: $0, as: UTF8.self).contains("noOutput") }
            try server.start()
            let status = try player.wait()

            #expect(status == 0)
            let events = try Events(player.text)
            #expect(events["mediaServicesWereLost"].count == 1)
            #expect(events["mediaServicesWereReset"].count == 1)
            #expect(events["end"].first?["reason"] as? String == "finished")
        }

        @Test func `An unknown device is named in the error`() throws {
            let server = try SoundServer()
            let music = try BadMusic()

            let player = try Program(
                Program.undersong, ["play", "--device", "nosuch", music.files.path("good.mp3")],
                environment: server.environment)
            let status = try player.wait()

            #expect(status == 1)
            #expect(player.errorText == "undersong: cannot play on nosuch: No such entity\n")
        }

        @Test func `A full disk ends a rendered file with the reason`() throws {
            let music = try BadMusic()

            let player = try music.run(["render", "--json", "-o", "/dev/full", "good.mp3"])
            let status = try player.wait()

            #expect(status == 1)
            #expect(
                player.errorText == "undersong: cannot write /dev/full: No space left on device\n")

            let path = music.files.path("good.mp3")
            let shell = try Program(
                "/bin/sh", ["-c", "\"$0\" render -o - \"$1\" > /dev/full", Program.undersong, path])
            #expect(try shell.wait() == 1)
            #expect(
                shell.errorText
                    == "undersong: cannot write to standard output: No space left on device\n")
        }

        @Test(arguments: [
            ["play", "--host", "asleep", "a.mp3"], ["play", "--interval", "0", "a.mp3"],
            ["play", "--output", "tape", "a.mp3"], ["play", "--volume", "101", "a.mp3"],
            ["play", "--output", "null", "--device", "x", "a.mp3"],
        ])
        func `An invalid call is status 64`(arguments: [String]) throws {
            let player = try Program(Program.undersong, arguments)

            #expect(try player.wait() == 64)
            #expect(player.text.isEmpty)
            #expect(player.errorText.hasPrefix("undersong: play: "))
            #expect(player.errorText.hasSuffix("'undersong play --help' shows more\n"))
        }

        @Test func `An unknown verb is answered with the most similar one`() throws {
            let player = try Program(Program.undersong, ["resme"])

            #expect(try player.wait() == 64)
            #expect(player.errorText.contains("did you mean 'resume'?"))
        }
    }
}

/// A folder of files, one of which is music.
private final class BadMusic {
    let files: Music

    init() throws {
        files = try Music()
        let noise = Music.noise(seconds: 1)
        try files.encode(noise, to: "good.mp3")
        try FileManager.default.createDirectory(
            atPath: files.path("folder"), withIntermediateDirectories: true)
        try files.write(
            Data(String(repeating: "words, not music\n", count: 9999).utf8), to: "text.mp3")
        try files.write(Data("wvpk".utf8) + noise, to: "pack.mp3")
        try files.write(Music.noise(seconds: 2, seed: 7), to: "noise.mp3")
        try files.write(Data(), to: "empty.mp3")
        try files.write(Data("./loop.m3u\n".utf8), to: "loop.m3u")
    }

    /// Plays without a device, with names relative to the folder.
    func play(_ arguments: [String]) throws -> Program {
        try run(["play", "--output", "null"] + arguments)
    }

    /// Runs undersong in the folder.
    func run(_ arguments: [String]) throws -> Program {
        try Program(
            "/usr/bin/env", ["-C", files.folder.path, Program.undersong] + arguments)
    }
}
