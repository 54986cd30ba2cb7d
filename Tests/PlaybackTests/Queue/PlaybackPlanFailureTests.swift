import TestSupport
import Testing
import UndersongPlayback

/// T24: an item that cannot be played is skipped.
@Suite struct `A playback plan, when an item cannot be played` {
    @Test(
        .rule("T24"),
        arguments: [
            (.init(), 1, 2), (.init(), 3, nil), (.init(repeatMode: .one), 1, 2),
            (.init(repeatMode: .one), 3, nil), (.init(repeatMode: .all), 1, 2),
            (.init(repeatMode: .all), 3, 1), (.init(isSingle: true), 1, 2),
            (.init(isConsuming: true), 1, 2), (.init(repeatMode: .all, isConsuming: true), 3, 1),
        ] as [(PlaybackModes, Int, Int?)])
    func `An unplayable item is replaced by the next one`(
        modes: PlaybackModes, bad: Int, next: Int?
    ) throws {
        var queue = PlaybackQueue(count: 3, modes)
        try queue.jump(to: ItemID(bad))
        var plan = PlaybackPlan(queue)

        let actions = plan.failed(PassageID(1), in: queue)

        #expect(actions.count == 1)
        #expect(actions.first?.cut == nil)
        #expect(actions.first?.itemNumber == next)
        #expect(plan.isComplete == (next == nil))
    }

    @Test(
        arguments: [(.off, [2, 1, 4, nil]), (.all, [2, 1, 4, nil])]
            as [(RepeatMode, [Int?])])
    func `An unplayable item is replaced by the one before if the user went back`(
        repeats: RepeatMode, numbers: [Int?]
    ) throws {
        var queue = PlaybackQueue(count: 4, PlaybackModes(repeatMode: repeats))
        try queue.jump(to: ItemID(3))
        var plan = PlaybackPlan()
        plan.willGoBack()
        _ = plan.revise(for: queue)

        let found = (1...4).map { plan.failed(PassageID($0), in: queue).first?.itemNumber }

        #expect(found == numbers)
        #expect(plan.isEmpty)
    }

    @Test func `An unplayable item is replaced by the one after once the user's target plays`()
        throws
    {
        var queue = PlaybackQueue(count: 4)
        try queue.jump(to: ItemID(2))
        var plan = PlaybackPlan()
        plan.willGoBack()
        _ = plan.jump(to: item(2))
        _ = plan.renew()

        let back = plan.failed(PassageID(2), in: queue).first?.itemNumber
        let isBack = plan.isBack
        let next = plan.opened(PassageID(3), in: queue).first?.itemNumber
        let after = plan.failed(PassageID(4), in: queue).first?.itemNumber

        #expect(back == 1 && isBack)
        #expect(next == 2 && after == 3)
    }

    @Test func `An unplayable item leaves what comes before it`() {
        let queue = PlaybackQueue(count: 3)
        var plan = PlaybackPlan(queue, opened: 1)

        let actions = plan.failed(PassageID(2), in: queue)

        #expect(actions.first?.itemNumber == 3)
        #expect(plan.contains(PassageID(1)))
        #expect(!plan.contains(PassageID(2)))
        #expect(plan.current?.item == item(1))
    }

    @Test(arguments: [RepeatMode.off, .one, .all])
    func `A plan stops after a full round of the queue without a playable item`(repeats: RepeatMode)
    {
        let queue = PlaybackQueue(count: 3, PlaybackModes(repeatMode: repeats))
        var plan = PlaybackPlan(queue)

        let numbers = (1...3).map { plan.failed(PassageID($0), in: queue).first?.itemNumber }

        #expect(numbers == [2, 3, nil])
        #expect(plan.isComplete)
        #expect(plan.isEmpty)
    }

    @Test func `A plan stops after a full round after a playable item, too`() {
        let queue = PlaybackQueue(count: 3, PlaybackModes(repeatMode: .all))
        var plan = PlaybackPlan(queue, opened: 1)

        let numbers = (2...4).map { plan.failed(PassageID($0), in: queue).first?.itemNumber }

        #expect(numbers == [3, 1, nil])
        #expect(plan.current?.item == item(1))
        #expect(plan.isComplete)
    }

    @Test func `A plan repeats for ever if one of the items is playable`() {
        let queue = PlaybackQueue(count: 3, PlaybackModes(repeatMode: .all))
        var plan = PlaybackPlan(queue)
        var number: Int? = 1

        for id in 1...30 {
            let isBad = number != 2
            let passage = PassageID(id)
            let actions = isBad ? plan.failed(passage, in: queue) : plan.opened(passage, in: queue)
            number = actions.first?.itemNumber
        }

        #expect(number == 1)
        #expect(!plan.isComplete)
    }

