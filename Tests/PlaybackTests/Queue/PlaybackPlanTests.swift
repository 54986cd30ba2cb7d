import Playback
import Testing

@Suite struct `A playback plan` {
    @Test func `begins with the queue's current item`() throws {
        var queue = PlaybackQueue(count: 3)
        try queue.jump(to: ItemID(2))
        var plan = PlaybackPlan()

        let actions = plan.revise(for: queue)

        #expect(
            actions == [.append(Passage(id: PassageID(1), item: item(2), start: .zero))])
        #expect(!plan.isEmpty)
        #expect(!plan.isComplete)
        #expect(plan.current?.item == item(2))
    }

    @Test func `has nothing to begin with without a current item`() {
        var plan = PlaybackPlan()

        #expect(plan.revise(for: PlaybackQueue()) == [])
        #expect(plan.isEmpty)
        #expect(plan.current == nil)
    }

    @Test func `gives the next passage when the decode thread has taken one up, and not before`() {
        let queue = PlaybackQueue(count: 3)
        var plan = PlaybackPlan(queue)

        let again = plan.revise(for: queue)
        let first = plan.opened(PassageID(1), in: queue)
        let second = plan.opened(PassageID(2), in: queue)

        #expect(again == [])
        #expect(first == [.append(Passage(id: PassageID(2), item: item(2), start: .zero))])
        #expect(second == [.append(Passage(id: PassageID(3), item: item(3), start: .zero))])
    }

    @Test(
        arguments: [
            (.init(), [2, 3, nil]),
            (.init(repeatMode: .one), [1, 1, 1]),
            (.init(repeatMode: .all), [2, 3, 1, 2, 3]),
            (.init(isSingle: true), [nil]),
            (.init(repeatMode: .one, isSingle: true), [nil]),
            (.init(repeatMode: .all, isSingle: true), [nil]),
            (.init(isConsuming: true), [2, 3, nil]),
            (.init(repeatMode: .all, isConsuming: true), [2, 3, nil]),
        ] as [(PlaybackModes, [Int?])])
    func `goes on as the queue's modes say`(modes: PlaybackModes, numbers: [Int?]) {
        let queue = PlaybackQueue(count: 3, modes)
        var plan = PlaybackPlan(queue)

        let given = numbers.indices.map { plan.opened(PassageID($0 + 1), in: queue) }

        #expect(given.map(\.count) == numbers.map { _ in 1 })
        #expect(given.map { $0.first?.itemNumber } == numbers)
        #expect(given.allSatisfy { $0.first?.cut == nil })
        #expect(plan.isComplete == (numbers.last == .some(nil)))
    }

    @Test func `is told of the same passage twice without giving two`() {
        let queue = PlaybackQueue(count: 3)
        var plan = PlaybackPlan(queue, opened: 1)

        #expect(plan.opened(PassageID(1), in: queue) == [])
    }

    @Test func `is told of the last passage twice without saying twice that nothing follows`() {
        let queue = PlaybackQueue(count: 1)
        var plan = PlaybackPlan(queue, opened: 1)

        #expect(plan.opened(PassageID(1), in: queue) == [])
        #expect(plan.isComplete)
    }

    @Test func `takes no notice of a passage that it has not given, or not any more`() {
        let queue = PlaybackQueue(count: 3)
        var plan = PlaybackPlan(queue)
        _ = plan.jump(to: item(3))

        #expect(plan.opened(PassageID(1), in: queue) == [])
        #expect(plan.failed(PassageID(1), in: queue) == [])
        #expect(plan.opened(PassageID(77), in: queue) == [])
        #expect(plan.failed(PassageID(77), in: queue) == [])
        #expect(!plan.contains(PassageID(1)))
        #expect(plan.contains(PassageID(2)))
    }

    @Test func `begins an item at the place that the queue says, by the settings as they are`() {
        var queue = PlaybackQueue(count: 2)
        let start = CMTime(value: 7, timescale: 2)
        queue.setRange(of: ItemID(2), start: start, end: nil)
        var plan = PlaybackPlan(queue)
        plan.settings.rate = 1.5
        plan.settings.crossfade = 3

        let passage = plan.opened(PassageID(1), in: queue).first?.passage

        #expect(plan.current?.settings == PassageSettings())
        #expect(passage?.start == start)
        #expect(passage?.settings.rate == 1.5)
        #expect(passage?.settings.crossfade == 3)
    }

    @Test func `forgets what was heard once the passage behind it is`() {
        let queue = PlaybackQueue(count: 3)
        var plan = PlaybackPlan(queue, opened: 2)

        plan.began(PassageID(2))

        #expect(!plan.contains(PassageID(1)))
        #expect(plan.contains(PassageID(2)))
        #expect(plan.contains(PassageID(3)))
        #expect(plan.current?.item == item(2))
    }

    @Test func `has nothing left when the stream is over, and begins again with new passages`() {
        var queue = PlaybackQueue(count: 1)
        var plan = PlaybackPlan(queue, opened: 1)

        plan.ended()
        let isComplete = plan.isComplete
        queue.append([.file(path: "/2.mp3")])
        queue.advance(to: ItemID(2))
        let actions = plan.revise(for: queue)

        #expect(!isComplete)
        #expect(actions == [.append(Passage(id: PassageID(2), item: item(2), start: .zero))])
    }
}

