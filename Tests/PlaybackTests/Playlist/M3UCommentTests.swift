import Testing

@testable import UndersongPlayback

@Suite struct `A comment in an M3U playlist` {
    @Test(arguments: [
        ("#EXTINF:12,Someone - Something", "Someone - Something"),
        ("#extinf:12, Spaces around \t", "Spaces around"),
        ("#EXTINF:-1 tvg-name=\"a, b\" group=\"c\",Radio, live", "Radio, live"),
        ("#EXTINF:12,", nil),
        ("#EXTINF:12", nil),
        ("#EXTINF:", nil),
        ("#PLAYLIST:All", nil),
    ])
    func `A comment gives the title of the entry after it`(comment: String, title: String?) throws {
        let found = try entries("\(comment)\n\n/a.mp3\n/b.mp3".utf8, .m3u)

        #expect(found.map(\.source.path) == ["/a.mp3", "/b.mp3"])
        #expect(found.map(\.title) == [title, nil])
    }

    @Test func `A comment gives the start and end of an entry, as VLC writes it`() throws {
        let text = "#EXTVLCOPT:start-time=1.5\n#EXTVLCOPT:stop-time=90\n/a.mp3\n/b.mp3\n"

        let found = try entries(text.utf8, .m3u)

        #expect(
            found == [
                QueueEntry(
                    .file(path: "/a.mp3"), start: CMTime(value: 15, timescale: 10),
                    end: CMTime(value: 90, timescale: 1)),
                QueueEntry(.file(path: "/b.mp3")),
            ])
    }

    @Test(arguments: ["", "-1", "1e9", "1.", ".5", "1:30", "9223372036854775807.5", "½", "0x10"])
    func `A comment without a time has no effect`(time: String) throws {
        let found = try entries("#EXTVLCOPT:start-time=\(time)\n/a.mp3".utf8, .m3u)

        #expect(found == [QueueEntry(.file(path: "/a.mp3"))])
    }

    @Test func `A comment of Undersong's own gives times and titles exactly`() throws {
        let text = """
            #EXTINF:12,AB
            #UNDERSONG-TITLE:A%0AB%25
            #EXTVLCOPT:start-time=0.013333333
            #UNDERSONG-START:1/75
            #UNDERSONG-END:2/75
            #EXTVLCOPT:stop-time=0.026666666
            /a.mp3
            """

        let found = try entries(text.utf8, .m3u)

        #expect(found == [.part("/a.mp3", "A\nB%", from: 1, to: 2)])
    }

    @Test(
        arguments: [
            ("12", CMTime(value: 12, timescale: 1)), ("12.5", CMTime(value: 125, timescale: 10)),
            ("12 group=\"a, b\"", CMTime(value: 12, timescale: 1)), ("-1", nil), ("0", nil),
            ("", nil), ("x", nil), ("99999999999999999999", nil),
        ] as [(String, CMTime?)])
    func `A comment may be a length, unless the entry is a part`(text: String, length: CMTime?)
        throws
    {
        let lines = "#EXTINF:\(text),A\n"

        let whole = try entries("\(lines)/a.mp3".utf8, .m3u)
        let part = try entries("\(lines)#EXTVLCOPT:start-time=1\n/a.mp3".utf8, .m3u)

        #expect(whole.map(\.duration) == [length])
        #expect(part.map(\.duration) == [nil])
    }

    @Test func `A comment applies to one entry, even if that is invalid`() throws {
        let found = try entries("#EXTINF:1,A\nfile://nowhere\n/b.mp3".utf8, .m3u)

        #expect(found == [QueueEntry(.file(path: "/b.mp3"))])
    }
}

@Suite struct `A playlist in pieces` {
    private let text =
        "\u{FEFF}#EXTM3U\r\n#EXTINF:1,Grün\r\nd e.mp3\r\n\r\nfile:///a%20b.mp3\rhttp://x/y z\n-\nlast"

    @Test(arguments: 1...9)
    func `A playlist in pieces is the same as in one piece`(size: Int) throws {
        let found = try entries(text.utf8, .m3u, PlaylistContext(folder: ""), size: size)

        #expect(
            found == [
                QueueEntry(
                    .file(path: "d e.mp3"), title: "Grün",
                    duration: CMTime(value: 1, timescale: 1)),
                QueueEntry(.file(path: "/a b.mp3")), QueueEntry(.file(path: "http://x/y z")),
                QueueEntry(.file(path: "./-")), QueueEntry(.file(path: "last")),
            ])
    }

    @Test func `A playlist in pieces mixes UTF-8 and Latin-1 line by line`() throws {
        let found = try entries(
            Array("/Grün\n".utf8) + [0x2F, 0x47, 0x72, 0xFC, 0x6E], .m3u)

        #expect(found.map(\.source.path) == ["/Grün", "/Grün"])
    }

    @Test func `A playlist in pieces skips a line that is too long, and continues`() throws {
        let long = String(repeating: "x", count: 70_000)

        for size in [1000, 1_000_000] {
            let found = try entries("/\(long)\n/a.mp3".utf8, .m3u, size: size)

            #expect(found == [QueueEntry(.file(path: "/a.mp3"))])
        }
    }

    @Test func `A playlist in pieces has no entries with a zero byte`() throws {
        let found = try entries("/a\0.mp3\nb\0\n/c%00.mp3\nfile:///d%00.mp3\n".utf8, .m3u)

        #expect(found.map(\.source.path) == ["/c%00.mp3"])
    }
}

@Suite struct `A playlist's format` {
    @Test(arguments: [
        ("#EXTM3U\n/a", PlaylistFormat.m3u), ("\u{FEFF}\r\n #extm3u8", .m3u),
        ("[playlist]\nFile1=a", .pls), ("\n[Playlist]", .pls),
        ("<?xml version=\"1.0\"?>\n<playlist xmlns=\"http://xspf.org/ns/0/\">", .xspf),
        ("REM GENRE x\nFILE \"a\" WAVE", .cue), ("PERFORMER \"x\"\r\nFILE \"a\"", .cue),
        ("<html>", nil), ("/a.mp3\n/b.mp3", nil), ("TITLE \"x\"", nil), ("", nil),
    ])
    func `A playlist's format is recognized by its first bytes`(
        head: String, format: PlaylistFormat?
    ) {
        #expect(PlaylistFormat(head: Array(head.utf8)) == format)
    }

    @Test func `A playlist's format is recognized by its extension`() {
        let formats = ["m3u", "m3u8", "pls", "xspf", "cue", "mp3", ""].map {
            PlaylistFormat(fileExtension: $0)
        }

        #expect(formats == [.m3u, .m3u, .pls, .xspf, .cue, nil, nil])
    }
}
