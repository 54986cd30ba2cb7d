import Foundation
import Glibc
import TestSupport
import Testing
import UndersongBase
import UndersongPlayback

@testable import UndersongAudioSession

@Suite(.blockingThreads) struct `Names of files, playlists and folders` {
    @Test func `Names of files, playlists and folders are expanded in order`() throws {
        let lists = try Lists()
        try lists.write("b.mp3\ninner.pls\nalbum\nmissing.ogg\n", to: "list.m3u")
        try lists.write("[playlist]\nFile1=c.mp3\nTitle1=C\n", to: "inner.pls")
        for name in ["z.mp3", "B/b.MP3", "B/a.mpga", "e\u{301}.mp2", ".hidden.mp3", "cover.jpg"] {
            try lists.write(to: "album/" + name)
        }

        let found = lists.find("a.mp3", "list.m3u", "-", "nowhere")

        #expect(
            found == [
                "a.mp3", "b.mp3", "c.mp3", "album/B/a.mpga", "album/B/b.MP3",
                "album/e\u{301}.mp2", "album/z.mp3", "missing.ogg", "-", "nowhere",
            ])
        #expect(lists.errors("a.mp3", "list.m3u", "nowhere") == [])
    }

    @Test(
        arguments: [
            (["words.mp3"], .nothing, ["words.mp3"], 0), (["words.mp3"], .names, [], 1),
            (["song.mp3", "words.mp3"], .names, ["song.mp3", "words.mp3"], 0),
            (["words.mp3", "song.mp3"], .names, ["song.mp3"], 1),
            (["song.mp3", "song.m4a"], .names, ["song.mp3"], 1),
            (["song.mp3", "gone.mp3"], .names, ["song.mp3"], 1),
            (["list.m3u"], .names, ["words.mp3", "gone.mp3"], 0), (["list.m3u"], .all, [], 2),
            (["list.m3u", "song.mp3"], .all, ["words.mp3", "gone.mp3", "song.mp3"], 0),
            (["list.m3u", "song.m4a"], .all, [], 3), (["pipe"], .all, ["pipe"], 0),
        ] as [([String], MediaFinder.Check, [String], Int)])
    func `Names are checked as far as it is asked for`(
        names: [String], check: MediaFinder.Check, found: [String], errorCount: Int
    ) throws {
        let lists = try Lists()
        let song = URL(filePath: #filePath)
            .appending(path: "../../../../Resources/Demo/01 Slack Water.mp3").standardizedFileURL
        try FileManager.default.copyItem(atPath: song.path, toPath: lists.path("song.mp3"))
        try lists.write("words, not music", to: "words.mp3")
        try lists.write("\0\0\0 ftypM4A ", to: "song.m4a")
        try lists.write("words.mp3\ngone.mp3\n", to: "list.m3u")
        mkfifo(lists.path("pipe"), 0o600)

        let finder = MediaFinder(
            names.map { FilePath(lists.path($0)) }, network: nil, checking: check)
        let paths = finder.all().map { $0.source.path.lastComponent }

        #expect(paths == found)
        #expect(finder.errors.count == errorCount)
    }

    @Test func `Names that are checked can be read in batches of any size`() throws {
        let lists = try Lists()
        try lists.write("1.mp3\n2.mp3\n3.mp3\n4.mp3\n", to: "list.m3u")
        mkfifo(lists.path("pipe"), 0o600)
        let finder = MediaFinder(
            ["list.m3u", "pipe"].map { FilePath(lists.path($0)) }, network: nil, checking: .all)

        #expect((0..<4).map { _ in finder.next(2).count } == [2, 2, 1, 0])
    }

    @Test func `Names come from a folder in natural order`() throws {
        let lists = try Lists()
        let names = [
            "1.mp3", "2.mp3", "10.mp3", "Alpha.mp3", "alpha.mp3", "äther/1.mp3", "Zeta.mp3",
        ]
        for name in names.reversed() { try lists.write(to: "album/" + name) }

        #expect(lists.find("album") == names.map { "album/" + $0 })
    }

    @Test func `Names can be read in batches of any size`() throws {
        let lists = try Lists()
        try lists.write((1...10).map { "\($0).mp3\n" }.joined(), to: "list.m3u")
        for number in 1...5 { try lists.write(to: "album/\(number).mp3") }
        let finder = MediaFinder(["list.m3u", "album", "x.mp3"].map(lists.path))

        var counts: [Int] = []
        while true {
            let batch = finder.next(7)
            counts.append(batch.count)
            if batch.isEmpty { break }
        }

        #expect(counts == [7, 7, 2, 0])
        #expect(finder.next(7).isEmpty)
    }

    @Test func `Names are not expanded further once they are no longer wanted`() throws {
        struct Enough: Error {}
        let lists = try Lists()
        try lists.write((1...10_000).map { "\($0).mp3\n" }.joined(), to: "list.m3u")
        let finder = MediaFinder([lists.path("list.m3u")])
        var count = 0

        #expect(throws: Enough.self) {
            try finder.forEachBatch { batch in
                count += batch.count
                throw Enough()
            }
        }

        #expect(count == 4096)
    }

    @Test func `Names play the requested part, unless a playlist specifies another`() throws {
        let lists = try Lists()
        let path = try lists.write("#EXTVLCOPT:start-time=7\na.mp3\nb.mp3\n", to: "list.m3u")
        let (start, end) = (CMTime(value: 1, timescale: 1), CMTime(value: 2, timescale: 1))

        let found = MediaFinder([path, "-"], start: start, end: end).all()

        #expect(found.map(\.start) == [CMTime(value: 7, timescale: 1), start, start])
        #expect(found.map(\.end) == [nil, end, end])
    }
}

