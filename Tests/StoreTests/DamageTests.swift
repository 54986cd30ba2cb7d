import Glibc
import Testing
import UndersongBase
import UndersongPlayback
import UndersongPodcasts

@testable import UndersongStore

/// The contents of a file at any time, to compare with those recovered from damaged copies.
struct Committed: Sendable {
    var orders: Set<[ItemID]> = [[]]
    var paths: [ItemID: FilePath] = [:]
    /// The contents of the files, by file extension.
    var files: [String: [UInt8]] = [:]
}

@Suite struct `A damaged file` {
    /// A file with everything in the main file, and one with most in the write-ahead log.
    private static let closed = Task { try await makeFile(isClosed: true) }
    private static let live = Task { try await makeFile(isClosed: false) }
    /// A file of a long queue that has lost its first items, one by one.
    private static let long = Task { try await makeLongFile() }

    @Test(arguments: [true, false], 1...100)
    func `A damaged file is opened or set aside, and returns nothing that was not committed`(
        isClosed: Bool, seed: UInt64
    ) async throws {
        let committed = try await (isClosed ? Self.closed : Self.live).value
        var generator = SeededGenerator(seed: seed)
        let folder = TemporaryFolder()
        try write(damaged(committed.files, using: &generator), to: folder)
        let notices = Notices()

        let store = folder.open(notices)

        let order = store.record?.order ?? QueueOrder()
        if notices.all.isEmpty {
            #expect(committed.orders.contains(order.ids), "no such order")
        } else {
            let isPart = committed.orders.contains { self.isPart(order.ids, of: $0) }
            #expect(isPart, "no part of an order")
        }
        for item in store.items(order.ids) {
            #expect(committed.paths[item.id] == item.source.path)
        }
        let new = store.add([QueueEntry("new")])
        // A log that lost its end is an older state, which cannot be detected.
        let isOlder = !isClosed || store.record == nil
        #expect(isOlder || committed.paths[new[0]] == nil, "the id was given before")
        try await store.commit(PlayerRecord(order.ids + new), as: .edit("add"))
        store.close()
        #expect(folder.open().record?.order.ids == order.ids + new)
    }

