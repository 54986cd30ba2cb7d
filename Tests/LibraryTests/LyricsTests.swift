import TestSupport
import Testing
import UndersongBase
import UndersongPlayback

@testable import UndersongLibrary

@Suite struct `The lyrics of an LRC file` {
    @Test(
        .rule("LY2"),
        arguments: [
            ("[00:12.34]One", 12.34), ("[01:02]One", 62), ("[1:02.5]One", 62.5),
            ("[00:01.005]One", 1.005),
            ("[00:12:34]One", 12.34), ("[00:12,34]One", 12.34), ("[1:00:00.50]One", 3600.5),
            ("[100:00.00] One ", 6000), ("  [00:01.00] One", 1), ("[00:00.01]\tOne", 0.01),
        ])
    func `A line of lyrics has its time`(text: String, seconds: Double) {
        #expect(lines(text) == [Lyrics.Line(seconds: seconds, "One")])
    }

    @Test(
        .rule("LY2"),
        arguments: [
            "[00:1x]One", "[00:12.3456]One", "[:12]One", "[00:]One", "[00.12]One", "[-1:00]One",
            "[12345:00]One", "[00:123]One", "[1:2:3:4]One", "[٠٠:١٢]One", "[Chorus]",
            "[Verse 1: Ann]",
            "(One", "[00:01One", "<00:01.x>One", "One < Two > Three",
        ])
    func `A line of lyrics without a valid time is text`(text: String) {
        #expect(lines(text) == [Lyrics.Line(text)])
    }

    @Test(.rule("LY2")) func `The lines of lyrics are sung at several times, in their order`() {
        let text = """
            [ti:A title]
            [AR: Someone]

            [00:20.00][00:05.00]Chorus
            and more
            [00:10.00]Verse
            [00:12.00]
            [00:10.00]Echo
            """

        #expect(
            lines(text) == [
                Lyrics.Line(seconds: 5, "Chorus"), Lyrics.Line(seconds: 5, "and more"),
                Lyrics.Line(seconds: 10, "Verse"), Lyrics.Line(seconds: 10, "Echo"),
                Lyrics.Line(seconds: 12, ""), Lyrics.Line(seconds: 20, "Chorus"),
                Lyrics.Line(seconds: 20, "and more"),
            ])
    }

    @Test(
        .rule("LY2"),
        arguments: [
            ("+500", 9.5), ("500", 9.5), (" -250 ", 10.25), ("20000", 0), ("soon", 10),
            ("99999999999999999999", 10), ("9999999999999", 10),
        ])
    func `The offset of lyrics makes all lines earlier`(offset: String, seconds: Double) {
        #expect(lines("[00:10]One\n[offset:\(offset)]") == [Lyrics.Line(seconds: seconds, "One")])
    }

    @Test(.rule("LY2")) func `The times of single words are left out of lyrics`() {
        let text = """
            [00:01.00]<00:01.00>One <00:01.50>two<00:02.00>three <b>
            [00:03.00] <00:03.00> Four <00:03.50> five <00:04.00>
            """

        #expect(lines(text)?.map(\.text) == ["One twothree <b>", "Four five"])
    }

    @Test(.rule("LY2")) func `Lyrics may be in UTF-8, UTF-16 or Windows-1252`() {
        let text = "[00:01]Größe 日本\r\n[00:02]“Ja”"
        func bytes(_ unit: UInt16) -> [UInt8] { [UInt8(unit >> 8), UInt8(unit & 0xFF)] }
        let big: [UInt8] = [0xFE, 0xFF] + text.utf16.flatMap { bytes($0) }
        let little: [UInt8] = [0xFF, 0xFE] + text.utf16.flatMap { bytes($0.byteSwapped) }
        let windows: [UInt8] = [0x5B, 0x30, 0x3A, 0x31, 0x5D, 0x47, 0xF6, 0x93]

        for bytes in [Array(text.utf8), [0xEF, 0xBB, 0xBF] + Array(text.utf8), little, big] {
            #expect(Lyrics(lrcFile: bytes)?.lines.map(\.text) == ["Größe 日本", "“Ja”"])
        }
        #expect(Lyrics(lrcFile: windows)?.lines == [Lyrics.Line(seconds: 1, "Gö“")])
        #expect(Lyrics(lrcFile: little + [0x41])?.lines.count == 2)
    }

    @Test func `Lyrics without words are none`() {
        for text in [
            "", "\n \r\n", "[ti:Title]\n[offset:5]", "[00:01.00]\n[00:02.00] ", "\u{1B}\u{7}",
        ] {
            #expect(Lyrics(lrcFile: Array(text.utf8)) == nil)
        }
    }

    @Test func `Lyrics without times keep their blank lines, except for the outer ones`() {
        let found = Lyrics(lrcFile: Array("\n\nOne\r\n\r\n [Chorus]\u{1B}\rTwo \n\n".utf8))

        #expect(found?.lines == ["One", "", "[Chorus]", "Two"].map { Lyrics.Line($0) })
        #expect(found?.areTimed == false && found?.source == .lrcFile)
    }

    @Test func `Lyrics that claim what cannot be are read without it`() {
        let offset = lines("[offset:-9223372036854775808]\n[0:01]One")
        let stamps = String(repeating: "[0:0]", count: 50_000)
        let repeated = lines(stamps + "b\n" + String(repeating: "a\n", count: 50_000))
        let open = lines("[0:01]" + String(repeating: "<", count: 20_000) + ">")

        #expect(offset == [Lyrics.Line(seconds: 1, "One")])
        #expect(repeated?.count == 5000)
        #expect(open?.count == 1)
    }

    @Test func `Lyrics that are too long are cut`() {
        let stamps = (0..<6000).map { "[\($0 / 60):\($0 % 60)]" }.joined()
        let many = Lyrics(lrcFile: Array((stamps + "La").utf8))
        let long = Lyrics(
            lrcFile: Array(
                repeatElement(String(repeating: "x", count: 1 << 16), count: 9)
                    .joined(separator: "\n").utf8))

        #expect(many?.lines.count == 5000 && many?.lines.last?.seconds == 4999)
        #expect(long?.lines.count == 4)
    }

    @Test(.rule("LY5")) func `The lyrics of a part of a file are those that are sung in it`() {
        let timed = Lyrics(lrcFile: Array("[0:01]One\n[0:02]Two\n[0:03]Three".utf8))
        let plain = Lyrics(lrcFile: Array("One\nTwo".utf8))

        #expect(timed?.part(from: 2, to: 3)?.lines.map(\.text) == ["Two"])
        #expect(timed?.part(from: 2, to: nil)?.lines.map(\.text) == ["Two", "Three"])
        #expect(timed?.part(from: 4, to: nil) == nil)
        #expect(plain?.part(from: 4, to: 5) == plain)
    }

    private func lines(_ text: String) -> [Lyrics.Line]? {
        Lyrics(lrcFile: Array(text.utf8))?.lines
    }
}

