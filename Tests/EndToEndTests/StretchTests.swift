import Foundation
import Testing
import UndersongAudioIO
import UndersongPlayback

extension EndToEnd {
    @Suite struct `Time stretching` {
        @Test(arguments: [
            (0, 0.5, 0), (1, 0.5, 2), (1, 2, 1), (3, 2, 2), (2, 0.8, 3), (300, 0.5, 600),
            (1000, 0.75, 1333), (1001, 1.25, 801), (44100, 1.1, 40091), (44101, 2, 22051),
        ])
        func `Time stretching gives a length according to the rate, to the frame`(
            frames: Int, rate: Double, expected: Int
        ) {
            let music = noise(frames: frames, channels: 2)

            #expect(stretch(music, rate).count == expected * 2)
            #expect(stretch(music, rate, block: frames + 1).count == expected * 2)
        }

        @Test func `Time stretching does not depend on the size of blocks`() {
            let music = noise(frames: 12_000, channels: 2)

            let whole = stretch(music, 1.3, block: 12_000)

            #expect(stretch(music, 1.3, block: 1152) == whole)
            #expect(stretch(music, 1.3, block: 7) == whole)
        }

        @Test(arguments: [0.5, 0.75, 1.25, 1.5, 2])
        func `Time stretching keeps the pitch`(rate: Double) throws {
            let tone = sine(441, seconds: 2)

            let stretched = stretch(tone, rate, mono)

            let crossings = zip(stretched, stretched.dropFirst()).enumerated()
                .filter { $1.0 < 0 && $1.1 >= 0 }.map(\.offset)
            let first = try #require(crossings.first)
            let last = try #require(crossings.last)
            let frequency = Double(crossings.count - 1) * 44100 / Double(last - first)
            #expect(abs(frequency - 441) < 0.9)
        }

        @Test(arguments: [
            (1, 1200.0, 882), (1, -1200, 220.5), (1.5, 700, 660.75), (0.5, -300, 370.84),
            (2, 1200, 882), (0.25, -2400, 110.25),
        ])
        func `Time stretching changes the pitch by cents, and the length by the rate only`(
            rate: Double, cents: Double, expected: Double
        ) throws {
            let tone = sine(441, seconds: 2)

            let stretched = stretch(tone, rate, mono, cents: cents)

            #expect(abs(stretched.count - Int(88200 / rate)) <= 1)
            let crossings = zip(stretched, stretched.dropFirst()).enumerated()
                .filter { $1.0 < 0 && $1.1 >= 0 }.map(\.offset)
            let first = try #require(crossings.first)
            let last = try #require(crossings.last)
            let frequency = Double(crossings.count - 1) * 44100 / Double(last - first)
            #expect(abs(frequency / expected - 1) < 0.01)
        }

        @Test(arguments: [(1, 1200.0), (1, -1200), (2, 1200), (0.5, 700)])
        func `Time stretching keeps each sound at its time at another pitch`(
            rate: Double, cents: Double
        ) {
            var music = [Int16](repeating: 0, count: 10 * 44100)
            for second in 0..<10 {
                for frame in 0..<2205 {
                    music[second * 44100 + 20_948 + frame] = frame % 100 < 50 ? 9000 : -9000
                }
            }

            let stretched = stretch(music, rate, mono, cents: cents)

            for second in 0..<10 {
                let expected = Double(second * 44100 + 22_050) / rate
                let around = Int(expected) - 8000..<Int(expected) + 8000
                let heard = around.filter { abs(Int(stretched[$0])) > 2000 }
                let centre = Double(heard.reduce(0, +)) / Double(heard.count)
                #expect(abs(centre - expected) * rate < 44.1 * 20)
            }
        }

