import TestSupport
import Testing
import UndersongBase
import UndersongPlayback

private let entry = QueueEntry(.file(path: "/new.mp3"))

@Suite struct `A shuffled queue` {
    /// Shuffled by a generator with a fixed seed.
    private static func make(count: Int, current: Int = 1, seed: Int = 7) -> PlaybackQueue {
        var queue = PlaybackQueue(count: count)
        queue.advance(to: ItemID(current))
        var generator = SeededGenerator(seed: seed)
        queue.setShuffled(true, using: &generator)
        return queue
    }

    private static func unshuffle(_ queue: inout PlaybackQueue) {
        var generator = SeededGenerator(seed: 1)
        queue.setShuffled(false, using: &generator)
    }

    @Test
    func `A shuffled queue keeps the current item and what was played, and reorders the rest`() {
        let queue = Self.make(count: 20, current: 4)

        #expect(queue.modes.isShuffled)
        #expect(queue.currentNumber == 4)
        #expect(queue.index == 3)
        #expect(Array(queue.numbers.prefix(4)) == [1, 2, 3, 4])
        #expect(queue.numbers.dropFirst(4).sorted() == Array(5...20))
        #expect(Array(queue.numbers.dropFirst(4)) != Array(5...20))
    }

    @Test func `A shuffled queue has all orders of the coming items about equally often`() {
        var counts: [[Int]: Int] = [:]

        for seed in 0..<600 {
            counts[Self.make(count: 4, seed: seed).numbers, default: 0] += 1
        }

        #expect(counts.keys.allSatisfy { $0.first == 1 })
        #expect(counts.count == 6)
        #expect(counts.values.allSatisfy { (70...130).contains($0) })
    }

    @Test func `A shuffled queue finds its items at their new places`() {
        let queue = Self.make(count: 20)

        #expect(queue.items.map { queue.index(of: $0.id) } == Array(0..<20))
        #expect(queue.items.allSatisfy { queue.item($0.id) == $0 })
    }

    @Test func `A shuffled queue is reordered as a whole if no item is current`() {
        var queue = PlaybackQueue(count: 20)
        queue.advance(to: nil)
        var generator = SeededGenerator(seed: 7)

        queue.setShuffled(true, using: &generator)

        #expect(queue.current == nil)
        #expect(queue.index == 20)
        #expect(queue.numbers.sorted() == Array(1...20))
        #expect(queue.numbers.first != 1)
    }

    @Test(.rule("T35")) func `A shuffled queue plays the same order again with repeat all`() {
        var queue = Self.make(count: 9, current: 2)
        queue.repeatMode = .all
        let order = queue.numbers

        var heard: [Int] = []
        for _ in 0..<18 {
            guard let current = queue.current, case .play(let next) = queue.following(current.id)
            else { break }
            heard.append(current.id.number)
            queue.advance(to: next.id)
        }

        #expect(heard == order.dropFirst() + order + order.prefix(1))
        #expect(queue.currentNumber == 2)
    }

    @Test func `A shuffled queue is not shuffled again if it is shuffled already`() {
        var queue = Self.make(count: 20)
        let order = queue.numbers
        var generator = SeededGenerator(seed: 8)

        queue.setShuffled(true, using: &generator)

        #expect(queue.numbers == order)
    }

    @Test func `A shuffled queue returns to exactly the original order, at the same item`() throws {
        var queue = Self.make(count: 20, current: 3)
        try queue.jump(to: ItemID(15))

        Self.unshuffle(&queue)

        #expect(!queue.modes.isShuffled)
        #expect(queue.numbers == Array(1...20))
        #expect(queue.currentNumber == 15)
        #expect(queue.index == 14)
    }

    @Test func `A shuffled queue returns to the original order after the end too, and stays there`()
    {
        var queue = Self.make(count: 9)
        queue.advance(to: nil)

        Self.unshuffle(&queue)

        #expect(queue.numbers == [1, 2, 3, 4, 5, 6, 7, 8, 9])
        #expect(queue.current == nil)
        #expect(queue.index == 9)
    }