/// T24: an item that cannot be played is left out.
@Suite struct `A playback plan, when an item cannot be played` {
    @Test(
        arguments: [
            (.init(), 1, 2), (.init(), 3, nil), (.init(repeatMode: .one), 1, 2),
            (.init(repeatMode: .one), 3, nil), (.init(repeatMode: .all), 1, 2),
            (.init(repeatMode: .all), 3, 1), (.init(isSingle: true), 1, 2),
            (.init(isConsuming: true), 1, 2), (.init(repeatMode: .all, isConsuming: true), 3, 1),
        ] as [(PlaybackModes, Int, Int?)])
    func `T24: lets the next one stand in for it`(modes: PlaybackModes, bad: Int, next: Int?) throws
    {
        var queue = PlaybackQueue(count: 3, modes)
        try queue.jump(to: ItemID(bad))
        var plan = PlaybackPlan(queue)

        let actions = plan.failed(PassageID(1), in: queue)

        #expect(actions.count == 1)
        #expect(actions.first?.cut == nil)
        #expect(actions.first?.itemNumber == next)
        #expect(plan.isComplete == (next == nil))
    }

    @Test func `keeps what comes before it`() {
        let queue = PlaybackQueue(count: 3)
        var plan = PlaybackPlan(queue, opened: 1)

        let actions = plan.failed(PassageID(2), in: queue)

        #expect(actions.first?.itemNumber == 3)
        #expect(plan.contains(PassageID(1)))
        #expect(!plan.contains(PassageID(2)))
        #expect(plan.current?.item == item(1))
    }

    @Test(arguments: [RepeatMode.off, .one, .all])
    func `stops after a full turn of the queue without one that can be`(repeats: RepeatMode) {
        let queue = PlaybackQueue(count: 3, PlaybackModes(repeatMode: repeats))
        var plan = PlaybackPlan(queue)

        let numbers = (1...3).map { plan.failed(PassageID($0), in: queue).first?.itemNumber }

        #expect(numbers == [2, 3, nil])
        #expect(plan.isComplete)
        #expect(plan.isEmpty)
    }

    @Test func `stops after a full turn behind one that can be, too`() {
        let queue = PlaybackQueue(count: 3, PlaybackModes(repeatMode: .all))
        var plan = PlaybackPlan(queue, opened: 1)

        let numbers = (2...4).map { plan.failed(PassageID($0), in: queue).first?.itemNumber }

        #expect(numbers == [3, 1, nil])
        #expect(plan.current?.item == item(1))
        #expect(plan.isComplete)
    }

    @Test func `goes round for ever when one of them can be`() {
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

    @Test func `T25: counts anew once the stream was over`() {
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

    @Test func `counts anew once the queue has something new, before the stream is over too`() {
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

    @Test func `counts anew once the user has gone elsewhere`() {
        let queue = PlaybackQueue(count: 3, PlaybackModes(repeatMode: .all))
        var plan = PlaybackPlan(queue)
        _ = plan.failed(PassageID(1), in: queue)
        _ = plan.failed(PassageID(2), in: queue)

        _ = plan.jump(to: item(1))
        let numbers = (4...6).map { plan.failed(PassageID($0), in: queue).first?.itemNumber }

        #expect(numbers == [2, 3, nil])
    }

    @Test func `lets nothing stand in for one that has left the queue`() {
        var queue = PlaybackQueue(count: 3)
        var plan = PlaybackPlan(queue)
        queue.remove(ItemID(1))

        let actions = plan.failed(PassageID(1), in: queue)

        #expect(actions == [.append(nil)])
    }

    @Test func `goes on with what is put behind the last one later`() {
        var queue = PlaybackQueue(count: 2)
        var plan = PlaybackPlan(queue, opened: 1)
        _ = plan.failed(PassageID(2), in: queue)
        queue.append([.file(path: "/3.mp3")])

        let actions = plan.revise(for: queue)

        // The one that failed is tried again: it comes first.
        #expect(actions.first?.itemNumber == 2)
        #expect(actions.first?.cut == .after(PassageID(1)))
    }
}
