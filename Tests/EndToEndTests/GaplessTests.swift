import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct `Gapless playback` {
        @Test(.comparesSamples)
        func `Gapless playback plays five pieces as mpg123 decodes them, joins included`() throws {
            let server = try SoundServer()
            let music = try Music()
            let source = Music.noise(seconds: 5)
            // No cut is at a multiple of 1152, the length of an MPEG frame.
            let cuts = [0, 40_001, 77_777, 100_003, 170_001, 220_500]
            let options = [
                ["-b", "128"], ["-V", "2"], ["-b", "320"], ["-V", "5"], ["-b", "192"],
            ]
            let paths = try options.indices.map { index in
                try music.encode(
                    source[cuts[index] * 4..<cuts[index + 1] * 4], to: "\(index).mp3",
                    options: options[index])
            }
            let expected = try Music.decoded(paths)
            let recording = try Recording(server)

            let player = try Program(
                Program.undersong, ["play", "--json"] + paths, environment: server.environment)
            let status = try player.wait()

            #expect(status == 0)
            #expect(expected.count == 220_500)
            let heard = sounds(in: try recording.finish())
            #expect(heard.count == 1)
            let isAll = heard.first.map(Array.init) == trimmed(expected)
            #expect(isAll)
        }

        @Test(.comparesSamples)
        func `Gapless playback is not affected by a stalled reader, which learns what it missed`()
            throws
        {
            let server = try SoundServer()
            let music = try Music()
            let path = try music.encode(Music.noise(seconds: 8), to: "a.mp3")
            let expected = try Music.decoded([path])
            let recording = try Recording(server)

            let player = try Program(
                Program.undersong, ["play", "--json", "--interval", "1/1000", path],
                environment: server.environment, readsOutput: false)
            try recording.wait(9)
            player.startReading()
            let status = try player.wait()

            #expect(status == 0)
            let heard = sounds(in: try recording.finish())
            let isAll = heard.first.map(Array.init) == trimmed(expected)
            #expect(isAll)
            let events = try Events(player.text)
            let missed = events.lines.compactMap { $0["missed"] as? Int }.reduce(0, +)
            let ticks = events.ticks(of: 1, timescale: 1000)
            #expect(missed > 0)
            // From 0 to 8000; the end is the last one.
            #expect(missed + ticks.count == 8001)
            let numbers = events.lines.compactMap { $0["seq"] as? Int }
            let (first, last) = (try #require(numbers.first), try #require(numbers.last))
            #expect(last - first + 1 == missed + events.lines.count)
            #expect(ticks == ticks.sorted())
            #expect(events.lines.last?["event"] as? String == "end")
        }

        @Test func `Gapless playback is the same from a WAV output and from the sink`() throws {
            let music = try Music()
            let paths = try (0..<3).map { index in
                try music.encode(
                    Music.noise(seconds: 0.7 + Double(index), seed: UInt64(index)),
                    to: "\(index).mp3")
            }

            let player = try Program(
                Program.undersong, ["render", "--json", "-o", "\(music.path("out.wav"))"] + paths)
            let status = try player.wait()

            #expect(status == 0)
            let written = frames(try Music.samples(ofWAV: music.path("out.wav")))
            let isAll = try written == Music.decoded(paths)
            #expect(isAll)
        }

        @Test
        func `Gapless playback joins other rates and channel counts without silence or overlap`()
            throws
        {
            let music = try Music()
            let paths = [
                try music.encode(sine(seconds: 1, from: 0, rate: 44100), to: "a.mp3"),
                try music.encode(
                    sine(seconds: 1, from: 1, rate: 48000), to: "b.mp3", rate: 48000),
                try music.encode(
                    sine(seconds: 1, from: 2, rate: 22050, channels: 1), to: "c.mp3", rate: 22050,
                    channels: 1),
                try music.encode(sine(seconds: 1, from: 3, rate: 44100), to: "d.mp3"),
            ]

            let player = try Program(
                Program.undersong, ["render", "--json", "-o", "\(music.path("out.wav"))"] + paths)
            let status = try player.wait()

            #expect(status == 0)
            let samples = frames(try Music.samples(ofWAV: music.path("out.wav")))
                .map { Int(Int16(truncatingIfNeeded: $0)) }
            #expect(samples.count == 4 * 44100)
            // A sine of 441 Hz through all four items: its second difference is small everywhere,
            // and its phase is right a hundredth of a second before and after each seam.
            for seam in [44100, 88200, 132_300] {
                for index in seam - 200..<seam + 200 {
                    let bend = samples[index - 1] - 2 * samples[index] + samples[index + 1]
                    #expect(abs(bend) < 600, "a click at \(index)")
                    #expect(abs(samples[index] - level(at: index)) < 900, "out of step at \(index)")
                }
            }
        }

        private func level(at index: Int) -> Int {
            Int(8000 * sin(2 * Double.pi * Double(index) / 100))
        }

        private func sine(seconds: Int, from start: Int, rate: Int, channels: Int = 2) -> Data {
            var data = Data()
            for index in start * rate..<(start + seconds) * rate {
                let sample = Int16(8000 * sin(2 * Double.pi * 441 * Double(index) / Double(rate)))
                for _ in 0..<channels {
                    withUnsafeBytes(of: sample) { data.append(contentsOf: $0) }
                }
            }
            return data
        }
    }
}

/// `frames` without the silence at both ends, which a recording has too.
func trimmed(_ frames: [Frame]) -> [Frame] {
    guard let first = frames.firstIndex(where: { $0 != 0 }),
        let last = frames.lastIndex(where: { $0 != 0 })
    else { return [] }
    return Array(frames[first...last])
}
