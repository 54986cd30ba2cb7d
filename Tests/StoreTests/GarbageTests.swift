import Testing
import UndersongPlayback

@testable import UndersongStore

@Suite struct `Unused items` {
    let folder = TemporaryFolder()
    let memory = StoreMemory()

    @Test func `Unused items are removed if they were consumed and no undo can bring them back`()
        throws
    {
        let file = try open()
        let added = memory.itemStore.add((1...100).map { QueueEntry("\($0)") }).map(\.id)
        try file.save(PlayerRecord(added), as: .keep)

        for count in 1...70 { try file.save(PlayerRecord(Array(added[count...])), as: .keep) }
        try maintain(file)

        #expect(try numbers(file) == Array(71...100))
        #expect(try rows(file, of: "past") == 0)
        file.close()
        #expect(try open().durable.record.order.ids == Array(added[70...]))
    }

    @Test func `Unused items stay as long as an undo can bring them back`() throws {
        let file = try open()
        let added = memory.itemStore.add((1...100).map { QueueEntry("\($0)") }).map(\.id)
        try file.save(PlayerRecord(added), as: .keep)
        try file.save(PlayerRecord([]), as: .edit)

        for second in 1...100 {
            let more = memory.itemStore.add([QueueEntry("more")]).map(\.id)
            try file.save(
                PlayerRecord(more, at: CMTime(value: Int64(second), timescale: 1)), as: .keep)
            try maintain(file)
        }

        #expect(try Array(numbers(file).prefix(100)) == Array(1...100))
        #expect(try file.orderBeforeLastEdit()?.order.ids == added)
    }

    @Test func `Items stay if only the last edit names them, even if changes before it did too`()
        throws
    {
        let file = try open()
        let added = memory.itemStore.add((1...5).map { QueueEntry("\($0)") }).map(\.id)
        for _ in 1...40 {
            try file.save(PlayerRecord(added), as: .keep)
            try file.save(PlayerRecord(Array(added[2...])), as: .keep)
        }
        try file.save(PlayerRecord(added), as: .keep)
        try file.save(PlayerRecord([]), as: .edit)

        try maintain(file)

        #expect(try numbers(file) == Array(1...5))
        #expect(try rows(file, of: "edits") == 1)
        #expect(try file.orderBeforeLastEdit()?.order.ids == added)
    }

    @Test func `Unused items are removed once the edit can no longer be undone`() throws {
        let file = try open()
        for number in 1...200 {
            let item = memory.itemStore.add([QueueEntry("\(number)")]).map(\.id)
            try file.save(PlayerRecord(item), as: .edit)
        }

        try maintain(file)

        let left = try numbers(file)
        #expect(left.contains(200))
        #expect(left.contains(180))
        #expect(!left.contains(100))
        var orders = 0
        while let (order, position) = try file.orderBeforeLastEdit() {
            #expect(memory.itemStore.items(order.ids).count == order.ids.count)
            try file.save(PlayerRecord(order: order, position: position), as: .undo)
            orders += 1
        }
        #expect(orders == 20)
    }

    @Test func `Items staged for an edit that never came are removed on reopening`() throws {
        let file = try open()
        let kept = memory.itemStore.add((1...10).map { QueueEntry("\($0)") })
        try file.stage(kept)
        try file.save(PlayerRecord(kept.map(\.id)), as: .edit)
        try file.stage(memory.itemStore.add((1...5000).map { QueueEntry("\($0)") }))
        file.close()

        let later = try StateFile(in: folder.store, itemStore: StoredItems()) { _ in }
        try maintain(later)

        #expect(try numbers(later) == Array(1...10))
        #expect(later.durable.lastNumber == 5010)
    }

    @Test func `Items that were discarded are removed at once, and staged ones stay`() throws {
        let file = try open()
        let given = memory.itemStore.add((1...10).map { QueueEntry("\($0)") })
        let staged = memory.itemStore.add((11...20).map { QueueEntry("\($0)") })
        try file.stage(given)
        try file.stage(staged)

        #expect(memory.itemStore.forget(given.map(\.id)))
        file.garbage.isDue = true
        try maintain(file)

        #expect(try numbers(file) == Array(11...20))
        #expect(memory.itemStore.items(given.map(\.id)).isEmpty)
    }

    @Test func `Unused items stay while they are held for an edit that may be redone`() throws {
        let file = try open()
        let added = memory.itemStore.add((1...10).map { QueueEntry("\($0)") }).map(\.id)
        try file.save(PlayerRecord(Array(added[..<2])), as: .keep)
        try file.save(PlayerRecord(added), as: .edit)
        #expect(!memory.itemStore.hold(added))
        try file.save(PlayerRecord(Array(added[..<2])), as: .undo)
        file.garbage.isDue = true
        try maintain(file)
        let held = try numbers(file)

        #expect(memory.itemStore.hold([]))
        file.garbage.isDue = true
        try maintain(file)

        #expect(held == Array(1...10))
        #expect(try numbers(file) == [1, 2])
    }

    @Test func `Unused items return their space to the disk`() throws {
        let file = try open()
        try file.stage(memory.itemStore.add((1...20_000).map { QueueEntry("/music/\($0).mp3") }))
        #expect(memory.itemStore.forget((1...20_000).map { ItemID($0) }))
        file.garbage.isDue = true

        try maintain(file)

        let pages = try file.database.value("PRAGMA page_count") as Int?
        #expect(try #require(pages) < 400)
    }

    // MARK: Steps

    private func open() throws -> StateFile {
        // It makes the folder.
        let lock = try StateLock(folder.store)
        defer { lock.unlock() }
        return try StateFile(in: folder.store, itemStore: memory.itemStore) { _ in }
    }

    private func maintain(_ file: StateFile) throws { while try file.maintain() {} }

    private func numbers(_ file: StateFile) throws -> [Int] {
        let row = try file.database.statement("SELECT id FROM items ORDER BY id")
        var numbers: [Int] = []
        while try row.next() { numbers.append(row[0]) }
        return numbers
    }

    private func rows(_ file: StateFile, of table: String) throws -> Int? {
        try file.database.value("SELECT count(*) FROM \(table)")
    }
}