@Suite struct `The lyrics of tags` {
    @Test(
        .rule("LY3"),
        arguments: [
            // Line ends at the beginning, at the end, between, and nowhere.
            [(1, "Hel"), (2, "lo"), (3, "\nyou"), (4, " there")],
            [(1, "\nHel"), (2, "lo"), (3, "\n"), (3, "you"), (4, " there")],
            [(1, "Hel"), (2, "lo\n"), (3, "you"), (4, " there\n")],
            [(1, "Hello"), (3, "you there")], [(3, "you there"), (1, " Hello ")],
        ] as [[(Double, String)]])
    func `The syllables of lyrics are joined to lines`(pieces: [(Double, String)]) {
        let found = Lyrics(tagged(pieces), texts: ["Never"])

        #expect(
            found
                == Lyrics(
                    lines: [
                        Lyrics.Line(seconds: 1, "Hello"), Lyrics.Line(seconds: 3, "you there"),
                    ], source: .synchronizedTag))
    }

    @Test(.rule("LY1")) func `The lyrics with times are taken before those without`() {
        let plain = Lyrics(TaggedLyrics(), texts: [" ", "One\nTwo", "Three"])
        let timed = Lyrics(TaggedLyrics(), texts: ["One", "[00:01]Two", "[00:02]Three"])
        let unsung = Lyrics(tagged([(1, "")]), texts: ["One"])

        #expect(plain == Lyrics(lines: [Lyrics.Line("One"), Lyrics.Line("Two")], source: .tag))
        #expect(
            timed == Lyrics(lines: [Lyrics.Line(seconds: 1, "Two")], source: .synchronizedTag))
        #expect(unsung == Lyrics(lines: [Lyrics.Line("One")], source: .tag))
        #expect(Lyrics(TaggedLyrics(), texts: []) == nil)
    }

    private func tagged(_ pieces: [(Double, String)]) -> TaggedLyrics {
        TaggedLyrics(pieces: pieces.map { TaggedLyrics.Piece(seconds: $0.0, text: $0.1) })
    }
}
