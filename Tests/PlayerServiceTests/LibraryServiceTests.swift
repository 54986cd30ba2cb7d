import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongAudioSession
import UndersongBackground
import UndersongBase
import UndersongLibrary
import UndersongPlayback
import UndersongStore

@testable import UndersongService

@Suite(.timeLimit(.minutes(2))) struct `The library of a service` {
    private let clock = ManualClock()
    private let scanner = ScriptedScanning()
    private let desk: Desk
    private let listener = Listener()
    private let events = Events()
    /// A folder that is there.
    private let music: FilePath

    init() async throws {
        desk = try Desk(clock: clock, scanner: scanner)
        music = FilePath(desk.folder.path + "/music")
        try FileManager.default.createDirectory(
            atPath: music.description, withIntermediateDirectories: false)
        desk.service.observe { [events] event in
            if case .library(let event) = event.kind { events.add(event) }
        }
        await desk.service.connect(listener)
        await desk.service.attach(listener.id, state: .active, source: "test")
    }

    private final class Events: Sendable {
        private let list = Mutex<[LibraryEvent]>([])
        func add(_ event: LibraryEvent) { list.withLock { $0.append(event) } }
        var all: [LibraryEvent] { list.withLock(\.self) }
        func contains(_ change: LibraryEvent.Change) -> Bool {
            all.contains { $0.change == change }
        }
    }

    private var library: LibraryStore {
        get throws { try #require(desk.library) }
    }

    private func path(_ name: String) -> FilePath { music.appending(Array(name.utf8)) }

    /// Adds the folder with the files that were added to the scanner.
    private func addFolder() async throws {
        let count = events.all.count { $0.change == .scanned }
        _ = try await desk.service.addLibraryFolder(music)
        try await eventually { events.all.count { $0.change == .scanned } > count }
    }

    private func addSongs() async throws {
        scanner.add(ScannedFile(path("b.flac"), "Blue", artist: "Joni", album: "Blue", number: 2))
        scanner.add(
            ScannedFile(path("a.flac"), "All I Want", artist: "Joni", album: "Blue", number: 1))
        scanner.add(ScannedFile(path("x.flac"), "Other", artist: "Else"))
        try await addFolder()
    }

    private var queue: [QueueItem] {
        get async { await desk.service.page(offset: 0, limit: 99).items }
    }

    // MARK: Folders

    @Test(.rule("LB1"))
    func `A folder that was added is scanned, and kept by the next service`() async throws {
        try await addSongs()

        let status = try await desk.service.libraryStatus(to: "test")
        #expect(status.folders.map(\.path) == [music])
        #expect(status.trackCount == 3 && status.scan == nil)
        #expect(events.all.map(\.change).contains(.folders))
        #expect(events.all.last { $0.change == .scanned }?.scan?.readCount == 3)

        desk.kill()
        let other = ScriptedScanning()
        let next = try Desk(clock: clock, scanner: other, continuing: desk)
        await next.service.connect(listener)
        await next.service.attach(listener.id, state: .active, source: "test")
        try await eventually { !other.requests.isEmpty }
        #expect(other.requests.map(\.root) == [music])
        next.kill()
    }

    @Test(.rule("LB1"))
    func `A path that is not a folder cannot be added`() async throws {
        _ = FileManager.default.createFile(atPath: path("song").description, contents: Data())
        for (path, reason) in [
            (path("nothing"), "No such file or directory"), (path("song"), "It is not a folder"),
            ("relative", "It is not an absolute path"),
        ] {
            let error = await #expect(throws: ServiceError.self) {
                try await desk.service.addLibraryFolder(path)
            }
            #expect(error?.description == "cannot add \(path) to the library: \(reason)")
        }
        #expect(scanner.requests.isEmpty)
    }

    @Test(.rule("LB1"))
    func `A path is the same folder however it is written`() async throws {
        try await addFolder()

        let status = try await desk.service.addLibraryFolder(
            FilePath(desk.folder.path + "/other/..//music/."))

        #expect(status.folders.map(\.path) == [music])
        #expect(try await desk.service.removeLibraryFolder(path("")).folders.isEmpty)
    }

    @Test(.rule("LB1", "LB32"))
    func `A link to a folder of the library is refused`() async throws {
        try await addFolder()
        let link = desk.folder.path + "/link"
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: music.description)

        let error = await #expect(throws: ServiceError.self) {
            try await desk.service.addLibraryFolder(FilePath(link))
        }

        #expect(
            error?.description == "cannot add \(link) to the library: It is the folder \(music)")
        _ = try await desk.service.removeLibraryFolder(music)
        let status = try await desk.service.addLibraryFolder(FilePath(link))
        #expect(status.folders.map(\.path) == [FilePath(link)])
    }

    @Test(.rule("LB2"))
    func `The scan of a folder that is removed is stopped, and it is left`() async throws {
        scanner.makeEndless(true)
        _ = try await desk.service.addLibraryFolder(music)
        try await eventually { !scanner.requests.isEmpty }

        let status = try await desk.service.removeLibraryFolder(music)

        try await eventually { scanner.left == [music] }
        #expect(status.folders.isEmpty)
        let error = await #expect(throws: ServiceError.self) {
            try await desk.service.removeLibraryFolder(music)
        }
        #expect(
            error?.description
                == "cannot remove \(music) from the library: It is not one of the library's folders"
        )
    }

    @Test(.rule("LB44"))
    func `The tracks of a removed folder are not found, and keep their ratings`() async throws {
        try await addSongs()
        _ = try await desk.service.rate(RateTracks(query: "album:blue", rating: 4))

        _ = try await desk.service.removeLibraryFolder(music)
        let found = try await desk.service.findTracks(FindTracks(""))
        let artists = try await desk.service.groupTracks(GroupTracks(by: .artist, QueryPage()))
        await #expect(throws: ServiceError.self) {
            try await desk.service.rate(RateTracks(query: "album:blue", rating: 1))
        }
        try await addFolder()

        #expect(found.count == 0 && found.tracks.isEmpty && artists.count == 0)
        let again = try await desk.service.findTracks(FindTracks("rating:4"))
        #expect(again.tracks.map(\.tags.title) == ["All I Want", "Blue"])
        #expect(try await desk.service.findTracks(FindTracks("")).count == 3)
    }

    @Test(.rule("LB44"))
    func `The tracks of a folder that is missing are still found, but not of a removed one`()
        async throws
    {
        try await addSongs()
        let other = FilePath(desk.folder.path + "/other")
        try FileManager.default.createDirectory(
            atPath: other.description, withIntermediateDirectories: false)
        scanner.add(ScannedFile(other.appending(Array("c.flac".utf8)), "Case", artist: "Joni"))
        let count = events.all.count { $0.change == .scanned }
        _ = try await desk.service.addLibraryFolder(other)
        try await eventually { events.all.count { $0.change == .scanned } > count }
        try await library.markMissing([path("a.flac")], since: 1)

        _ = try await desk.service.removeLibraryFolder(other)

        let found = try await desk.service.findTracks(FindTracks("artist:joni"))
        #expect(found.tracks.map(\.tags.title) == ["All I Want", "Blue"])
        #expect(try await desk.service.findTracks(FindTracks("is:missing")).count == 1)
    }

    @Test func `A library whose file cannot be opened is explained, with the remedy`() async throws
    {
        #expect(await desk.service.why.libraryTrouble == nil)
        desk.kill()
        let file = desk.folder.path + "/library.sqlite"
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: file + suffix)
        }
        try FileManager.default.createDirectory(
            atPath: file, withIntermediateDirectories: false)
        let next = try Desk(clock: clock, scanner: ScriptedScanning(), continuing: desk)

        let trouble = try #require(await next.service.why.libraryTrouble)

        #expect(
            trouble.reason == "cannot keep the library in \(desk.folder.path): Is a directory")
        #expect(
            trouble.remedy
                == "check the disk; if library.sqlite is lost, end Undersong with "
                + "'undersong shutdown' and move it away, and a new library begins")
        next.kill()
    }

    @Test(.rule("LB3"))
    func `A change is scanned, and an update reads what it is asked to`() async throws {
        try await addFolder()
        scanner.change(.changed(path("new"), isRecursive: true))
        // Once its changes have paused.
        try await eventually {
            clock.advance(by: 1)
            return scanner.requests.count == 2
        }
        _ = try await desk.service.updateLibrary(path("inner"), readsAll: true)
        try await eventually { scanner.requests.count == 3 }

        #expect(
            scanner.requests.dropFirst() == [
                ScanRequest(root: music, folder: path("new")),
                ScanRequest(root: music, folder: path("inner"), readsAll: true),
            ])
        await #expect(throws: ServiceError.self) {
            try await desk.service.updateLibrary("/elsewhere", readsAll: false)
        }
    }

    // MARK: The background

    @Test(.rule("LB4"))
    func `Nothing is scanned while the host is suspended, and the rest afterwards`() async throws {
        scanner.makeEndless(true)
        _ = try await desk.service.addLibraryFolder(music)
        try await eventually { !scanner.requests.isEmpty }

        await desk.service.attach(listener.id, state: .background, source: "test")
        let isSuspendedAtOnce = await desk.service.isSuspended
        // Until the time in the background is over.
        while await !desk.service.isSuspended {
            clock.advance(by: 1)
            await Task.yield()
        }
        #expect(!isSuspendedAtOnce && scanner.isHeld)
        #expect(scanner.requests.count == 1)

        scanner.makeEndless(false)
        await desk.service.attach(listener.id, state: .active, source: "test")
        try await eventually { events.contains(.scanned) && scanner.requests.count == 2 }
        #expect(!scanner.isHeld)
    }

    @Test(.rule("LB4"))
    func `Background processing scans what is left`() async throws {
        let id = "net.undersong.library"
        scanner.add(ScannedFile(path("a.flac"), "A"))
        try await addFolder()
        _ = try await desk.service.declare(.processing, isDeclared: true)
        _ = try await desk.service.permit(id, isPermitted: true)
        let pending = await desk.service.refreshStatus(limit: 0).pending.map(\.identifier)

        _ = try await desk.service.runRefresh(id, .processing, .simulate, for: listener.id)
        let run = try #require(await listener.refreshes.first { _ in true })

        #expect(pending == [id])
        #expect(run.result == .done && run.new == 1)
        #expect(scanner.requests.count == 2)
    }

    @Test(.rule("LB4"))
    func `Background processing whose time is over leaves the rest`() async throws {
        let id = "net.undersong.library"
        try await addFolder()
        _ = try await desk.service.declare(.processing, isDeclared: true)
        _ = try await desk.service.permit(id, isPermitted: true)
        scanner.makeEndless(true)
        _ = try await desk.service.runRefresh(id, .processing, .simulate, for: listener.id)
        try await eventually { scanner.requests.count == 2 }

        try await desk.service.expireRefresh(id, by: listener.id)
        let run = try #require(await listener.refreshes.first { _ in true })

        #expect(run.result == .failed)
    }

    // MARK: Files by query

    @Test(.rule("LB5"))
    func `A query adds its tracks in order, and ids add theirs after them`() async throws {
        try await addSongs()
        let other = try await desk.service.findTracks(FindTracks("Other")).tracks
        var files = Files(query: "artist:joni")
        files.tracks = other.map(\.id)

        let added = try await desk.service.add(files)

        #expect(added.items.count == 3 && added.errors.isEmpty)
        #expect(
            await queue.map(\.source.path) == [path("a.flac"), path("b.flac"), path("x.flac")])
    }

    @Test(.rule("LB5"))
    func `A query that finds nothing, or cannot be understood, is an error that names it`()
        async throws
    {
        try await addSongs()
        _ = try await desk.service.add(Files([Desk.song]))
        let texts = [
            "artist:nobody":
                "cannot replace the queue: Nothing in the library matches 'artist:nobody'",
            "(open": nil, "@unknown": nil,
        ]
        for (query, text) in texts {
            let error = await #expect(throws: ServiceError.self) {
                try await desk.service.replace(with: Files(query: query))
            }
            if let text {
                #expect(error?.description == text && error?.code == .notFound)
            } else {
                #expect(error?.code == .invalidValue)
                #expect(error?.description.contains("'\(query)'") == true)
            }
        }
        let error = await #expect(throws: ServiceError.self) {
            try await desk.service.play(Play(files: Files(tracks: [99])), for: listener.id)
        }
        #expect(error?.description == "cannot play: The library has no such track")
        #expect(await queue.map(\.source.path) == [Desk.song])
    }

    @Test(.rule("LB5")) func `A query of a library without folders is an error that says so`() async
    {
        let error = await #expect(throws: ServiceError.self) {
            try await desk.service.replace(with: Files(query: "joni"))
        }
        #expect(
            error?.description == "cannot replace the queue: The library has no folders; "
                + "'undersong library add FOLDER' adds one")
        #expect(error?.code == .notFound)
    }

    @Test(.rule("LB5"))
    func `Tracks in the queue have their titles, artists, albums and lengths at once`() async throws
    {
        try await addSongs()

        _ = try await desk.service.add(Files(query: "sort:title artist:joni"))

        let item = try #require(await queue.first)
        let listed = ListedItem(item, at: 0)
        #expect(listed.title == "All I Want" && listed.artist == "Joni" && listed.album == "Blue")
        #expect(listed.duration?.seconds == 200)
    }

    @Test(.rule("LB5"))
    func `Parts of a file are played from their start to their end`() async throws {
        let part = TrackPart(start: 100 + 37 / 75.0, end: 200)
        scanner.add(ScannedFile(path("album.flac"), "Part", artist: "Band", part: part))
        try await addFolder()
        var files = Files(query: "Part")
        files.start = WireTime(value: 5, timescale: 1)

        _ = try await desk.service.add(files)

        let item = try #require(await queue.first)
        #expect(item.start == CMTime(value: 7537, timescale: 75))
        #expect(item.end == CMTime(value: 15000, timescale: 75))
        #expect(item.displayTitle == "Band - Part")
        #expect(item.facts?.artist == "Band" && item.facts?.duration == nil)
        let subject = try #require(PlayCounter.Subject(item))
        #expect(try await library.track(of: subject)?.tags.title == "Part")
    }

    @Test(.rule("LB5"))
    func `The last part of a file has its length at once`() async throws {
        let part = TrackPart(start: 100)
        scanner.add(ScannedFile(path("album.flac"), "Last", artist: "Band", part: part))
        try await addFolder()

        _ = try await desk.service.add(Files(query: "Last"))

        let item = try #require(await queue.first)
        #expect(item.end == nil && item.facts?.duration?.seconds == 300)
    }

    @Test(.rule("LB5"))
    func `Tracks whose files are missing are left out`() async throws {
        try await addSongs()
        try await library.markMissing([path("a.flac")], since: 1)
        _ = try await desk.service.add(Files(query: "joni"))
        try await library.markMissing([path("b.flac")], since: 1)

        let error = await #expect(throws: ServiceError.self) {
            try await desk.service.add(Files(query: "joni"))
        }

        #expect(await queue.map(\.source.path) == [path("b.flac")])
        #expect(
            error?.description
                == "cannot add to the queue: All that 'joni' finds is missing at the moment")
    }

    // MARK: Listeners

    @Test(.rule("LB6"))
    func `The current item is rated, which is durable, shown and reported`() async throws {
        try await addSongs()
        for name in ["a.flac", "b.flac"] {
            try FileManager.default.copyItem(
                atPath: Desk.song.description, toPath: path(name).description)
        }
        _ = try await desk.service.add(Files(query: "Blue sort:title"))

        let rated = try await desk.service.rate(RateTracks(rating: 4, isFavourite: true))

        let status = await desk.service.status
        #expect(rated.count == 1 && rated.track?.rating == 4)
        #expect(status.rating == 4 && status.favourite == true)
        #expect(events.all.last?.change == .rated && events.all.last?.track == rated.track?.id)
        desk.kill()
        let next = try Desk(clock: clock, scanner: ScriptedScanning(), continuing: desk)
        let kept = try await next.service.findTracks(FindTracks("rating:4"))
        #expect(kept.tracks.map(\.isFavourite) == [true])
        next.kill()
    }

    @Test(.rule("LB6"))
    func `A rating that is none, or of what is not in the library, is refused`() async throws {
        try await addSongs()
        let calls: [(RateTracks, ServiceErrorCode)] = [
            (RateTracks(rating: 6), .invalidValue), (RateTracks(rating: 3), .notPossible),
            (RateTracks(isFavourite: true, togglesFavourite: true), .invalidValue),
            (RateTracks(query: "nothing", rating: 3), .notFound),
        ]
        for (call, code) in calls {
            let error = await #expect(throws: ServiceError.self) {
                try await desk.service.rate(call)
            }
            #expect(error?.code == code)
        }
        _ = try await desk.service.add(Files([Desk.song]))
        let error = await #expect(throws: ServiceError.self) {
            try await desk.service.rate(RateTracks(rating: 3))
        }
        #expect(error?.code == .notFound)
        #expect(try await desk.service.findTracks(FindTracks("rating:1..")).count == 0)
    }

    @Test(.rule("LB20"))
    func `What is heard is counted, and reported`() async throws {
        try await addSongs()
        let counted = Counted()
        let keeper = PlayKeeper(
            try library, clock: clock, executor: desk.service.executor
        ) { counted.add($0) }
        let item = QueueItem(id: ItemID(1), source: .file(path: path("a.flac")))
        let end = CMTime(value: 200, timescale: 1)
        var description = MediaDescription(
            format: StreamFormat(sampleRate: 44100, channelCount: 2), encoding: "FLAC",
            duration: end, isDurationExact: true)
        description.tags = [:]
        for _ in 0..<2 {
            keeper.receive(PlayerEvent(.item(.began(item, description))))
            keeper.receive(PlayerEvent(.item(.ended(item, at: end))))
        }
        keeper.receive(PlayerEvent(.item(.began(item, description))))
        keeper.receive(PlayerEvent(.item(.left(item, at: CMTime(value: 9, timescale: 1)))))

        try await eventually { counted.all.count == 3 }
        let track = try #require(try await library.track(of: path("a.flac")))
        #expect(track.playCount == 2 && track.skipCount == 1)
        #expect(track.lastPlayed == clock.secondsSinceEpoch)
        #expect(counted.all == [track.id, track.id, track.id])
    }

    private final class Counted: Sendable {
        private let list = Mutex<[Int]>([])
        func add(_ track: Int) { list.withLock { $0.append(track) } }
        var all: [Int] { list.withLock(\.self) }
    }

    // MARK: Queries

    @Test(.rule("LB7"))
    func `A saved query is a live list, and cannot contain itself`() async throws {
        try await addSongs()
        let saved = try await desk.service.saveQuery(SaveQuery(name: "mine", query: "artist:joni"))
        let found = try await desk.service.findTracks(FindTracks("@mine -all"))

        #expect(saved.queries == [SavedQuery(name: "mine", query: "artist:joni")])
        #expect(found.tracks.map(\.tags.title) == ["Blue"])
        #expect(events.all.last?.change == .queries)
        for call in [
            SaveQuery(name: "mine", query: "@mine"), SaveQuery(name: "a/b", query: "x"),
            SaveQuery(name: "", query: "x"), SaveQuery(name: "bad", query: "(x"),
            SaveQuery(name: "none", query: nil),
        ] {
            await #expect(throws: ServiceError.self) { try await desk.service.saveQuery(call) }
        }
        #expect(try await desk.service.saveQuery(SaveQuery(name: "mine", query: nil)).queries == [])
    }

    @Test func `An alarm whose query names no saved query is refused`() async throws {
        try await addSongs()
        var settings = AlarmSettings(hour: 7, minute: 0)
        settings.files = Files(query: "@mine")
        let error = await #expect(throws: ServiceError.self) {
            try await desk.service.addAlarm(settings)
        }
        #expect(error?.description == "cannot understand '@mine': No saved query is called mine")

        _ = try await desk.service.saveQuery(SaveQuery(name: "mine", query: "artist:joni"))

        #expect(try await desk.service.addAlarm(settings).alarms.count == 1)
    }

    @Test(.rule("LB7"))
    func `A random album is one of those that a query finds`() async throws {
        try await addSongs()
        scanner.add(ScannedFile(path("c.flac"), "C", artist: "Joni", album: "Hejira"))
        _ = try await desk.service.updateLibrary(nil, readsAll: false)
        try await eventually { events.all.count { $0.change == .scanned } == 2 }

        var names: Set<String?> = []
        for _ in 0..<100 {
            let groups = try await desk.service.groupTracks(
                GroupTracks(by: .album, QueryPage("joni"), random: true))
            #expect(groups.groups.count == 1 && groups.count == 2)
            names.insert(groups.groups.first?.name)
        }

        #expect(names == ["Blue", "Hejira"])
    }

    @Test func `A query says that the library has no folders only if it has none`() async throws {
        let without = try await desk.service.findTracks(FindTracks()).gap
        let groups = try await desk.service.groupTracks(GroupTracks(by: .album, QueryPage())).gap
        try await addSongs()

        #expect(without == .known(.noFolders) && groups == .known(.noFolders))
        #expect(try await desk.service.findTracks(FindTracks("nothing")).gap == nil)
    }

    @Test(.rule("LB7"))
    func `Pages of results are what is asked for`() async throws {
        try await addSongs()
        let page = try await desk.service.findTracks(FindTracks("", offset: 1, limit: 1))

        #expect(page.count == 3 && page.tracks.count == 1 && page.gap == nil)
        await #expect(throws: ServiceError.self) {
            try await desk.service.findTracks(FindTracks("", offset: -1))
        }
    }
}
