import TestSupport
import Testing
import UndersongPlayback

private let tenth = CMTime(value: 1, timescale: 10)

/// Hundredths of a second, at the tests' thousand frames a second.
private func hundredths(_ value: Int64) -> CMTime { CMTime(value: value, timescale: 100) }

/// One passage that begins without a jump.
private func oneItem(end: Int? = nil) -> Timeline {
    var timeline = Timeline()
    timeline.begin(segment(1, from: 0, to: end))
    return timeline
}

@Suite struct `Several watches` {
    @Test(.rule("T41"))
    func `Several watches are reported at zero and at their multiples, in the order heard`() {
        var observer = TimelineObserver(
            sampleRate: 1000,
            watches: [
                TimeWatch(id: .observer(4), times: .every(tenth)),
                TimeWatch(id: .observer(9), times: .every(hundredths(15))),
            ])
        var timeline = oneItem()

        let reported = observer.report(upTo: 300, in: &timeline)

        #expect(
            reported.dropFirst().map(\.observation) == [
                .crossed(watch: .observer(4), ItemID(1), time: .zero),
                .crossed(watch: .observer(9), ItemID(1), time: .zero),
                .crossed(watch: .observer(4), ItemID(1), time: tenth),
                .crossed(watch: .observer(9), ItemID(1), time: hundredths(15)),
                .crossed(watch: .observer(4), ItemID(1), time: hundredths(20)),
                .crossed(watch: .observer(4), ItemID(1), time: hundredths(30)),
                .crossed(watch: .observer(9), ItemID(1), time: hundredths(30)),
            ])
        #expect(reported.map(\.frame) == [0, 0, 0, 100, 150, 200, 300, 300])
    }

    @Test func `Several watches of the same times are reported separately`() {
        var observer = TimelineObserver(
            sampleRate: 1000,
            watches: [
                TimeWatch(id: .observer(1), times: .at([hundredths(20)])),
                TimeWatch(id: .observer(2), times: .at([hundredths(20)])),
                TimeWatch(id: .observer(3), times: .every(hundredths(20))),
            ])
        var timeline = oneItem()

        let reported = observer.report(upTo: 200, in: &timeline)

        #expect(
            reported.dropFirst(2).map(\.observation) == [
                .crossed(watch: .observer(1), ItemID(1), time: hundredths(20)),
                .crossed(watch: .observer(2), ItemID(1), time: hundredths(20)),
                .crossed(watch: .observer(3), ItemID(1), time: hundredths(20)),
            ])
    }

    @Test(.rule("T42")) func `Several watches report nothing while there is no item`() {
        let observer = TimelineObserver(
            sampleRate: 1000,
            watches: [
                TimeWatch(id: .observer(1), times: .every(tenth)),
                TimeWatch(id: .observer(2), times: .at([.zero])),
            ])

        let next = observer.next(in: Timeline())

        #expect(next == nil)
        #expect(observer.time(at: 0) == nil)
        #expect(observer.passage == nil)
    }

    @Test func `Several watches report nothing twice while the sound is stopped`() {
        var observer = TimelineObserver(
            sampleRate: 1000,
            watches: [
                TimeWatch(id: .observer(1), times: .every(tenth)),
                TimeWatch(id: .observer(2), times: .at([tenth])),
            ])
        var timeline = oneItem()
        _ = observer.report(upTo: 100, in: &timeline)

        let reported = observer.report(upTo: 100, in: &timeline)

        #expect(reported.isEmpty)
    }
}

@Suite struct `A watch for certain times` {
    @Test(.rule("T43"))
    func `A watch reports each certain time when playback crosses it, and no other`() {
        var observer = TimelineObserver(
            sampleRate: 1000,
            watches: [
                TimeWatch(
                    id: .observer(1), times: .at([hundredths(5), hundredths(12), hundredths(13)]))
            ]
        )
        var timeline = oneItem()

        let reported = observer.report(upTo: 10_000, in: &timeline)

        #expect(
            reported.dropFirst().map(\.observation) == [
                .crossed(watch: .observer(1), ItemID(1), time: hundredths(5)),
                .crossed(watch: .observer(1), ItemID(1), time: hundredths(12)),
                .crossed(watch: .observer(1), ItemID(1), time: hundredths(13)),
            ])
        #expect(reported.map(\.frame) == [0, 50, 120, 130])
    }

    @Test func `A watch on certain times reports them again in every item`() {
        var observer = TimelineObserver(
            sampleRate: 1000, watches: [TimeWatch(id: .observer(1), times: .at([hundredths(5)]))])
        var timeline = oneItem(end: 80)
        timeline.begin(segment(2, from: 80))

        let reported = observer.report(upTo: 1000, in: &timeline)

        #expect(reported.map(\.frame) == [0, 50, 80, 80, 130])
        #expect(
            reported.last?.observation
                == .crossed(watch: .observer(1), ItemID(2), time: hundredths(5)))
    }

    @Test func `A watch reports zero when an item begins without a jump, but not after a jump`() {
        let watch = TimeWatch(id: .observer(1), times: .at([.zero]))
        var observer = TimelineObserver(sampleRate: 1000, watches: [watch])
        var timeline = oneItem(end: 80)
        timeline.begin(segment(2, from: 80, isJump: true))

        let reported = observer.report(upTo: 80, in: &timeline)

        #expect(
            reported.map(\.observation) == [
                .began(segment(1, from: 0, to: 80)),
                .crossed(watch: .observer(1), ItemID(1), time: .zero),
                .ended(ItemID(1), time: hundredths(8)),
                .began(segment(2, from: 80, isJump: true)),
            ])
    }

    @Test func `A watch reports a time at the item's exact end, before the end`() {
        var observer = TimelineObserver(
            sampleRate: 1000, watches: [TimeWatch(id: .observer(1), times: .at([hundredths(8)]))])
        var timeline = oneItem(end: 80)

        let reported = observer.report(upTo: 80, in: &timeline)

        #expect(
            reported.dropFirst().map(\.observation) == [
                .crossed(watch: .observer(1), ItemID(1), time: hundredths(8)),
                .ended(ItemID(1), time: hundredths(8)),
            ])
        #expect(reported.map(\.frame) == [0, 80, 80])
    }

    @Test func `A watch on certain times reports nothing after the item's end`() {
        var observer = TimelineObserver(
            sampleRate: 1000,
            watches: [TimeWatch(id: .observer(1), times: .at([CMTime(value: 81, timescale: 1000)]))]
        )
        var timeline = oneItem(end: 80)

        let reported = observer.report(upTo: 10_000, in: &timeline)

        #expect(
            reported.dropFirst().map(\.observation) == [.ended(ItemID(1), time: hundredths(8))])
    }

    @Test func `A watch reports the times of the item, not of the stream, at another rate`() {
        var observer = TimelineObserver(
            sampleRate: 1000, watches: [TimeWatch(id: .observer(1), times: .at([hundredths(50)]))])
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0, origin: hundredths(30), rate: 2))

        let reported = observer.report(upTo: 1000, in: &timeline)

        #expect(reported.map(\.frame) == [0, 100])
    }
}

