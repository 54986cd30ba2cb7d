import Testing
import UndersongBase

@testable import UndersongPlayback

/// Edits as values, which a store saves before they are made.
@Suite struct `A change to the queue` {
    @Test func `A queue change inserts at the end, after the current item, or after any`() throws {
        var queue = PlaybackQueue(count: 3)
        let new = queue.stage([QueueEntry(.file(path: "/a")), QueueEntry(.file(path: "/b"))])

        try queue.apply(.insert([new[0]], .next, seed: 1))
        try queue.apply(.insert([new[1]], .after(ItemID(2)), seed: 1))
        let last = queue.stage([QueueEntry(.file(path: "/c"))])
        try queue.apply(.insert(last, .end, seed: 1))

        #expect(queue.numbers == [1, 4, 2, 5, 3, 6])
    }

    @Test func `A queue change has the same effect on a copy, also in a shuffled queue`() throws {
        var queue = PlaybackQueue(count: 3)
        var generator = SeededGenerator(seed: 1)
        queue.setShuffled(true, using: &generator)
        let new = queue.stage((0..<50).map { QueueEntry(.file(path: "/\($0)")) })
        var copy = queue

        try queue.apply(.insert(new, .end, seed: 7))
        try copy.apply(.insert(new, .end, seed: 7))

        #expect(queue.order == copy.order)
        #expect(Array(queue.ids.suffix(50)) != new)
        #expect(Array(queue.order.original?.suffix(50) ?? []) == new)
    }

    @Test(arguments: [[1, 3, 4], [1, 3, 4, 6, 7, 9, 10, 11, 12]])
    func `A queue change removes several at once, and makes the next remaining one current`(
        numbers: [Int]
    ) throws {
        var queue = PlaybackQueue(count: 12)
        try queue.jump(to: ItemID(3))

        try queue.apply(.remove(numbers.map { ItemID($0) }))

        #expect(queue.numbers == (1...12).filter { !numbers.contains($0) })
        #expect(queue.currentNumber == 5 && queue.index == 1)
    }

    @Test func `A queue change puts the items into another order, and keeps the current one`()
        throws
    {
        var queue = PlaybackQueue(count: 4)
        try queue.jump(to: ItemID(2))
        let order = [4, 2, 3, 1].map { ItemID($0) }

        try queue.apply(.reorder(order))
        #expect(queue.ids == order && queue.currentNumber == 2 && queue.index == 1)
        var generator = SeededGenerator(seed: 1)
        queue.setShuffled(true, using: &generator)
        try queue.apply(.reorder(order.reversed()))

        #expect(queue.ids == order.reversed() && queue.order.original == order.reversed())
    }

    @Test(arguments: [[1, 2], [1, 2, 2], [1, 2, 4], [1, 2, 3, 4]])
    func `A queue change rejects an order that does not have each item once`(numbers: [Int]) throws
    {
        var queue = PlaybackQueue(count: 3)
        let order = queue.order

        #expect(throws: QueueError.self) {
            try queue.apply(.reorder(numbers.map { ItemID($0) }))
        }
        #expect(queue.order == order)
    }

    @Test func `A queue change that names a missing item changes nothing`() throws {
        var queue = PlaybackQueue(count: 3)
        let order = queue.order

        #expect(
            throws: QueueError(
                .noSuchItem, operation: "remove item 9", reason: "the queue has no such item")
        ) { try queue.apply(.remove([ItemID(1), ItemID(9)])) }
        #expect(throws: QueueError.self) {
            try queue.apply(.insert([ItemID(1)], .after(ItemID(9)), seed: 1))
        }
        #expect(throws: QueueError.self) { try queue.apply(.move(ItemID(9), after: nil)) }

        #expect(queue.order == order)
    }

    @Test func `A queue change restores an earlier order, with its current item and shuffling`()
        throws
    {
        var queue = PlaybackQueue(count: 4)
        try queue.jump(to: ItemID(2))
        let plain = queue.order
        var generator = SeededGenerator(seed: 3)
        queue.setShuffled(true, using: &generator)
        let shuffled = queue.order

        try queue.apply(.restore(plain))
        #expect(queue.order == plain && !queue.modes.isShuffled && queue.currentNumber == 2)
        try queue.apply(.restore(shuffled))
        #expect(queue.order == shuffled && queue.modes.isShuffled)
    }
}
