import Testing
import UndersongPlayback

@testable import UndersongAudioSession

@Suite struct `A broken playlist` {
    private static let texts: [PlaylistFormat: String] = [
        .m3u: """
        #EXTM3U
        #EXTINF:12 a="b",Title
        #EXTVLCOPT:start-time=1.5
        #UNDERSONG-END:7/75
        file:///a%20b.mp3
        """,
        .pls: """
        [playlist]
        File1=/a.mp3
        Title1=A
        File22=file://host/b
        """,
        .cue: """
        PERFORMER "P"
        FILE "a.wav" WAVE
        TRACK 01 AUDIO
        TITLE "T"
        INDEX 01 00:00:00
        TRACK 02 AUDIO
        INDEX 01 01:02:03
        """,
        .xspf: """
        <playlist xmlns="http://xspf.org/ns/0/" xml:base="file:///a/"><trackList><track>
        <location>b%20c</location><title>&lt;T</title><meta rel="urn:undersong:start">1/3</meta>
        </track></trackList></playlist>
        """,
    ]

    @Test(arguments: [PlaylistFormat.m3u, .pls, .cue, .xspf])
    func `A broken playlist gives the same result in pieces of any size`(format: PlaylistFormat)
        throws
    {
        let text = try #require(Self.texts[format])
        var random = Numbers(seed: 4711)
        for _ in 0..<2000 {
            var bytes = Array(text.utf8)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                let end = min(place + Int.random(in: 0...3, using: &random), bytes.count)
                let new = (0..<Int.random(in: 0...2, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                bytes.replaceSubrange(place..<end, with: new)
            }
            let size = Int.random(in: 1...40, using: &random)

            let whole = Self.read(bytes, format, size: .max)
            let pieces = Self.read(bytes, format, size: size)

            #expect(whole.count <= 20)
            #expect(whole == pieces)
        }
    }

    /// The entries before the first error.
    private static func read(
        _ bytes: [UInt8], _ format: PlaylistFormat, size: Int
    ) -> [QueueEntry] {
        let context = PlaylistContext(folder: "/x")
        var reader = format.lineReader(context) ?? XSPFReader(context)
        var entries: [QueueEntry] = []
        var rest = bytes[...]
        do throws(PlaylistError) {
            while !rest.isEmpty {
                try reader.read(Array(rest.prefix(size)).span, into: &entries)
                rest = rest.dropFirst(size)
            }
            try reader.finish(into: &entries)
        } catch {}
        return entries
    }
}
