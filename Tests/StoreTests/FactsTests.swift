import Glibc
import Testing
import UndersongPlayback

@testable import UndersongStore

/// Facts read from items' files.
@Suite struct `The data read from a file` {
    let folder = TemporaryFolder()
    private let facts = ItemFacts(
        title: "Song Number 1", duration: CMTime(value: 396_900, timescale: 44100),
        isDurationExact: true)

    private func makeQueue() async throws -> (StateStore, [ItemID]) {
        let store = folder.open()
        let ids = store.stage([
            QueueEntry("/1.mp3"), QueueEntry(.file(path: "/2.mp3"), title: "By the list"),
        ])
        try await store.commit(PlayerRecord(ids), as: .edit("add to the queue"))
        return (store, ids)
    }

    @Test func `What was read from a file survives the process being killed`() async throws {
        let (store, ids) = try await makeQueue()
        let copy = TemporaryFolder()

        store.learn(facts, of: ids[0])
        store.learn(ItemFacts(title: "By the tag"), of: ids[1])
        await store.flush()
        // A copy made while the file is open equals what a kill leaves on the disk.
        #expect(unsafe system("cp -r '\(folder.store)' '\(copy.store)'") == 0)

        let items = copy.open().items(ids)
        #expect(items.map(\.displayTitle) == ["Song Number 1", "By the tag"])
        #expect(items.map(\.facts) == [facts, ItemFacts(title: "By the tag")])
        #expect(items[1].title == "By the list")
    }

    @Test func `What was read from a file is known for an unsaved item, and saved with it`()
        async throws
    {
        let store = folder.open()
        let ids = store.stage([QueueEntry("/1.mp3")])

        store.learn(facts, of: ids[0])
        #expect(store.items(ids).map(\.facts) == [facts])
        try await store.commit(PlayerRecord(ids), as: .edit("add to the queue"))
        store.close()

        #expect(folder.open().items(ids).map(\.facts) == [facts])
    }

    @Test func `What was read from a file is found by every search while it is being written`()
        async throws
    {
        let (store, ids) = try await makeQueue()

        for number in 1...200 {
            store.learn(ItemFacts(title: "take\(number)x"), of: ids[0])
            #expect(
                await store.search(.text(nil, .contains, "take\(number)x"), limit: 9) == [ids[0]])
        }
    }
}
