import TestSupport
import Testing
import UndersongBase
import UndersongPlayback

@Suite struct `The next item of the queue` {
    @Test(.rule("T23")) func `The item after follows in the queue, and nothing after the last`() {
        let queue = PlaybackQueue(count: 3)

        #expect(queue.following(ItemID(1)) == .play(item(2)))
        #expect(queue.following(ItemID(2)) == .play(item(3)))
        #expect(queue.following(ItemID(3)) == .end)
        #expect(queue.following(ItemID(9)) == .end)
    }

    @Test(.rule("T34")) func `The same item follows with repeat one, at the same place`() {
        var queue = PlaybackQueue(count: 3)
        queue.repeatMode = .one

        queue.advance(to: ItemID(1))

        #expect(queue.following(ItemID(1)) == .play(item(1)))
        #expect(queue.following(ItemID(3)) == .play(item(3)))
        #expect(queue.index == 0)
    }

    @Test(.rule("T35")) func `The first item follows the last with repeat all`() {
        var queue = PlaybackQueue(count: 3)
        queue.repeatMode = .all

        #expect(queue.following(ItemID(2)) == .play(item(3)))
        #expect(queue.following(ItemID(3)) == .play(item(1)))
    }

    @Test(.rule("T35")) func `The same item follows if repeat all has only one`() {
        var queue = PlaybackQueue(count: 1)
        queue.repeatMode = .all

        #expect(queue.following(ItemID(1)) == .play(item(1)))
    }

    @Test(arguments: [(RepeatMode.off, nil), (.one, 3), (.all, 1)])
    func `A stop comes before what would follow with single`(mode: RepeatMode, next: Int?) {
        var queue = PlaybackQueue(count: 3)
        queue.repeatMode = mode
        queue.isSingle = true

        #expect(queue.following(ItemID(3)) == .hold(next.map(item)))
        #expect(queue.following(ItemID(1)) == .hold(item(mode == .one ? 1 : 2)))
        #expect(queue.following(ItemID(9)) == .end)
    }

    @Test func `What follows depends on modes that are set one by one`() {
        var queue = PlaybackQueue()

        queue.repeatMode = .one
        queue.isSingle = true
        queue.isConsuming = true
        #expect(
            queue.modes == PlaybackModes(repeatMode: .one, isSingle: true, isConsuming: true))

        queue.isSingle = false
        #expect(queue.repeatMode == .one && !queue.isSingle && queue.isConsuming)
        #expect(RepeatMode.allCases.map(\.rawValue) == ["off", "one", "all"])
    }
}

@Suite struct `A stop once` {
    @Test(arguments: [(RepeatMode.off, nil), (.one, 3), (.all, 1)])
    func `A stop after the item stops before what would follow`(mode: RepeatMode, next: Int?) {
        var queue = PlaybackQueue(count: 3)
        queue.repeatMode = mode
        queue.stopCondition = .item

        #expect(queue.following(ItemID(3)) == .hold(next.map(item)))
        #expect(queue.following(ItemID(1)) == .hold(item(mode == .one ? 1 : 2)))
        #expect(queue.next(after: ItemID(1)) == item(2))
    }

    @Test func `A stop after a chapter comes after its item at the latest`() {
        var queue = PlaybackQueue(count: 2)
        queue.stopCondition = .chapter

        #expect(queue.following(ItemID(1)) == .hold(item(2)))
        #expect(queue.following(ItemID(2)) == .hold(nil))
    }

    @Test(arguments: RepeatMode.allCases)
    func `A stop after the queue is its end, whatever is repeated`(mode: RepeatMode) {
        var queue = PlaybackQueue(count: 2)
        queue.repeatMode = mode
        queue.stopCondition = .queue

        #expect(queue.following(ItemID(1)) == .play(item(2)))
        #expect(queue.following(ItemID(2)) == .end)
        #expect(queue.next(after: ItemID(2)) == (mode == .all ? item(1) : nil))
    }

    @Test func `A stop after the queue is its end too if the last item cannot be played`() {
        var queue = PlaybackQueue(count: 2)
        queue.repeatMode = .all
        #expect(queue.standIn(for: ItemID(2)) == item(1))

        queue.stopCondition = .queue

        #expect(queue.standIn(for: ItemID(1)) == item(2))
        #expect(queue.standIn(for: ItemID(2)) == nil)
    }

    @Test func `A stop after the item has no effect if playback pauses there anyway`() {
        var queue = PlaybackQueue(count: 2)
        queue.itemEndAction = .pause
        queue.stopCondition = .item

        #expect(queue.following(ItemID(1)) == .stay)
    }

    @Test func `A stop is adopted with the other modes, but not saved with the queue's order`() {
        var queue = PlaybackQueue(count: 2)
        var generator = SeededGenerator(seed: 1)

        queue.set(PlaybackModes(stopCondition: .queue), using: &generator)
        queue.restore(QueueOrder(ids: queue.ids, current: ItemID(2)))

        #expect(queue.modes == PlaybackModes(stopCondition: .queue))
        #expect(StopCondition.allCases.map(\.rawValue) == ["item", "queue", "chapter"])
    }
}

@Suite struct `The user's next and previous` {
    @Test(.rule("T28"), arguments: RepeatMode.allCases)
    func `Next and previous lead nowhere in an empty queue`(mode: RepeatMode) {
        var queue = PlaybackQueue()
        queue.repeatMode = mode

        #expect(queue.next(after: nil) == nil)
        #expect(queue.previous(before: nil) == nil)
        #expect(queue.next(after: ItemID(1)) == nil)
        #expect(queue.previous(before: ItemID(1)) == nil)
    }

