import TestSupport
import Testing
import UndersongPlayback

private let a = MediaSource.file(path: "/a.mp3")
private let b = MediaSource.file(path: "/b.mp3")
private let c = MediaSource.file(path: "/c.mp3")

/// Behaviour 2.3, except that played items remain, before the current one.
@Suite struct `A playback queue` {
    @Test func `PlaybackQueue is empty initially, with all modes off`() {
        let queue = PlaybackQueue()

        #expect(queue.current == nil)
        #expect(queue.items.isEmpty)
        #expect(queue.upcoming.isEmpty)
        #expect(queue.count == 0)
        #expect(queue.index == 0)
        #expect(queue.modes == PlaybackModes())
        #expect(queue.modes.repeatMode == .off)
        #expect(!queue.modes.isShuffled && !queue.modes.isSingle && !queue.modes.isConsuming)
    }

    @Test(.rule("T16"))
    func `PlaybackQueue holds its items in order, the first one current, numbered from 1`() {
        var queue = PlaybackQueue()

        let ids = queue.append([a, b, c])

        #expect(ids == [ItemID(1), ItemID(2), ItemID(3)])
        #expect(queue.items.map(\.id) == ids)
        #expect(queue.items.map(\.source) == [a, b, c])
        #expect(queue.current?.source == a)
        #expect(queue.count == 3)
        #expect(queue.index == 0)
    }

    @Test func `PlaybackQueue keeps the current item when most others are removed at once`() throws
    {
        var queue = PlaybackQueue()
        let ids = queue.append(Array(repeating: a, count: 100))
        try queue.jump(to: ids[50])

        try queue.apply(.remove(Array(ids[..<50] + ids[52...])))

        #expect(queue.items.map(\.id) == Array(ids[50...51]) && queue.index == 0)
    }

    @Test(.rule("T17")) func `PlaybackQueue appends after existing items`() {
        var queue = PlaybackQueue()

        queue.append([a])
        let ids = queue.append([b, c])

        #expect(ids == [ItemID(2), ItemID(3)])
        #expect(queue.items.map(\.source) == [a, b, c])
        #expect(queue.current?.source == a)
    }

    @Test(.rule("T19"))
    func `PlaybackQueue gives the same source another id each time it is added`() throws {
        var queue = PlaybackQueue()

        queue.append([a, a])
        try queue.insert([QueueEntry(a)], after: ItemID(1))

        #expect(queue.numbers == [1, 3, 2])
        #expect(queue.items.map(\.source) == [a, a, a])
    }

    @Test func `PlaybackQueue keeps what was played before the current item when it advances`() {
        var queue = PlaybackQueue(count: 3)

        queue.advance(to: ItemID(2))

        #expect(queue.numbers == [1, 2, 3])
        #expect(queue.current == item(2))
        #expect(Array(queue.upcoming) == [item(2), item(3)])
        #expect(queue.index == 1)
        #expect(queue.count == 3)
    }

    @Test func `PlaybackQueue is unchanged when it advances to the current or an unknown item`() {
        var queue = PlaybackQueue(count: 2)

        queue.advance(to: ItemID(1))
        queue.advance(to: ItemID(9))

        #expect(queue.numbers == [1, 2])
        #expect(queue.index == 0)
    }

    @Test(.rule("T22", "T26")) func `PlaybackQueue has no current item after the last one`() {
        var queue = PlaybackQueue(count: 2)
        queue.advance(to: ItemID(2))

        queue.advance(to: nil)

        #expect(queue.current == nil)
        #expect(queue.upcoming.isEmpty)
        #expect(queue.index == 2)
        #expect(queue.numbers == [1, 2])
    }

    @Test(.rule("2.3"))
    func `PlaybackQueue makes the first item current that is added after the end`() {
        var queue = PlaybackQueue(count: 2)
        queue.advance(to: nil)

        queue.append([a, b])

        #expect(queue.current?.id == ItemID(3))
        #expect(queue.index == 2)
        #expect(queue.numbers == [1, 2, 3, 4])
    }

    @Test func `PlaybackQueue stays after the end if nothing is added, or only before it`() throws {
        var queue = PlaybackQueue(count: 2)
        queue.advance(to: nil)

        queue.append([MediaSource]())
        try queue.insert([QueueEntry(a)], after: ItemID(1))

        #expect(queue.current == nil)
        #expect(queue.index == 3)
        #expect(queue.numbers == [1, 3, 2])
    }

    @Test(.rule("T21"))
    func `PlaybackQueue is empty when all items are removed, and keeps its modes`() {
        var queue = PlaybackQueue(count: 3)
        queue.repeatMode = .all
        queue.advance(to: ItemID(2))

        queue.removeAll()

        #expect(queue.items.isEmpty)
        #expect(queue.current == nil)
        #expect(queue.index == 0)
        #expect(queue.item(ItemID(1)) == nil)
        #expect(queue.modes == PlaybackModes(repeatMode: .all))
    }

    @Test func `PlaybackQueue never assigns an id twice`() {
        var queue = PlaybackQueue(count: 3)

        queue.remove(ItemID(3))
        let fourth = queue.append([a])
        queue.removeAll()
        let fifth = queue.append([b])

        #expect(fourth == [ItemID(4)])
        #expect(fifth == [ItemID(5)])
        #expect(queue.current?.source == b)
    }

    @Test func `PlaybackQueue finds items and their places by id`() {
        var queue = PlaybackQueue(count: 3)
        queue.advance(to: ItemID(3))

        #expect(queue.item(ItemID(2)) == item(2))
        #expect(queue.index(of: ItemID(1)) == 0)
        #expect(queue.index(of: ItemID(3)) == 2)
        #expect(queue.item(ItemID(9)) == nil)
        #expect(queue.index(of: ItemID(0)) == nil)
    }

    @Test
    func `PlaybackQueue jumps forward and keeps what it skipped, so that previous leads back`()
        throws
    {
        var queue = PlaybackQueue(count: 4)

        try queue.jump(to: ItemID(3))

        #expect(queue.numbers == [1, 2, 3, 4])
        #expect(queue.currentNumber == 3)
        #expect(queue.index == 2)
        #expect(queue.previous(before: ItemID(3)) == item(2))
    }

    @Test func `PlaybackQueue jumps back, also from after the end`() throws {
        var queue = PlaybackQueue(count: 3)
        queue.advance(to: nil)

        try queue.jump(to: ItemID(1))

        #expect(queue.currentNumber == 1)
        #expect(Array(queue.upcoming) == [item(1), item(2), item(3)])
    }

    @Test(.rule("T37"), arguments: [-1, 0, 4])
    func `PlaybackQueue does not jump to an item that it does not have`(number: Int) {
        var queue = PlaybackQueue(count: 3)
        queue.advance(to: ItemID(2))

        let error = #expect(throws: QueueError.self) { try queue.jump(to: ItemID(number)) }

        #expect(error?.code == .noSuchItem)
        #expect(
            error?.description == "cannot jump to item \(number): the queue has no such item")
        #expect(queue.currentNumber == 2)
    }
}
