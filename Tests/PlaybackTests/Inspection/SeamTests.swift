import Testing
import UndersongPlayback

private let stream = StreamFormat(sampleRate: 44100, channelCount: 2)
private let layerIII = MPEGFrameHeader([0xFF, 0xFB, 0x90, 0x64])
private let layerII = MPEGFrameHeader([0xFF, 0xFD, 0xA0, 0x00])
private let version2 = MPEGFrameHeader([0xFF, 0xF3, 0x80, 0x00])

private func media(
    _ source: GaplessSource?, header: MPEGFrameHeader? = layerIII,
    format: StreamFormat = stream, damage: [MediaDamage] = []
) -> MediaInspection {
    let description = MediaDescription(
        format: format, encoding: "MPEG", duration: .invalid, isDurationExact: false,
        gaplessSource: source)
    return MediaInspection(
        description: description, structure: FileStructure(header: header, damage: damage),
        frameCount: 1000,
        duration: CMTime(value: 1000, timescale: 44100))
}

@Suite struct `A seam` {
    @Test func `A seam is gapless between files that both give delay and padding`() {
        let seam = Seam(from: media(.lameTag), to: media(.iTunSMPB), streamFormat: stream)

        #expect(seam.isGapless)
        #expect(seam.addedFrames == 0...0)
        #expect(seam.description == "gapless, 0 frames added")
    }

    @Test func `A seam includes LAME's usual delay and padding if a file does not give them`() {
        let neither = Seam(from: media(nil), to: media(nil), streamFormat: stream)
        let second = Seam(from: media(.lameTag), to: media(nil), streamFormat: stream)
        let first = Seam(
            from: media(nil, header: version2), to: media(.lameTag), streamFormat: stream)

        #expect(!neither.isGapless)
        #expect(neither.addedFrames == 1152...2303)
        #expect(
            neither.description
                == "not gapless: usually 1152 to 2303 frames of encoder padding and delay stay "
                + "(no gapless information)")
        #expect(second.addedFrames == 1105...1105)
        #expect(
            second.description
                == "not gapless: usually 1105 frames of encoder delay stay "
                + "(no gapless information)")
        #expect(first.addedFrames == 47...622)
        #expect(
            first.description
                == "not gapless: usually 47 to 622 frames of encoder padding stay "
                + "(no gapless information)")
    }

    @Test func `A seam has no length if it is unknown`() {
        let seam = Seam(
            from: media(.lameTag), to: media(nil, header: layerII), streamFormat: stream)
        let input = Seam(from: media(nil, header: nil), to: media(nil), streamFormat: stream)

        #expect(seam.addedFrames == nil)
        #expect(
            seam.description
                == "not gapless: frames of encoder delay stay (no gapless information)")
        #expect(input.addedFrames == nil)
    }

    @Test(
        arguments: [
            .truncatedFrame(missing: 3), .missingBytes(expected: 9, found: 5),
            .frameCount(expected: 9, found: 5), .abandoned(reason: "It is over"),
        ] as [MediaDamage])
    func `A seam is not gapless after a file whose end is damaged`(damage: MediaDamage) {
        let later = Seam(
            from: media(.lameTag, damage: [damage]), to: media(.lameTag), streamFormat: stream)
        let before = Seam(
            from: media(.lameTag), to: media(.lameTag, damage: [damage]), streamFormat: stream)

        #expect(!later.isGapless)
        #expect(later.addedFrames == nil)
        #expect(
            later.description == "not gapless: the file before it does not end as it should")
        #expect(before.isGapless)
    }

    @Test func `A seam is gapless after a file that is damaged elsewhere`() {
        let seam = Seam(
            from: media(.lameTag, damage: [.leadingGarbage(bytes: 9)]), to: media(.lameTag),
            streamFormat: stream)

        #expect(seam.isGapless)
    }

    @Test func `A seam shows from which format to which the next file is converted`() {
        let seam = Seam(
            from: media(.lameTag),
            to: media(.lameTag, format: StreamFormat(sampleRate: 48000, channelCount: 1)),
            streamFormat: stream)

        #expect(seam.isGapless)
        #expect(seam.convertedFrom == StreamFormat(sampleRate: 48000, channelCount: 1))
        #expect(
            seam.description
                == "gapless, 0 frames added, converted from 48000 Hz mono to 44100 Hz stereo")
    }
}

@Suite struct `Damage` {
    @Test(
        arguments: [
            (.leadingGarbage(bytes: 1), "leading-garbage", "1 byte before the first frame"),
            (
                .skippedBytes(20, places: 2, first: 400), "skipped-bytes",
                "20 bytes between frames skipped in 2 places, first at byte 400"
            ),
            (.trailingGarbage(bytes: 7), "trailing-garbage", "7 bytes after the last frame"),
            (.truncatedFrame(missing: 5), "truncated-frame", "the last frame is 5 bytes short"),
            (
                .missingBytes(expected: 9, found: 5), "missing-bytes",
                "the header announces 9 bytes, there are 5"
            ),
            (
                .frameCount(expected: 1, found: 0), "frame-count",
                "the header announces 1 MPEG frame, there are 0"
            ),
            (
                .musicChecksum(expected: 0xF, found: 0xABCD), "music-checksum",
                "the encoder's checksum of the music is 000F, the music's is ABCD"
            ),
            (
                .undecodable(count: 2, reason: "It is broken"), "undecodable",
                "2 decoding errors: It is broken"
            ),
            (
                .abandoned(reason: "It is over"), "abandoned",
                "decoding ends before the file: It is over"
            ),
            (
                .formatChanges(
                    count: 1, from: stream, to: StreamFormat(sampleRate: 48000, channelCount: 1),
                    atFrame: 900), "format-changes",
                "the format changes once, at frame 900 from 44100 Hz stereo to 48000 Hz mono"
            ),
        ] as [(MediaDamage, String, String)])
    func `Damage has a code for programs and a clause for people`(
        damage: MediaDamage, code: String, text: String
    ) {
        #expect(damage.code == code)
        #expect(damage.description == text)
    }
}
