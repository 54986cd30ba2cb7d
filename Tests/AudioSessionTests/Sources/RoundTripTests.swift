import TestSupport
import Testing
import UndersongPlayback

@testable import UndersongAudioSession

@Suite(.blockingThreads) struct `A playlist written by Undersong` {
    @Test(arguments: [WrittenPlaylist.m3u8, .m3u, .xspf])
    func `A playlist written by Undersong is read back unchanged, whatever it contains`(
        format: WrittenPlaylist
    ) throws {
        var random = Numbers(seed: 4711)
        for _ in 0..<20 {
            let entries = (0..<50).map { _ in Self.entry(&random) }
            let writer = format.writer
            var bytes = Array(writer.head.utf8)
            for entry in entries {
                #expect(WrittenPlaylist.canHold(entry.source))
                let length = CMTime(value: .random(in: 0...9999, using: &random), timescale: 10)
                writer.write(
                    entry, duration: Bool.random(using: &random) ? length : nil, to: &bytes)
            }
            bytes += writer.tail.utf8

            let read = try Self.read(bytes, format)

            #expect(read.count == entries.count)
            for (entry, read) in zip(entries, read) {
                #expect(read.source.path == entry.source.path)
                #expect(read.title.map { Array($0.utf8) } == entry.title.map { Array($0.utf8) })
                #expect(read.start == entry.start)
                #expect(read.end == entry.end)
            }
        }
    }

    private static func read(_ bytes: [UInt8], _ format: WrittenPlaylist) throws -> [QueueEntry] {
        guard format != .xspf else { return try entries(xspf: bytes) }
        var reader = PlaylistFormat.m3u.lineReader(PlaylistContext(folder: "/lists"))
        var entries: [QueueEntry] = []
        try reader?.read(bytes.span, into: &entries)
        try reader?.finish(into: &entries)
        return entries
    }

    private static func entry(_ random: inout Numbers) -> QueueEntry {
        let path = (Int.random(in: 0...9, using: &random) == 0 ? "http://x/" : "/")
        let isURL = path != "/"
        return QueueEntry(
            .file(path: path + text(&random, isURL ? letters : letters + oddities)),
            start: Bool.random(using: &random) ? .zero : time(&random),
            end: Bool.random(using: &random) ? nil : time(&random),
            title: Bool.random(using: &random) ? nil : text(&random, letters + oddities + ["\0"]))
    }

    private static func time(_ random: inout Numbers) -> CMTime {
        let scales: [Int32] = [1, 3, 8, 75, 1000, 44_100, .max]
        let values: [Int64] = [1, 10, 75, 1001, 4711_4711, .max]
        return CMTime(
            value: values[Int.random(in: values.indices, using: &random)],
            timescale: scales[Int.random(in: scales.indices, using: &random)])
    }

    private static let letters = [
        "a", "Z", "7", "/", ".", "-", "ü", "日", "%41", "&", "#", "<", "\"", ":",
    ]
    private static let oddities = [
        " ", "\t", "\n", "\r", "\r\n", "\u{1}", "\u{7F}", "\u{85}", "\u{A0}", "\u{301}", "\u{FEFF}",
        "\u{FFFE}", "\u{FFFF}", "\u{2028}", "]]>", ",", "\\",
    ]

    private static func text(_ random: inout Numbers, _ parts: [String]) -> String {
        let count = Int.random(in: 0...8, using: &random)
        return (0..<count).map { _ in parts[Int.random(in: parts.indices, using: &random)] }
            .joined()
    }

    @Test(arguments: [
        ("/a.mp3", true), ("http://x/a", true), ("a.mp3", false), ("", false),
        ("http://x/a b", false), ("file:///a", false), ("/a\0", false), ("x:/a", false),
    ])
    func `A playlist written by Undersong can hold absolute paths and URLs`(
        path: String, holds: Bool
    ) {
        #expect(WrittenPlaylist.canHold(.file(path: path)) == holds)
        #expect(!WrittenPlaylist.canHold(.standardInput))
    }

    @Test func `A playlist written by Undersong is readable by other players too`() {
        let entry = QueueEntry(
            .file(path: "/a & b.mp3"), start: CMTime(value: 1, timescale: 75),
            end: CMTime(value: 5, timescale: 2), title: "A\n<B>")
        let duration = CMTime(value: 1239, timescale: 10)

        var (list, xspf): ([UInt8], [UInt8]) = ([], [])
        M3UWriter().write(entry, duration: duration, to: &list)
        XSPFWriter().write(entry, duration: duration, to: &xspf)

        #expect(
            String(decoding: list, as: UTF8.self) == """
                #EXTINF:124,A<B>
                #UNDERSONG-TITLE:A%0A%3CB%3E
                #EXTVLCOPT:start-time=0.013333333
                #UNDERSONG-START:1/75
                #EXTVLCOPT:stop-time=2.5
                /a & b.mp3

                """)
        #expect(
            String(decoding: xspf, as: UTF8.self) == """
                    <track>
                      <location>file:///a%20%26%20b.mp3</location>
                      <title>A&lt;B&gt;</title>
                      <duration>123900</duration>
                      <meta rel="urn:undersong:title">A%0A%3CB%3E</meta>
                      <meta rel="urn:undersong:start">1/75</meta>
                      <meta rel="urn:undersong:end">5/2</meta>
                    </track>

                """)
    }
}

/// Pseudorandom numbers, the same ones each time.
struct Numbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