@Suite struct `A watch that is added or removed` {
    @Test func `A watch added in the middle of an item reports its times from there on`() {
        var observer = TimelineObserver(sampleRate: 1000)
        var timeline = oneItem()
        _ = observer.report(upTo: 250, in: &timeline)

        observer.add(TimeWatch(id: .observer(5), times: .every(tenth)), at: 250)
        observer.add(TimeWatch(id: .observer(6), times: .at([tenth, hundredths(40)])), at: 250)
        let reported = observer.report(upTo: 400, in: &timeline)

        #expect(
            reported.map(\.observation) == [
                .crossed(watch: .observer(5), ItemID(1), time: hundredths(30)),
                .crossed(watch: .observer(5), ItemID(1), time: hundredths(40)),
                .crossed(watch: .observer(6), ItemID(1), time: hundredths(40)),
            ])
    }

    @Test func `A watch added at one of its times does not report that, which was heard already`() {
        var observer = TimelineObserver(sampleRate: 1000)
        var timeline = oneItem()
        _ = observer.report(upTo: 200, in: &timeline)

        observer.add(TimeWatch(id: .observer(5), times: .every(tenth)), at: 200)
        observer.add(TimeWatch(id: .observer(6), times: .at([hundredths(20)])), at: 200)
        let reported = observer.report(upTo: 300, in: &timeline)

        #expect(reported.map(\.frame) == [300])
    }

    @Test func `A watch added at an item's first frame reports zero, unless it was jumped to`() {
        var first = TimelineObserver(sampleRate: 1000)
        var jumped = first
        var timeline = oneItem()
        var jump = Timeline()
        jump.begin(segment(1, from: 0, isJump: true))
        _ = first.report(upTo: 0, in: &timeline)
        _ = jumped.report(upTo: 0, in: &jump)

        first.add(TimeWatch(id: .observer(5), times: .every(tenth)), at: 0)
        jumped.add(TimeWatch(id: .observer(5), times: .every(tenth)), at: 0)

        #expect(first.report(upTo: 100, in: &timeline).map(\.frame) == [0, 100])
        #expect(jumped.report(upTo: 100, in: &jump).map(\.frame) == [100])
    }

    @Test func `A watch added before any item reports from the first one's beginning on`() {
        var observer = TimelineObserver(sampleRate: 1000)
        var timeline = oneItem()

        observer.add(TimeWatch(id: .observer(5), times: .every(tenth)), at: 0)
        let reported = observer.report(upTo: 100, in: &timeline)

        #expect(reported.map(\.frame) == [0, 0, 100])
    }

    @Test func `A watch reports nothing more once it is removed, while the others do`() {
        var observer = TimelineObserver(
            sampleRate: 1000,
            watches: [
                TimeWatch(id: .observer(1), times: .every(tenth)),
                TimeWatch(id: .observer(2), times: .every(tenth)),
                TimeWatch(id: .observer(3), times: .at([hundredths(25)])),
            ])
        var timeline = oneItem()
        _ = observer.report(upTo: 150, in: &timeline)

        observer.remove(watch: .observer(2))
        let reported = observer.report(upTo: 250, in: &timeline)

        #expect(
            reported.map(\.observation) == [
                .crossed(watch: .observer(1), ItemID(1), time: hundredths(20)),
                .crossed(watch: .observer(3), ItemID(1), time: hundredths(25)),
            ])
    }

    @Test func `A watch may be removed after it was asked what comes next`() {
        var observer = TimelineObserver(
            sampleRate: 1000,
            watches: [
                TimeWatch(id: .observer(1), times: .every(tenth)),
                TimeWatch(id: .observer(2), times: .every(tenth)),
            ])
        var timeline = oneItem()
        _ = observer.report(upTo: 99, in: &timeline)
        let next = observer.next(in: timeline)

        observer.remove(watch: .observer(1))
        if let next { observer.advance(past: next.observation) }
        let reported = observer.report(upTo: 100, in: &timeline)

        #expect(next?.observation == .crossed(watch: .observer(1), ItemID(1), time: tenth))
        #expect(
            reported.map(\.observation) == [.crossed(watch: .observer(2), ItemID(1), time: tenth)])
    }
}