    @Test func `A file that is not a database is set aside`() throws {
        let folder = TemporaryFolder()
        try write(["": Array(repeating: 0x41, count: 10_000)], to: folder)
        let notices = Notices()

        let store = folder.open(notices)

        #expect(store.record == PlayerRecord())
        #expect(
            notices.all == [
                .setAside(
                    path: folder.database + ".damaged-1",
                    lost: "the queue, the position and the settings, the undo history")
            ])
        #expect(try read(folder.database + ".damaged-1") == Array(repeating: 0x41, count: 10_000))
    }

    @Test func `A damaged file loses only the item whose row is damaged`() async throws {
        let folder = TemporaryFolder()
        let store = folder.open()
        let added = store.add((1...100).map { QueueEntry("/music/number \($0).mp3") })
        try await store.commit(PlayerRecord(added), as: .edit("add"))
        store.close()
        var bytes = try read(folder.database)
        let text = Array("number 50.mp3".utf8)
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: text) })
        bytes[place + 7] = UInt8(ascii: "9")
        try write(["": bytes], to: folder)

        let later = folder.open()

        #expect(later.record?.order.ids == added)
        #expect(later.items(added).count == 99)
        #expect(later.items([ItemID(50)]).isEmpty)
        #expect(later.items([ItemID(90)]).map(\.source.path) == ["/music/number 90.mp3"])
    }

    @Test func `A damaged file loses no item if a page that leads to the others is lost`()
        async throws
    {
        let folder = TemporaryFolder()
        let store = folder.open()
        let added = store.stage((1...3000).map { QueueEntry("/music/number \($0).mp3") })
        try await store.commit(PlayerRecord(added), as: .edit("add"))
        store.learn(ItemFacts(title: "One"), of: added[0])
        await store.flush()
        store.close()
        var root: Int?
        try folder.edit {
            root = try $0.value("SELECT rootpage FROM sqlite_schema WHERE name = 'items'")
        }
        let page = try #require(root) - 1
        var bytes = try read(folder.database)
        for place in page * 4096..<(page + 1) * 4096 { bytes[place] = 0 }
        try write(["": bytes], to: folder)
        let notices = Notices()

        let later = folder.open(notices)

        let isWhole = later.record?.order.ids == added && later.items(added).count == 3000
        #expect(isWhole, "an item is lost")
        #expect(
            later.items([added[0], added[2999]]).map(\.displayTitle) == ["One", "number 3000.mp3"])
        #expect(
            notices.texts.map { $0.split(separator: ": ").last } == [
                "the last edits, the undo history"
            ])
    }

    @Test(arguments: [
        "UPDATE runs SET place = place + 1 WHERE id = 9", "DELETE FROM runs WHERE id = 9",
        "UPDATE runs SET list = 1 WHERE id = 9", "DELETE FROM runs", "DROP TABLE runs",
        "UPDATE runs SET since = since - 1 WHERE id = 9",
        "UPDATE runs SET ids = zeroblob(length(ids)) WHERE id = 9",
        "UPDATE state SET runs_total = 1", "UPDATE state SET settings = '{}'",
        "UPDATE state SET sequence = 4", "UPDATE state SET is_shuffled = 1", "DELETE FROM state",
        "UPDATE state SET checksum = 'unknown'",
        "UPDATE past SET place = 1",
    ])
    func `A file with altered rows is set aside`(sql: String) async throws {
        let committed = try await Self.long.value
        let folder = TemporaryFolder()
        try write(committed.files, to: folder)
        try folder.edit { try $0.execute(sql) }
        let notices = Notices()

        let order = folder.open(notices).record?.order ?? QueueOrder()

        #expect(notices.texts.count == 1)
        let isPart = committed.orders.contains { self.isPart(order.ids, of: $0) }
        #expect(isPart, "no part of an order")
    }

    @Test func `A damaged file keeps the order of every run whose row is intact`() async throws {
        let folder = TemporaryFolder()
        let store = folder.open()
        let added = store.stage((1...1024).map { QueueEntry("\($0)") })
        let order = Array(added[512...] + added[..<512])
        try await store.commit(PlayerRecord(added), as: .edit("add"))
        try await store.commit(PlayerRecord(order), as: .edit("move"))
        store.close()
        try folder.edit { db in
            try db.execute(
                """
                UPDATE runs SET ids = zeroblob(1024)
                WHERE place = (SELECT place FROM runs ORDER BY place LIMIT 1 OFFSET 2)
                """)
        }
        let notices = Notices()

        let later = folder.open(notices)

        let isRest = later.record?.order.ids == Array(order[..<512] + order[768...])
        #expect(isRest, "not all but the third run")
        #expect(
            notices.texts.first?.hasSuffix("damaged-1: the last edits, the undo history") == true)
    }

    @Test func `A damaged file loses nothing but what is damaged beside the queue`() async throws {
        let (folder, notices) = (TemporaryFolder(), Notices())
        let store = folder.open()
        let position = ResumePoint(seconds: 1, duration: 2, isFinished: false, lastPlayed: 3)
        let heard = PlayedEntry(path: "/a.mp3", title: "A", began: 1, seconds: 2)
        let analysis = AnalysisRecord(
            stamp: FileStamp(size: 1, modified: 2), date: 3, outcome: .crashed(count: 4))
        let feed = Feed(id: 1, url: "https://a/feed")
        let episode = Episode(id: 8, feed: 1, key: "x", title: "X", state: .wanted)
        store.keepPosition(position, of: "/a.mp3")
        store.addToHistory(heard)
        await withCheckedContinuation { done in
            store.keep(analysis, of: "/a.mp3") { _ in done.resume() }
        }
        try await store.save(FeedChange(feeds: [feed], episodes: [episode]))
        let changes = try (1...999).map {
            try RecordChange.keep($0, in: "numbers", as: RecordChange.key($0))
        }
        try await store.keep(changes, isDurable: true)
        try await store.commit(PlayerRecord(store.add([QueueEntry("/a")])), as: .edit("add"))
        store.close()
        try folder.edit { db in
            try db.execute("UPDATE runs SET since = since + 1")
            try db.execute("UPDATE records SET value = '7' WHERE value = '500'")
        }

        let later = folder.open(notices)

        #expect(
            notices.texts.map { $0.split(separator: "damaged-1: ").last } == [
                "1 of 1000 records, the queue, the undo history"
            ])
        #expect(later.resumePosition(of: "/a.mp3") == position)
        #expect(await later.history(limit: 9) == [heard])
        #expect(later.analysis(of: "/a.mp3") == analysis)
        #expect(try await later.feeds().feeds == [feed])
        #expect(try await later.episode(8) == episode)
        let numbers = await later.records(Int.self, in: "numbers").map(\.value)
        #expect(numbers == (1...999).filter { $0 != 500 })
    }

    @Test func `A file is set aside if reading an item reveals the damage`() async throws {
        let folder = TemporaryFolder()
        let store = folder.open()
        let added = store.stage((1...80_000).map { QueueEntry("/music/of some length/\($0).mp3") })
        try await store.commit(PlayerRecord(added), as: .edit("add"))
        store.close()
        var bytes = try read(folder.database)
        for place in 1_000_000..<1_100_000 { bytes[place] = 0xa5 }
        try write(["": bytes], to: folder)
        let notices = Notices()
        let later = folder.open(notices)
        #expect(notices.all == [])

        var next = 0
        while notices.all.isEmpty, next < added.count {
            _ = later.items(Array(added[next..<next + 100]))
            next += 100
        }
        await later.flush()

        #expect(notices.texts.first?.contains("damaged-1: ") == true)
        #expect(later.items(added).count > 75_000)
        #expect(later.trouble == nil)
    }

    @Test func `A large damaged file is checked later, and set aside then`() async throws {
        let folder = TemporaryFolder()
        let store = folder.open()
        let added = (0..<40).flatMap { _ in
            store.stage((0..<2000).map { QueueEntry("/music/of some length/number \($0).mp3") })
        }
        try await store.commit(PlayerRecord(added), as: .edit("add"))
        store.close()
        var bytes = try read(folder.database)
        for place in 1_000_000..<1_100_000 { bytes[place] = 0 }
        try write(["": bytes, "-wal": []], to: folder)
        let notices = Notices()

        let later = folder.open(notices)
        let isKnown = later.record?.order.ids == added
        #expect(isKnown, "the order is not in the damaged pages")
        await notices.wait(for: 1)
        await later.flush()

        #expect(notices.texts.first?.contains("damaged-1: ") == true)
        #expect(later.trouble == nil)
        let found = later.items(added)
        #expect(found.count > 78_000)
        #expect(found.count < 80_000)
        let isRight = found.allSatisfy { item in
            item.source.path.string
                == "/music/of some length/number \((item.id.number - 1) % 2000).mp3"
        }
        #expect(isRight, "an item is not what it was")
        later.close()
        let isKept = folder.open().record?.order.ids == added
        #expect(isKept, "the order is not what it was")
    }

    // MARK: Steps

    private static func makeFile(isClosed: Bool) async throws -> Committed {
        let folder = TemporaryFolder()
        var committed = Committed()
        var store = folder.open()
        var queue = PlaybackQueue(itemStore: store)
        var generator = SeededGenerator(seed: 7)
        for round in 0..<40 {
            let new = store.stage((0..<20).map { QueueEntry("/music/round \(round)/\($0).mp3") })
            for item in store.items(new) { committed.paths[item.id] = item.source.path }
            let all = queue.ids
            for change in [
                QueueChange.insert(new, .end, seed: 0),
                .remove(Array(all.shuffled(using: &generator).prefix(3))),
                .move(new[0], after: all.isEmpty ? new[5] : nil),
            ] {
                try queue.apply(change)
                committed.orders.insert(queue.ids)
                try await store.commit(PlayerRecord(queue.ids), as: .edit("edit"))
            }
            guard round == 20 else { continue }
            store.close()
            store = folder.open()
            let order = queue.order
            queue = PlaybackQueue(itemStore: store)
            queue.restore(order)
        }
        if isClosed { store.close() }
        committed.files = try files(in: folder)
        return committed
    }

    private static func makeLongFile() async throws -> Committed {
        let folder = TemporaryFolder()
        var committed = Committed()
        let store = folder.open()
        let added = store.stage((1...20_000).map { QueueEntry("\($0)") })
        for count in [0, 1, 2, 3, 4] {
            committed.orders.insert(Array(added[count...]))
            try await store.commit(PlayerRecord(Array(added[count...])), as: .edit("edit"))
        }
        store.close()
        committed.files = try files(in: folder)
        return committed
    }

    private static func files(in folder: TemporaryFolder) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for ending in ["", "-wal"] where access(folder.database + ending, F_OK) == 0 {
            files[ending] = try read(folder.database + ending)
        }
        return files
    }

    /// The files with one truncated, or with some bytes changed.
    private func damaged(
        _ files: [String: [UInt8]], using generator: inout SeededGenerator
    ) -> [String: [UInt8]] {
        var files = files
        for ending in files.keys.sorted() {
            guard var bytes = files[ending], Int.random(in: 0..<3, using: &generator) > 0 else {
                continue
            }
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: bytes.removeLast(Int.random(in: 0...bytes.count, using: &generator))
            case 1:
                for _ in 0..<Int.random(in: 1...20, using: &generator) where !bytes.isEmpty {
                    let place = Int.random(in: 0..<bytes.count, using: &generator)
                    bytes[place] = .random(in: 0...255, using: &generator)
                }
            default:
                let place = Int.random(in: 0...bytes.count, using: &generator) / 4096 * 4096
                for index in place..<min(place + 4096, bytes.count) { bytes[index] = 0 }
            }
            files[ending] = bytes
        }
        return files
    }

    private func isPart(_ ids: [ItemID], of order: [ItemID]) -> Bool {
        var rest = ids[...]
        for id in order where rest.first == id { rest = rest.dropFirst() }
        return rest.isEmpty
    }

    private func write(_ files: [String: [UInt8]], to folder: TemporaryFolder) throws {
        mkdir(folder.store, 0o700)
        for (ending, bytes) in files {
            let file = try #require(fopen(folder.database + ending, "w"))
            #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
            fclose(file)
        }
    }

    private func read(_ path: String) throws -> [UInt8] { try Self.read(path) }

    private static func read(_ path: String) throws -> [UInt8] {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 24)
        bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
        return bytes
    }
}
