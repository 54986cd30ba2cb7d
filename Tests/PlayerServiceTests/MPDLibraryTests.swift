import Foundation
import Testing
import UndersongBase
import UndersongLibrary
import UndersongPlayback
import UndersongStore

@testable import UndersongService

extension MPDFrontEnd {
    /// The lines of the reply to a command, but for the times of changes.
    fileprivate func reply(to line: String, isLocal: Bool = true) async -> [String] {
        let client = MPDClient(isLocal: isLocal, permissions: .all, process: nil)
        let batch = MPDDialogue.Batch(lines: [Array(line.utf8)])
        let text = String(decoding: await answer(batch, of: client), as: UTF8.self)
        return text.split(separator: "\n").map(String.init).filter {
            !$0.hasPrefix("Last-Modified: ")
        }
    }
}

@Suite(.timeLimit(.minutes(2))) struct `The library for clients of MPD's protocol` {
    private let desk: Desk
    private let frontEnd: MPDFrontEnd
    private let music: String

    init() async throws {
        desk = try Desk(scanner: ScriptedScanning())
        music = desk.folder.path + "/music"
        try FileManager.default.createDirectory(
            atPath: music + "/Low", withIntermediateDirectories: true)
        let library = try #require(desk.library)
        try await library.addFolder(FilePath(music))
        try await library.apply([
            Self.file("\(music)/Low/b.flac", "Words", ["Low"], "Trust", 1, seconds: 60),
            Self.file("\(music)/Low/a.flac", "In the Drugs", ["Low"], "Trust", 2, seconds: 30.5),
            Self.file("\(music)/x.flac", "Other", ["Else", "Low"], nil, nil, seconds: 1),
        ])
        frontEnd = MPDFrontEnd(
            MPDFrontEnd.Configuration(listeners: []), player: desk.service, shutDown: {})
    }

    private static func file(
        _ path: String, _ title: String, _ artists: [String], _ album: String?, _ number: Int?,
        seconds: Double
    ) -> ScannedFile {
        var tags = TrackTags()
        (tags.title, tags.artists, tags.album, tags.number) = (title, artists, album, number)
        let sound = TrackSound(
            seconds: seconds,
            SoundFormat(sampleRate: 44_100, channels: 2, encoding: "FLAC 16 bit"))
        return ScannedFile(
            path: FilePath(path), stamp: ScanStamp(size: 1, modified: 1),
            tracks: [ScannedTrack(tags: tags, sound: sound)])
    }

    private func files(_ line: String) async -> [String] {
        await frontEnd.reply(to: line).compactMap { line in
            line.hasPrefix("file: ") ? String(line.dropFirst(6)) : nil
        }
    }

    @Test func `Songs are found by their tags, and described`() async {
        #expect(
            await frontEnd.reply(to: "find artist Low album Trust window 0:1") == [
                "file: Low/b.flac", "Format: 44100:16:2", "Artist: Low", "Album: Trust",
                "Title: Words", "Track: 1", "Time: 60", "duration: 60.000", "OK",
            ])
        #expect(await files("search title in") == ["Low/a.flac"])
        #expect(
            await files("search artist LOW sort title") == ["Low/a.flac", "x.flac", "Low/b.flac"])
        #expect(await files("find \"(title =~ '^W')\"") == ["Low/b.flac"])
        #expect(
            await frontEnd.reply(to: "find title")
                == ["ACK [2@0] {find} Incorrect number of filter arguments"])
    }

    @Test func `Tags are listed in groups, and counted`() async {
        #expect(
            await frontEnd.reply(to: "list album group artist") == [
                "Artist: Else", "Album: ", "Artist: Low", "Album: ", "Album: Trust", "OK",
            ])
        #expect(await frontEnd.reply(to: "list album Low") == ["Album: ", "Album: Trust", "OK"])
        #expect(
            await frontEnd.reply(to: "list title Low")
                == ["ACK [2@0] {list} should be \"Album\" for 3 arguments"])
        #expect(
            await frontEnd.reply(to: "count artist Low")
                == ["songs: 3", "playtime: 91", "OK"])
        #expect(
            await frontEnd.reply(to: "count artist Low group album") == [
                "Album: ", "songs: 1", "playtime: 1", "Album: Trust", "songs: 2", "playtime: 90",
                "OK",
            ])
        #expect(
            Array(await frontEnd.reply(to: "stats")[2...5])
                == ["artists: 2", "albums: 1", "songs: 3", "db_playtime: 91"])
    }

    @Test func `Folders are listed, and none outside of the library`() async {
        #expect(
            await frontEnd.reply(to: "listall")
                == ["file: x.flac", "directory: Low", "file: Low/b.flac", "file: Low/a.flac", "OK"])
        #expect(await frontEnd.reply(to: "lsinfo").last(where: { $0 != "OK" }) == "directory: Low")
        #expect(await frontEnd.reply(to: "listfiles") == ["directory: Low", "OK"])
        for name in ["..", "Low/../..", "/etc", "file:///etc"] {
            for command in ["lsinfo", "listall", "listfiles", "add", "playlistadd a", "load"] {
                let reply = await frontEnd.reply(to: "\(command) \"\(name)\"", isLocal: false)
                #expect(reply.count == 1 && reply[0].hasPrefix("ACK "), "\(command) \(name)")
            }
        }
    }

    @Test func `What is found is added to the queue, at a position`() async {
        #expect(await frontEnd.reply(to: "add x.flac") == ["OK"])
        #expect(await frontEnd.reply(to: "findadd album Trust position 0") == ["OK"])
        #expect(await frontEnd.reply(to: "addid Low/a.flac 1") == ["Id: 4", "OK"])
        #expect(
            await files("playlistinfo") == ["Low/b.flac", "Low/a.flac", "Low/a.flac", "x.flac"])
        #expect(await files("playlistfind title Other") == ["x.flac"])
        #expect(await files("playlistsearch artist else") == ["x.flac"])
        #expect(await frontEnd.reply(to: "addid Low") == ["ACK [50@0] {addid} No such song"])
        #expect(await frontEnd.reply(to: "add None") == ["ACK [50@0] {add} No such directory"])
        #expect(await frontEnd.reply(to: "add \(music)/Low/b.flac") == ["OK"])
        #expect(await files("playlistinfo 4") == ["Low/b.flac"])
    }

    @Test func `The queue is saved as a playlist, and loaded in part`() async {
        _ = await frontEnd.reply(to: "add /")
        #expect(await frontEnd.reply(to: "save one") == ["OK"])
        #expect(await frontEnd.reply(to: "playlistadd one Low/a.flac 0") == ["OK"])
        #expect(await frontEnd.reply(to: "playlistmove one 0 3") == ["OK"])
        #expect(await frontEnd.reply(to: "playlistdelete one 1:2") == ["OK"])
        #expect(await files("listplaylist one") == ["x.flac", "Low/a.flac", "Low/a.flac"])
        #expect(await frontEnd.reply(to: "clear") == ["OK"])
        #expect(await frontEnd.reply(to: "load one 0:2") == ["OK"])
        #expect(await frontEnd.reply(to: "load one 2: 0") == ["OK"])
        #expect(await files("playlistinfo") == ["Low/a.flac", "x.flac", "Low/a.flac"])
        #expect(await frontEnd.reply(to: "searchaddpl two title nothing") == ["OK"])
        #expect(await frontEnd.reply(to: "searchaddpl three title words") == ["OK"])
        #expect(
            await frontEnd.reply(to: "listplaylists") == ["playlist: one", "playlist: three", "OK"])
    }

    @Test func `Ratings are stickers`() async {
        #expect(await frontEnd.reply(to: "sticker set song x.flac rating 8") == ["OK"])
        #expect(
            await frontEnd.reply(to: "sticker find song \"\" rating > 7")
                == ["file: x.flac", "sticker: rating=8", "OK"])
        #expect(await frontEnd.reply(to: "sticker find song Low rating") == ["OK"])
        #expect(await frontEnd.reply(to: "sticker delete song x.flac") == ["OK"])
        #expect(
            await frontEnd.reply(to: "sticker get song x.flac rating")
                == ["ACK [50@0] {sticker} no such sticker"])
    }

    @Test func `Covers are read in chunks`() async throws {
        let cover = Data(repeating: 0x41, count: 10_000)
        try cover.write(to: URL(filePath: music + "/Low/cover.jpg"))

        let first = await frontEnd.reply(to: "albumart Low/a.flac 0")
        #expect(first.first == "size: 10000")
        #expect(first[1] == "binary: 8192" && first[2].utf8.count == 8192)
        #expect(
            await frontEnd.reply(to: "albumart Low/a.flac 9998")[1...] == ["binary: 2", "AA", "OK"])
        #expect(
            await frontEnd.reply(to: "albumart Low/a.flac 10001")
                == ["ACK [2@0] {albumart} Offset too large"])
        #expect(
            await frontEnd.reply(to: "albumart x.flac 0")
                == ["ACK [50@0] {albumart} No file exists"])
    }

    @Test func `Only streams are given tags`() async {
        _ = await frontEnd.reply(to: "add x.flac")
        _ = await frontEnd.reply(to: "addid http://127.0.0.1:1/live")
        #expect(await frontEnd.reply(to: "addtagid 2 artist Radio") == ["OK"])
        #expect(await frontEnd.reply(to: "playlistinfo 1").contains("Artist: Radio"))
        #expect(await files("playlistfind artist Radio") == ["http://127.0.0.1:1/live"])
        #expect(await frontEnd.reply(to: "cleartagid 2 artist") == ["OK"])
        #expect(await !frontEnd.reply(to: "playlistinfo 1").contains("Artist: Radio"))
        #expect(
            await frontEnd.reply(to: "addtagid 1 artist x")
                == ["ACK [4@0] {addtagid} Cannot edit tags of local file"])
        #expect(
            await frontEnd.reply(to: "addtagid 1 nothing x")
                == ["ACK [2@0] {addtagid} Unknown tag type: nothing"])
    }
}
