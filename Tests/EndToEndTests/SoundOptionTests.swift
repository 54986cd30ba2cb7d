import Foundation
import Testing
import UndersongAudioIO

extension EndToEnd {
    @Suite struct `Sound options` {
        @Test func `The option -o - of render writes only a WAV file to the standard output`()
            throws
        {
            let music = try Music()
            let path = try music.encode(Music.noise(seconds: 1.3), to: "a.mp3")

            let program = try Program(Program.undersong, ["render", "-o", "-", path])
            let status = try program.wait()

            #expect(status == 0)
            #expect(program.data.prefix(4) == Data("RIFF".utf8))
            #expect(program.data[36..<40] == Data("data".utf8))
            let isExact = try frames(program.data.dropFirst(44)) == Music.decoded([path])
            #expect(isExact)
            #expect(program.errorText == "")
        }

        @Test(arguments: [0.5, 2])
        func `A rate changes the length and not the pitch`(rate: Double) throws {
            let music = try Music()
            let path = try music.encode(Self.tone(441, seconds: 2), to: "a.mp3")

            let program = try Program(
                Program.undersong,
                ["render", "-o", music.path("out.wav"), "--rate", String(rate), path])
            let status = try program.wait()

            #expect(status == 0)
            let written = frames(try Music.samples(ofWAV: music.path("out.wav")))
            #expect(written.count == Int(88_200 / rate))
            let left = written.map { Int16(truncatingIfNeeded: $0) }
            let rising = zip(left, left.dropFirst()).count { $0 < 0 && $1 >= 0 }
            #expect(abs(Double(rising) * rate / 2 - 441) < 4)
        }

        @Test(arguments: [0.5, 2])
        func `A rate applies to the reported time`(rate: Double) throws {
            let music = try Music()
            let path = try music.encode(Music.noise(seconds: 1), to: "a.mp3")

            let player = try Program(
                Program.undersong, ["play", "--output", "null", "--rate", String(rate), path])
            let status = try player.wait()

            #expect(status == 0)
            let events = try Events(player.text)
            #expect(events.ticks(of: 1) == Array(0...100))
            #expect(abs(try events.secondsOfTenTicks() * rate / 0.1 - 1) < 0.01)
            #expect(events["time"].allSatisfy { $0["rate"] as? Double == rate })
        }

        @Test func `ReplayGain is applied on request, to each item from its own tag`() throws {
            let music = try Music()
            let paths = try [-6.5, 4.25].enumerated().map { index, gain in
                try music.encode(
                    Music.noise(seconds: 0.5, seed: UInt64(index)), to: "\(index).mp3",
                    options: [
                        "-b", "128", "--tv", "TXXX=replaygain_track_gain=\(gain) dB", "--tv",
                        "TXXX=replaygain_track_peak=0.5",
                    ])
            }
            let expected = try paths.map { try Self.samples(Music.decoded([$0])) }

            let program = try Program(
                Program.undersong,
                ["render", "-o", music.path("out.wav"), "--replay-gain", "track"] + paths)
            let status = try program.wait()

            #expect(status == 0)
            let written = Self.samples(frames(try Music.samples(ofWAV: music.path("out.wav"))))
            let whole = zip(expected, [pow(10, -6.5 / 20), pow(10, 4.25 / 20)]).flatMap {
                samples, factor in
                samples.map { min(max(Double($0) * factor, -32768), 32767) }
            }
            #expect(written.count == whole.count)
            let difference = zip(written, whole).map { abs(Double($0) - $1) }.max() ?? 0
            #expect(difference < 1.6)
        }

        private static func samples(_ frames: [Frame]) -> [Int16] {
            frames.flatMap {
                [Int16(truncatingIfNeeded: $0), Int16(truncatingIfNeeded: $0 >> 16)]
            }
        }

        /// A sine in both channels.
        private static func tone(_ frequency: Double, seconds: Int) -> Data {
            var data = Data()
            for frame in 0..<seconds * 44100 {
                let phase = 2 * Double.pi * frequency * Double(frame) / 44100
                withUnsafeBytes(of: Int16(12_000 * sin(phase))) { sample in
                    data.append(contentsOf: sample)
                    data.append(contentsOf: sample)
                }
            }
            return data
        }
    }
}
