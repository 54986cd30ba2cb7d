import Foundation
import Testing

@testable import UndersongBase

/// Changes in folders that are noticed.
@Suite struct `A folder watch` {
    private let root: FilePath
    private let changes = AsyncStream<FolderTreeWatch.Change>.makeStream()

    init() throws {
        let path = NSTemporaryDirectory() + "undersong-watch-\(UUID())"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        root = FilePath(path)
    }

    private func makeWatch() throws -> FolderTreeWatch {
        let stream = changes.continuation
        return try FolderTreeWatch(isRelevant: { $0.last == UInt8(ascii: "3") }) { changes in
            for change in changes { stream.yield(change) }
        }
    }

    private func path(_ name: String) -> FilePath { root.appending(Array(name.utf8)) }

    private func write(_ name: String) throws {
        try Data([1]).write(to: URL(filePath: path(name).description))
    }

    private func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: path(name).description, withIntermediateDirectories: true)
    }

    /// The next change that is not one of `ignored`.
    private func next(
        except ignored: FolderTreeWatch.Change? = nil
    ) async -> FolderTreeWatch.Change? {
        await changes.stream.first { $0 != ignored }
    }

    @Test(.timeLimit(.minutes(1)))
    func `A relevant file and a new folder are reported, another file is not`() async throws {
        let watch = try makeWatch()
        defer { watch.end() }
        try makeFolder("a")
        try watch.watch(root)
        try watch.watch(path("a"))

        try write("a/notes.txt")
        try write("a/1.mp3")
        let first = await next()
        try makeFolder("b")
        let second = await next(except: first)

        #expect(first == .changed(path("a"), isRecursive: false))
        #expect(second == .changed(root, isRecursive: false))
        #expect(watch.isWatched(path("a")) && !watch.isWatched(path("b")))
    }

    @Test(.timeLimit(.minutes(1)))
    func `A folder that moves away is watched no more`() async throws {
        let watch = try makeWatch()
        defer { watch.end() }
        try makeFolder("a/b")
        for name in ["a", "a/b"] { try watch.watch(path(name)) }
        try watch.watch(root)

        try FileManager.default.moveItem(
            atPath: path("a").description, toPath: path("c").description)
        var change = await next()
        while change != .changed(root, isRecursive: false) { change = await next() }

        #expect(!watch.isWatched(path("a")) && !watch.isWatched(path("a/b")))
        #expect(watch.isWatched(root))
    }

    @Test(.timeLimit(.minutes(1)))
    func `The arrival of a missing folder is reported, or of one above it`() async throws {
        let watch = try makeWatch()
        defer { watch.end() }
        watch.awaitArrival(of: path("disk/music"))

        try makeFolder("other")
        try makeFolder("disk")

        #expect(await next() == .changed(path("disk/music"), isRecursive: true))
    }

    @Test(.timeLimit(.minutes(1)))
    func `Changes that come while it is held are reported when it is released`() async throws {
        let watch = try makeWatch()
        defer { watch.end() }
        try makeFolder("a")
        try watch.watch(root)
        try watch.watch(path("a"))
        watch.hold()
        try write("a/1.mp3")
        watch.release()

        #expect(await next() == .changed(path("a"), isRecursive: false))
    }

    @Test func `A folder that is not there cannot be watched`() throws {
        let watch = try makeWatch()
        defer { watch.end() }
        #expect(throws: FolderTreeWatch.Problem.self) { try watch.watch(path("nowhere")) }
        #expect(!watch.isWatched(path("nowhere")))
    }

    @Test func `Paths within a folder are known by whole names`() {
        #expect(path("a/b").isWithin(root) && root.isWithin(root) && root.isWithin("/"))
        #expect(!FilePath("/musical").isWithin("/music"))
        #expect(!FilePath("/music").isWithin("/music/a"))
        let latin = FilePath(bytes: Array("/m/".utf8) + [0xE9, 0x2F, 0x61])
        #expect(latin.isWithin(FilePath(bytes: Array("/m/".utf8) + [0xE9])))
        #expect(!latin.isWithin("/m/\\xe9"))
        #expect((latin.parent.parent, FilePath("/a").parent) == ("/m", "/"))
    }
}
