import Testing
import UndersongPlayback

private func silence(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

@Suite struct `A Xing header` {
    @Test func `A Xing header gives the counts of frames and bytes`() {
        let bytes: [UInt8] =
            [0xFF, 0xFB, 0x90, 0x00] + silence(32) + [0x58, 0x69, 0x6E, 0x67]
            + [0, 0, 0, 0x0F] + [0x00, 0x01, 0x02, 0x03] + [0x00, 0x10, 0x20, 0x30]

        let header = XingHeader(firstFrame: bytes)

        #expect(header?.frameCount == 66_051)
        #expect(header?.byteCount == 1_056_816)
    }

    @Test(arguments: [9, 11, 17, 19, 32, 34])
    func `A Xing header is found after each kind of side information and a checksum`(
        sideInformation: Int
    ) {
        let bytes =
            [0xFF, 0xFB, 0x90, 0x00] + silence(sideInformation) + [0x49, 0x6E, 0x66, 0x6F]
            + [0, 0, 0, 1] + [0, 0, 0, 77] + silence(4)

        let header = XingHeader(firstFrame: bytes)

        #expect(header?.frameCount == 77)
    }

    @Test func `A Xing header has only the counts that its flags announce`() {
        let start = [0xFF, 0xFB, 0x90, 0x00] + silence(32) + [0x49, 0x6E, 0x66, 0x6F]

        let none = XingHeader(firstFrame: start + [0, 0, 0, 0x0C] + [0, 0, 0, 7] + [0, 0, 0, 9])
        let frames = XingHeader(firstFrame: start + [0, 0, 0, 1] + [0, 0, 0, 7] + [0, 0, 0, 9])
        let bytes = XingHeader(firstFrame: start + [0, 0, 0, 2] + [0, 0, 0, 7] + [0, 0, 0, 9])

        #expect(none != nil)
        #expect(none?.frameCount == nil)
        #expect(none?.byteCount == nil)
        #expect(frames?.frameCount == 7)
        #expect(frames?.byteCount == nil)
        #expect(bytes?.frameCount == nil)
        #expect(bytes?.byteCount == 7)
    }

    @Test func `A Xing header omits the byte count if the bytes end before it`() {
        let bytes =
            [0xFF, 0xFB, 0x90, 0x00] + silence(32) + [0x58, 0x69, 0x6E, 0x67]
            + [0, 0, 0, 3] + [0, 0, 0, 7] + [0, 0, 0]

        let header = XingHeader(firstFrame: bytes + [0])
        let short = XingHeader(firstFrame: bytes.dropLast(3) + [])

        #expect(header?.byteCount == 0)
        #expect(short == nil)
    }

    @Test func `A Xing header is nil for music, for another offset and without bytes`() {
        let elsewhere =
            [0xFF, 0xFB, 0x90, 0x00] + silence(33) + [0x58, 0x69, 0x6E, 0x67] + silence(16)

        #expect(XingHeader(firstFrame: [0xFF, 0xFB, 0x90, 0x00] + silence(400)) == nil)
        #expect(XingHeader(firstFrame: elsewhere) == nil)
        #expect(XingHeader(firstFrame: []) == nil)
    }
}

@Suite struct `The length of an ID3v2 tag` {
    @Test func `The length of an ID3v2 tag is its size in seven-bit bytes, and its header`() {
        #expect(id3v2Length([0x49, 0x44, 0x33, 4, 0, 0x00, 0, 0, 2, 1]) == 267)
        #expect(id3v2Length([0x49, 0x44, 0x33, 3, 0, 0x80, 1, 2, 3, 4]) == 2_130_318)
    }

    @Test func `The length of an ID3v2 tag counts a footer`() {
        #expect(id3v2Length([0x49, 0x44, 0x33, 4, 0, 0x10, 0, 0, 0, 5]) == 25)
    }

    @Test func `The length of an ID3v2 tag ignores what follows the header`() {
        #expect(id3v2Length([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 5, 0xFF, 0xFF]) == 15)
    }

    @Test func `The length of an ID3v2 tag is 0 without a complete header`() {
        #expect(id3v2Length([]) == 0)
        #expect(id3v2Length([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0]) == 0)
        #expect(id3v2Length([0x54, 0x41, 0x47, 4, 0, 0, 0, 0, 0, 5]) == 0)
    }
}
