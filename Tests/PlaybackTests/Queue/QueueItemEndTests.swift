import Testing
import UndersongPlayback

/// Queues for an application with a queue of its own: it assigns the items' ids, and decides what
/// happens at their ends.
@Suite struct `A queue for an application that keeps its own` {
    @Test(arguments: [ItemEndAction.pause, .none])
    func `PlaybackQueue stays at an item's end if it is not to advance`(action: ItemEndAction) {
        var queue = PlaybackQueue(count: 2)
        queue.repeatMode = .all
        queue.itemEndAction = action

        #expect(queue.following(ItemID(1)) == .stay)
        #expect(queue.following(ItemID(2)) == .stay)
        #expect(queue.following(ItemID(9)) == .end)
        #expect(queue.next(after: ItemID(1)) == item(2))
        #expect(queue.current == item(1))
    }

    @Test func `PlaybackQueue passes nothing to the decode thread after an item that it stays at`()
    {
        var queue = PlaybackQueue(count: 2)
        var plan = PlaybackPlan(queue)
        queue.itemEndAction = .pause

        #expect(plan.opened(PassageID(1), in: queue) == [.append(nil)])
    }

    @Test func `PlaybackQueue inserts an item under its id after one that is still to come`() {
        var queue = PlaybackQueue(count: 3)

        queue.insert(item(7), after: ItemID(2))
        queue.insert(item(8), after: nil)

        #expect(queue.items.map(\.id.number) == [1, 2, 7, 3, 8])
        #expect(queue.append([.file(path: "/9.mp3")]) == [ItemID(9)])
    }

    @Test func `PlaybackQueue inserts after the current item if the one named was left already`() {
        var queue = PlaybackQueue(count: 3)
        queue.isConsuming = true
        queue.advance(to: ItemID(2))
        var kept = PlaybackQueue(count: 3)
        kept.advance(to: ItemID(2))

        queue.insert(item(4), after: ItemID(1))
        kept.insert(item(4), after: ItemID(1))

        #expect(queue.upcoming.map(\.id.number) == [2, 4, 3])
        #expect(kept.upcoming.map(\.id.number) == [2, 4, 3])
    }

    @Test func `PlaybackQueue makes an item current that is inserted after its end`() {
        var queue = PlaybackQueue(count: 1)
        queue.advance(to: nil)

        queue.insert(item(2), after: ItemID(1))

        #expect(queue.current == item(2))
    }

    @Test func `PlaybackQueue traps if an id occurs twice`() async {
        await #expect(processExitsWith: .failure) {
            var queue = PlaybackQueue(count: 2)
            queue.insert(item(2), after: nil)
        }
    }

    @Test func `PlaybackQueue schedules the current item again after it was changed`() {
        var queue = PlaybackQueue(count: 2)
        var plan = PlaybackPlan(queue, opened: 1)
        plan.began(PassageID(1))
        queue.setRange(of: ItemID(1), start: .zero, end: CMTime(value: 5, timescale: 1))

        let actions = plan.renew(as: queue.current)

        #expect(
            actions == [
                .splice(
                    Passage(id: PassageID(3), item: queue.items[0], start: nil), at: .now)
            ])
    }
}
