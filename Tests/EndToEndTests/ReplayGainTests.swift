import Foundation
import Testing
import UndersongAudioIO
import UndersongPlayback

extension EndToEnd {
    @Suite struct `A file's ReplayGain` {
        @Test func `A file's ReplayGain is LAME's measurement, with the peak if present`() throws {
            let music = try Music()
            let noise = Music.noise(seconds: 2)
            let path = try music.encode(
                noise, to: "a.mp3", options: ["-b", "128", "--replaygain-accurate"])

            let description = try open(path).description

            #expect(description.encoder?.hasPrefix("LAME3") == true)
            #expect(description.gaplessSource == .lameTag)
            let gain = try #require(description.replayGain.trackGain)
            let peak = try #require(description.replayGain.trackPeak)
            // LAME stores the loudest decoded sample.
            let loudest = try samples(path, gain: nil).map { abs(Int($0)) }.max() ?? 0
            #expect(abs(peak * 32768 - Double(loudest)) < 10)
            #expect(gain > -20 && gain < 20)
            #expect(description.replayGain.albumGain == nil)
        }

        @Test
        func `A file's ReplayGain prefers a TXXX frame to an RVA2 frame, and that to LAME's tag`()
            throws
        {
            let music = try Music()
            let path = try music.encode(Music.noise(seconds: 1), to: "a.mp3")
            let coded = try Data(contentsOf: URL(filePath: path))
            let txxx = frame("TXXX", [3] + Array("replaygain_track_gain\0-6.20 dB".utf8))
            let peak = frame(
                "TXXX", [3] + Array("REPLAYGAIN_TRACK_PEAK\0".utf8) + Array("0.9".utf8))
            // -7.5 and -3.25 dB in units of 1/512 dB for the main channel, without peaks.
            let track = frame("RVA2", Array("track\0".utf8) + [1, 0xF1, 0x00, 0])
            let album = frame("RVA2", Array("album\0".utf8) + [1, 0xF9, 0x80, 0])
            let all = try music.write(tag([track, album, txxx, peak]) + coded, to: "all.mp3")
            let rva2 = try music.write(tag([track, album]) + coded, to: "rva2.mp3")

            let first = try open(all).description.replayGain
            let second = try open(rva2).description.replayGain
            let third = try open(path).description.replayGain

            #expect(
                first == ReplayGain(trackGain: -6.2, trackPeak: 0.9, albumGain: -3.25))
            #expect(second == ReplayGain(trackGain: -7.5, albumGain: -3.25))
            #expect(third.trackGain != nil && third.trackGain != -7.5)
            #expect(third.albumGain == nil)
        }

        @Test func `A file's ReplayGain ignores a LAME tag with a wrong checksum`() throws {
            let music = try Music()
            let path = try music.encode(Music.noise(seconds: 1), to: "a.mp3")
            var coded = try Data(contentsOf: URL(filePath: path))
            // The gain's last byte, in a frame of two channels.
            coded[172] ^= 0x10
            let changed = try music.write(coded, to: "changed.mp3")

            let description = try open(changed).description

            #expect(description.replayGain.isEmpty)
            #expect(description.encoder?.hasPrefix("LAME3") == true)
        }

        @Test
        func `A file's ReplayGain is applied by the decoder, and a factor of 1 changes nothing`()
            throws
        {
            let music = try Music()
            let path = try music.encode(Music.noise(seconds: 1), to: "a.mp3")

            let plain = try samples(path, gain: nil)
            let untouched = try samples(path, gain: 1)
            let half = try samples(path, gain: 0.5)

            #expect(untouched == plain)
            #expect(half.count == plain.count)
            #expect(zip(half, plain).allSatisfy { abs(2 * Int($0) - Int($1)) <= 2 })
            #expect(half != plain)
        }

        private func open(_ path: String) throws(MediaError) -> any AudioDecoder {
            try DecoderRegistry.standard.decoder(for: .file(path: path))
        }

        private func samples(_ path: String, gain: Double?) throws -> [Int16] {
            let decoder = try open(path)
            if let gain { decoder.setGain(gain) }
            var all: [Int16] = []
            var block = SampleBuffer()
            repeat {
                try decoder.read(into: &block)
                all += block.int16
            } while !block.isEmpty
            return all
        }

        private func tag(_ frames: [Data]) -> Data {
            let body = frames.reduce(Data(), +)
            return Data("ID3".utf8) + Data([4, 0, 0] + sevenBits(body.count)) + body
        }

        private func frame(_ name: String, _ body: [UInt8]) -> Data {
            Data(name.utf8) + Data(sevenBits(body.count) + [0, 0] + body)
        }

        private func sevenBits(_ number: Int) -> [UInt8] {
            [21, 14, 7, 0].map { UInt8(number >> $0 & 0x7F) }
        }
    }
}