    @Test(.rule("T25")) func `A plan counts failures again from 0 once the stream has ended`() {
        var queue = PlaybackQueue(count: 3)
        var plan = PlaybackPlan(queue)
        for number in 1...3 { _ = plan.failed(PassageID(number), in: queue) }
        plan.ended()
        queue.removeAll()
        queue.append([.file(path: "/4.mp3"), .file(path: "/5.mp3")])
        _ = plan.revise(for: queue)

        let actions = plan.failed(PassageID(4), in: queue)

        #expect(actions.first?.itemNumber == 5)
    }

    @Test func `A plan counts failures from 0 once the queue has something new, even in a stream`()
    {
        var queue = PlaybackQueue(count: 2)
        var plan = PlaybackPlan(queue)
        for number in 1...2 { _ = plan.failed(PassageID(number), in: queue) }
        let wasComplete = plan.isComplete
        queue.append([.file(path: "/3.mp3")])

        let first = plan.revise(for: queue)
        let isComplete = plan.isComplete
        let others = (3...4).map { plan.failed(PassageID($0), in: queue).first?.itemNumber }

        #expect(wasComplete)
        #expect(first.first?.itemNumber == 1)
        #expect(!isComplete)
        #expect(others == [2, 3])
    }

    @Test func `A plan counts failures again from 0 once the user has jumped elsewhere`() {
        let queue = PlaybackQueue(count: 3, PlaybackModes(repeatMode: .all))
        var plan = PlaybackPlan(queue)
        _ = plan.failed(PassageID(1), in: queue)
        _ = plan.failed(PassageID(2), in: queue)

        _ = plan.jump(to: item(1))
        let numbers = (4...6).map { plan.failed(PassageID($0), in: queue).first?.itemNumber }

        #expect(numbers == [2, 3, nil])
    }

    @Test func `An unplayable item that has left the queue is not replaced`() {
        var queue = PlaybackQueue(count: 3)
        var plan = PlaybackPlan(queue)
        queue.remove(ItemID(1))

        let actions = plan.failed(PassageID(1), in: queue)

        #expect(actions == [.append(nil)])
    }

    @Test func `A plan continues with what is added after the last unplayable item later`() {
        var queue = PlaybackQueue(count: 2)
        var plan = PlaybackPlan(queue, opened: 1)
        _ = plan.failed(PassageID(2), in: queue)
        let unchanged = plan.revise(for: queue)
        queue.append([.file(path: "/3.mp3")])

        let actions = plan.revise(for: queue)

        #expect(unchanged == [])
        #expect(actions.first?.itemNumber == 3)
        #expect(actions.first?.cut == .after(PassageID(1)))
    }

    @Test func `An unplayable item's replacement is kept when the queue is edited elsewhere`()
        throws
    {
        var queue = PlaybackQueue(count: 5)
        var plan = PlaybackPlan(queue, opened: 1)
        _ = plan.failed(PassageID(2), in: queue)
        _ = plan.failed(PassageID(3), in: queue)
        try queue.move(ItemID(3), after: ItemID(1))
        queue.remove(ItemID(5))

        let unopened = plan.revise(for: queue)
        _ = plan.opened(PassageID(4), in: queue)
        queue.append([.file(path: "/6.mp3")])
        let opened = plan.revise(for: queue)

        #expect(unopened == [])
        #expect(plan.contains(PassageID(4)))
        #expect(opened.first?.itemNumber == 6)
        #expect(opened.first?.cut == .after(PassageID(4)))
    }

    @Test func `An unplayable item is replaced by another item if that now comes earlier`() throws {
        var queue = PlaybackQueue(count: 4)
        var plan = PlaybackPlan(queue, opened: 1)
        _ = plan.failed(PassageID(2), in: queue)
        try queue.move(ItemID(4), after: ItemID(2))

        let actions = plan.revise(for: queue)
        let unchanged = plan.revise(for: queue)
        let next = plan.failed(PassageID(4), in: queue)

        #expect(actions.first?.itemNumber == 4)
        #expect(actions.first?.cut == .after(PassageID(1)))
        #expect(unchanged == [])
        #expect(next.first?.itemNumber == 3)
    }

    @Test func `An unplayable item is tried again in its next turn`() {
        let queue = PlaybackQueue(count: 2, PlaybackModes(repeatMode: .all))
        var plan = PlaybackPlan(queue, opened: 1)
        _ = plan.failed(PassageID(2), in: queue)

        let again = plan.opened(PassageID(3), in: queue)

        #expect(again.first?.itemNumber == 2)
    }
}
