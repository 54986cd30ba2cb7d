import Foundation
import Testing

extension EndToEnd {
    @Suite struct `The verify command` {
        @Test
        func `The verb verify finds exact lengths of files with LAME's tag, and a gapless join`()
            throws
        {
            let music = try Music()
            let first = try music.encode(Music.noise(seconds: 1.3), to: "a.mp3")
            let second = try music.encode(
                Music.noise(seconds: 0.75), to: "b.mp3", options: ["--abr", "140"])
            let third = try music.encode(
                Music.noise(seconds: 0.5), to: "c.mp3", options: ["-V", "2"])

            let (findings, status) = try verify([first, second, third])

            #expect(status == 0)
            #expect(findings.map(\.kind) == ["file", "seam", "file", "seam", "file", "summary"])
            let files = findings.filter { $0.kind == "file" }
            #expect(files.map { $0["frames"] as? Int } == [57330, 33075, 22050])
            #expect(files.map { $0.duration("announced")?.value } == [57330, 33075, 22050])
            #expect(files.allSatisfy { $0.duration("announced")?.exact == true })
            #expect(files.allSatisfy { $0["gaplessSource"] as? String == "lame-tag" })
            #expect(files.allSatisfy { $0.damage.isEmpty })
            let bitrates = files.map { $0["bitrate"] as? [String: Any] }
            #expect(
                bitrates.map { $0?["mode"] as? String } == ["constant", "average", "variable"])
            #expect(abs((bitrates[0]?["average"] as? Double ?? 0) - 128) < 0.1)
            let seams = findings.filter { $0.kind == "seam" }
            #expect(
                seams.map { $0["message"] as? String }
                    == ["gapless, 0 frames added", "gapless, 0 frames added"])
            #expect(seams.map { $0["from"] as? Int } == [1, 2])
            #expect(seams.map { $0["to"] as? Int } == [2, 3])
        }

        @Test(arguments: [
            ["--freeformat", "-b", "400"], ["-b", "320"], ["-b", "64", "-p"], ["-V", "9"],
            ["--abr", "90", "--replaygain-accurate"],
        ])
        func `The verb verify finds no damage in files encoded by lame`(options: [String]) throws {
            let music = try Music()
            let path = try music.encode(
                Music.noise(seconds: 1), to: "a.mp3", options: options)

            let (findings, status) = try verify([path])

            #expect(status == 0)
            #expect(findings[0].damage == [])
            #expect(findings[0].duration("announced")?.exact == true)
            #expect(
                findings[0].duration("announced")?.seconds
                    == findings[0].duration("duration")?.seconds)
        }

        @Test func `The verb verify reports missing delay and padding, and an estimated length`()
            throws
        {
            let music = try Music()
            let tagged = try music.encode(Music.noise(seconds: 1), to: "a.mp3")
            let plain = try music.encode(
                Music.noise(seconds: 1), to: "b.mp3", options: ["-t", "-V", "2"])

            let (findings, status) = try verify([tagged, plain, tagged])

            #expect(status == 0)
            let file = try #require(findings.first { $0["number"] as? Int == 2 })
            #expect(try file["frames"] as? Int == Music.decoded([plain]).count)
            #expect(file.duration("duration")?.exact == true)
            #expect(file.duration("announced")?.exact == false)
            #expect(file["gaplessSource"] == nil)
            #expect(file["encoder"] == nil)
            let seams = findings.filter { $0.kind == "seam" }
            #expect(seams.map { $0["gapless"] as? Bool } == [false, false])
            #expect(seams.map { $0.addedFrames?.lowerBound } == [1105, 47])
            #expect(seams.map { $0.addedFrames?.upperBound } == [1105, 1198])
        }

        @Test func `The verb verify finds the end of a truncated file, and its actual length`()
            throws
        {
            let music = try Music()
            let whole = try music.encode(Music.noise(seconds: 2), to: "whole.mp3")
            let data = try Data(contentsOf: URL(filePath: whole))
            let cut = try music.write(data.prefix(20000), to: "cut.mp3")

            let (findings, status) = try verify([cut, whole])

            #expect(status == 1)
            let file = try #require(findings.first)
            #expect(try file["frames"] as? Int == Music.decoded([cut]).count)
            // 417 or 418 bytes each, the first of which is the tag's.
            #expect(
                file.damage == [
                    "the last frame is 61 bytes short",
                    "the header announces \(data.count) bytes, there are 20000",
                    "the header announces 78 MPEG frames, there are 46",
                ])
            #expect(file.codes == ["truncated-frame", "missing-bytes", "frame-count"])
            #expect(findings[1]["gapless"] as? Bool == false)
            #expect(findings[1]["addedFrames"] == nil)
            #expect(findings.last?["damaged"] as? Int == 1)
        }

        @Test func `The verb verify finds a truncated frame in a file without a header tag`() throws
        {
            let music = try Music()
            let whole = try music.encode(Music.noise(seconds: 1), to: "a.mp3", options: ["-t"])
            let data = try Data(contentsOf: URL(filePath: whole))
            let tag = Data("TAG".utf8) + Data(count: 125)
            let cut = try music.write(data.dropLast(100), to: "cut.mp3")
            let tagged = try music.write(data.dropLast(100) + tag, to: "tagged.mp3")

            let (findings, _) = try verify([whole, cut, tagged])

            let files = findings.filter { $0.kind == "file" }
            #expect(files[0].damage.isEmpty)
            #expect(files[1].damage == ["the last frame is 100 bytes short"])
            #expect(files[2].codes == ["truncated-frame"])
        }

        @Test
        func `The verb verify finds bytes that are not audio before, between and after frames`()
            throws
        {
            let music = try Music()
            let path = try music.encode(Music.noise(seconds: 1), to: "a.mp3", options: ["-t"])
            let data = try Data(contentsOf: URL(filePath: path))
            // The eleventh frame at 128 kbit/s begins here.
            let place = 4179
            let dirty = try music.write(
                Data(repeating: 0xAA, count: 300) + data.prefix(place)
                    + Data(repeating: 0xAA, count: 500) + data.dropFirst(place)
                    + Data(repeating: 0xAA, count: 700), to: "dirty.mp3")

            let (findings, status) = try verify([dirty])

            #expect(status == 1)
            let file = try #require(findings.first)
            #expect(data[place] == 0xFF)
            #expect(
                file.damage == [
                    "300 bytes before the first frame",
                    "500 bytes between frames skipped in 1 place, first at byte 4479",
                    "700 bytes after the last frame",
                ])
            #expect(try file["frames"] as? Int == Music.decoded([path]).count)
        }

        @Test func `The verb verify finds no damage in tags, wherever they are`() throws {
            let music = try Music()
            let path = try music.encode(
                Music.noise(seconds: 0.5), to: "a.mp3", options: ["--tt", "Title", "--add-id3v2"])
            let data = try Data(contentsOf: URL(filePath: path))
            let id3 = Data("ID3".utf8) + Data([3, 0, 0, 0, 0, 0, 20]) + Data(count: 20)
            let ape =
                Data("APETAGEX".utf8) + Data([0xD0, 7, 0, 0, 32, 0, 0, 0]) + Data(count: 16)
            let tagged = try music.write(
                id3 + data.dropLast(128) + ape + data.suffix(128), to: "tagged.mp3")

            let (findings, status) = try verify([path, tagged])

            #expect(data.suffix(128).starts(with: Data("TAG".utf8)))
            #expect(status == 0)
            #expect(findings.filter { $0.kind == "file" }.allSatisfy { $0.damage.isEmpty })
        }

        @Test
        func `The verb verify finds audio that differs from the encoder's, if its tag is valid`()
            throws
        {
            let music = try Music()
            let path = try music.encode(Music.noise(seconds: 1), to: "a.mp3")
            var data = try Data(contentsOf: URL(filePath: path))
            data[9000] ^= 1
            let changed = try music.write(data, to: "changed.mp3")
            // The tag's own checksum, in a frame of two channels.
            data[191] ^= 1
            let unbelievable = try music.write(data, to: "unbelievable.mp3")

            let (findings, status) = try verify([changed, unbelievable])

            #expect(status == 1)
            let files = findings.filter { $0.kind == "file" }
            #expect(files[0].codes == ["music-checksum"])
            #expect(files[1].codes == [])
            #expect(findings.first { $0.kind == "seam" }?["gapless"] as? Bool == true)
        }

        @Test
        func `The verb verify reports what a file is converted from, and the queue's format`()
            throws
        {
            let music = try Music()
            let first = try music.encode(Music.noise(seconds: 0.5), to: "a.mp3")
            let second = try music.encode(
                Music.noise(seconds: 0.5, rate: 48000, channels: 1), to: "b.mp3", rate: 48000,
                channels: 1)

            let (forth, _) = try verify([first, second])
            let (back, _) = try verify([second, first])

            #expect(
                forth[1]["message"] as? String
                    == "gapless, 0 frames added, converted from 48000 Hz mono to 44100 Hz stereo")
            #expect(forth[2]["frames"] as? Int == 24000)
            // The first is mono, and the whole queue becomes stereo for the second.
            #expect(
                back[1]["message"] as? String
                    == "gapless, 0 frames added, converted from 44100 Hz stereo to 48000 Hz stereo")
        }

        @Test func `The verb verify finds the exact length of a file with two formats`() throws {
            let music = try Music()
            let first = try music.encode(
                Music.noise(seconds: 1), to: "a.mp3", options: ["-t", "-b", "128"])
            let second = try music.encode(
                Music.noise(seconds: 1, rate: 48000, channels: 1), to: "b.mp3", rate: 48000,
                channels: 1, options: ["-t", "-b", "128"])
            let both = try music.write(
                Data(contentsOf: URL(filePath: first)) + Data(contentsOf: URL(filePath: second)),
                to: "both.mp3")

            let (findings, status) = try verify([both])

            #expect(status == 1)
            let file = try #require(findings.first)
            #expect(file.codes == ["format-changes"])
            #expect(
                file.damage == [
                    "the format changes once, at frame 46080 from 44100 Hz stereo to 48000 Hz mono"
                ])
            // 40 frames of 1152 at one rate and 43 at the other.
            #expect(file["frames"] as? Int == 95616)
            // In the largest unit that both rates have: 46080 * 160 + 49536 * 147.
            #expect(file.duration("duration")?.value == 14_654_592)
        }

        @Test func `The verb verify reports files that cannot be played, and continues`() throws {
            let music = try Music()
            let good = try music.encode(Music.noise(seconds: 0.5), to: "good.mp3")
            let text = try music.write(
                Data(String(repeating: "words, not music\n", count: 999).utf8), to: "text.mp3")
            let missing = music.path("missing.mp3")
            let loop = try music.write(Data("loop.m3u\n".utf8), to: "loop.m3u")

            let (findings, status) = try verify([good, missing, text, loop, good])

            #expect(status == 1)
            #expect(
                findings.map(\.kind)
                    == ["error", "file", "file", "file", "seam", "file", "summary"])
            #expect(findings.map(\.errorCode)[0] == "bad-playlist")
            #expect(findings.map(\.errorCode)[2...3] == ["not-found", "not-mpeg-audio"])
            #expect(findings[2]["playable"] as? Bool == false)
            #expect(findings[4]["from"] as? Int == 1)
            #expect(findings[4]["to"] as? Int == 4)
            #expect(findings[6]["files"] as? Int == 4)
            #expect(findings[6]["failed"] as? Int == 3)
        }

        @Test func `The verb verify finds the length of a stream, which is read only once`() throws
        {
            let music = try Music()
            let path = try music.encode(Music.noise(seconds: 0.5), to: "a.mp3")

            let program = try Program(
                Program.undersong, ["verify", "--json", "-"],
                input: Data(contentsOf: URL(filePath: path)))

            #expect(try program.wait() == 0)
            let file = try #require(try Events(program.text).lines.map(Finding.init(fields:)).first)
            #expect(file["frames"] as? Int == 22050)
            #expect(file["announced"] == nil)
            #expect(file["bitrate"] == nil)
        }

        @Test func `The verb verify finds the length of the data from a named pipe`() throws {
            let music = try Music()
            let path = try music.encode(Music.noise(seconds: 0.5), to: "a.mp3")
            let pipe = music.path("pipe.mp3")
            _ = try output(of: "mkfifo", [pipe])

            let program = try Program(
                "/bin/sh",
                ["-c", "cat '\(path)' >'\(pipe)' & '\(Program.undersong)' verify --json '\(pipe)'"])

            #expect(try program.wait() == 0)
            let file = try #require(try Events(program.text).lines.map(Finding.init(fields:)).first)
            #expect(file["frames"] as? Int == 22050)
            #expect(file["announced"] == nil)
        }

        @Test func `The verb verify writes text by default`() throws {
            let music = try Music()
            try music.encode(Music.noise(seconds: 1), to: "a.mp3")
            let plain = try music.encode(
                Music.noise(seconds: 0.5, channels: 1), to: "b.mp3", channels: 1,
                options: ["-t", "-b", "64"])
            try music.write(
                Data(contentsOf: URL(filePath: plain)) + Data(repeating: 0xAA, count: 9),
                to: "b.mp3")

            let program = try Program(
                "/usr/bin/env",
                ["-C", music.folder.path, Program.undersong, "verify", "a.mp3", "b.mp3", "c.mp3"])

            #expect(try program.wait() == 1)
            let text = program.text
                .replacing(#/LAME3[^\n]*/#, with: "LAME3")
                .replacing(#/track [^\n]*/#, with: "track N dB")
                .replacing(#/decoded \d+ times/#, with: "decoded N times")
            #expect(
                text == """
                    a.mp3
                      MPEG 1 Layer III, 44100 Hz stereo, CBR 128 kbit/s, LAME3
                      length      0:01.000, 44100 frames, announced exactly
                      gapless     delay 576, padding 1404 (LAME tag)
                      ReplayGain  track N dB
                      seam        not gapless: usually 1105 frames of encoder delay stay (no gapless information), converted from 44100 Hz mono to 44100 Hz stereo
                    b.mp3
                      MPEG 1 Layer III, 44100 Hz mono, CBR 64 kbit/s
                      length      0:00.549, 24192 frames, announced as 0:00.552, an estimate
                      gapless     no information
                      damage      9 bytes after the last frame
                    c.mp3
                      error       cannot open c.mp3: No such file or directory
                    3 files, 0:01.549 of music, decoded N times faster than real time, 0 of 1 seams gapless, 1 damaged, 1 cannot be played

                    """)
        }

        @Test func `The verb verify follows its schema`() throws {
            let music = try Music()
            let first = try music.encode(
                Music.noise(seconds: 0.3), to: "a.mp3", options: ["--replaygain-accurate"])
            let second = try music.encode(
                Music.noise(seconds: 0.3, rate: 48000), to: "b.mp3", rate: 48000, options: ["-t"])
            let data = try Data(contentsOf: URL(filePath: first))
            let cut = try music.write(data.prefix(3000), to: "cut.mp3")
            let loop = try music.write(Data("loop.m3u\n".utf8), to: "loop.m3u")

            let program = try Program(
                Program.undersong,
                ["verify", "--json", first, second, cut, music.path("none.mp3"), loop])
            #expect(try program.wait() == 1)

            #expect(try Schema.violations(of: program.data, in: "verify.schema.json") == "")
            #expect(try Events(program.text).lines.count == 8)
        }

        @Test(.enabled(if: Corpus.exists))
        func `The verb verify finds the same length as mpg123 for files that both play`() throws {
            let (findings, _) = try verify(Corpus.files)

            let files = findings.filter { $0.kind == "file" }
            #expect(files.count == Corpus.files.count)
            var compared = 0
            for file in files where !file.codes.contains("format-changes") {
                guard let path = file["path"] as? String, let frames = file["frames"] as? Int else {
                    continue
                }
                // mpg123 plays neither single frames nor files that begin with much garbage.
                guard let samples = try? Music.decoded([path]), !samples.isEmpty else { continue }
                #expect(samples.count == frames, "\(path)")
                compared += 1
            }
            #expect(compared > 50)
        }

        private func verify(_ paths: [String]) throws -> ([Finding], status: Int32) {
            let program = try Program(Program.undersong, ["verify", "--json"] + paths)
            let status = try program.wait()
            return (try Events(program.text).lines.map(Finding.init(fields:)), status)
        }
    }
}

/// One line of the output of `verify --json`.
private struct Finding {
    let fields: [String: Any]

    subscript(_ name: String) -> Any? { fields[name] }

    var kind: String { fields["kind"] as? String ?? "" }
    var errorCode: String? { (fields["error"] as? [String: Any])?["code"] as? String }
    var codes: [String] { list("damage").compactMap { $0["code"] as? String } }
    var damage: [String] { list("damage").compactMap { $0["message"] as? String } }

    var addedFrames: ClosedRange<Int>? {
        guard let frames = fields["addedFrames"] as? [String: Int],
            let minimum = frames["minimum"], let maximum = frames["maximum"]
        else { return nil }
        return minimum...maximum
    }

    func duration(_ name: String) -> (value: Int, seconds: Double, exact: Bool)? {
        guard let duration = fields[name] as? [String: Any],
            let value = duration["value"] as? Int, let seconds = duration["seconds"] as? Double,
            let exact = duration["exact"] as? Bool
        else { return nil }
        return (value, seconds, exact)
    }

    private func list(_ name: String) -> [[String: Any]] {
        fields[name] as? [[String: Any]] ?? []
    }
}