    @Test(.rule("T29", "T30")) func `Next advances the place by one, and the items stay`() {
        var queue = PlaybackQueue(count: 3)

        queue.advance(to: queue.next(after: ItemID(1))?.id)

        #expect(queue.currentNumber == 2)
        #expect(queue.index == 1)
        #expect(queue.numbers == [1, 2, 3])
    }

    @Test(.rule("T34")) func `Next advances despite repeat one and single`() {
        var queue = PlaybackQueue(count: 2)
        queue.repeatMode = .one
        queue.isSingle = true

        #expect(queue.next(after: ItemID(1)) == item(2))
        #expect(queue.next(after: ItemID(2)) == nil)
    }

    @Test(.rule("T26")) func `Next after the last item leads nowhere`() {
        let queue = PlaybackQueue(count: 2)

        #expect(queue.next(after: ItemID(2)) == nil)
        #expect(queue.next(after: nil) == nil)
    }

    @Test(.rule("T36")) func `Next twice leads past the end to the start with repeat all`() {
        var queue = PlaybackQueue(count: 2)
        queue.repeatMode = .all

        queue.advance(to: queue.next(after: ItemID(1))?.id)
        #expect(queue.currentNumber == 2)

        queue.advance(to: queue.next(after: ItemID(2))?.id)
        #expect(queue.currentNumber == 1)
        #expect(queue.numbers == [1, 2])
    }

    @Test func `Next leads from after the end to the first item with repeat all`() {
        var queue = PlaybackQueue(count: 2)
        queue.repeatMode = .all
        queue.advance(to: nil)

        #expect(queue.next(after: nil) == item(1))
    }

    @Test func `Previous leads to the item before, and to the last from after the end`() {
        let queue = PlaybackQueue(count: 3)

        #expect(queue.previous(before: ItemID(3)) == item(2))
        #expect(queue.previous(before: ItemID(2)) == item(1))
        #expect(queue.previous(before: nil) == item(3))
        #expect(queue.previous(before: ItemID(9)) == nil)
    }

    @Test func `Previous stops at the start, and leads to the end with repeat all`() {
        var queue = PlaybackQueue(count: 3)

        #expect(queue.previous(before: ItemID(1)) == nil)
        queue.repeatMode = .one
        #expect(queue.previous(before: ItemID(1)) == nil)
        queue.repeatMode = .all
        #expect(queue.previous(before: ItemID(1)) == item(3))
    }
}

@Suite struct `A consuming queue` {
    private static func make(count: Int, repeatMode: RepeatMode = .off) -> PlaybackQueue {
        var queue = PlaybackQueue(count: count)
        queue.isConsuming = true
        queue.repeatMode = repeatMode
        return queue
    }

    @Test func `A consuming queue removes each item when it is left`() {
        var queue = Self.make(count: 3)

        queue.advance(to: ItemID(2))
        #expect(queue.numbers == [2, 3])
        #expect(queue.currentNumber == 2)
        #expect(queue.index == 0)

        queue.advance(to: ItemID(3))
        queue.advance(to: nil)
        #expect(queue.items.isEmpty)
        #expect(queue.current == nil)
        #expect(queue.index == 0)
    }

    @Test
    func `A consuming queue keeps what it skips, and what was played before it began to consume`() {
        var queue = PlaybackQueue(count: 5)
        queue.advance(to: ItemID(2))
        queue.isConsuming = true

        queue.advance(to: ItemID(4))

        #expect(queue.numbers == [1, 3, 4, 5])
        #expect(queue.currentNumber == 4)
        #expect(queue.index == 2)
    }

    @Test func `A consuming queue keeps the item that it jumps away from`() throws {
        var queue = Self.make(count: 3)

        try queue.jump(to: ItemID(3))

        #expect(queue.numbers == [1, 2, 3])
        #expect(queue.currentNumber == 3)
    }

    @Test func `A consuming queue keeps an item that is repeated, until it is left`() {
        var queue = Self.make(count: 2, repeatMode: .one)

        #expect(queue.following(ItemID(1)) == .play(item(1)))
        queue.advance(to: ItemID(1))
        #expect(queue.numbers == [1, 2])

        queue.advance(to: ItemID(2))
        #expect(queue.numbers == [2])
    }

    @Test func `A consuming queue plays nothing twice with repeat all`() {
        var queue = Self.make(count: 2, repeatMode: .all)

        // Asked in advance, while the first one is still heard and in the queue.
        #expect(queue.following(ItemID(1)) == .play(item(2)))
        #expect(queue.following(ItemID(2)) == .end)
        queue.advance(to: ItemID(2))

        #expect(queue.following(ItemID(2)) == .end)
        #expect(queue.next(after: ItemID(2)) == nil)
    }

    @Test func `A consuming queue leads past the end to what was skipped with repeat all`() throws {
        var queue = Self.make(count: 4, repeatMode: .all)
        try queue.jump(to: ItemID(3))

        // 1 and 2 are still there; 3 and 4 will have been consumed by the time they end.
        #expect(queue.following(ItemID(3)) == .play(item(4)))
        #expect(queue.following(ItemID(4)) == .play(item(1)))
        #expect(queue.following(ItemID(1)) == .play(item(2)))
        #expect(queue.following(ItemID(2)) == .end)
    }

    @Test func `A consuming queue stops without a next item after its last item with single`() {
        var queue = Self.make(count: 1, repeatMode: .all)
        queue.isSingle = true

        #expect(queue.following(ItemID(1)) == .hold(nil))
    }
}
