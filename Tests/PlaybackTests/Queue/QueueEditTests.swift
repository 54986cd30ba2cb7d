import TestSupport
import Testing
import UndersongPlayback

private let entry = QueueEntry(.file(path: "/new.mp3"))

@Suite struct `Insertion into the queue` {
    @Test(.rule("T17")) func `An insertion puts items directly after another`() throws {
        var queue = PlaybackQueue(count: 3)

        let ids = try queue.insert([entry, entry], after: ItemID(1))

        #expect(ids == [ItemID(4), ItemID(5)])
        #expect(queue.numbers == [1, 4, 5, 2, 3])
        #expect(queue.currentNumber == 1)
    }

    @Test(.rule("T17", "T18")) func `An insertion appends after nil`() throws {
        var queue = PlaybackQueue(count: 3)

        let ids = try queue.insert([entry], after: nil)

        #expect(ids == [ItemID(4)])
        #expect(queue.numbers == [1, 2, 3, 4])
    }

    @Test(.rule("T18"), arguments: 1...5)
    func `An insertion accepts any item to insert after`(number: Int) throws {
        var queue = PlaybackQueue(count: 5)

        try queue.insert([entry], after: ItemID(number))

        #expect(queue.index(of: ItemID(6)) == number)
        #expect(queue.count == 6)
    }

    @Test(.rule("T18"), arguments: [-1, 0, 4])
    func `An insertion rejects a foreign item to insert after`(number: Int) {
        var queue = PlaybackQueue(count: 3)

        let error = #expect(throws: QueueError.self) {
            try queue.insert([entry], after: ItemID(number))
        }

        #expect(
            error?.description
                == "cannot insert after item \(number): the queue has no such item")
        #expect(queue.items == [item(1), item(2), item(3)])
    }

    @Test func `An insertion rejects an item to insert after that has left the queue`() {
        var queue = PlaybackQueue(count: 3)
        queue.remove(ItemID(2))

        #expect(throws: QueueError.self) { try queue.insert([entry], after: ItemID(2)) }
    }

    @Test func `An insertion before the current item keeps that current`() throws {
        var queue = PlaybackQueue(count: 3)
        queue.advance(to: ItemID(2))

        try queue.insert([entry, entry], after: ItemID(1))

        #expect(queue.numbers == [1, 4, 5, 2, 3])
        #expect(queue.currentNumber == 2)
        #expect(queue.index == 3)
    }

    @Test func `An insertion next puts items directly after the current one`() {
        var queue = PlaybackQueue(count: 3)
        queue.advance(to: ItemID(2))

        let first = queue.insertNext([entry])
        let second = queue.insertNext([entry])

        #expect(first + second == [ItemID(4), ItemID(5)])
        #expect(queue.numbers == [1, 2, 5, 4, 3])
        #expect(queue.currentNumber == 2)
    }

    @Test(.rule("2.3")) func `An insertion next makes an item current if there is none`() {
        var queue = PlaybackQueue()

        queue.insertNext([entry])
        queue.advance(to: nil)
        queue.insertNext([entry])

        #expect(queue.numbers == [1, 2])
        #expect(queue.currentNumber == 2)
    }
}

@Suite struct `Removal from the queue` {
    @Test(.rule("T20")) func `A removal removes an item from the middle`() {
        var queue = PlaybackQueue(count: 3)

        let isRemoved = queue.remove(ItemID(2))

        #expect(isRemoved)
        #expect(queue.items == [item(1), item(3)])
        #expect(queue.currentNumber == 1)
        #expect(queue.index(of: ItemID(3)) == 1)
    }

    @Test func `The removal of a played item keeps the current one`() {
        var queue = PlaybackQueue(count: 3)
        queue.advance(to: ItemID(3))

        queue.remove(ItemID(1))

        #expect(queue.numbers == [2, 3])
        #expect(queue.currentNumber == 3)
        #expect(queue.index == 1)
    }

    @Test(.rule("2.3")) func `The removal of the current item makes the following one current`() {
        var queue = PlaybackQueue(count: 3)
        queue.advance(to: ItemID(2))

        queue.remove(ItemID(2))

        #expect(queue.numbers == [1, 3])
        #expect(queue.currentNumber == 3)
        #expect(queue.index == 1)
    }

    @Test(.rule("2.3")) func `The removal of the current item at the end leaves none current`() {
        var queue = PlaybackQueue(count: 2)
        queue.advance(to: ItemID(2))

        queue.remove(ItemID(2))

        #expect(queue.numbers == [1])
        #expect(queue.current == nil)
        #expect(queue.index == 1)
    }

