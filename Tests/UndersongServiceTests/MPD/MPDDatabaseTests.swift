import Foundation
import Testing
import UndersongBase
import UndersongLibrary
import UndersongPlayback
import UndersongStore

@testable import UndersongService

/// A library in a folder of its own, as MPD's database.
private final class Music: Sendable {
    let database: MPDDatabase
    private let folder: URL

    init(_ files: [ScannedFile], in folders: [FilePath] = ["/m"]) async throws {
        folder = URL(filePath: "/tmp/mpd-database-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let store = LibraryStore(folder: folder.path, clock: SystemClock(), zone: .utc) { _ in }
        for path in folders { try await store.addFolder(path) }
        try await store.apply(files)
        database = MPDDatabase(store: store, folders: MPDFolders(folders))
    }

    deinit {
        database.store.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The entries of a folder as lines.
    func walk(_ uri: String, isRecursive: Bool = true) async throws -> [String] {
        var walk = try await database.walk(uri, isRecursive: isRecursive)
        var lines: [String] = []
        while let entries = try await walk.next() {
            lines += entries.map { entry in
                switch entry {
                case .folder(let uri, _): uri + "/"
                case .song(let found): found.song.uri
                }
            }
        }
        return lines
    }

    /// The URIs of the songs that a filter finds.
    func find(_ text: String...) async throws -> [String] {
        var matches = try await database.songs(try MPDFilter(text, ignoresCase: false))
        return try await matches.all().map(\.song.uri)
    }
}

@Suite struct `The library as MPD's database` {
    private let files: [ScannedFile] = [
        .made("/m/b/2.flac") { ($0.artists, $0.album, $0.number) = (["X"], "A", 2) },
        .made("/m/b/3.flac") { ($0.artists, $0.album, $0.number) = (["X"], "A", 1) },
        .made("/m/a/d/1.flac") { $0.artists = ["Y"] },
        .made("/m/r.flac") { $0.artists = ["X"] },
        .divided("/m/a/disc.flac", into: 2),
    ]

    @Test func `A folder is walked in MPD's order`() async throws {
        let music = try await Music(files)

        #expect(
            try await music.walk("") == [
                "r.flac", "a/", "a/disc.flac/", "a/disc.flac/track0001", "a/disc.flac/track0002",
                "a/d/", "a/d/1.flac", "b/", "b/3.flac", "b/2.flac",
            ])
        #expect(try await music.walk("b") == ["b/", "b/3.flac", "b/2.flac"])
    }

    @Test func `A folder is listed without what is below its folders`() async throws {
        let music = try await Music(files)

        #expect(try await music.walk("", isRecursive: false) == ["r.flac", "a/", "b/"])
        #expect(try await music.walk("a", isRecursive: false) == ["a/disc.flac/", "a/d/"])
        #expect(
            try await music.walk("a/disc.flac", isRecursive: false) == [
                "a/disc.flac/track0001", "a/disc.flac/track0002",
            ])
        #expect(try await music.walk("b/2.flac", isRecursive: false) == ["b/2.flac"])
        #expect(
            try await music.walk("a/disc.flac/track0002", isRecursive: false)
                == ["a/disc.flac/track0002"])
    }

    @Test(arguments: ["c", "b/", "b/4.flac", "..", "b/../a", "/m", "a/disc.flac/track0003"])
    func `What is not there is no folder`(uri: String) async throws {
        let music = try await Music(files)

        await #expect(throws: MPDError(.noExist, "No such directory")) {
            try await music.walk(uri)
        }
    }

    @Test func `Several folders are below the root by their names`() async throws {
        let music = try await Music(
            files + [.made("/n/x.flac")], in: ["/m/b", "/m/a", "/n"])

        #expect(try await music.walk("", isRecursive: false) == ["a/", "b/", "n/"])
        #expect(try await music.walk("n") == ["n/", "n/x.flac"])
        #expect(try await music.walk("a/d") == ["a/d/", "a/d/1.flac"])
    }

    @Test func `A filter finds songs in MPD's order`() async throws {
        let music = try await Music(files)

        #expect(try await music.find("artist", "X") == ["r.flac", "b/3.flac", "b/2.flac"])
        #expect(try await music.find("artist", "x") == [])
        #expect(try await music.find("(any == 'X')", "base", "b") == ["b/3.flac", "b/2.flac"])
        #expect(try await music.find("artist", "X", "base", "b") == ["b/3.flac", "b/2.flac"])
        #expect(try await music.find("(title == 'Part 2')") == ["a/disc.flac/track0002"])
        #expect(try await music.find("file", "b/2.flac") == ["b/2.flac"])
        #expect(try await music.find("file", "a/disc.flac/track0001") == ["a/disc.flac/track0001"])
        await #expect(throws: MPDError(.noExist, "No such directory")) {
            try await music.find("artist", "X", "base", "c")
        }
    }

    @Test func `A song is found by its URI, and by the file that the queue plays`() async throws {
        let music = try await Music(files)

        #expect(try await music.database.song("b/2.flac").track.path == "/m/b/2.flac")
        let part = TrackPart(start: 10, end: 20)
        #expect(try await music.database.song("a/disc.flac/track0002").track.part == part)
        let known = await music.database.tracks(of: ["/m/a/disc.flac", "/m/x", "/m/r.flac"])
        #expect(
            known.mapValues { $0.map(\.song.uri) } == [
                "/m/a/disc.flac": ["a/disc.flac/track0001", "a/disc.flac/track0002"],
                "/m/r.flac": ["r.flac"],
            ])
        await #expect(throws: MPDError(.noExist, "No such song")) {
            try await music.database.song("b")
        }
        await #expect(throws: MPDError(.noExist, "No such song")) {
            try await music.database.song("a/disc.flac")
        }
    }

    @Test func `Files that are missing are not there`() async throws {
        let music = try await Music(files)
        try await music.database.store.markMissing(below: "/m/b", since: 1)

        #expect(try await music.walk("", isRecursive: false) == ["r.flac", "a/"])
        #expect(try await music.find("artist", "X") == ["r.flac"])
    }
}
