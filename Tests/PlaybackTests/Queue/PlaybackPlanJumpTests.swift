import Testing
import UndersongPlayback

@Suite struct `A playback plan, when the user jumps` {
    @Test func `A jump replaces everything from now on`() {
        let queue = PlaybackQueue(count: 3)
        var plan = PlaybackPlan(queue, opened: 2)

        let (passage, actions) = plan.jump(to: item(3), at: CMTime(value: 9, timescale: 1))

        #expect(passage == PassageID(4))
        #expect(
            actions == [
                .splice(
                    Passage(
                        id: PassageID(4), item: item(3), start: CMTime(value: 9, timescale: 1)),
                    at: .now)
            ])
        #expect((1...4).map { plan.contains(PassageID($0)) } == [false, false, false, true])
    }

    @Test func `A jump begins an item at its own start, unless a time is given`() {
        var plan = PlaybackPlan()
        let start = CMTime(value: 3, timescale: 1)
        let item = QueueItem(id: ItemID(1), source: .standardInput, start: start)

        let (_, actions) = plan.jump(to: item)

        #expect(actions.first?.passage?.start == start)
    }

    @Test func `A plan continues from a jump as the queue says`() {
        let queue = PlaybackQueue(count: 3)
        var plan = PlaybackPlan(PlaybackQueue(count: 1), opened: 1)

        let (passage, _) = plan.jump(to: item(2))
        let wasComplete = plan.isComplete
        let next = plan.opened(passage, in: queue)

        #expect(!wasComplete)
        #expect(next.first?.itemNumber == 3)
    }

    @Test func `A jump ends the stream at once if there is nowhere to go`() {
        var plan = PlaybackPlan(PlaybackQueue(count: 3), opened: 2)

        let actions = plan.clear()

        #expect(actions == [.splice(nil, at: .now)])
        #expect(plan.isEmpty)
        #expect(!plan.isComplete)
        #expect(plan.clear() == [])
    }
}

@Suite struct `A playback plan, when the settings change` {
    @Test func `Changed settings schedule the current item again from its position`() {
        let queue = PlaybackQueue(count: 3)
        var plan = PlaybackPlan(queue, opened: 2)
        plan.began(PassageID(1))
        plan.settings.rate = 2

        let actions = plan.renew()
        let next = plan.opened(PassageID(4), in: queue)

        #expect(actions.count == 1)
        #expect(actions.first?.cut == .now)
        #expect(actions.first?.passage?.item == item(1))
        #expect(actions.first?.passage?.start == nil)
        #expect(actions.first?.passage?.settings.rate == 2)
        #expect(next.first?.itemNumber == 2)
        #expect(next.first?.passage?.settings.rate == 2)
    }

    @Test func `Changed settings schedule an item not heard yet at its own start`() {
        var plan = PlaybackPlan(PlaybackQueue(count: 3), opened: 1)

        let actions = plan.renew()
        let again = plan.renew()
        plan.began(PassageID(4))
        let heard = plan.renew()

        #expect(actions.first?.passage?.item == item(1))
        #expect(actions.first?.passage?.start == .zero)
        // It may be heard by now.
        #expect(actions.first?.passage?.replaced == PassageID(1))
        #expect(again.first?.passage?.replaced == PassageID(1))
        #expect(heard.first?.passage?.start == nil && heard.first?.passage?.replaced == nil)
    }

    @Test func `Changed settings keep the time of a seek not heard yet`() {
        let queue = PlaybackQueue(count: 3)
        var plan = PlaybackPlan(queue, opened: 1)
        plan.began(PassageID(1))
        _ = plan.jump(to: item(1), at: CMTime(value: 42, timescale: 1))

        let actions = plan.renew()

        #expect(actions.first?.passage?.start == CMTime(value: 42, timescale: 1))
    }

    @Test func `Changed settings keep the start of an item that was jumped to and is not heard`() {
        let queue = PlaybackQueue(count: 3)
        var plan = PlaybackPlan(queue, opened: 1)
        plan.began(PassageID(1))
        _ = plan.jump(to: item(3))

        let actions = plan.renew()

        #expect(actions.first?.passage?.item == item(3))
        #expect(actions.first?.passage?.start == .zero)
    }