    @Test func `The removal of the current item at the end leads to the first with repeat all`() {
        var queue = PlaybackQueue(count: 2)
        queue.repeatMode = .all
        queue.advance(to: ItemID(2))

        queue.remove(ItemID(2))
        #expect(queue.currentNumber == 1)

        queue.remove(ItemID(1))
        #expect(queue.current == nil)
        #expect(queue.index == 0)
    }

    @Test func `A removal after the end leaves the queue there`() {
        var queue = PlaybackQueue(count: 3)
        queue.repeatMode = .all
        queue.advance(to: nil)

        queue.remove(ItemID(3))
        queue.remove(ItemID(1))

        #expect(queue.current == nil)
        #expect(queue.index == 1)
    }

    @Test(.rule("T37"), arguments: [-1, 0, 4])
    func `A removal does nothing for an item that the queue does not have`(number: Int) {
        var queue = PlaybackQueue(count: 3)

        let isRemoved = queue.remove(ItemID(number))

        #expect(!isRemoved)
        #expect(queue.items == [item(1), item(2), item(3)])
    }

    @Test func `A removal has no effect a second time`() {
        var queue = PlaybackQueue(count: 3)

        let first = queue.remove(ItemID(1))
        let second = queue.remove(ItemID(1))

        #expect(first && !second)
        #expect(queue.numbers == [2, 3])
    }
}

@Suite struct `Movement within the queue` {
    @Test(arguments: [
        (1, 3, [2, 3, 1, 4]), (4, 1, [1, 4, 2, 3]), (2, 1, [1, 2, 3, 4]), (3, 3, [1, 2, 3, 4]),
        (1, 4, [2, 3, 4, 1]),
    ])
    func `A move puts an item directly after another`(number: Int, target: Int, order: [Int]) throws
    {
        var queue = PlaybackQueue(count: 4)

        try queue.move(ItemID(number), after: ItemID(target))

        #expect(queue.numbers == order)
        #expect(queue.items.map { queue.index(of: $0.id) } == [0, 1, 2, 3])
    }

    @Test func `A move puts an item to the front for nil`() throws {
        var queue = PlaybackQueue(count: 3)

        try queue.move(ItemID(3), after: nil)

        #expect(queue.numbers == [3, 1, 2])
        #expect(queue.currentNumber == 1)
        #expect(queue.index == 1)
    }

    @Test(.rule("T37")) func `A move of the current item keeps it current`() throws {
        var queue = PlaybackQueue(count: 3)

        try queue.move(ItemID(1), after: ItemID(3))

        #expect(queue.numbers == [2, 3, 1])
        #expect(queue.currentNumber == 1)
        #expect(queue.index == 2)
    }

    @Test func `A move keeps the current item current when others pass it`() throws {
        var queue = PlaybackQueue(count: 4)
        queue.advance(to: ItemID(3))

        try queue.move(ItemID(1), after: ItemID(4))
        #expect(queue.index == 1)

        try queue.move(ItemID(4), after: nil)
        #expect(queue.index == 2)

        #expect(queue.numbers == [4, 2, 3, 1])
        #expect(queue.currentNumber == 3)
    }

    @Test func `A move after the end leaves the queue there`() throws {
        var queue = PlaybackQueue(count: 3)
        queue.advance(to: nil)

        try queue.move(ItemID(1), after: ItemID(3))

        #expect(queue.numbers == [2, 3, 1])
        #expect(queue.current == nil)
        #expect(queue.index == 3)
    }

    @Test(.rule("T37"), arguments: [-1, 0, 4])
    func `A move is refused for an item that the queue does not have`(number: Int) {
        var queue = PlaybackQueue(count: 3)

        let moved = #expect(throws: QueueError.self) {
            try queue.move(ItemID(number), after: nil)
        }
        let later = #expect(throws: QueueError.self) {
            try queue.move(ItemID(1), after: ItemID(number))
        }

        #expect(moved?.description == "cannot move item \(number): the queue has no such item")
        #expect(
            later?.description == "cannot move after item \(number): the queue has no such item")
        #expect(queue.items == [item(1), item(2), item(3)])
    }

    @Test func `A move is refused for an unknown item after itself too`() {
        var queue = PlaybackQueue(count: 3)

        #expect(throws: QueueError.self) { try queue.move(ItemID(4), after: ItemID(4)) }
    }
}
