import TestSupport
import Testing
import UndersongBase

@testable import UndersongPlayback

/// The texts in ID3v2 tags of all versions.
@Suite struct `An ID3v2 tag` {
    private struct Text: Equatable {
        var name: String
        var texts: [String]
    }

    private func texts(_ tag: [UInt8]) -> [Text] {
        var found: [Text] = []
        ID3Tag { offset, count in Array(tag.dropFirst(offset).prefix(count)) }?
            .forEachFrame { found.append(Text(name: $0.name, texts: $0.texts)) }
        return found
    }

    private func tag(_ frames: [UInt8], version: UInt8, flags: UInt8 = 0) -> [UInt8] {
        let size = [21, 14, 7, 0].map { UInt8(frames.count >> $0 & 127) }
        return Array("ID3".utf8) + [version, 0, flags] + size + frames
    }

    private func frame(_ name: String, _ contents: [UInt8], flags: UInt8 = 0) -> [UInt8] {
        let size =
            name.utf8.count == 3
            ? [16, 8, 0].map { UInt8(contents.count >> $0 & 255) }
            : [24, 16, 8, 0].map { UInt8(contents.count >> $0 & 255) } + [0, flags]
        return Array(name.utf8) + size + contents
    }

    @Test func `Frames of version 2_2 have the names of the later ones`() {
        let frames =
            frame("TT2", Array("\u{0}Title".utf8)) + frame("TP1", Array("\u{0}Artist".utf8))
            + frame("XYZ", [1, 2])
        #expect(
            texts(tag(frames, version: 2)).prefix(2) == [
                Text(name: "TIT2", texts: ["Title"]), Text(name: "TPE1", texts: ["Artist"]),
            ])
    }

    @Test func `A compressed tag of version 2_2 is left out`() {
        let frames = frame("TT2", Array("\u{0}Title".utf8))
        #expect(texts(tag(frames, version: 2, flags: 0x40)) == [])
    }

    @Test func `A name of version 2_2 in a tag of 2_3 is understood`() {
        let odd = Array("TS2".utf8) + [0, 0, 0, 0, 2, 0, 0, 0, UInt8(ascii: "x")]
        let frames = odd + frame("TIT2", Array("\u{0}Title".utf8))
        #expect(
            texts(tag(frames, version: 3)) == [
                Text(name: "TSO2", texts: ["x"]), Text(name: "TIT2", texts: ["Title"]),
            ])
    }

    @Test(.rule("LB36")) func `Zeros separate the texts of a frame, in each encoding`() {
        let utf16: [UInt8] = [1, 0xFF, 0xFE, 0x41, 0, 0, 0, 0xFF, 0xFE, 0xF6, 0, 0, 0]
        let bigEndian: [UInt8] = [2, 0, 0x41, 0, 0, 0, 0xF6]
        for contents in [
            [0, 0x41, 0, 0xF6], [3] + Array("A\u{0}ö\u{0}\u{0}".utf8), utf16, bigEndian,
        ] {
            #expect(
                texts(tag(frame("TPE1", contents), version: 4)) == [
                    Text(name: "TPE1", texts: ["A", "ö"])
                ])
        }
        #expect(texts(tag(frame("TPE1", [3]), version: 4)) == [Text(name: "TPE1", texts: [])])
    }

    @Test func `A described frame has its description apart, after a language if it has one`() {
        var found: [[String]] = []
        let frames =
            frame("TXXX", [3] + Array("Key\u{0}one\u{0}two".utf8))
            + frame("COMM", [0] + Array("eng\u{0}Nice".utf8))
        let bytes = tag(frames, version: 4)
        ID3Tag { offset, count in Array(bytes.dropFirst(offset).prefix(count)) }?.forEachFrame {
            let (detail, texts) = $0.describedTexts
            found.append([detail] + texts)
        }
        #expect(found == [["Key", "one", "two"], ["", "Nice"]])
    }

    @Test func `Unsynchronised frames are decoded, a picture is only counted`() {
        let title: [UInt8] = [1, 0xFF, 0x00, 0xFE, 0x41, 0]
        let frames =
            frame("APIC", [0xFF, 0, 0xFF], flags: 2) + frame("TIT2", title, flags: 2)
        #expect(
            texts(tag(frames, version: 4)) == [
                Text(name: "APIC", texts: []), Text(name: "TIT2", texts: ["A"]),
            ])
        // In version 3 the size of a frame does not count the zeros that were inserted.
        let older = Array("TIT2".utf8) + [0, 0, 0, 5, 0, 0] + title
        #expect(
            texts(tag(older, version: 3, flags: 0x80)) == [Text(name: "TIT2", texts: ["A"])])
    }

    @Test func `Whatever bytes are wrong, nothing is read beyond the tag`() {
        let good = tag(
            frame("TXXX", [1, 0xFF, 0xFE, 0x41, 0, 0, 0, 0x42, 0]) + frame("TPE1", [3, 0x41, 0]),
            version: 4)
        var random = SeededGenerator(seed: 50)
        for _ in 0..<20_000 {
            var bytes = good
            for _ in 0..<3 {
                let index = Int.random(in: 3..<bytes.count, using: &random)
                bytes[index] = UInt8.random(in: 0...255, using: &random)
            }
            bytes.removeLast(Int.random(in: 0...8, using: &random))
            var count = 0
            ID3Tag { offset, length in
                precondition(offset >= 0 && length >= 0)
                return Array(bytes.dropFirst(offset).prefix(length))
            }?.forEachFrame { count += $0.texts.count + $0.describedTexts.texts.count }
            #expect(count < 100)
        }
    }
}
