import TestSupport
import Testing
import UndersongBase

@testable import UndersongPlayback

@Suite struct `The words in a tag` {
    private let english = Array("eng".utf8)

    @Test(
        .rule("LY4"),
        arguments: [
            ([0], [0], [0x47, 0xFC]), ([3], [0], [0x47, 0xC3, 0xBC]),
            ([1], [0xFF, 0xFE, 0, 0], [0xFF, 0xFE, 0x47, 0, 0xFC, 0]),
            // One mark for both.
            ([1], [0xFE, 0xFF, 0, 0x41, 0, 0], [0, 0x47, 0, 0xFC]),
            ([1], [0, 0], [0xFE, 0xFF, 0, 0x47, 0, 0xFC, 0, 0]),
            ([2], [0, 0], [0, 0x47, 0, 0xFC]),
        ] as [([UInt8], [UInt8], [UInt8])])
    func `The words in a tag are in any encoding`(
        encoding: [UInt8], detail: [UInt8], text: [UInt8]
    ) {
        let contents = encoding + english + detail + text

        #expect(read(id3Tag(id3Frame("USLT", contents))).text == "Gü")
        #expect(read(id3Tag(id3Frame("ULT", contents), version: 2)).text == "Gü")
    }

    @Test(.rule("LY4")) func `The words in a tag are the first ones that are not empty`() {
        let empty = id3Frame("USLT", [3] + english + [0])
        let first = id3Frame("USLT", [3] + english + [0x64, 0] + Array("One\nTwo".utf8))
        let second = id3Frame("USLT", [3] + Array("deu".utf8) + [0] + Array("Eins".utf8))

        let words = read(id3Tag(empty + id3Frame("TIT2", [3, 0x41]) + first + second))

        #expect(words.text == "One\nTwo" && words.pieces == [])
    }

    @Test(.rule("LY3")) func `The words in a tag have times in milliseconds`() {
        let body = sung("Hel", 12_340) + sung("lo", 12_900) + sung("\nyou", 0xFFFF)
        let expected = [
            TaggedLyrics.Piece(seconds: 12.34, text: "Hel"),
            TaggedLyrics.Piece(seconds: 12.9, text: "lo"),
            TaggedLyrics.Piece(seconds: 65.535, text: "\nyou"),
        ]
        let contents = [3] + english + [2, 1] + Array("text\0".utf8) + body

        #expect(read(id3Tag(id3Frame("SYLT", contents))).pieces == expected)
        #expect(read(id3Tag(id3Frame("SLT", contents), version: 2)).pieces == expected)
        // A frame of its own is unsynchronised, and all of a tag is.
        let ofFrame = id3Frame("SYLT", id3Unsynchronised(contents), flags: 2, size: 7)
        #expect(read(id3Tag(ofFrame, version: 4)).pieces == expected)
        let ofTag = id3Tag(id3Unsynchronised(id3Frame("SYLT", contents)), flags: 0x80)
        #expect(read(ofTag).pieces == expected)
    }

    @Test(.rule("LY3")) func `The words in a tag have times in MPEG frames`() {
        let contents = [0] + english + [1, 1, 0] + sung("A", 100)
        let tag = id3Tag(id3Frame("SYLT", contents))

        // Layer III of 44,100 and 24,000 Hz, and no music.
        #expect(read(tag + [0xFF, 0xFB, 0x90, 0]).pieces.map(\.seconds) == [115_200 / 44_100])
        #expect(read(tag + [0xFF, 0xF3, 0x94, 0]).pieces.map(\.seconds) == [57_600 / 24_000])
        #expect(read(tag + [1, 2, 3, 4]).pieces == [])
    }

    @Test(.rule("LY3")) func `The words in a tag come before other texts with times`() {
        func frame(_ kind: UInt8, _ text: String) -> [UInt8] {
            id3Frame("SYLT", [3] + english + [2, kind, 0] + sung(text, 1))
        }

        let words = read(id3Tag(frame(5, "C#m") + frame(2, "Said") + frame(1, "Sung")))
        let other = read(id3Tag(frame(2, "Said") + frame(0, "Other")))

        #expect(words.pieces.map(\.text) == ["Sung"])
        #expect(other.pieces.map(\.text) == ["Said"])
        #expect(read(id3Tag(frame(5, "C#m"))).pieces == [])
    }

    @Test func `The words in a tag never lead out of it, whatever bytes are wrong`() {
        let contents = [1] + english + [2, 1, 0xFF, 0xFE, 0, 0] + [0x41, 0, 0, 0, 0, 0, 0, 1]
        let good = id3Tag(
            id3Frame("SYLT", contents) + id3Frame("USLT", [3] + english + [0, 0x41]), version: 4)
        var random = SeededGenerator(seed: 50)
        #expect(read(good).pieces.count == 1 && read(good).text == "A")

        for _ in 0..<20_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 3..<bytes.count, using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            bytes.removeLast(Int.random(in: 0...8, using: &random))

            #expect(read(bytes).pieces.count <= good.count)
        }
    }

    private func sung(_ text: String, _ time: Int) -> [UInt8] {
        Array(text.utf8) + [0] + id3Number(time)
    }

    /// Reads the tag at the start of `file`, which is not read out of bounds.
    private func read(_ file: [UInt8]) -> TaggedLyrics {
        TaggedLyrics { offset, count in
            precondition(offset >= 0 && count >= 0 && count <= 4 << 20)
            return Array(file.dropFirst(offset).prefix(count))
        }
    }
}
