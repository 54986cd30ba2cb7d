import Glibc
import TestSupport
import Testing
import UndersongBase
import UndersongLibrary

@testable import UndersongStore

@Suite struct `A library on a failing disk` {
    let folder = TemporaryFolder()
    let notices = Notices()

    /// Makes a library of rated tracks, and returns them by their paths.
    private func make(_ count: Int) async throws -> [FilePath: Track] {
        let store = folder.openLibrary()
        try await store.addFolder("/m")
        _ = try await store.save("rating:5", as: "best")
        for start in stride(from: 0, to: count, by: 200) {
            try await store.apply(
                (start..<min(start + 200, count)).map { index in
                    ScannedFile(
                        "/m/\(index / 9)/\(index).flac", title: "Title \(index)",
                        artists: ["Artist \(index / 50)"], size: Int64(index + 1))
                })
        }
        let ids = try #require(await store.ids(LibraryQuery()))
        store.countPlay(of: ids[0], at: 9)
        for id in ids.prefix(60) { _ = try await store.rate(ids: [id], rating: 1 + id % 5) }
        let tracks = await store.tracks(ids: ids)
        store.close()
        return Dictionary(uniqueKeysWithValues: tracks.map { ($0.path, $0) })
    }

    @Test(.rule("LB46"), arguments: 1...10 as ClosedRange<UInt64>)
    func `A damaged library returns nothing that was not in it, and most of what was`(
        seed: UInt64
    ) async throws {
        let all = try await make(2000)
        var generator = SeededGenerator(seed: seed)
        let size = size(of: folder.library)
        // A page, or a part of one.
        let length = [1, 16, 512, 4096, 16384][Int.random(in: 0..<5, using: &generator)]
        let start = Int.random(in: 0..<size / length, using: &generator) * length
        overwrite(folder.library, at: start, with: length, using: &generator)

        let store = folder.openLibrary(notices)
        // Each of these may find the damage, and finds none after that.
        _ = await store.tracks(LibraryQuery(.word("title")))
        _ = try? await store.apply([ScannedFile("/m/new.flac", size: 1)])
        _ = await store.tracks(ids: Array(0..<2100))
        _ = await store.folders()
        let ids = try #require(await store.ids(LibraryQuery()))
        let found = await store.tracks(ids: ids)

        #expect(store.trouble == nil)
        #expect(Set(found.map(\.path)).count == found.count, "no track twice")
        for track in found where track.path != "/m/new.flac" {
            #expect(all[track.path] == track)
        }
        // A page has some tracks; the index of them can be made again.
        #expect(found.count > 1800, "at \(start), \(length) bytes")
        #expect(Set(await store.ids(LibraryQuery(.word("flac"))) ?? []) == Set(ids))
        store.close()
        let again = folder.openLibrary(notices)
        #expect(await again.ids(LibraryQuery())?.count == ids.count)
        #expect(notices.all.count <= 1)
    }

    @Test(.rule("LB46"))
    func `A library without its index has it again, and nothing is lost`() async throws {
        let all = try await make(1000)
        try folder.editLibrary { try $0.execute("UPDATE facts SET bytes = x'00'") }

        let store = folder.openLibrary(notices)
        _ = await store.tracks(LibraryQuery())
        // The file is replaced before anything is written.
        try await store.addFolder("/later")

        let found = await store.tracks(ids: try #require(await store.ids(LibraryQuery())))
        #expect(Set(found) == Set(all.values))
        #expect(await store.folders()?.map(\.path) == ["/m", "/later"])
        #expect(await store.savedQueries() == [SavedQuery(name: "best", query: "rating:5")])
        #expect(notices.texts == ["\(folder.library).damaged-1: nothing of the library"])
    }

    @Test(.rule("LB47"))
    func `A full disk is named, and nothing is lost`() async throws {
        let store = folder.openLibrary(notices)
        try await store.apply([ScannedFile("/m/a.flac", title: "A")])
        await store.execute("PRAGMA max_page_count = 1")

        let many = (0..<500).map { ScannedFile("/m/\($0).flac", title: "Title", size: Int64($0)) }
        let failure = await failure { try await store.apply(many) }

        let reason = "No space left on device"
        #expect(failure?.description == "cannot keep the library in \(folder.store): \(reason)")
        #expect((failure?.code, store.trouble?.code) == (.diskFull, .diskFull))
        #expect(await store.ids(LibraryQuery())?.count == 1)
        #expect(store.trackCount == 1)
        await store.execute("PRAGMA max_page_count = 1000000")
        try await store.apply(many)
        #expect(store.trouble == nil)
        #expect(await store.tracks(LibraryQuery(.word("title")))?.count == 500)
        #expect(notices.texts.last == "ended")
    }

    @Test(.rule("LB47"))
    func `A count waits until it can be written, and a rating is refused`() async throws {
        let store = folder.openLibrary(notices)
        try await store.apply([ScannedFile("/m/a.flac", title: "A")])
        let id = try #require(await store.track(of: "/m/a.flac")?.id)
        await store.execute("PRAGMA query_only = ON")

        store.countPlay(of: id, at: 1)
        let failure = await failure { _ = try await store.rate(ids: [id], rating: 1) }

        #expect(failure?.code == .readOnly)
        #expect(await store.track(of: "/m/a.flac")?.rating == nil)
        await store.execute("PRAGMA query_only = OFF")
        store.countSkip(of: id)
        try await store.addFolder("/m")
        let track = await store.track(of: "/m/a.flac")
        #expect((track?.rating, track?.playCount, track?.skipCount) == (nil, 1, 1))
        #expect(notices.texts.last == "ended")
    }

    @Test func `A library without a folder finds nothing, and says why`() async throws {
        let store = LibraryStore(folder: nil, clock: SystemClock()) { _ in }

        let failure = await failure { try await store.addFolder("/m") }

        #expect(failure?.description == "cannot keep the library: there is no folder for it")
        #expect(await store.tracks(LibraryQuery()) == nil)
    }

    private func failure(_ body: () async throws -> Void) async -> StoreTrouble? {
        do {
            try await body()
            return nil
        } catch {
            return error as? StoreTrouble
        }
    }

    private func size(of path: String) -> Int {
        var information = stat()
        return unsafe stat(path, &information) == 0 ? Int(information.st_size) : 0
    }

    private func overwrite(
        _ path: String, at start: Int, with count: Int, using generator: inout SeededGenerator
    ) {
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let file = open(path, O_WRONLY)
        defer { close(file) }
        _ = unsafe pwrite(file, bytes, count, off_t(start))
    }
}

extension LibraryStore {
    /// Runs SQL on the connection that writes.
    fileprivate func execute(_ sql: String) async {
        await withCheckedContinuation { continuation in
            memory.mailbox.post(
                .run { keeper in
                    try? keeper.file?.database.execute(sql)
                    continuation.resume()
                })
        }
    }
}
