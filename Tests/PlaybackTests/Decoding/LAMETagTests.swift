import Testing
import UndersongPlayback

/// The first frame of an MP3 with an Info header that has all four fields, followed by `tag`.
private func firstFrame(_ tag: [UInt8]) -> [UInt8] {
    [0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0, count: 32)
        + [0x49, 0x6E, 0x66, 0x6F] + [0, 0, 0, 0x0F]
        + [0, 0, 0, 116] + [0, 0, 0x9A, 0x05] + [UInt8](repeating: 0, count: 100) + [0, 0, 0, 57]
        + tag + [UInt8](repeating: 0, count: 30)
}

/// As LAME 3.100 writes it for an average bit rate, with an added album gain.
private let tag: [UInt8] = [
    0x4C, 0x41, 0x4D, 0x45, 0x33, 0x2E, 0x31, 0x30, 0x30, 0x02, 0xAA, 0x00, 0x0A, 0xC8, 0x6B,
    0x2C, 0x43, 0x4E, 0x21, 0x24, 0x8C, 0x24, 0x02, 0xF4, 0x8E, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x9A, 0x05, 0xF2, 0xB3, 0x63, 0x83,
]

/// `tag` with other bytes at `place`, and with `crc` as its checksum.
private func tag(_ bytes: [UInt8], at place: Int, crc: (UInt8, UInt8)) -> [UInt8] {
    var changed = tag
    changed.replaceSubrange(place..<place + bytes.count, with: bytes)
    changed.replaceSubrange(34..<36, with: [crc.0, crc.1])
    return changed
}

