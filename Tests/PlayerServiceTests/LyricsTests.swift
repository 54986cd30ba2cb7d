import Foundation
import Glibc
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongPlayback

@testable import UndersongLibrary
@testable import UndersongService

@Suite(.timeLimit(.minutes(2))) struct `The lyrics of the queue` {
    private let desk: Desk
    private let song: URL
    private let file: URL

    init() throws {
        desk = try Desk()
        song = desk.folder.appending(path: "song.one.mp3")
        file = desk.folder.appending(path: "song.one.lrc")
    }

    /// A demo song with words in its tag.
    private func tagSong(_ frames: [UInt8]) throws {
        let music = try Data(contentsOf: URL(filePath: Desk.song.description))
        try (Data(id3Tag(frames)) + music).write(to: song)
    }

    private func add(_ files: Files) async throws -> Int {
        let added = try await desk.service.add(files)
        return try #require(added.items.first, "\(added.errors)").number
    }

    @Test(.rule("LY1", "LY6")) func `Lyrics are those beside the song, else those of its tags`()
        async throws
    {
        try tagSong(id3Frame("USLT", [3, 0, 0, 0, 0] + Array("Plain".utf8)))
        let item = try await add(Files([FilePath(song.path)]))

        let plain = try await desk.service.lyrics(of: item)
        try tagSong(
            id3Frame("USLT", [3, 0, 0, 0, 0] + Array("Plain".utf8))
                + id3Frame("SYLT", [3, 0, 0, 0, 2, 1, 0] + Array("Sung\0".utf8) + id3Number(1500)))
        let sung = try await desk.service.lyrics(of: item)
        try Data("[00:02]Beside\n[00:04]it".utf8).write(to: file)
        let beside = try await desk.service.lyrics(of: item)
        try Data("\n".utf8).write(to: file)
        let empty = try await desk.service.lyrics(of: item)

        #expect(
            plain
                == ItemLyrics(
                    item: item, lyrics: Lyrics(lines: [Lyrics.Line("Plain")], source: .tag)))
        let expected = Lyrics(lines: [Lyrics.Line(seconds: 1.5, "Sung")], source: .synchronizedTag)
        #expect(sung.lyrics == expected && empty.lyrics == expected)
        #expect(beside.lyrics?.source == .lrcFile)
        #expect(beside.lyrics?.lines.map(\.seconds) == [2, 4])
    }

    @Test(.rule("LY1")) func `Lyrics are found in the comments of a FLAC file`() async throws {
        let path = desk.folder.appending(path: "song.flac")
        try Data(
            flac(["TITLE=Song", "LYRICS=One\nTwo", "SyncedLyrics=[00:01.50]One\n[00:03]Two"])
        ).write(to: path)
        let item = try await add(Files([FilePath(path.path)]))

        let found = try await desk.service.lyrics(of: item).lyrics

        #expect(
            found
                == Lyrics(
                    lines: [Lyrics.Line(seconds: 1.5, "One"), Lyrics.Line(seconds: 3, "Two")],
                    source: .synchronizedTag))
    }

    @Test(.rule("LY5")) func `Lyrics of a part of a song are those that are sung in it`()
        async throws
    {
        try tagSong([])
        try Data("[00:01]One\n[00:03]Two\n[00:05]Three".utf8).write(to: file)
        var part = Files([FilePath(song.path)])
        (part.start, part.end) = (
            WireTime(CMTime(value: 2, timescale: 1)), WireTime(CMTime(value: 5, timescale: 1))
        )
        let item = try await add(part)

        #expect(try await desk.service.lyrics(of: item).lyrics?.lines.map(\.text) == ["Two"])
    }

    @Test(.rule("LY6")) func `Lyrics do not wait for a pipe, or a song that is gone`() async throws
    {
        try tagSong([])
        try #require(mkfifo(file.path, 0o600) == 0)
        let item = try await add(Files([FilePath(song.path)]))

        let pipe = try await desk.service.lyrics(of: item)
        try FileManager.default.removeItem(at: song)
        let gone = try await desk.service.lyrics(of: item)

        #expect(pipe == ItemLyrics(item: item, lyrics: nil) && gone == pipe)
    }

    @Test func `Lyrics of the current item are asked for without its number`() async throws {
        let unplayed = await #expect(throws: ServiceError.self) {
            try await desk.service.lyrics(of: nil)
        }
        let unknown = await #expect(throws: ServiceError.self) {
            try await desk.service.lyrics(of: 77)
        }
        try tagSong(id3Frame("USLT", [3, 0, 0, 0, 0] + Array("Plain".utf8)))
        let item = try await add(Files([FilePath(song.path)]))

        #expect(try await desk.service.lyrics(of: nil) == desk.service.lyrics(of: item))
        #expect(unplayed?.description == "cannot find lyrics: There is no current item")
        #expect(
            unknown?.description == "cannot find the lyrics of item 77: The queue has no such item")
    }

    /// A FLAC file with comments and a frame: 4096 times nothing at 44,100 Hz, mono, 16 bits.
    private func flac(_ comments: [String]) -> [UInt8] {
        func little(_ number: Int) -> [UInt8] { id3Number(number).reversed() }
        let information: [UInt8] =
            [0x10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x0A, 0xC4, 0x40, 0xF0, 0, 0, 0x10, 0]
            + [UInt8](repeating: 0, count: 16)
        let texts = comments.flatMap { little($0.utf8.count) + Array($0.utf8) }
        let block = little(0) + little(comments.count) + texts
        return Array("fLaC".utf8) + [0, 0, 0, 34] + information + [0x84]
            + id3Number(block.count).dropFirst() + block
            + [0xFF, 0xF8, 0xC9, 0x08, 0, 0x95, 0, 0, 0, 0x21, 0xBD]
    }
}
