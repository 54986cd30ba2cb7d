import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct `The decoder` {
        @Test func `The decoder skips leading garbage`() throws {
            let music = try Music()
            let clean = try music.encode(Music.noise(seconds: 1), to: "clean.mp3", options: ["-t"])
            var garbage = Music.noise(seconds: 0.6, seed: 9)
            // No byte may look like the start of an MPEG frame.
            for index in garbage.indices where garbage[index] == 0xFF { garbage[index] = 0 }
            let dirty = try music.write(
                garbage + Data(contentsOf: URL(filePath: clean)), to: "dirty.mp3")

            let samples = try decode(dirty, music)

            #expect(garbage.count > 100_000)
            #expect(try samples == decode(clean, music))
        }

        @Test func `The decoder begins with the music, not with a few frames before it`() throws {
            let music = try Music()
            let clean = try music.encode(Music.noise(seconds: 1), to: "clean.mp3", options: ["-t"])
            // Two frames of another format that follow each other.
            let frame = Data([0xFF, 0xF3, 0x80, 0x00]) + Music.noise(seconds: 0.01).prefix(204)
            let garbage = frame + frame + Data(count: 1000)
            let dirty = try music.write(
                garbage + Data(contentsOf: URL(filePath: clean)), to: "dirty.mp3")

            let (whole, found) = (try Decoded(clean), try Decoded(dirty))

            #expect(found.formats == whole.formats)
            #expect(found.bytes == whole.bytes)
            #expect(found.duration == whole.duration)
            let piped = try Program(
                Program.undersong, ["render", "-o", music.path("out.wav"), "-"],
                input: Data(contentsOf: URL(filePath: dirty)))
            #expect(try piped.wait() == 0)
            // What was decoded before it sounds in the first frame of a stream, which is silent.
            let samples = try Music.samples(ofWAV: music.path("out.wav"))
            #expect(samples.count == whole.bytes.count)
            let first = 1152 * whole.format.channelCount
            // libmpg123 rounds depending on a frame's offset in an internal buffer.
            let isSame = samples.withUnsafeBytes { bytes in
                zip(bytes.bindMemory(to: Int16.self), whole.samples).dropFirst(first)
                    .allSatisfy { abs(Float($0) / 32768 - $1) < 1e-4 }
            }
            #expect(isSame)
        }

        @Test(arguments: [
            ["-b", "128"], ["-V", "2"], ["-b", "64", "-m", "m"], ["-b", "160"],
        ])
        func `The decoder gives silence for damage, and what is before and after it`(
            options: [String]
        ) throws {
            let music = try Music()
            let quiet = Self.quietNoise(seconds: 4)
            let path = try music.encode(quiet, to: "a.mp3", options: options + ["-t"])
            let file = try Data(contentsOf: URL(filePath: path))
            let whole = try Decoded(path)
            let loudest = whole.samples.reduce(0) { max($0, abs($1)) }
            let channels = whole.format.channelCount

            for seed in 1...6 {
                var numbers = SeededNumbers(UInt64(seed))
                let start = 20_000 + numbers.below(4000)
                let noise = Data(
                    (0..<1000 + numbers.below(9000)).map { _ in UInt8(numbers.below(256)) })
                let rest = file[start...].dropFirst(seed.isMultiple(of: 2) ? noise.count : 0)
                let damaged = try music.write(file[..<start] + noise + rest, to: "b.mp3")

                let decoded = try Decoded(damaged)

                let peak = decoded.samples.reduce(0) { max($0, abs($1)) }
                #expect(peak <= 2 * loudest, "seed \(seed)")
                #expect(decoded.samples.contains { $0 == 0 })
                let same = zip(decoded.samples, whole.samples).prefix { $0 == $1 }.count
                let before = Double(start) / Double(file.count) * Double(whole.samples.count)
                // But for the frame that the damage has reached, and one of variable length.
                #expect(Double(same) > before - Double(4 * 1152 * channels), "seed \(seed)")
                let tail = 44_100 * channels / 2
                let isSame = zip(decoded.samples.suffix(tail), whole.samples.suffix(tail))
                    .allSatisfy { (left: Float, right: Float) in abs(left - right) < 1e-4 }
                #expect(isSame, "seed \(seed)")
            }
        }

        /// Noise of about -36 dB.
        private static func quietNoise(seconds: Double) -> Data {
            var data = Data()
            Music.noise(seconds: seconds).withUnsafeBytes { bytes in
                for sample in bytes.bindMemory(to: Int16.self) {
                    withUnsafeBytes(of: sample / 16) { data.append(contentsOf: $0) }
                }
            }
            return data
        }

        @Test func `The decoder plays a file of one frame, also after a tag`() throws {
            let music = try Music()
            let coded = try Data(
                contentsOf: URL(
                    filePath: music.encode(
                        Music.noise(seconds: 1), to: "a.mp3", options: ["-t", "-b", "128"])))
            let tag = Data("ID3".utf8) + Data([3, 0, 0, 0, 0, 0, 20]) + Data(count: 20)
            let single = try music.write(coded.prefix(417), to: "single.mp3")
            let tagged = try music.write(tag + coded.prefix(417), to: "tagged.mp3")

            #expect(try decode(single, music).count == 1152)
            #expect(try decode(tagged, music).count == 1152)
        }

        @Test func `The decoder refuses a tag without music`() throws {
            let music = try Music()
            let tag = Data("ID3".utf8) + Data([3, 0, 0, 0, 0, 0, 20]) + Data(count: 20)
            let path = try music.write(tag, to: "tag.mp3")

            let player = try Program(Program.undersong, ["play", "--output", "null", path])

            #expect(try player.wait() == 1)
            #expect(player.errorText.contains("No MPEG audio was found in it"))
        }

        @Test func `The decoder plays a truncated file to its end, with an estimated length`()
            throws
        {
            let music = try Music()
            let whole = try music.encode(Music.noise(seconds: 2), to: "whole.mp3")
            let data = try Data(contentsOf: URL(filePath: whole))
            let half = try music.write(data.prefix(data.count / 2), to: "half.mp3")

            let player = try play([half], music)

            #expect(try player.wait() == 0)
            let samples = frames(try Music.samples(ofWAV: music.path("out.wav")))
            #expect(samples.count > 40_000 && samples.count < 46_000)
            #expect(try samples.elementsEqual(Music.decoded([half])))
            let began = try Events(player.text)["item"].first?["duration"] as? [String: Any]
            #expect(began?["exact"] as? Bool == false)
        }

        @Test func `The decoder applies iTunSMPB's delay, padding and length`() throws {
            let music = try Music()
            let plain = try music.encode(Music.noise(seconds: 1), to: "plain.mp3", options: ["-t"])
            let all = try decode(plain, music)
            let text = " 00000000 00000240 00000300 000000000000AC44 00000000 00000000"
            let body = Data([0]) + Data("eng".utf8) + Data("iTunSMPB\0".utf8) + Data(text.utf8)
            let frame =
                Data("COMM".utf8) + Data([0, 0, 0, UInt8(body.count)]) + Data([0, 0]) + body
            let tag = Data("ID3".utf8) + Data([3, 0, 0, 0, 0, 0, UInt8(frame.count)]) + frame
            let tagged = try music.write(
                tag + Data(contentsOf: URL(filePath: plain)), to: "tagged.mp3")

            let trimmed = try decode(tagged, music)

            // Removes a delay of 0x240 frames and the decoder's own 529; 0xAC44 frames of music
            // remain.
            #expect(trimmed.count == 44100)
            #expect(trimmed == Array(all[1105..<1105 + 44100]))
        }

        @Test(arguments: [
            (8000, 2), (11025, 1), (16000, 2), (22050, 1), (24000, 2), (32000, 2), (48000, 1),
        ])
        func `The decoder gives MPEG 1, 2 and 2.5 in their own format, to the sample`(
            rate: Int, channels: Int
        ) throws {
            let music = try Music()
            let noise = Music.noise(seconds: 0.5, rate: rate, channels: channels)
            let path = try music.encode(
                noise, to: "a.mp3", rate: rate, channels: channels,
                options: ["-b", "64", "--resample", String(Double(rate) / 1000)])

            let player = try play([path], music)

            #expect(try player.wait() == 0)
            let samples = try Music.samples(ofWAV: music.path("out.wav"))
            #expect(samples.count == noise.count)
            #expect(try samples == output(of: "mpg123", ["-q", "-s", path]))
            let format = try Events(player.text)["item"].first?["format"] as? [String: Any]
            #expect(format?["sampleRate"] as? Int == rate)
            #expect(format?["channels"] as? Int == channels)
        }

        @Test func `The decoder plays an MP3 from the standard input exactly like the file`() throws
        {
            let music = try Music()
            let path = try music.encode(Music.noise(seconds: 2), to: "a.mp3")

            let player = try Program(
                Program.undersong,
                ["render", "--json", "--force", "-o", "\(music.path("out.wav"))", "-"],
                input: Data(contentsOf: URL(filePath: path)))

            #expect(try player.wait() == 0)
            let samples = frames(try Music.samples(ofWAV: music.path("out.wav")))
            #expect(try samples == decode(path, music))
        }

        @Test(.enabled(if: Corpus.exists), arguments: Corpus.files)
        func `The decoder plays each corpus file to its scanned length, or gives one error`(
            file: String
        )
            throws
        {
            let music = try Music()

            let player = try play([file], music)

            let status = try player.wait()
            let events = try Events(player.text)
            if status == 0 {
                #expect(events["error"].isEmpty)
                let ended = try #require(events["item"].last?["duration"] as? [String: Any])
                let samples = try Music.samples(ofWAV: music.path("out.wav"))
                #expect(ended["value"] as? Int ?? 0 > 0)
                #expect(samples.count > 0)
            } else {
                #expect(events["error"].count == 1)
                #expect(events["end"].first?["played"] as? Int == 0)
            }
        }

        private func play(_ paths: [String], _ music: Music) throws -> Program {
            try Program(
                Program.undersong,
                ["render", "--json", "--force", "-o", "\(music.path("out.wav"))"] + paths)
        }

        private func decode(_ path: String, _ music: Music) throws -> [Frame] {
            let player = try play([path], music)
            try #require(player.wait() == 0)
            return frames(try Music.samples(ofWAV: music.path("out.wav")))
        }
    }
}

/// The team's collection of difficult files, if it exists beside the source tree.
enum Corpus {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../shared/corpus").standardizedFileURL.path

    static var exists: Bool { FileManager.default.fileExists(atPath: folder) }

    static var files: [String] {
        let names = try? FileManager.default.subpathsOfDirectory(atPath: folder)
        return (names ?? []).filter { $0.contains(".") }.sorted().map { "\(folder)/\($0)" }
    }
}
