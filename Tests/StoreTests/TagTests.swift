import Foundation
import Testing
import UndersongPlayback

@testable import UndersongStore

/// Titles, artists and albums that are read before an item plays.
@Suite struct `Tags of items` {
    let folder = TemporaryFolder()
    private let facts = ItemFacts(
        title: "Slack Water", duration: CMTime(value: 30, timescale: 1), isDurationExact: true,
        artist: "The Undersongs", album: "Tides")

    private func makeQueue(_ count: Int = 3) async throws -> (StateStore, [ItemID]) {
        let store = folder.open()
        let ids = store.stage(
            (1...count).map {
                QueueEntry(
                    .file(path: "/\($0).mp3"), duration: CMTime(value: 9, timescale: 1))
            })
        try await store.commit(PlayerRecord(ids), as: .edit("add to the queue"))
        return (store, ids)
    }

    @Test func `Tags are missing until a file was read, even if a playlist gave its length`()
        async throws
    {
        let (store, ids) = try await makeQueue()

        store.learn([(ids[1], facts)])
        await store.flush()

        #expect(await store.unreadFiles(after: nil, limit: 9)?.map(\.id) == [ids[0], ids[2]])
        #expect(await store.unreadFiles(after: ids[0], limit: 9)?.map(\.path) == ["/3.mp3"])
        #expect(await store.unreadFiles(after: nil, limit: 1)?.map(\.id) == [ids[0]])
    }

    @Test func `Tags survive the process`() async throws {
        let (store, ids) = try await makeQueue()

        store.learn([(ids[0], facts), (ids[2], ItemFacts())])
        await store.flush()
        store.close()
        let again = folder.open()

        #expect(again.items(ids).map(\.facts?.artist) == ["The Undersongs", nil, nil])
        #expect(again.items(ids)[0].facts == facts)
        #expect(await again.unreadFiles(after: nil, limit: 9)?.map(\.id) == [ids[1]])
    }

    @Test func `Tags and lengths that were given stay if the file says nothing`() async throws {
        let (store, ids) = try await makeQueue()

        store.learn([(ids[0], ItemFacts())])
        await store.flush()

        #expect(store.items([ids[0]]).first?.facts?.duration?.seconds == 9)
        #expect(await store.unreadFiles(after: nil, limit: 9)?.map(\.id) == [ids[1], ids[2]])
    }

    @Test func `Tags of a file of items that cannot be read are not taken for known`() async throws
    {
        let (store, ids) = try await makeQueue()
        let (file, away) = (folder.database, folder.path + "/away.sqlite")
        await store.flush()

        try FileManager.default.moveItem(atPath: file, toPath: away)
        let hidden = await store.unreadFiles(after: nil, limit: 9)
        let isWhole = await store.forEachItem { _ in }
        try FileManager.default.moveItem(atPath: away, toPath: file)

        #expect(hidden == nil && !isWhole)
        #expect(await store.unreadFiles(after: nil, limit: 9)?.map(\.id) == ids)
    }

    @Test func `Tags do not replace what a file said when it was played`() async throws {
        let (store, ids) = try await makeQueue()
        let played = ItemFacts(title: "Played", isDurationExact: true)
        store.learn(played, of: ids[0])

        store.learn([(ids[0], facts)])

        #expect(store.items([ids[0]]).first?.facts == played)
    }

    @Test func `Tags survive damage elsewhere in the file`() async throws {
        let (store, ids) = try await makeQueue()
        store.learn([(ids[0], facts)])
        await store.flush()
        store.close()
        try folder.edit { try $0.execute("UPDATE items SET title = 'x' WHERE id = \(ids[2])") }

        let later = folder.open()

        #expect(later.items([ids[0]]).first?.facts == facts)
    }
}
