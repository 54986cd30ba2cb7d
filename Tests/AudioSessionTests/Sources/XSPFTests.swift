import Testing
import UndersongBase
import UndersongPlayback

@testable import UndersongAudioSession

@Suite struct `An XSPF playlist` {
    @Test(arguments: [1, 7, 1000, 100_000])
    func `An XSPF playlist has locations with titles, relative to its folder`(size: Int) throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- A list -->
            <playlist version="1" xmlns="http://xspf.org/ns/0/">
              <title>All &amp; more</title><location>file:///all.xspf</location>
              <trackList>
                <track>
                  <location> file:///My%20Music/Gr%C3%BCn%26.mp3 </location>
                  <location>/other.mp3</location>
                  <title>One &lt; Two</title><creator>Some <!-- x -->One</creator>
                </track>
                <track><location>a%20b.mp3</location><title>
                  A <![CDATA[<b>]]>
                </title></track>
                <track><title>Nothing</title></track>
                <track><location>http://radio/live?a=%20</location><creator>X</creator></track>
                <track xmlns:x="urn:x"><x:location>/no.mp3</x:location>
                  <extension application="x"><track><location>/no.mp3</location></track></extension>
                  <location>/c%25.mp3</location></track>
              </trackList>
            </playlist>
            """

        let found = try entries(xspf: Array(text.utf8), size: size)

        #expect(
            found == [
                QueueEntry(.file(path: "/My Music/Grün&.mp3"), title: "Some One - One < Two"),
                QueueEntry(.file(path: "/lists/a b.mp3"), title: "A <b>"),
                QueueEntry(.file(path: "http://radio/live?a=%20")),
                QueueEntry(.file(path: "/c%.mp3")),
            ])
    }

    @Test func `An XSPF playlist has durations of whole files in milliseconds`() throws {
        func track(_ more: String) -> String {
            "<track><location>file:///a.mp3</location>\(more)</track>"
        }
        let tracks = [
            "<duration>28816</duration>", "<duration>-1</duration>",
            "<duration>7</duration>"
                + "<meta rel=\"urn:undersong:start\">1/1</meta>",
        ].map(track).joined()
        let text = "<playlist><trackList>\(tracks)</trackList></playlist>"

        let found = try entries(xspf: Array(text.utf8))

        #expect(found.map(\.duration) == [CMTime(value: 28816, timescale: 1000), nil, nil])
    }

    @Test func `An XSPF playlist has bases for its locations`() throws {
        let text = """
            <playlist xmlns="http://xspf.org/ns/0/" xml:base="file:///music/x.xspf"><trackList>
            <track><location>a.mp3</location></track>
            <track xml:base="sub%20folder/"><location xml:base="deep/y">b.mp3</location></track>
            <track><location>c.mp3</location></track>
            </trackList></playlist>
            """

        let found = try entries(xspf: Array(text.utf8))

        #expect(
            found.map(\.source.path) == [
                "/music/a.mp3", "/music/sub folder/deep/b.mp3", "/music/c.mp3",
            ])
    }

    @Test func `An XSPF playlist gives the start and end of tracks, also as VLC does`() throws {
        let text = """
            <playlist xmlns="http://xspf.org/ns/0/"
              xmlns:vlc="http://www.videolan.org/vlc/playlist/ns/0/"><trackList>
            <track><location>/a.mp3</location><meta rel="urn:undersong:start">1/75</meta>
              <meta rel="urn:undersong:end">2.5</meta><meta rel="urn:other">9</meta></track>
            <track><location>/b.mp3</location><extension application="vlc">
              <vlc:id>0</vlc:id><vlc:option>start-time=12.5</vlc:option>
              <vlc:option>stop-time=20</vlc:option><vlc:option>loop</vlc:option></extension></track>
            </trackList></playlist>
            """

        let found = try entries(xspf: Array(text.utf8))

        #expect(
            found == [
                QueueEntry(
                    .file(path: "/a.mp3"), start: CMTime(value: 1, timescale: 75),
                    end: CMTime(value: 5, timescale: 2)),
                QueueEntry(
                    .file(path: "/b.mp3"), start: CMTime(value: 25, timescale: 2),
                    end: CMTime(value: 20, timescale: 1)),
            ])
    }

    @Test func `An XSPF playlist may lack a namespace, and use another encoding`() throws {
        let head =
            "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><playlist><trackList><track><title>"
        let tail = "</title><location>/a</location></track></trackList></playlist>"

        let found = try entries(xspf: Array(head.utf8) + [0xFC] + Array(tail.utf8))

        #expect(found == [QueueEntry(.file(path: "/a"), title: "ü")])
    }

    @Test(arguments: [
        ("", "Line 1: no element found"),
        ("<html></html>", "It is not an XSPF playlist"),
        ("<playlist><trackList></playlist>", "Line 1: mismatched tag"),
        ("<playlist>\n<trackList><track>", "Line 2: no element found"),
        ("<!DOCTYPE p [<!ENTITY a \"b\">]><playlist/>", "It declares entities"),
        ("<!DOCTYPE p [<!ENTITY a SYSTEM \"/etc/passwd\">]><playlist/>", "It declares entities"),
        (
            "<!DOCTYPE p [<!ENTITY % a SYSTEM \"/etc/passwd\"> %a;]><playlist/>",
            "It declares entities"
        ),
        (String(repeating: "<playlist>", count: 100), "It is nested too deep"),
    ])
    func `An invalid XSPF playlist gives the reason`(text: String, reason: String) {
        #expect(throws: PlaylistError(reason)) { try entries(xspf: Array(text.utf8)) }
    }

    @Test func `An XSPF playlist loads nothing from a document type that it names`() throws {
        let text = "<!DOCTYPE playlist SYSTEM \"/etc/passwd\"><playlist><trackList/></playlist>"

        #expect(try entries(xspf: Array(text.utf8)) == [])
    }

    @Test func `An XSPF playlist keeps the entries before an error`() {
        let reader = XSPFReader(PlaylistContext(folder: ""))
        var entries: [QueueEntry] = []
        let text = Array("<playlist><trackList><track><location>/a</location></track></x>".utf8)

        #expect(throws: PlaylistError("Line 1: mismatched tag")) {
            try reader.read(text.span, into: &entries)
        }

        #expect(entries == [QueueEntry(.file(path: "/a"))])
    }

    @Test(arguments: ["<x y=\"", "<!--", "<?x "])
    func `An XSPF playlist must not have a part longer than a megabyte`(start: String) {
        let reader = XSPFReader(PlaylistContext(folder: ""))
        var entries: [QueueEntry] = []
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)

        #expect(throws: PlaylistError("A part of it is too long")) {
            try reader.read(Array("<playlist>\(start)".utf8).span, into: &entries)
            for _ in 0..<17 { try reader.read(piece.span, into: &entries) }
        }
    }

    @Test func `An XSPF playlist must not have a text above the limit`() throws {
        let long = String(repeating: "x", count: 200_000)
        let text =
            "<playlist><track><title>\(long)</title><location>/\(long)</location></track>"
            + "<track><location>/a</location><title>A</title></track></playlist>"

        let found = try entries(xspf: Array(text.utf8), size: 65_536)

        #expect(found == [QueueEntry(.file(path: "/a"), title: "A")])
    }
}

/// The entries of an XSPF playlist in `/lists`, read in pieces of `size` bytes.
func entries(xspf bytes: [UInt8], size: Int = 65_536) throws -> [QueueEntry] {
    let reader = XSPFReader(PlaylistContext(folder: "/lists"))
    var entries: [QueueEntry] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
        let piece = Array(bytes[start..<min(start + size, bytes.count)])
        try reader.read(piece.span, into: &entries)
    }
    try reader.finish(into: &entries)
    return entries
}