    @Test func `Changed settings schedule the same again when they change again at once`() {
        var plan = PlaybackPlan(PlaybackQueue(count: 3), opened: 1)
        plan.began(PassageID(1))

        _ = plan.renew()
        let actions = plan.renew()

        #expect(actions.first?.passage?.id == PassageID(4))
        #expect(actions.first?.passage?.item == item(1))
        #expect(actions.first?.passage?.start == nil)
    }

    @Test func `Changed settings repeat that nothing follows the last item`() {
        let queue = PlaybackQueue(count: 1)
        var plan = PlaybackPlan(queue, opened: 1)

        _ = plan.renew()
        let wasComplete = plan.isComplete
        let next = plan.opened(PassageID(2), in: queue)

        #expect(!wasComplete)
        #expect(next == [.append(nil)])
    }

    @Test func `Changed settings have nothing to schedule without a passage`() {
        var plan = PlaybackPlan()

        #expect(plan.renew() == [])
    }

    @Test func `A plan ends an item at a time, with nothing after it, until it is asked otherwise`()
    {
        let queue = PlaybackQueue(count: 3)
        var plan = PlaybackPlan(queue, opened: 1)
        plan.began(PassageID(1))
        let time = CMTime(value: 7, timescale: 1)

        let stopped = plan.stop(at: time)
        let next = plan.opened(PassageID(3), in: queue)
        let again = plan.stop(at: time)
        let renewed = plan.renew(fadeOut: 2).first?.passage
        let freed = plan.stop(at: nil)
        let more = plan.opened(PassageID(5), in: queue)

        #expect(stopped.first?.passage?.settings.stopTime == time && stopped.first?.cut == .now)
        #expect(next == [.append(nil)] && again == [])
        #expect(renewed?.settings.stopTime == time && renewed?.settings.fadeOut == 2)
        #expect(freed.first?.passage?.settings.stopTime == nil)
        #expect(freed.first?.passage?.settings.fadeOut == 2)
        #expect(more == [.append(nil)])
    }

    @Test func `A plan forgets on a jump at what time it was to end`() {
        let queue = PlaybackQueue(count: 3)
        var plan = PlaybackPlan(queue, opened: 1)
        _ = plan.stop(at: CMTime(value: 7, timescale: 1))

        let jumped = plan.jump(to: item(1), at: .zero).actions.first?.passage
        let next = plan.opened(PassageID(4), in: queue)

        #expect(jumped?.settings.stopTime == nil)
        #expect(next.first?.itemNumber == 2)
    }

    @Test func `A plan fades in what is begun next, once, whether by a jump or a renewal`() {
        let queue = PlaybackQueue(count: 3)
        var plan = PlaybackPlan(queue, opened: 1)
        plan.began(PassageID(1))

        plan.fadeIn = 2
        let follower = plan.opened(PassageID(2), in: queue).first?.passage
        let renewed = plan.renew().first?.passage
        let again = plan.renew().first?.passage
        plan.fadeIn = 3
        let jumped = plan.jump(to: item(1)).actions.first?.passage
        let other = plan.jump(to: item(2)).actions.first?.passage

        #expect(follower?.settings.fadeIn == nil && plan.fadeIn == nil)
        #expect(renewed?.settings.fadeIn == 2)
        // It was not heard yet.
        #expect(again?.settings.fadeIn == 2)
        #expect(jumped?.settings.fadeIn == 3 && other?.settings.fadeIn == nil)
        #expect(plan.settings.fadeIn == nil)
    }

    @Test func `A plan lets nothing follow an item that fades out, whatever the queue says`() {
        var queue = PlaybackQueue(count: 3)
        var plan = PlaybackPlan(queue, opened: 1)
        plan.began(PassageID(1))

        let actions = plan.renew(fadeOut: 2.5)
        let next = plan.opened(PassageID(3), in: queue)
        queue.insertNext([QueueEntry(.file(path: "/4.mp3"))])
        let revised = plan.revise(for: queue)

        #expect(actions.first?.passage?.settings.fadeOut == 2.5)
        #expect(next == [.append(nil)])
        #expect(revised == [])
        #expect(plan.settings.fadeOut == nil)
    }
}
