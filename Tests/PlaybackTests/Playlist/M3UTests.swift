import Testing

@testable import UndersongPlayback

@Suite struct `An M3U playlist` {
    @Test func `An M3U playlist returns its entries in order, relative ones in its folder`() {
        let text = "a.mp3\nsub/b.mp3\n../c.mp3\n/music/d.mp3\n"

        let paths = paths(m3u: Array(text.utf8), folder: "/lists")

        #expect(
            paths == ["/lists/a.mp3", "/lists/sub/b.mp3", "/lists/../c.mp3", "/music/d.mp3"])
    }

    @Test func `An M3U playlist leaves relative entries unchanged in the current folder`() {
        let paths = paths(m3u: Array("a.mp3\n/b.mp3\nsub/c.mp3".utf8), folder: "")

        #expect(paths == ["a.mp3", "/b.mp3", "sub/c.mp3"])
    }

    @Test func `An M3U playlist keeps an entry that occurs twice`() {
        let paths = paths(m3u: Array("/a.mp3\n/a.mp3".utf8), folder: "/lists")

        #expect(paths == ["/a.mp3", "/a.mp3"])
    }

    @Test func `An M3U playlist accepts CR LF, CR and a missing last line end`() {
        let paths = paths(m3u: Array("/a.mp3\r\n/b.mp3\r/c.mp3".utf8), folder: "/lists")

        #expect(paths == ["/a.mp3", "/b.mp3", "/c.mp3"])
    }

    @Test func `An M3U playlist omits comments, empty lines and lines of spaces`() {
        let text = "#EXTM3U\n\n#EXTINF:12,Someone - Something\n  \t \n/a.mp3\n  # not a file\n"

        let paths = paths(m3u: Array(text.utf8), folder: "/lists")

        #expect(paths == ["/a.mp3"])
    }

    @Test func `An M3U playlist omits a byte order mark`() {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

        let behindComment = paths(m3u: mark + Array("#EXTM3U\n/a.mp3".utf8), folder: "/lists")
        let first = paths(m3u: mark + Array("/a.mp3\n".utf8), folder: "/lists")

        #expect(behindComment == ["/a.mp3"])
        #expect(first == ["/a.mp3"])
    }

    @Test
    func `An M3U playlist keeps spaces and number signs within a name, and trims spaces around it`()
    {
        let text = " \t/music/My Song #1.mp3  \t\n"

        let paths = paths(m3u: Array(text.utf8), folder: "/lists")

        #expect(paths == ["/music/My Song #1.mp3"])
    }

    @Test func `An M3U playlist keeps UTF-8 unchanged`() {
        let paths = paths(m3u: Array("/Größe/日本.mp3".utf8), folder: "/lists")

        #expect(paths == ["/Größe/日本.mp3"])
    }

    @Test func `An M3U playlist reads bytes that are not UTF-8 as Latin-1`() {
        let paths = paths(m3u: [0x2F, 0x47, 0x72, 0xF6, 0xDF, 0x65, 0x0A], folder: "/lists")

        #expect(paths == ["/Größe"])
    }

    @Test func `An M3U playlist is empty without any bytes`() {
        #expect(paths(m3u: [], folder: "/lists") == [])
    }
}

@Suite struct `A file URL in an M3U playlist` {
    @Test(arguments: [
        ("file:///music/a.mp3", "/music/a.mp3"),
        ("file://localhost/music/a.mp3", "/music/a.mp3"),
        ("FILE:///music/a.mp3", "/music/a.mp3"),
        ("file:///My%20Music/a%23b.mp3", "/My Music/a#b.mp3"),
        ("file:///Gr%C3%B6%c3%9fe.mp3", "/Größe.mp3"),
        ("file:///100%25.mp3", "/100%.mp3"),
        ("file:///a%2520b.mp3", "/a%20b.mp3"),
        ("file:///50%", "/50%"),
        ("file:///50%2", "/50%2"),
        ("file:///50%zz.mp3", "/50%zz.mp3"),
    ])
    func `A file URL is decoded to a path`(entry: String, path: String) {
        let paths = paths(m3u: Array(entry.utf8), folder: "/lists")

        #expect(paths == [path])
    }

    @Test func `A file URL is the only entry whose percent signs are escapes`() {
        let paths = paths(m3u: Array("/music/100%25.mp3\na%20b.mp3".utf8), folder: "/lists")

        #expect(paths == ["/music/100%25.mp3", "/lists/a%20b.mp3"])
    }

    @Test func `A percent sign before a plus or minus is not an escape`() {
        let paths = paths(m3u: Array("file:///a%+fb.mp3".utf8), folder: "/lists")

        #expect(paths == ["/a%+fb.mp3"])
    }

    @Test func `A file URL without a path is not an entry`() {
        let paths = paths(m3u: Array("file://host\nfile://".utf8), folder: "/lists")

        #expect(paths == [])
    }

    @Test func `A byte order mark is omitted from a playlist that is not UTF-8`() {
        let paths = paths(m3u: [0xEF, 0xBB, 0xBF, 0x2F, 0xF6], folder: "/lists")

        #expect(paths == ["/ö"])
    }

    @Test func `A mark inside a name is part of the name`() {
        let paths = paths(m3u: Array("/a\u{FEFF}b.mp3".utf8), folder: "/lists")

        #expect(paths == ["/a\u{FEFF}b.mp3"])
    }

    @Test func `A path that begins with a combining mark after its slash stays absolute`() {
        let paths = paths(m3u: Array("/\u{301}a.mp3".utf8), folder: "/lists")

        #expect(paths == ["/\u{301}a.mp3"])
    }
}
