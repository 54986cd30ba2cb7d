import Testing
import UndersongBase

@testable import UndersongPlayback

/// The encodings of playlists written elsewhere.
@Suite struct `The bytes of a playlist` {
    private static let sheet = """
        PERFORMER "Band Ä"
        FILE "Größe 🎉.mp3" MP3
          TRACK 01 AUDIO
            TITLE "Größe"
            INDEX 01 00:01:00
        """

    private static func utf16(_ text: String, isBigEndian: Bool) -> [UInt8] {
        ("\u{FEFF}" + text).utf16.flatMap { unit in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            return isBigEndian ? [high, low] : [low, high]
        }
    }

    @Test(arguments: [true, false], [1, 2, 3, 7, Int.max])
    func `A playlist's bytes may be UTF-16 after a byte order mark`(isBigEndian: Bool, size: Int)
        throws
    {
        let found = try entries(
            Self.utf16(Self.sheet, isBigEndian: isBigEndian), .cue, size: size)

        #expect(found == [.part("/lists/Größe 🎉.mp3", "Band Ä - Größe", from: 75)])
    }

    @Test(arguments: [true, false])
    func `A playlist's bytes show the format in UTF-16 too`(isBigEndian: Bool) {
        for (text, format) in [("#EXTM3U\na.mp3\n", PlaylistFormat.m3u), (Self.sheet, .cue)] {
            let head = Self.utf16(text, isBigEndian: isBigEndian)
            #expect(PlaylistFormat(head: head) == format)
        }
    }

    @Test func `A playlist's truncated or invalid UTF-16 becomes a replacement character`() throws {
        let bytes: [UInt8] = [0xFF, 0xFE, 0x61, 0, 0, 0xD8, 0x62, 0, 0, 0xDC, 0x63]

        let found = try entries(bytes, .m3u)

        #expect(found.map(\.source) == [.file(path: "/lists/a\u{FFFD}b\u{FFFD}\u{FFFD}")])
    }

    @Test func `A playlist of one or no character is read too`() throws {
        #expect(try entries([0x61] as [UInt8], .m3u).map(\.source) == [.file(path: "/lists/a")])
        #expect(try entries([] as [UInt8], .m3u) == [])
    }

    @Test func `A playlist's bytes are the exact name of an existing file`() throws {
        let bytes: [UInt8] = [0x65, 0xE9, 0x2E]
        let path = FilePath(bytes: Array("/lists/".utf8) + bytes)
        let context = PlaylistContext(folder: "/lists", isThere: { $0 == path })

        #expect(try entries(bytes, .m3u, context).map(\.source) == [.file(path: path)])
    }

    @Test func `A playlist is read, with its titles, in the code page in which a file is found`()
        throws
    {
        // "Ёж" in one code page, "¨æ" in another.
        let bytes = Array("#EXTINF:-1,".utf8) + [0xA8, 0xE6, 0x0A, 0xA8, 0xE6, 0x0A]
        let context = PlaylistContext(
            folder: "/lists", isThere: { $0 == "/lists/Ёж" },
            text: { $1 == "WINDOWS-1251" && $0 == [0xA8, 0xE6] ? "Ёж" : nil })

        let found = try entries(bytes, .m3u, context)

        #expect(found == [QueueEntry(.file(path: "/lists/Ёж"), title: "Ёж")])
    }

    @Test func `A playlist is read as Windows' Western European if no file exists`() throws {
        let bytes = Array("#EXTINF:-1,".utf8) + [0x93, 0xC4, 0x94, 0x0A, 0x80, 0xFC]

        let found = try entries(bytes, .m3u)

        #expect(found == [QueueEntry(.file(path: "/lists/€ü"), title: "“Ä”")])
    }

    @Test func `A playlist may declare its encoding`() throws {
        let bytes = Array("#EXTM3U\n#EXTENC: cp1251\n#EXTINF:-1,".utf8) + [0xA8, 0x0A, 0xE6]
        let context = PlaylistContext(
            folder: "/lists", text: { $1 == "cp1251" ? ($0 == [0xA8] ? "Ё" : "ж") : nil })

        let found = try entries(bytes, .m3u, context)

        #expect(found == [QueueEntry(.file(path: "/lists/ж"), title: "Ё")])
    }

    @Test func `A playlist may have the backslashes of Windows if a file is found that way`() throws
    {
        let context = PlaylistContext(
            folder: "/lists", isThere: { $0 == "/lists/../music/a.mp3" || $0 == #"/lists/b\c.mp3"# }
        )

        let text = [#"..\music\a.mp3"#, #"b\c.mp3"#, #"d\e.mp3"#].joined(separator: "\n")

        let found = try entries(text.utf8, .m3u, context)

        #expect(
            found.map(\.source.path) == [
                "/lists/../music/a.mp3", #"/lists/b\c.mp3"#, #"/lists/d\e.mp3"#,
            ])
    }
}