@Suite(.blockingThreads) struct `An expanded playlist` {
    @Test func `A playlist may not name itself, not even by another name`() throws {
        let lists = try Lists()
        try lists.write("b.m3u\na.mp3\n", to: "a.m3u")
        try lists.write("link.m3u\nb.mp3\n", to: "b.m3u")
        symlink("a.m3u", lists.path("link.m3u"))

        #expect(lists.find("a.m3u") == ["b.mp3", "a.mp3"])
        #expect(lists.errors("a.m3u") == ["cannot read link.m3u: It refers to itself"])
    }

    @Test func `A playlist may be named repeatedly`() throws {
        let lists = try Lists()
        try lists.write("b.m3u\nb.m3u\n", to: "a.m3u")
        try lists.write("b.mp3\n", to: "b.m3u")

        #expect(lists.find("a.m3u", "a.m3u") == ["b.mp3", "b.mp3", "b.mp3", "b.mp3"])
        #expect(lists.errors("a.m3u") == [])
    }

    @Test func `Playlists may be nested up to a limit`() throws {
        let lists = try Lists()
        for number in 1...40 {
            try lists.write("\(number + 1).m3u\n\(number).mp3", to: "\(number).m3u")
        }

        let found = lists.find("1.m3u")

        #expect(found.count == 32)
        #expect(found.first == "32.mp3")
        #expect(lists.errors("1.m3u") == ["cannot read 33.m3u: It is nested too deep"])
    }

    @Test func `A playlist is recognized by its content if its name says nothing`() throws {
        let lists = try Lists()
        try lists.write("#EXTM3U\na.mp3\n", to: "one")
        try lists.write("[playlist]\nFile1=b.mp3\n", to: "two.txt")
        try lists.write("#EXTM3U\n", to: "three.mp3")
        try lists.write("words", to: "four")

        #expect(
            lists.find("one", "two.txt", "three.mp3", "four") == [
                "a.mp3", "b.mp3", "three.mp3", "four",
            ])
    }

    @Test func `A playlist that cannot be read is an error, and playlists may not name a pipe`()
        throws
    {
        let lists = try Lists()
        try lists.write("pipe.m3u\nfolder.m3u\nclosed.m3u\n", to: "a.m3u")
        try lists.write("b.mp3", to: "closed.m3u")
        mkfifo(lists.path("pipe.m3u"), 0o600)
        try lists.write(to: "folder.m3u/c.mp3")
        chmod(lists.path("closed.m3u"), 0)

        #expect(lists.find("a.m3u").prefix(2) == ["pipe.m3u", "folder.m3u/c.mp3"])
        let isRoot = geteuid() == 0
        #expect(
            lists.errors("a.m3u") == (isRoot ? [] : ["cannot read closed.m3u: Permission denied"]))
    }

    @Test func `A playlist full of errors reports a thousand and the number of the others`() throws
    {
        let lists = try Lists()
        try lists.write(String(repeating: "a.m3u\n", count: 1500), to: "a.m3u")

        let errors = lists.errors("a.m3u")

        #expect(errors.count == 1001)
        #expect(
            errors.last
                == "cannot read 500 more playlists and folders: There are too many to list")
    }

    @Test func `A playlist of tracks uses the file that it names, or the MP3 next to it`() throws {
        let lists = try Lists()
        try lists.write(
            """
            FILE "one.wav" WAVE
            TRACK 01 AUDIO
            INDEX 01 00:00:00
            TRACK 02 AUDIO
            INDEX 01 01:00:00
            FILE "two.wav" WAVE
            TRACK 03 AUDIO
            INDEX 01 00:00:00
            FILE "disc.1/three" WAVE
            TRACK 04 AUDIO
            INDEX 01 00:00:00
            """, to: "sheet.cue")
        try lists.write(to: "one.MP3")
        try lists.write(to: "two.wav")
        try lists.write(to: "two.mp3")
        try lists.write(to: "disc.1/three.mp3")

        #expect(
            lists.find("sheet.cue") == ["one.MP3", "one.MP3", "two.wav", "disc.1/three.mp3"])
    }
}

@Suite(.blockingThreads) struct `An expanded folder` {
    @Test func `A folder is searched once, whatever links lead to it`() throws {
        let lists = try Lists()
        try lists.write(to: "album/a.mp3")
        symlink("../album", lists.path("album/loop"))
        symlink("a.mp3", lists.path("album/b.mp3"))
        symlink("nowhere.mp3", lists.path("album/c.mp3"))

        #expect(lists.find("album") == ["album/a.mp3", "album/b.mp3"])
    }

    @Test func `A folder without audio files is an error`() throws {
        let lists = try Lists()
        try lists.write(to: "album/inner/cover.jpg")

        #expect(lists.find("album", "album/") == [])
        #expect(
            lists.errors("album", "album/") == [
                "cannot play album: No music was found in it",
                "cannot play album/: No music was found in it",
            ])
    }
}