    @Test func `A shuffled queue appends items at the end of both orders`() {
        var queue = Self.make(count: 9)

        queue.append([entry, entry])
        #expect(Array(queue.numbers.suffix(2)) == [10, 11])

        Self.unshuffle(&queue)
        #expect(queue.numbers == Array(1...11))
    }

    @Test func `A shuffled queue inserts items directly after another in both orders`() throws {
        var queue = Self.make(count: 9)

        try queue.insert([entry, entry], after: ItemID(5))
        let place = try #require(queue.index(of: ItemID(5)))
        #expect(Array(queue.numbers[(place + 1)...(place + 2)]) == [10, 11])

        Self.unshuffle(&queue)
        #expect(queue.numbers == [1, 2, 3, 4, 5, 10, 11, 6, 7, 8, 9])
    }

    @Test func `A shuffled queue inserts items next after the current one in both orders`() throws {
        var queue = Self.make(count: 9)
        try queue.jump(to: ItemID(4))

        queue.insertNext([entry])
        #expect(queue.next(after: ItemID(4))?.id == ItemID(10))

        Self.unshuffle(&queue)
        #expect(queue.numbers == [1, 2, 3, 4, 10, 5, 6, 7, 8, 9])
    }

    @Test func `A shuffled queue moves items after the same item in both orders`() throws {
        var queue = Self.make(count: 6)

        try queue.move(ItemID(2), after: ItemID(5))
        #expect(queue.previous(before: ItemID(2))?.id == ItemID(5))
        try queue.move(ItemID(6), after: nil)
        #expect(queue.numbers.first == 6)

        Self.unshuffle(&queue)
        #expect(queue.numbers == [6, 1, 3, 4, 5, 2])
        #expect(queue.currentNumber == 1)
    }

    @Test func `A shuffled queue forgets removed and consumed items in both orders`() {
        var queue = Self.make(count: 6)
        queue.isConsuming = true

        queue.remove(ItemID(4))
        queue.advance(to: ItemID(3))

        Self.unshuffle(&queue)
        #expect(queue.numbers == [2, 3, 5, 6])
        #expect(queue.currentNumber == 3)
    }

    @Test func `A shuffled queue starts over when all items are removed`() {
        var queue = Self.make(count: 6)

        queue.removeAll()
        queue.append([entry, entry])
        Self.unshuffle(&queue)

        #expect(queue.numbers == [7, 8])
    }

    @Test func `A shuffled queue can shuffle added items among themselves, and keeps its order`() {
        var queue = Self.make(count: 4)
        let order = queue.numbers
        var generator = SeededGenerator(seed: 7)

        let ids = queue.append(Array(repeating: entry, count: 16), using: &generator)

        #expect(ids.map(\.number) == Array(5...20))
        #expect(Array(queue.numbers.prefix(4)) == order)
        #expect(queue.numbers.dropFirst(4).sorted() == Array(5...20))
        #expect(Array(queue.numbers.dropFirst(4)) != Array(5...20))
        Self.unshuffle(&queue)
        #expect(queue.numbers == Array(1...20))
    }

    @Test func `A shuffled queue begins with any of the items appended to an empty queue`() {
        var firsts: Set<Int> = []

        for seed in 0..<60 {
            var queue = PlaybackQueue()
            var generator = SeededGenerator(seed: seed)
            queue.setShuffled(true, using: &generator)
            queue.append([entry, entry, entry], using: &generator)
            if let current = queue.currentNumber { firsts.insert(current) }
        }

        #expect(firsts == [1, 2, 3])
    }

    @Test func `A queue appends items in their order with a generator if shuffling is off`() {
        var queue = PlaybackQueue()
        var generator = SeededGenerator(seed: 7)

        queue.append(Array(repeating: entry, count: 16), using: &generator)

        #expect(queue.numbers == Array(1...16))
    }
}
