import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongLibrary
import UndersongPlayback

@testable import UndersongCLI

/// The verbs of the library, as programs.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `The library verb` {
    private static let album = LibraryGroup(
        name: "Homogenic", artist: "Björk", year: 1997, trackCount: 10, seconds: 2615,
        added: LibrarySamples.added, query: #"album:=Homogenic albumartist:=Björk"#)
    private static let other = LibraryGroup(
        name: nil, trackCount: 1, seconds: 61, added: LibrarySamples.added, query: #"album:="""#)

    private func run(_ service: FakeService, _ arguments: String...) throws -> Program {
        let program = try Program(
            ["library"] + arguments, environment: service.environment, in: "/usr")
        try program.wait()
        return program
    }

    @Test func `The library verb lists tracks in columns, and their number and length`() throws {
        let service = try LibrarySamples.service()
        defer { service.end() }

        let program = try run(service, "tracks", "artist:björk", "-live")

        #expect(try program.wait() == 0)
        #expect(
            program.text == """
                4:15  Björk - Hunter  Homogenic (1997)
                5:05  Björk - Jóga    Homogenic (1997)  rating 5, favourite
                2 tracks, 9:20

                """)
        #expect(
            try service.calls(FindTracks.self)
                == [FindTracks("artist:björk -live", offset: 0, limit: 1000)])
    }

    @Test func `The library verb lists many pages, or as many tracks as are asked for`() throws {
        let tracks = (0..<2500).map { LibrarySamples.track($0, "Song \($0)") }
        let service = try LibrarySamples.service(tracks: tracks)
        defer { service.end() }

        let all = try run(service, "tracks")
        let some = try run(service, "tracks", "--limit", "1500", "--format", "{id}")
        let json = try run(service, "tracks", "--json", "--by", "-year")

        #expect(all.lines.count == 2501)
        #expect(all.lines.last == "2500 tracks, 177:05:00")
        #expect(some.lines == (0..<1500).map(String.init))
        let list = try JSONDecoder().decode(TrackList.self, from: Data(json.text.utf8))
        #expect(list.tracks == tracks && list.count == 2500)
        let calls = try service.calls(FindTracks.self)
        #expect(calls[3...4].map(\.page.limit) == [1000, 500])
        #expect(calls[5...].map(\.page.query) == Array(repeating: "sort:-year", count: 3))
    }

    @Test func `The library verb prints tracks by a template, and leaves out what has no value`()
        throws
    {
        let service = try LibrarySamples.service()
        defer { service.end() }

        let program = try run(
            service, "tracks", "--format", "{id} {artist}: {title}[ ({rating}/5)] {year} {plays}")

        #expect(program.lines == ["1 Björk: Hunter 1997 0", "2 Björk: Jóga (5/5) 1997 2"])
    }

    @Test func `The library verb prints the exact bytes of paths with zero bytes between`() throws {
        let raw = FilePath(bytes: Array("/music/caf".utf8) + [0xE9, 0x0A])
        let service = try LibrarySamples.service(tracks: [
            LibrarySamples.hunter, LibrarySamples.track(3, "Raw", path: raw),
        ])
        defer { service.end() }

        let program = try run(service, "tracks", "--null")

        #expect(
            Array(program.bytes) == Array("/music/1.flac".utf8) + [0] + raw.bytes + [0])
    }

    @Test(
        arguments: [
            (["albums"], LibraryGrouping.album, nil),
            (["artists", "--by", "added"], .artist, true),
        ]
            as [([String], LibraryGrouping, Bool?)])
    func `The library verb lists groups of tracks`(
        arguments: [String], grouping: LibraryGrouping, isNewestFirst: Bool?
    ) throws {
        let service = try LibrarySamples.service(groups: [Self.album, Self.other])
        defer { service.end() }

        let program = try Program(
            ["library"] + arguments + ["year:1990.."], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(
            program.text == """
                10 tracks  43:35  Björk - Homogenic (1997)
                  1 track   1:01  (no \(grouping.rawValue))
                1 \(grouping.rawValue)

                """)
        #expect(
            try service.calls(GroupTracks.self) == [
                GroupTracks(
                    by: grouping, QueryPage("year:1990..", offset: 0, limit: 1000),
                    newestFirst: isNewestFirst)
            ])
    }

    @Test func `The library verb does not count groups without a name`() throws {
        let service = try FakeService { request, _ in
            let call = try request.decode(GroupTracks.self)
            let isUnnamed = call.page.query == #"year:1990.. composer:="""#
            return ControlReply(
                LibraryGroups(groups: isUnnamed ? [] : [Self.album], count: isUnnamed ? 1 : 8))
        }
        defer { service.end() }

        let program = try run(service, "composers", "--limit", "1", "year:1990..")

        #expect(program.lines.last == "1 of 7 composers")
    }

    @Test(arguments: LibraryGrouping.allCases)
    func `The condition of an unknown property finds tracks without it`(
        grouping: LibraryGrouping
    ) {
        var named = LibrarySamples.hunter
        (named.tags.genres, named.tags.composers) = (["Pop"], ["Björk"])
        let unnamed = Track(id: 1, path: "/a", added: 0, modified: 0)
        let query = LibraryQuery(grouping.absence)

        #expect(query.matches(unnamed, now: 0) && !query.matches(named, now: 0))
    }

    @Test func `The library verb lists groups by a template, or as JSON`() throws {
        let service = try LibrarySamples.service(groups: [Self.album, Self.other])
        defer { service.end() }

        let format = try run(service, "albums", "--format", "{name}[ ({artist})] {tracks}")
        let json = try run(service, "albums", "--json", "--limit", "1")

        #expect(format.lines == ["Homogenic (Björk) 10", " 1"])
        #expect(
            try JSONDecoder().decode(LibraryGroups.self, from: Data(json.text.utf8))
                == LibraryGroups(groups: [Self.album], count: 2))
    }

    @Test func `The library verb shows what is new with its date`() throws {
        let service = try LibrarySamples.service(groups: [Self.album])
        defer { service.end() }

        let albums = try run(service, "new")
        let tracks = try run(service, "new", "--by", "track", "--limit", "1")

        #expect(
            albums.lines.first?.hasSuffix("  10 tracks  43:35  Björk - Homogenic (1997)") == true)
        #expect(albums.lines.first?.hasPrefix("2026-11-20  ") == true)
        #expect(try service.calls(GroupTracks.self).map(\.newestFirst) == [true])
        #expect(
            try service.calls(FindTracks.self) == [FindTracks("sort:-added", offset: 0, limit: 1)])
        #expect(
            tracks.lines == [
                "2026-11-20  4:15  Björk - Hunter  Homogenic (1997)", "1 of 2 tracks, 9:20",
            ])
    }

    @Test(arguments: [
        (["history"], "plays:1.. sort:-played"),
        (["history", "--by", "plays"], "plays:1.. sort:-plays"),
        (["history", "--by", "skips", "artist:a"], "artist:a skips:1.. sort:-skips"),
        (["random"], "sort:random"), (["random", "is:unplayed"], "is:unplayed sort:random"),
        (["new", "--by", "track", "sort:year"], "sort:year"),
    ])
    func `The library verb asks for what was heard, and for random tracks, by a query`(
        arguments: [String], query: String
    ) throws {
        let service = try LibrarySamples.service()
        defer { service.end() }

        let program = try Program(["library"] + arguments, environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(try service.calls(FindTracks.self).map(\.page.query) == [query])
        #expect(try service.calls(FindTracks.self).map(\.page.limit) == [20])
    }

    @Test func `The library verb lists all tracks of a random album`() throws {
        let service = try LibrarySamples.service(groups: [Self.album, Self.other])
        defer { service.end() }

        let program = try run(service, "random", "--by", "album", "--limit", "2")

        #expect(try program.wait() == 0)
        #expect(program.lines.last == "4 tracks, 18:40")
        let groups = try service.calls(GroupTracks.self)
        #expect(Set(groups.dropFirst().map(\.page.offset)) == [0, 1])
        #expect(
            try Set(service.calls(FindTracks.self).map(\.page.query))
                == [Self.album.query, Self.other.query])
    }

    @Test func `Random indices are different, and each is as likely as the others`() {
        var generator = SystemRandomNumberGenerator()
        var counts = [Int](repeating: 0, count: 5)
        for _ in 0..<2000 {
            let indices = RandomIndices.chosen(3, of: 5, &generator)
            #expect(indices.count == 3 && Set(indices).count == 3)
            for index in indices { counts[index] += 1 }
        }
        // 1200 are expected of each, with a deviation of 22.
        #expect(counts.allSatisfy { 1050...1350 ~= $0 })
        #expect(RandomIndices.chosen(0, of: 0, &generator) == [])
    }

    @Test(arguments: [
        (["random"], false), (["tracks"], false), (["random", "--by", "album"], true),
    ])
    func `The library verb adds what it finds to the queue, track by track`(
        arguments: [String], isByGroup: Bool
    ) throws {
        let service = try LibrarySamples.service(groups: [Self.album]) { request, _ in
            try QueueRequest(request)?.answer(
                from: QueueList(
                    items: [ListedItem(id: 11, title: "One", path: "/1.mp3")], current: nil),
                added: [11])
        }
        defer { service.end() }

        let program = try Program(
            ["library"] + arguments + ["--add"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.lines.first == "added 1 item")
        #expect(try service.queueRequests == [.add(Files(tracks: [1, 2]))])
        // Those that are missing do not take the place of others.
        #expect(
            try service.calls(FindTracks.self).allSatisfy { $0.page.query.contains("-is:missing") })
        #expect(try service.calls(GroupTracks.self).isEmpty != isByGroup)
    }

    @Test func `The library verb has the service say that all is missing`() throws {
        let service = try FakeService { request, _ in
            switch request.method {
            case FindTracks.method:
                let call = try request.decode(FindTracks.self)
                let isThere = call.page.query.contains("-is:missing")
                return ControlReply(
                    LibrarySamples.page(isThere ? [] : [LibrarySamples.hunter], call))
            default:
                return try QueueRequest(request)?.answer(
                    from: QueueList(items: [], current: nil), added: [])
            }
        }
        defer { service.end() }

        let program = try Program(
            ["library", "tracks", "hunter", "--add"], environment: service.environment)
        try program.wait()

        #expect(try service.queueRequests == [.add(Files(tracks: [1]))])
    }

    @Test func `The library verb plays what it finds`() throws {
        let service = try LibrarySamples.service { request, _ in
            request.method == Subscribe.method
                ? ControlReply(Subscribe.Reply(subscription: 1)) : nil
        }
        defer { service.end() }

        let program = try Program(
            ["library", "random", "--play"], environment: service.environment)
        try service.wait { try !$0.calls(Play.self).isEmpty }
        program.signal(SIGTERM)
        try program.wait()

        #expect(try service.calls(Play.self).map(\.files) == [Files(tracks: [1, 2])])
        #expect(try service.calls(Play.self).first?.output != nil)
    }

    @Test(arguments: [["play", "--library"], ["play", "/a.mp3", "--library"]])
    func `The verb play plays what a query finds, after its files`(arguments: [String]) throws {
        let service = try FakeService { request, _ in
            request.method == Subscribe.method
                ? ControlReply(Subscribe.Reply(subscription: 1)) : nil
        }
        defer { service.end() }

        let program = try Program(
            arguments + ["-live album:Abbey"], environment: service.environment)
        try service.wait { try !$0.calls(Play.self).isEmpty }
        program.signal(SIGTERM)
        try program.wait()

        var files = Files(query: "-live album:Abbey")
        if arguments.count == 3 { files.paths = ["/a.mp3"] }
        #expect(try service.calls(Play.self).map(\.files) == [files])
    }

    @Test(arguments: ["add", "insert"])
    func `The queue verb adds what a query finds`(verb: String) throws {
        let items = [ListedItem(id: 11, title: "One", path: "/11.mp3")]
        let service = try FakeService(queue: items, added: [11])
        defer { service.end() }

        let program = try Program(
            ["queue", verb, "--library", "album:Abbey Road"], environment: service.environment)

        #expect(try program.wait() == 0)
        let files = Files(query: #"album:"Abbey Road""#)
        #expect(
            try service.queueRequests
                == [verb == "add" ? .add(files) : .insert(files, after: nil)])
    }

    @Test(
        .rule("LQ10"),
        arguments: [
            ["play", "--library", ""], ["queue", "add", "--library", " "],
            ["queue", "insert", "--library", ""], ["alarm", "add", "7:00", "--library", ""],
            ["library", "save", "x"], ["rating", "3", ""], ["library", "tracks", "--play", ""],
            ["library", "new", "--by", "track", "--add", ""], ["library", "random", "--add", " "],
            ["library", "history", "--play", ""],
        ])
    func `An empty query is refused where it would stand for the whole library`(
        arguments: [String]
    ) throws {
        let service = try LibrarySamples.service()
        defer { service.end() }

        let program = try Program(arguments, environment: service.environment)

        #expect(try program.wait() == 64)
        #expect(program.errorText.hasSuffix("is empty\n"))
        #expect(service.methods == [])
    }

    @Test(
        .rule("LQ9"),
        arguments: [
            ["library", "tracks"], ["play", "--library"], ["queue", "add", "--library"],
        ])
    func `A wrong query is shown with a mark below the wrong part`(arguments: [String]) throws {
        let service = try LibrarySamples.service()
        defer { service.end() }

        let program = try Program(
            arguments + ["artist:björk yaer:1995"], environment: service.environment)

        #expect(try program.wait() == 64)
        let lines = program.errorText.split(separator: "\n")
        #expect(lines.first?.contains("yaer: is not a field; did you mean year:?") == true)
        #expect(lines.dropFirst() == ["  artist:björk yaer:1995", "               ^~~~~"])
        #expect(service.methods == [])
    }

    @Test func `The library verb says that nothing matches, and why that may be`() throws {
        let empty = try LibrarySamples.service(tracks: [], gap: .noFolders)
        defer { empty.end() }
        let full = try LibrarySamples.service(tracks: [])
        defer { full.end() }

        let none = try run(empty, "tracks")
        let unmatched = try run(full, "albums")

        #expect(try none.wait() == 1)
        #expect(none.text == "no matches\n")
        #expect(
            none.errorText == "undersong: the library has no folders; "
                + "'undersong library add FOLDER' adds one\n")
        #expect(try unmatched.wait() == 1)
        #expect(unmatched.text == "no matches\n" && unmatched.errorText == "")
    }

    @Test func `The library verb adds folders by their absolute paths, and shows all of them`()
        throws
    {
        let status = LibraryStatus(
            folders: [
                LibraryFolder(path: "/usr/share", trackCount: 12),
                LibraryFolder(
                    path: "/media/usb", trackCount: 1, missingSince: LibrarySamples.added,
                    watchProblem: "too many folders"),
            ], trackCount: 13, scan: LibraryScan(fileCount: 1, readCount: 0),
            problems: ["/usr/share/x: Permission denied"])
        let service = try FakeService { _, _ in ControlReply(status) }
        defer { service.end() }

        let added = try run(service, "add", "share", "/tmp")
        _ = try run(service, "remove", "share")
        _ = try run(service, "update", "share", "--all")
        _ = try run(service, "update")
        let listed = try run(service)

        #expect(
            added.text == """
                /usr/share  12 tracks
                /media/usb  1 track, missing since 2026-11-20, not watched: too many folders
                scanning: 1 file, 0 read
                problem: /usr/share/x: Permission denied

                """)
        #expect(listed.text == added.text)
        #expect(
            try service.calls(AddLibraryFolder.self).map(\.path) == ["/usr/share", "/tmp"])
        #expect(try service.calls(RemoveLibraryFolder.self).map(\.path) == ["/usr/share"])
        #expect(
            try service.calls(UpdateLibrary.self)
                == [UpdateLibrary(path: "/usr/share", readsAll: true), UpdateLibrary()])
    }

    @Test(arguments: [["add", "/tmp"], ["update"], ["update", "/tmp"]])
    func `The library verb waits for the scan in the foreground if it is asked to`(
        arguments: [String]
    ) throws {
        let scanning = LibraryStatus(
            trackCount: 1, scan: LibraryScan(fileCount: 9, readCount: 8))
        let waiting = LibraryStatus(trackCount: 2, isWaiting: true)
        let done = LibraryStatus(
            folders: [LibraryFolder(path: "/tmp", trackCount: 3)], trackCount: 3)
        let status = Mutex(scanning)
        let service = try FakeService { request, _ in
            switch request.method {
            case Subscribe.method: ControlReply(Subscribe.Reply(subscription: 1))
            case Attach.method: nil
            default: ControlReply(status.withLock(\.self))
            }
        }
        defer { service.end() }
        let event = PlayerEvent(.library(LibraryEvent(.scanning, trackCount: 1)), place: 0)

        let program = try Program(
            ["library"] + arguments + ["--wait"], environment: service.environment)
        try service.wait { try $0.calls(GetLibrary.self).count == 1 }
        status.withLock { $0 = waiting }
        service.send(event: event)
        try service.wait { try $0.calls(GetLibrary.self).count == 2 }
        status.withLock { $0 = done }
        service.send(event: event)

        #expect(try program.wait() == 0)
        #expect(try service.calls(GetLibrary.self).count == 3)
        #expect(program.text == "/tmp  3 tracks\n")
        #expect(try service.calls(Attach.self).count == 1)
    }

    @Test func `The library verb names a scan that waits in the background`() throws {
        let service = try FakeService { _, _ in
            ControlReply(
                LibraryStatus(
                    folders: [LibraryFolder(path: "/m", trackCount: 1)], trackCount: 1,
                    isWaiting: true))
        }
        defer { service.end() }

        let listed = try run(service)

        #expect(listed.text.contains("\nnot all is scanned: the time in the background was over;"))
    }

    @Test func `The library verb saves, lists and forgets queries`() throws {
        let saved = SavedQueries(queries: [
            SavedQuery(name: "Für später", query: "added:30d"), SavedQuery(name: "x", query: "a"),
        ])
        let service = try FakeService { _, _ in ControlReply(saved) }
        defer { service.end() }

        let save = try run(service, "save", "x", "artist:Daft Punk", "rating:4..")
        let lists = try run(service, "lists")
        let forget = try run(service, "forget", "x")
        let unknown = try run(service, "forget", "Für spater")

        #expect(save.text == "saved as @x\n")
        #expect(lists.lines == [#"@"Für später"  added:30d"#, "@x             a"])
        #expect(forget.text + forget.errorText == "")
        #expect(try unknown.wait() == 1)
        #expect(
            unknown.errorText == "undersong: cannot forget a query: No query is saved as "
                + "Für spater; did you mean 'Für später'?\n")
        #expect(
            try service.calls(SaveQuery.self) == [
                SaveQuery(name: "x", query: #"artist:"Daft Punk" rating:4.."#),
                SaveQuery(name: "x", query: nil),
            ])
    }

    @Test(arguments: [
        ("artist", "artist:=Björk OR artist:=Thom"),
        ("album", "album:=Homogenic albumartist:=Björk"),
        ("genre", "genre:=Pop"),
    ])
    func `The library verb finds what is similar to the current item by its tags`(
        likeness: String, query: String
    ) throws {
        var track = LibrarySamples.track(7, "Second Song", artists: ["Björk", "Thom"])
        (track.tags.albumArtists, track.tags.genres) = (["Björk"], ["Pop"])
        let service = try LibrarySamples.service(tracks: [track]) { request, _ in
            request.method == GetStatus.method ? ControlReply(PlayerStatus.paused) : nil
        }
        defer { service.end() }

        let program = try run(service, "similar", "--by", likeness)

        #expect(try program.wait() == 0)
        #expect(
            try service.calls(FindTracks.self).map(\.page.query) == ["path:=/music/two.mp3", query])
    }

    @Test func `The library verb finds nothing similar without an item or its tag`() throws {
        var silent = PlayerStatus.paused
        silent.item = nil
        for (status, reason) in [
            (PlayerStatus.paused, "The current item has no artist"),
            (silent, "There is no current item"),
        ] {
            let service = try LibrarySamples.service(tracks: []) { request, _ in
                request.method == GetStatus.method ? ControlReply(status) : nil
            }
            defer { service.end() }

            let program = try run(service, "similar")

            #expect(try program.wait() == 1)
            #expect(program.errorText == "undersong: cannot find similar tracks: \(reason)\n")
        }
    }

    @Test(arguments: [
        ["tracks", "--format", "{nosuch}"], ["tracks", "--format", "{id}", "--json"],
        ["tracks", "--null", "--json"], ["tracks", "--play", "--add"], ["tracks", "--detach"],
        ["tracks", "--limit", "0"], ["tracks", "--by", "nosuch"], ["albums", "--by", "year"],
        ["albums", "--format", "{title}"], ["new", "--play"], ["new", "--by", "disc"],
        ["history", "--by", "album"], ["similar", "--by", "year"], ["random", "--null", "--play"],
    ])
    func `The library verb refuses options that make no sense`(arguments: [String]) throws {
        let service = try LibrarySamples.service()
        defer { service.end() }

        let program = try Program(["library"] + arguments, environment: service.environment)

        #expect(try program.wait() == 64)
        #expect(service.methods == [])
    }

    @Test func `The verb queue shuffle keeps albums together on request`() throws {
        let items = [ListedItem(id: 11, title: "One", path: "/11.mp3")]
        let service = try FakeService(queue: items)
        defer { service.end() }

        for arguments in [[], ["--albums"]] {
            let program = try Program(
                ["queue", "shuffle"] + arguments, environment: service.environment)
            #expect(try program.wait() == 0)
        }

        #expect(try service.calls(ShuffleQueue.self).map(\.byAlbum) == [nil, true])
    }

    @Test func `Files of many tracks are sent in pieces that keep their order`() {
        var files = Files(tracks: Array(0..<25_000))
        (files.paths, files.query) = (["/a.mp3"], "q")

        let pieces = files.pieces

        #expect(pieces.map(\.paths) == [["/a.mp3"], [], []])
        #expect(pieces.map(\.query) == ["q", nil, nil])
        #expect(pieces.flatMap { $0.tracks ?? [] } == Array(0..<25_000))
        #expect(Files(query: "q").pieces == [Files(query: "q")])
    }
}
