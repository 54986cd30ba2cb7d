import TestSupport
import Testing
import UndersongBase
import UndersongPlayback

@testable import UndersongStore

/// The rows of the queue, driven by random changes.
@Suite struct `The rows of a queue` {
    let folder = TemporaryFolder()
    let memory = StoreMemory()

    private func open() throws -> StateFile {
        // It makes the folder.
        let lock = try StateLock(folder.store)
        defer { lock.unlock() }
        return try StateFile(in: folder.store, itemStore: memory.itemStore) { _ in }
    }

    @Test(arguments: 1...40)
    func `The rows of a queue reproduce every order, and the one before each edit`(seed: UInt64)
        throws
    {
        var generator = SeededGenerator(seed: seed)
        var file = try open()
        var order = QueueOrder()
        // The order before each edit that was not undone.
        var before: [QueueOrder] = []

        for _ in 0..<120 {
            let old = order
            if Int.random(in: 0..<6, using: &generator) == 0, let last = before.popLast() {
                order = try #require(try file.orderBeforeLastEdit()).order
                #expect(order == last)
                try file.save(PlayerRecord(order: order), as: .undo)
            } else {
                let isEdit = Bool.random(using: &generator)
                order = changed(order, isEdit: isEdit, using: &generator)
                try file.save(PlayerRecord(order: order), as: isEdit ? .edit : .keep)
                if !isEdit { before = before.map { left($0, old, order) } }
                if isEdit, old.ids != order.ids || old.original != order.original {
                    before = Array((before + [old]).suffix(20))
                }
            }
            while Bool.random(using: &generator), try file.maintain() {}
            guard Int.random(in: 0..<9, using: &generator) == 0 else { continue }
            file.close()
            file = try open()
            #expect(file.durable.record.order == order)
        }

        for last in before.reversed() {
            #expect(try file.orderBeforeLastEdit()?.order == last)
            try file.save(PlayerRecord(order: last), as: .undo)
        }
        #expect(try file.orderBeforeLastEdit() == nil)
    }

    @Test func `The rows of a queue find room between two neighbours for any number of items`()
        throws
    {
        let file = try open()
        var list = memory.itemStore.add((1...1500).map { QueueEntry("\($0)") }).map(\.id)
        try file.save(PlayerRecord(list), as: .keep)

        for number in 1...100 {
            list.insert(memory.itemStore.add([QueueEntry("new \(number)")])[0].id, at: 700)
            try file.save(PlayerRecord(list), as: .edit)
        }
        file.close()

        #expect(try open().durable.record.order.ids == list)
    }

    // MARK: Steps

    /// The order after an edit, or after a change by the player itself, which consumes or shuffles
    /// items.
    private func changed(
        _ order: QueueOrder, isEdit: Bool, using generator: inout SeededGenerator
    ) -> QueueOrder {
        var order = order
        let place = Int.random(in: 0...order.ids.count, using: &generator)
        switch Int.random(in: 0..<(isEdit ? 4 : 2), using: &generator) {
        case 0 where !isEdit:
            order.original = order.original == nil ? order.ids : nil
            if order.original != nil { order.ids.shuffle(using: &generator) }
        case 0: order = QueueOrder(original: order.original == nil ? nil : [])
        case 1:
            let gone = order.ids.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 }
            order.ids.removeAll(where: gone.contains)
            order.original?.removeAll(where: gone.contains)
        case 2 where !order.ids.isEmpty:
            let moved = order.ids.remove(at: place % order.ids.count)
            order.ids.insert(moved, at: Int.random(in: 0...order.ids.count, using: &generator))
        default:
            let count = Int.random(in: 1...30, using: &generator)
            let new = memory.itemStore.add((1...count).map { QueueEntry("\($0)") }).map(\.id)
            order.ids.insert(contentsOf: new, at: place)
            order.original?.append(contentsOf: new)
        }
        order.current = order.ids.first
        return order
    }

    /// An earlier order without what was consumed by changes other than edits. Its first item is
    /// current.
    private func left(_ earlier: QueueOrder, _ old: QueueOrder, _ new: QueueOrder) -> QueueOrder {
        let gone = Set(old.ids).subtracting(new.ids)
        let ids = earlier.ids.filter { !gone.contains($0) }
        return QueueOrder(
            ids: ids, original: earlier.original?.filter { !gone.contains($0) },
            current: ids.first)
    }
}