@Suite struct `A LAME tag` {
    @Test func `A LAME tag gives encoder, bit rate mode, loudness, delays, length and checksums`()
        throws
    {
        let found = try #require(LAMETag(firstFrame: firstFrame(tag)))

        #expect(found.encoder == "LAME3.100")
        #expect(found.bitrateMode == .average)
        #expect(found.peak == 0.08424127101898193)
        #expect(found.trackGain == 6.7)
        #expect(found.albumGain == -3.3)
        #expect(found.encoderDelay == 576)
        #expect(found.encoderPadding == 756)
        #expect(found.musicLength == 39429)
        #expect(found.musicCRC == 0xF2B3)
        #expect(found.isIntact)
        #expect(
            found.replayGain
                == ReplayGain(trackGain: 6.7, trackPeak: 0.08424127101898193, albumGain: -3.3))
    }

    @Test func `A LAME tag may give its peak as a Float32`() {
        let changed = tag([0x3F, 0x4C, 0xCC, 0xCD], at: 11, crc: (0x83, 0x22))

        let found = LAMETag(firstFrame: firstFrame(changed))

        #expect(found?.peak == Double(Float(0.8)))
        #expect(found?.isIntact == true)
    }

    @Test(
        arguments: [
            [0, 0, 0, 0], [0x7F, 0x80, 0, 0], [0x7F, 0xC0, 0, 0], [0xBF, 0x80, 0, 0],
        ] as [[UInt8]])
    func `A LAME tag has no peak if that is zero, infinite, NaN or negative`(field: [UInt8]) throws
    {
        let found = try #require(
            LAMETag(firstFrame: firstFrame(tag(field, at: 11, crc: (0, 0)))))

        #expect(found.peak == nil)
    }

    @Test(
        arguments: [
            // Without an originator, as libavformat writes it; with swapped names; without names.
            [0x20, 0x3F, 0x40, 0x3F], [0x4C, 0x43, 0x2E, 0x21], [0x0C, 0x43, 0x0E, 0x21],
        ] as [[UInt8]])
    func `A LAME tag has no gain with another name or without an originator`(fields: [UInt8]) throws
    {
        let found = try #require(
            LAMETag(firstFrame: firstFrame(tag(fields, at: 15, crc: (0, 0)))))

        #expect(found.trackGain == nil)
        #expect(found.albumGain == nil)
    }

    @Test(arguments: [
        ("LAME3.94a", 12.7, 2.7), ("LAME3.93 ", 12.7, 2.7), ("LAME2.99 ", 12.7, 2.7),
        ("LAME3.95 ", 6.7, -3.3), ("LAME3.98r", 6.7, -3.3), ("Lavf3.1.2", 6.7, -3.3),
    ])
    func `A LAME tag of LAME before 3.95 refers to 83 dB, which is converted to 89`(
        encoder: String, trackGain: Double, albumGain: Double
    ) throws {
        let changed = tag(Array(encoder.utf8), at: 0, crc: (0, 0))

        let found = try #require(LAMETag(firstFrame: firstFrame(changed)))

        #expect(found.trackGain.map { abs($0 - trackGain) < 1e-9 } == true)
        #expect(found.albumGain.map { abs($0 - albumGain) < 1e-9 } == true)
    }

    @Test func `A LAME tag with a wrong checksum gives no loudness`() throws {
        let found = try #require(
            LAMETag(firstFrame: firstFrame(tag([0x2C, 0x44], at: 15, crc: (0x63, 0x83)))))

        #expect(!found.isIntact)
        #expect(found.encoder == "LAME3.100")
        #expect(found.encoderPadding == 756)
        #expect(found.replayGain.isEmpty)
    }

    @Test func `A LAME tag of an old version is a longer name and nothing else`() {
        let old = Array("LAME3.88 (beta)".utf8) + [UInt8](repeating: 0, count: 21)

        let found = LAMETag(firstFrame: firstFrame(old))

        #expect(found?.encoder == "LAME3.88 (beta)")
        #expect(found?.replayGain.isEmpty == true)
        #expect(found?.encoderDelay == 0)
    }

    @Test(
        arguments: [
            (0x01, .constant), (0x08, .constant), (0x09, .average), (0x03, .variable),
            (0x06, .variable), (0x00, nil), (0x07, nil),
        ] as [(UInt8, LAMETag.BitrateMode?)])
    func `A LAME tag knows the bit rate modes of revisions`(
        method: UInt8, mode: LAMETag.BitrateMode?
    ) throws {
        let found = try #require(
            LAMETag(firstFrame: firstFrame(tag([0x10 | method], at: 9, crc: (0, 0)))))

        #expect(found.bitrateMode == mode)
    }

    @Test func `A LAME tag is nil without a Xing header, without a name and if truncated`() {
        let whole = firstFrame(tag)

        #expect(LAMETag(firstFrame: [UInt8](repeating: 0, count: 400)) == nil)
        #expect(LAMETag(firstFrame: firstFrame([UInt8](repeating: 0, count: 36))) == nil)
        #expect(LAMETag(firstFrame: Array(whole.prefix(191))) == nil)
        #expect(LAMETag(firstFrame: Array(whole.prefix(192))) != nil)
    }

    @Test func `A LAME tag follows the fields that the header has`() {
        let header: [UInt8] =
            [0xFF, 0xFB, 0x90, 0xC4] + [UInt8](repeating: 0, count: 17) + [0x58, 0x69, 0x6E, 0x67]
            + [0, 0, 0, 0x01] + [0, 0, 0, 116]

        let found = LAMETag(firstFrame: header + tag)

        #expect(found?.encoder == "LAME3.100")
        #expect(found?.encoderDelay == 576)
    }
}

@Suite struct `The checksum of a LAME tag` {
    @Test func `The checksum of a LAME tag is CRC-16/ARC, in one piece or several`() {
        var whole = CRC16()
        var pieces = CRC16()

        whole.update([0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39].span)
        pieces.update([0x31, 0x32, 0x33, 0x34].span)
        pieces.update([UInt8]().span)
        pieces.update([0x35, 0x36, 0x37, 0x38, 0x39].span)

        #expect(whole.value == 0xBB3D)
        #expect(pieces.value == 0xBB3D)
        #expect(CRC16().value == 0)
    }
}
