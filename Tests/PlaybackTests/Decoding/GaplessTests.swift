import Testing
import UndersongPlayback

@Suite struct `The gapless information of an iTunSMPB comment` {
    @Test func `An iTunSMPB comment's gapless information is its second to fourth field`() {
        let text = " 00000000 00000210 0000096C 000000000006A324 00000000 00000000 00000000"

        let info = GaplessInfo(iTunSMPB: text)

        #expect(
            info == GaplessInfo(encoderDelay: 528, encoderPadding: 2412, frameCount: 434_980))
    }

    @Test func `Gapless information may end after the length, in lower case`() {
        let info = GaplessInfo(iTunSMPB: "0 240 5fe 000000000006a324")

        #expect(
            info == GaplessInfo(encoderDelay: 576, encoderPadding: 1534, frameCount: 434_980))
    }

    @Test(arguments: [
        "", " 00000000 00000210 0000096C", " 00000000 delay 0000096C 000000000006A324",
        " 00000000 00000210 0000096C 0000000000000000",
        " 00000000 00010000 0000096C 000000000006A324",
        " 00000000 00000210 00010000 000000000006A324",
        " 00000000 00000210 0000096C FFFFFFFFFFFFFFFF",
        " 00000000 00000000 00000000 7FFFFFFFFFFFFFFF",
        " 00000000 00000210 0000096C -000000000006A324",
    ])
    func `Gapless information is nil if the text has no usable values`(text: String) {
        let info = GaplessInfo(iTunSMPB: text)

        #expect(info == nil)
    }

    @Test func `Gapless information with a negative field is nil`() {
        #expect(GaplessInfo(iTunSMPB: " 00000000 -FFFF 00000000 00001000") == nil)
        #expect(GaplessInfo(iTunSMPB: " 00000000 00000210 -5 00001000") == nil)
    }
}

@Suite struct `A gapless trimmer` {
    @Test func `A gapless trimmer cuts the delays before the music and everything after it`() {
        var trimmer = GaplessTrimmer(
            GaplessInfo(encoderDelay: 576, encoderPadding: 100, frameCount: 2000))

        let ranges = [
            trimmer.range(ofBlock: 1152), trimmer.range(ofBlock: 1152),
            trimmer.range(ofBlock: 1152), trimmer.range(ofBlock: 1152),
        ]

        #expect(ranges == [1105..<1152, 0..<1152, 0..<801, 0..<0])
    }

    @Test func `A gapless trimmer cuts a delay longer than a block from several blocks`() {
        var trimmer = GaplessTrimmer(
            GaplessInfo(encoderDelay: 1000, encoderPadding: 0, frameCount: 500))

        let ranges = [
            trimmer.range(ofBlock: 1152), trimmer.range(ofBlock: 576), trimmer.range(ofBlock: 576),
        ]

        #expect(ranges == [1152..<1152, 377..<576, 0..<301])
    }

    @Test func `A gapless trimmer cuts both ends from one block`() {
        var trimmer = GaplessTrimmer(
            GaplessInfo(encoderDelay: 71, encoderPadding: 0, frameCount: 300))

        let range = trimmer.range(ofBlock: 1152)

        #expect(range == 600..<900)
    }

    @Test func `A gapless trimmer passes the music if the blocks end before it does`() {
        var trimmer = GaplessTrimmer(
            GaplessInfo(encoderDelay: 0, encoderPadding: 0, frameCount: 1_000_000))

        let ranges = [trimmer.range(ofBlock: 529), trimmer.range(ofBlock: 64)]

        #expect(ranges == [529..<529, 0..<64])
    }

    @Test func `A gapless trimmer returns nothing for an empty block`() {
        var trimmer = GaplessTrimmer(
            GaplessInfo(encoderDelay: 0, encoderPadding: 0, frameCount: 10))

        let range = trimmer.range(ofBlock: 0)
        let next = trimmer.range(ofBlock: 600)

        #expect(range == 0..<0)
        #expect(next == 529..<539)
    }
}
