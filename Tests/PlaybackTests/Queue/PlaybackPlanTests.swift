import Testing
import UndersongPlayback

@Suite struct `A playback plan` {
    @Test func `A plan begins with the queue's current item`() throws {
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

    @Test func `A plan has nothing to begin with without a current item`() {
        var plan = PlaybackPlan()

        #expect(plan.revise(for: PlaybackQueue()) == [])
        #expect(plan.isEmpty)
        #expect(plan.current == nil)
    }

    @Test func `A plan returns the next passage once the decode thread has opened one, not before`()
    {
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
            (.init(stopCondition: .item), [nil]),
            (.init(repeatMode: .all, stopCondition: .queue), [2, 3, nil]),
            (.init(repeatMode: .one, stopCondition: .queue), [2, 3, nil]),
            (.init(isConsuming: true), [2, 3, nil]),
            (.init(repeatMode: .all, isConsuming: true), [2, 3, nil]),
        ] as [(PlaybackModes, [Int?])])
    func `A plan continues as the queue's modes say`(modes: PlaybackModes, numbers: [Int?]) {
        let queue = PlaybackQueue(count: 3, modes)
        var plan = PlaybackPlan(queue)

        let given = numbers.indices.map { plan.opened(PassageID($0 + 1), in: queue) }

        #expect(given.map(\.count) == numbers.map { _ in 1 })
        #expect(given.map { $0.first?.itemNumber } == numbers)
        #expect(given.allSatisfy { $0.first?.cut == nil })
        #expect(plan.isComplete == (numbers.last == .some(nil)))
    }

    @Test func `A plan returns one passage for two reports of the same one`() {
        let queue = PlaybackQueue(count: 3)
        var plan = PlaybackPlan(queue, opened: 1)

        #expect(plan.opened(PassageID(1), in: queue) == [])
    }

    @Test func `A plan says only once that nothing follows the last passage`() {
        let queue = PlaybackQueue(count: 1)
        var plan = PlaybackPlan(queue, opened: 1)

        #expect(plan.opened(PassageID(1), in: queue) == [])
        #expect(plan.isComplete)
    }

    @Test func `A plan ignores a passage that is not, or no longer, its own`() {
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

    @Test func `A plan begins an item where the queue says, with the current settings`() {
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

    @Test func `A plan forgets what was heard once the passage after it is heard`() {
        let queue = PlaybackQueue(count: 3)
        var plan = PlaybackPlan(queue, opened: 2)

        plan.began(PassageID(2))

        #expect(!plan.contains(PassageID(1)))
        #expect(plan.contains(PassageID(2)))
        #expect(plan.contains(PassageID(3)))
        #expect(plan.current?.item == item(2))
    }

    @Test
    func `A plan has nothing left after the stream's end, and begins again with new passages`() {
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

@Suite struct `A playback plan, when the stream was heard to its end` {
    @Test func `A stream heard to its end is over if nothing follows what was heard`() {
        let queue = PlaybackQueue(count: 2)
        var plan = PlaybackPlan(queue)

        plan.began(PassageID(1))
        let early = plan.isHeardOut
        _ = plan.opened(PassageID(1), in: queue)
        _ = plan.opened(PassageID(2), in: queue)
        let beforeTheLast = plan.isHeardOut
        plan.began(PassageID(2))

        #expect(!early)
        #expect(!beforeTheLast)
        #expect(plan.isHeardOut)
    }

    /// The end was heard before an item was added, and is reported after that one is open.
    @Test func `A stream is not over if something else ended`() {
        var queue = PlaybackQueue(count: 1)
        var plan = PlaybackPlan(queue, opened: 1)
        plan.began(PassageID(1))
        queue.append([.file(path: "/2.mp3")])
        _ = plan.revise(for: queue)
        _ = plan.opened(PassageID(2), in: queue)

        let isComplete = plan.isComplete

        #expect(isComplete)
        #expect(!plan.isHeardOut)
    }

    @Test func `A stream is over if nothing could be played`() {
        let queue = PlaybackQueue(count: 1)
        var plan = PlaybackPlan(queue)
        let before = plan.isHeardOut
        _ = plan.failed(PassageID(1), in: queue)

        #expect(!before)
        #expect(plan.isHeardOut)
    }
}