        @Test(arguments: [0.5, 0.8, 1.5, 2])
        func `Time stretching keeps each sound at its time and does not drift`(rate: Double) {
            var music = [Int16](repeating: 0, count: 30 * 8000)
            for second in 0..<30 {
                for frame in 0..<160 {
                    music[second * 8000 + 3920 + frame] = frame % 8 < 4 ? 9000 : -9000
                }
            }

            let format = StreamFormat(sampleRate: 8000, channelCount: 1)
            let stretched = stretch(music, rate, format)

            let late = (0..<30).map { second -> Double in
                let expected = Double(second * 8000 + 4000) / rate
                let around = Int(expected) - 800..<Int(expected) + 800
                let heard = around.filter { abs(stretched[$0]) > 1000 }
                let centre = Double(heard.reduce(0, +)) / Double(heard.count)
                return (centre - expected) * rate / 8
            }
            // In milliseconds of the music's own time.
            let early = late.prefix(10).reduce(0, +) / 10
            let end = late.suffix(10).reduce(0, +) / 10
            #expect(late.allSatisfy { abs($0) < 12 })
            #expect(abs(early) < 4)
            #expect(abs(end) < 4)
        }

        @Test(arguments: [0.5, 0.75, 1.25, 1.5, 2])
        func `Time stretching starts and ends with the music's own frames`(rate: Double) {
            let music = noise(frames: 20_011, channels: 2)

            let stretched = stretch(music, rate)

            #expect(stretched.first == music.first)
            #expect(stretched.suffix(600) == music.suffix(600))
        }

        @Test(arguments: [0.5, 0.75, 1.25, 1.5, 2])
        func `Time stretching joins two items without a step`(rate: Double) {
            let tone = sine(441.7, seconds: 1)

            let stretched =
                stretch(Array(tone[..<20_011]), rate, mono)
                + stretch(Array(tone[20_011...]), rate, mono)

            // The tone itself rises by 755 per frame.
            let steps = zip(stretched, stretched.dropFirst()).map { abs(Int($0) - Int($1)) }
            #expect(steps.allSatisfy { $0 < 800 })
        }

        @Test func `Time stretching changes nothing at the original rate`() {
            let music = noise(frames: 20_011, channels: 2)

            #expect(stretch(music, 1) == music)
        }

        @Test(arguments: [0.5, 1.25, 2])
        func `Time stretching is heard before 60 ms of music have been read`(rate: Double) {
            let stretcher = SoundTouchStretcher(format: stereo, rate: rate)
            var stretched = SampleBuffer()

            stretcher.convert(
                SampleBuffer(noise(frames: 2646, channels: 2)), into: &stretched)

            #expect(!stretched.isEmpty)
        }

        private let stereo = StreamFormat(sampleRate: 44100, channelCount: 2)
        private let mono = StreamFormat(sampleRate: 44100, channelCount: 1)

        private func stretch(
            _ music: [Int16], _ rate: Double, _ format: StreamFormat? = nil, cents: Double = 0,
            block: Int = 1152
        ) -> [Int16] {
            let format = format ?? stereo
            let stretcher = SoundTouchStretcher(format: format, rate: rate, cents: cents)
            let length = block * format.channelCount
            var result: [Int16] = []
            var stretched = SampleBuffer()
            for start in stride(from: 0, to: music.count, by: length) {
                stretcher.convert(
                    SampleBuffer(Array(music[start..<min(start + length, music.count)])),
                    into: &stretched)
                result += stretched.int16
            }
            stretcher.finish(into: &stretched)
            return result + stretched.int16
        }

        private func sine(_ frequency: Double, seconds: Int) -> [Int16] {
            (0..<seconds * 44100).map {
                Int16(12_000 * sin(2 * Double.pi * frequency * Double($0) / 44100))
            }
        }

        private func noise(frames: Int, channels: Int) -> [Int16] {
            Music.noise(seconds: Double(frames) / 44100 + 0.001, channels: channels)
                .withUnsafeBytes { Array($0.bindMemory(to: Int16.self).prefix(frames * channels)) }
        }
    }
}
