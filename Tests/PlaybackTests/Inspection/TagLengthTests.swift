import Testing
import UndersongPlayback

private func reader(_ file: [UInt8]) -> TagLength.Reader {
    { offset, count in Array(file.dropFirst(offset).prefix(count)) }
}

private func music(_ count: Int) -> [UInt8] { [UInt8](repeating: 0x55, count: count) }

/// ID3v2.3 with 20 bytes after its header.
private let id3v2: [UInt8] =
    [0x49, 0x44, 0x33, 3, 0, 0, 0, 0, 0, 20] + [UInt8](repeating: 0, count: 20)
private let id3v1 = Array("TAG".utf8) + [UInt8](repeating: 0, count: 125)

/// One end of an APEv2 tag with 40 bytes besides its header; flags say whether it has one and is
/// it.
private func ape(_ flags: UInt8) -> [UInt8] {
    Array("APETAGEX".utf8) + [0xD0, 7, 0, 0] + [40, 0, 0, 0] + [1, 0, 0, 0] + [0, 0, 0, flags]
        + [UInt8](repeating: 0, count: 8)
}

private let apeItems = [UInt8](repeating: 0x20, count: 8)
private let lyrics = Array("LYRICSBEGININD0000200".utf8) + Array("000021LYRICS200".utf8)

@Suite struct `Tags around the music` {
    @Test func `Tags at the start are ID3v2 and APEv2, one after the other`() {
        let both = id3v2 + ape(0xA0) + apeItems + ape(0x80) + music(200)

        #expect(TagLength.leading(from: 0, reader(id3v2 + music(200))) == 30)
        #expect(TagLength.leading(from: 0, reader(id3v2 + id3v2 + music(200))) == 60)
        #expect(TagLength.leading(from: 0, reader(both)) == 102)
        #expect(TagLength.leading(from: 30, reader(both)) == 72)
        #expect(TagLength.leading(from: 0, reader(music(200))) == 0)
        #expect(TagLength.leading(from: 0, reader([])) == 0)
    }

    @Test func `Tags at the end are ID3v1, APEv2 and Lyrics3v2, one after the other`() {
        func trailing(_ file: [UInt8]) -> Int { TagLength.trailing(size: file.count, reader(file)) }

        #expect(trailing(music(200) + id3v1) == 128)
        #expect(trailing(music(200) + ape(0xA0) + apeItems + ape(0x80)) == 72)
        #expect(trailing(music(200) + apeItems + ape(0)) == 40)
        #expect(trailing(music(200) + apeItems + ape(0) + id3v1) == 168)
        #expect(trailing(music(200) + lyrics + id3v1) == 164)
        #expect(trailing(music(200) + lyrics) == 36)
        #expect(trailing(music(200)) == 0)
        #expect(trailing([]) == 0)
    }

    @Test func `Tags are ignored if they are larger than the file`() {
        let file = music(7) + ape(0)

        #expect(TagLength.trailing(size: file.count, reader(file)) == 0)
        #expect(TagLength.trailing(size: 128, reader(id3v1)) == 128)
    }
}
