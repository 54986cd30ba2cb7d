import TestSupport
import Testing
import UndersongBase

@testable import UndersongPlayback

@Suite struct `The chapters in a tag` {
    private let chapters =
        chapter("b", 1500, 90_000, [id3Frame("TIT2", [0] + Array("Two\u{0}x".utf8))])
        + id3Frame("TIT2", [3] + Array("The book".utf8)) + chapter("a", 0, 1500, [])
        + chapter("c", 90_000, 0xFFFF_FFFF, [id3Frame("TIT2", [3] + Array("Drei ½".utf8))])

    @Test(arguments: [3, 4])
    func `The chapters in a tag are listed in the order of their times`(version: UInt8) {
        let found = read(id3Tag(chapters, version: version))

        #expect(
            found == [
                Chapter(start: time(0), end: time(1500)),
                Chapter(start: time(1500), end: time(90_000), title: "Two"),
                Chapter(start: time(90_000), title: "Drei ½"),
            ])
    }

    @Test(arguments: [
        ([0, 0x47, 0xFC, 0], "Gü"),
        ([1, 0xFF, 0xFE, 0xFC, 0, 0x3D, 0xD8, 0x00, 0xDE, 0, 0, 0x41, 0], "ü😀"),
        ([1, 0xFE, 0xFF, 0, 0xFC, 0x65, 0xE5], "ü日"), ([1, 0x41, 0], "A"),
        ([2, 0, 0x41, 0x65, 0xE5, 0], "A日"), ([3, 0xC3, 0xBC], "ü"), ([3], nil), ([1, 0xFF], nil),
        ([], nil), ([9, 0x41], "A"),
    ])
    func `The chapters in a tag have titles in any encoding`(text: [UInt8], title: String?) {
        let found = read(id3Tag(chapter("a", 0, 1, [id3Frame("TIT2", text)])))

        #expect(found.map(\.title) == [title])
    }

    @Test func `The chapters in a tag are those that the table of contents names`() {
        let all = chapter("a", 3, 4, []) + chapter("b", 1, 2, []) + chapter("hidden", 5, 6, [])
        let part = id3Frame("CTOC", Array("part".utf8) + [0, 0, 2] + Array("a\0toc\0".utf8))
        let top = id3Frame("CTOC", Array("toc".utf8) + [0, 3, 3] + Array("b\0part\0none\0".utf8))
        let empty = id3Frame("CTOC", Array("toc".utf8) + [0, 3, 1] + Array("none\0".utf8))

        #expect(read(id3Tag(top + all + part)).map(\.start) == [time(1), time(3)])
        #expect(read(id3Tag(empty + all)).map(\.start) == [time(1), time(3), time(5)])
        #expect(read(id3Tag(part + all)).map(\.start) == [time(1), time(3), time(5)])
    }

    @Test func `The chapters are read where the tag is unsynchronised`() {
        let title = id3Frame("TIT2", [1, 0xFF, 0xFE, 0x41, 0])
        let body = chapter("a", 0xFF00, 0x1_0000, [title])
        let expected = [Chapter(start: time(0xFF00), end: time(0x1_0000), title: "A")]
        let contents = Array(body.dropFirst(10))
        let ofFrame = id3Frame("CHAP", id3Unsynchronised(contents), flags: 2, size: 7)
        let ofTag = id3Frame("CHAP", id3Unsynchronised(contents), size: 7)

        #expect(read(id3Tag(id3Unsynchronised(body), flags: 0x80)) == expected)
        #expect(read(id3Tag(ofFrame, version: 4)) == expected)
        #expect(read(id3Tag(ofTag, version: 4, flags: 0x80)) == expected)
        #expect(read(id3Tag(body)) == expected)
    }

    @Test func `The chapters are found after an extended header, groups, lengths and long frames`()
    {
        let long = [UInt8](repeating: 0x20, count: 300)
        let expected = [Chapter(start: time(1), end: time(2))]
        let contents = Array(chapter("a", 1, 2, []).dropFirst(10))

        #expect(
            read(id3Tag([0, 0, 0, 6, 0, 0, 0, 0, 0, 0] + chapter("a", 1, 2, []), flags: 0x40))
                == expected)
        #expect(
            read(
                id3Tag(
                    [0, 0, 0, 6, 1, 0] + id3Frame("CHAP", contents, size: 7), version: 4,
                    flags: 0x40))
                == expected)
        #expect(read(id3Tag(id3Frame("CHAP", [7] + contents, flags: 0x20))) == expected)
        #expect(
            read(
                id3Tag(
                    id3Frame("CHAP", [7, 0, 0, 0, 9] + contents, flags: 0x41, size: 7), version: 4))
                == expected)
        for size in [7, 8] {
            let first = id3Frame("APIC", long, size: size)
            #expect(read(id3Tag(first + chapter("a", 1, 2, []), version: 4)) == expected)
        }
    }

    @Test func `A tag that is old, packed, broken or invalid has no chapters`() {
        let good = chapter("a", 1, 2, [])

        #expect(read([]) == [])
        #expect(read(Array("ID3".utf8)) == [])
        #expect(read(id3Tag(good, version: 2)) == [])
        #expect(read(id3Tag(id3Frame("CHAP", Array(good.dropFirst(10)), flags: 0x80))) == [])
        #expect(read(id3Tag(id3Frame("CHAP", Array("no end".utf8)))) == [])
        #expect(read(id3Tag(id3Frame("CHAP", [0x61, 0, 1, 2, 3]))) == [])
        #expect(read(id3Tag(id3Frame("APIC", [], claims: 9999) + good)) == [])
        #expect(read(id3Tag(id3Frame("APIC", [], claims: 0xFFFF_FFFF) + good)) == [])
        #expect(read(id3Tag([0, 0, 0, 0] + good)) == [])
        #expect(read(id3Tag([0xFF, 0xFF, 0xFF, 0xFF] + good, flags: 0x40)) == [])
    }

    @Test func `The chapters never lead out of the tag, whatever bytes are wrong`() {
        let good =
            id3Tag(
                id3Frame("CTOC", Array("toc".utf8) + [0, 3, 1] + Array("a\0".utf8))
                    + chapter("a", 1, 2, [id3Frame("TIT2", [1, 0xFF, 0xFE, 0x41, 0])]), version: 4)
        var random = SeededGenerator(seed: 4711)

        for _ in 0..<20_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 3..<bytes.count, using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            bytes.removeLast(Int.random(in: 0...8, using: &random))

            #expect(read(bytes).count <= 2)
        }
    }

    private func time(_ milliseconds: Int64) -> CMTime {
        CMTime(value: milliseconds, timescale: 1000)
    }
}

/// The chapters in the tag at the start of `file`, which is not read out of bounds.
private func read(_ file: [UInt8]) -> [Chapter] {
    Chapter.chapters { offset, count in
        precondition(offset >= 0 && count >= 0 && count <= 4 << 20)
        return Array(file.dropFirst(offset).prefix(count))
    }
}

private func chapter(_ name: String, _ start: Int, _ end: Int, _ frames: [[UInt8]]) -> [UInt8] {
    id3Frame(
        "CHAP",
        Array(name.utf8) + [0] + id3Number(start) + id3Number(end)
            + [UInt8](repeating: 0xFF, count: 8) + frames.joined())
}
