import Testing
import UndersongPlayback

@Suite struct `An MPEG frame header` {
    @Test(
        arguments: [
            // Layer III at 128 kbit/s without and with padding, at 320 kbit/s and 48000 Hz in mono.
            ([0xFF, 0xFB, 0x90, 0x64], 417, 1152, 44100, 2),
            ([0xFF, 0xFB, 0x92, 0x64], 418, 1152, 44100, 2),
            ([0xFF, 0xFB, 0xE4, 0xC0], 960, 1152, 48000, 1),
            // MPEG 2 at 64 kbit/s and 22050 Hz, MPEG 2.5 at 8 kbit/s and 8000 Hz.
            ([0xFF, 0xF3, 0x80, 0x00], 208, 576, 22050, 2),
            ([0xFF, 0xE3, 0x18, 0xC0], 72, 576, 8000, 1),
            // Layer II at 192 kbit/s, Layer I at 384 kbit/s with padding, Layer II of MPEG 2.
            ([0xFF, 0xFD, 0xA0, 0x00], 626, 1152, 44100, 2),
            ([0xFF, 0xFF, 0xC2, 0x00], 420, 384, 44100, 2),
            ([0xFF, 0xF5, 0x80, 0x00], 417, 1152, 22050, 2),
        ] as [([UInt8], Int, Int, Int, Int)])
    func `An MPEG frame header gives a frame's bytes, samples, rate and channels`(
        bytes: [UInt8], length: Int, samples: Int, rate: Int, channels: Int
    ) throws {
        let header = try #require(MPEGFrameHeader(bytes))

        #expect(header.length == length)
        #expect(header.sampleCount == samples)
        #expect(header.sampleRate == rate)
        #expect(header.channelCount == channels)
    }

    @Test func `An MPEG frame header of free format gives no length`() {
        let header = MPEGFrameHeader([0xFF, 0xFB, 0x00, 0x64])

        #expect(header?.bitrate == 0)
        #expect(header != nil)
        #expect(header?.length == nil)
    }

    @Test(
        arguments: [
            [], [0xFF, 0xFB, 0x90], [0xFE, 0xFB, 0x90, 0x64], [0xFF, 0xDB, 0x90, 0x64],
            [0xFF, 0xEB, 0x90, 0x64], [0xFF, 0xF9, 0x90, 0x64], [0xFF, 0xFB, 0xF0, 0x64],
            [0xFF, 0xFB, 0x9C, 0x64],
        ] as [[UInt8]])
    func `An MPEG frame header is nil for what the standard does not allow`(bytes: [UInt8]) {
        #expect(MPEGFrameHeader(bytes) == nil)
    }

    @Test func `An MPEG frame header can share a stream with another of the same kind and rate`()
        throws
    {
        let header = try #require(MPEGFrameHeader([0xFF, 0xFB, 0x90, 0x64]))
        let louder = try #require(MPEGFrameHeader([0xFF, 0xFA, 0xE2, 0xC0]))
        let other = try #require(MPEGFrameHeader([0xFF, 0xFB, 0x94, 0x64]))
        let layerII = try #require(MPEGFrameHeader([0xFF, 0xFD, 0x90, 0x64]))

        #expect(louder.isOfStream(header))
        #expect(!other.isOfStream(header))
        #expect(!layerII.isOfStream(header))
    }
}
