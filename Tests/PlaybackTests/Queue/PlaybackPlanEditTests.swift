import Testing
import UndersongPlayback

/// A passage that was passed on is replaced if it is no longer what the queue has next.
@Suite struct `A playback plan, when the queue is edited` {
    @Test func `A plan changes nothing on an edit if the same item follows`() throws {
        var queue = PlaybackQueue(count: 4)
        var plan = PlaybackPlan(queue, opened: 1)
        queue.append([.file(path: "/5.mp3")])
        try queue.move(ItemID(3), after: ItemID(5))
        queue.remove(ItemID(4))

        #expect(plan.revise(for: queue) == [])
    }

    @Test func `A plan replaces the next item by one inserted after the current one`() throws {
        var queue = PlaybackQueue(count: 3)
        var plan = PlaybackPlan(queue, opened: 1)
        queue.insertNext([QueueEntry(.file(path: "/4.mp3"))])

        let actions = plan.revise(for: queue)

        #expect(
            actions == [
                .splice(
                    Passage(id: PassageID(3), item: item(4), start: .zero),
                    at: .after(PassageID(1)))
            ])
        #expect(!plan.contains(PassageID(2)))
    }

    @Test func `A plan ignores an edit before the decode thread has requested the next passage`() {
        var queue = PlaybackQueue(count: 3)
        var plan = PlaybackPlan(queue)
        queue.remove(ItemID(2))

        let revised = plan.revise(for: queue)
        let opened = plan.opened(PassageID(1), in: queue)

        #expect(revised == [])
        #expect(opened.first?.itemNumber == 3)
    }

    @Test func `A plan replaces a next item that is removed, moved or changed`() throws {
        let queue = PlaybackQueue(count: 3)
        var (removed, moved, changed) = (queue, queue, queue)
        removed.remove(ItemID(2))
        try moved.move(ItemID(2), after: ItemID(3))
        changed.setRange(of: ItemID(2), start: .zero, end: CMTime(value: 5, timescale: 1))

        let actions = [removed, moved, changed].map { queue in
            var plan = PlaybackPlan(PlaybackQueue(count: 3), opened: 1)
            return plan.revise(for: queue)
        }

        #expect(actions.map { $0.first?.itemNumber } == [3, 3, 2])
        #expect(
            actions.map { $0.first?.cut } == [
                .after(PassageID(1)), .after(PassageID(1)), .after(PassageID(1)),
            ])
        #expect(actions.last?.first?.passage?.item.end == CMTime(value: 5, timescale: 1))
    }

    @Test func `A plan ends the stream after the item if nothing follows it now`() {
        var queue = PlaybackQueue(count: 2)
        var plan = PlaybackPlan(queue, opened: 1)
        queue.remove(ItemID(2))

        let actions = plan.revise(for: queue)

        #expect(actions == [.splice(nil, at: .after(PassageID(1)))])
        #expect(plan.isComplete)
        #expect(plan.contains(PassageID(1)))
    }

    @Test func `A plan continues after the last item with an added one, however late`() {
        var queue = PlaybackQueue(count: 1)
        var plan = PlaybackPlan(queue, opened: 1)
        plan.began(PassageID(1))
        queue.append([.file(path: "/2.mp3")])

        let actions = plan.revise(for: queue)
        let more = plan.opened(PassageID(2), in: queue)

        #expect(actions.first?.itemNumber == 2)
        #expect(actions.first?.cut == .after(PassageID(1)))
        #expect(!plan.isEmpty)
        #expect(more == [.append(nil)])
    }

    /// Short items: several are in the stream already when the user edits the queue.
    @Test(arguments: [(2, 1, 3), (3, 2, 4), (4, 3, 5)])
    func `A plan replaces no more than it must`(removed: Int, after: Int, next: Int) {
        var queue = PlaybackQueue(count: 6)
        var plan = PlaybackPlan(queue, opened: 3)
        queue.remove(ItemID(removed))

        let actions = plan.revise(for: queue)

        #expect(actions.count == 1)
        #expect(actions.first?.cut == .after(PassageID(after)))
        #expect(actions.first?.itemNumber == next)
        #expect(plan.contains(PassageID(after)))
        #expect(!plan.contains(PassageID(after + 1)))
    }

    @Test func `A plan ends after an item that has left the queue`() {
        var queue = PlaybackQueue(count: 3)
        var plan = PlaybackPlan(queue, opened: 1)
        queue.remove(ItemID(1))

        #expect(plan.revise(for: queue) == [.splice(nil, at: .after(PassageID(1)))])
    }

    @Test(
        arguments: [
            (.init(repeatMode: .one), 1), (.init(isSingle: true), nil),
            (.init(repeatMode: .one, isSingle: true), nil), (.init(stopCondition: .item), nil),
        ] as [(PlaybackModes, Int?)])
    func `A plan applies a mode after the current item`(modes: PlaybackModes, next: Int?) {
        var plan = PlaybackPlan(PlaybackQueue(count: 3), opened: 1)
        let queue = PlaybackQueue(count: 3, modes)

        let actions = plan.revise(for: queue)

        #expect(actions.first?.cut == .after(PassageID(1)))
        #expect(actions.first?.itemNumber == next)
    }

    @Test func `A plan continues with the first item once the queue is to be repeated`() {
        var queue = PlaybackQueue(count: 2)
        var plan = PlaybackPlan(queue, opened: 2)
        let before = plan.isComplete
        queue.repeatMode = .all

        let actions = plan.revise(for: queue)

        #expect(before)
        #expect(actions.first?.itemNumber == 1)
        #expect(actions.first?.cut == .after(PassageID(2)))
        #expect(!plan.isComplete)
    }

    @Test func `A plan ends after the queue's last item, though the first was to follow`() {
        var queue = PlaybackQueue(count: 2, PlaybackModes(repeatMode: .all))
        var plan = PlaybackPlan(queue, opened: 3)
        queue.stopCondition = .queue

        let stopped = plan.revise(for: queue)
        queue.stopCondition = nil
        let again = plan.revise(for: queue)

        #expect(stopped == [.splice(nil, at: .after(PassageID(2)))])
        #expect(again.first?.itemNumber == 1 && again.first?.cut == .after(PassageID(2)))
    }

    @Test func `A plan ignores what was replaced when that is reported later`() {
        var queue = PlaybackQueue(count: 3)
        var plan = PlaybackPlan(queue, opened: 1)
        queue.remove(ItemID(2))
        _ = plan.revise(for: queue)

        #expect(plan.opened(PassageID(2), in: queue) == [])
        #expect(plan.failed(PassageID(2), in: queue) == [])
        #expect(plan.opened(PassageID(3), in: queue) == [.append(nil)])
    }
}
