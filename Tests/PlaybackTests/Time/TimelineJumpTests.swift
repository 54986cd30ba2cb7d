import Testing
import UndersongBase
import UndersongPlayback

private let tenth = CMTime(value: 1, timescale: 10)

/// Hundredths of a second, at the tests' thousand frames a second.
private func hundredths(_ value: Int64) -> CMTime { CMTime(value: value, timescale: 100) }

/// The reports for passages that a seek, a skip or an edit has cut.
@Suite struct `A timeline observer, where the stream is cut` {
    private let watch = TimeWatch(id: .interval, times: .every(tenth))

    @Test func `A timeline observer reports where a passage was left, and then what follows it`() {
        var observer = TimelineObserver(sampleRate: 1000, watches: [watch])
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0, to: 5_000))
        _ = observer.report(upTo: 130, in: &timeline)
        timeline.cut(at: 150)
        timeline.begin(segment(2, from: 150, origin: hundredths(325), isJump: true))

        let reported = observer.report(upTo: 250, in: &timeline)

        #expect(
            reported.map(\.observation) == [
                .left(ItemID(1), time: hundredths(15)),
                .began(segment(2, from: 150, origin: hundredths(325), isJump: true)),
                .tick(2, hundredths(330)),
            ])
        #expect(reported.map(\.frame) == [150, 150, 200])
    }

    @Test func `A timeline observer continues with the first multiple strictly after a jump`() {
        var observer = TimelineObserver(sampleRate: 1000, watches: [watch])
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0, origin: hundredths(40), isJump: true))

        let reported = observer.report(upTo: 200, in: &timeline)

        #expect(
            reported.dropFirst().map(\.observation) == [
                .tick(1, hundredths(50)), .tick(1, hundredths(60)),
            ])
        #expect(reported.map(\.frame) == [0, 100, 200])
    }

    @Test func `An item's start reached without a jump begins with the multiple there`() {
        var observer = TimelineObserver(sampleRate: 1000, watches: [watch])
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0, origin: hundredths(40)))
        var between = observer
        var other = Timeline()
        other.begin(segment(1, from: 0, origin: hundredths(43)))

        #expect(observer.report(upTo: 100, in: &timeline).map(\.frame) == [0, 0, 100])
        #expect(between.report(upTo: 100, in: &other).map(\.frame) == [0, 70])
    }

    @Test func `A timeline observer reports the ticks before a jump at their time, and none twice`()
    {
        var observer = TimelineObserver(sampleRate: 1000, watches: [watch])
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0, to: 5_000))
        timeline.cut(at: 310)
        timeline.begin(segment(2, from: 310, origin: hundredths(15), isJump: true))

        let reported = observer.report(upTo: 500, in: &timeline)

        #expect(reported.map(\.frame) == [0, 0, 100, 200, 300, 310, 310, 360, 460])
        #expect(
            reported.compactMap(\.observation.time) == [
                .zero, tenth, hundredths(20), hundredths(30), hundredths(31), hundredths(20),
                hundredths(30),
            ])
    }

    @Test func `A timeline observer reports a jump instead of a multiple at its target`() {
        var observer = TimelineObserver(sampleRate: 1000, watches: [watch])
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0))
        timeline.cut(at: 200)
        timeline.begin(segment(2, from: 200, origin: hundredths(20), isJump: true))
        var cut = segment(1, from: 0, to: 200)
        cut.isComplete = false

        let reported = observer.report(upTo: 300, in: &timeline)

        #expect(
            reported.map(\.observation) == [
                .began(cut), .tick(1, .zero), .tick(1, tenth),
                .left(ItemID(1), time: hundredths(20)),
                .began(segment(2, from: 200, origin: hundredths(20), isJump: true)),
                .tick(2, hundredths(30)),
            ])
    }

    @Test func `A jump passes over a certain time without a report, in either direction`() {
        var observer = TimelineObserver(
            sampleRate: 1000,
            watches: [
                TimeWatch(
                    id: .observer(1), times: .at([hundredths(10), hundredths(30), hundredths(70)]))
            ])
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0))
        _ = observer.report(upTo: 200, in: &timeline)
        timeline.cut(at: 200)
        timeline.begin(segment(2, from: 200, origin: hundredths(50), isJump: true))
        let forward = observer.report(upTo: 300, in: &timeline)
        timeline.cut(at: 300)
        timeline.begin(segment(3, from: 300, origin: hundredths(25), isJump: true))
        let back = observer.report(upTo: 400, in: &timeline)

        #expect(forward.compactMap(\.observation.time) == [hundredths(20)])
        #expect(back.compactMap(\.observation.time) == [hundredths(60), hundredths(30)])
        #expect(back.map(\.frame) == [300, 300, 350])
    }

    @Test func `A certain time is reported once if the stream is replaced just there`() {
        var observer = TimelineObserver(
            sampleRate: 1000, watches: [TimeWatch(id: .observer(1), times: .at([hundredths(20)]))])
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0))
        timeline.cut(at: 200)
        timeline.begin(segment(2, from: 200, origin: hundredths(20), isJump: true))

        let reported = observer.report(upTo: 400, in: &timeline)

        #expect(reported.map(\.frame) == [0, 200, 200, 200])
        #expect(
            reported[1].observation
                == .crossed(watch: .observer(1), ItemID(1), time: hundredths(20)))
    }

    @Test func `A certain time that is a jump's target is not reported`() {
        var observer = TimelineObserver(
            sampleRate: 1000, watches: [TimeWatch(id: .observer(1), times: .at([hundredths(70)]))])
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0, origin: hundredths(70), isJump: true))

        let reported = observer.report(upTo: 400, in: &timeline)

        #expect(reported.map(\.frame) == [0])
    }

    @Test func `A timeline observer reports nothing of a passage that was cut before it was heard`()
    {
        var observer = TimelineObserver(sampleRate: 1000, watches: [watch])
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0, to: 100))
        timeline.begin(segment(2, from: 100, to: 900))
        _ = observer.report(upTo: 50, in: &timeline)
        timeline.cut(at: 100)
        timeline.begin(segment(3, from: 100))

        let reported = observer.report(upTo: 100, in: &timeline)

        #expect(
            reported.map(\.observation) == [
                .ended(ItemID(1), time: tenth), .began(segment(3, from: 100)), .tick(3, .zero),
            ])
    }

    @Test func `A passage is reported as left at its start if none of its frames was heard`() {
        var observer = TimelineObserver(sampleRate: 1000, watches: [watch])
        var timeline = Timeline()
        timeline.begin(segment(1, from: 40, origin: hundredths(7), isJump: true))
        _ = observer.report(upTo: 40, in: &timeline)
        timeline.cut(at: 40)
        timeline.begin(segment(2, from: 40, isJump: true))

        let reported = observer.report(upTo: 40, in: &timeline)

        #expect(
            reported.map(\.observation) == [
                .left(ItemID(1), time: hundredths(7)), .began(segment(2, from: 40, isJump: true)),
            ])
    }

    @Test func `An end, not a cut, is reported if the cut is just after an item's last frame`() {
        var observer = TimelineObserver(sampleRate: 1000, watches: [watch])
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0, to: 50))
        timeline.begin(segment(2, from: 50))
        timeline.cut(at: 50)

        let reported = observer.report(upTo: 60, in: &timeline)

        #expect(reported.last?.observation == .ended(ItemID(1), time: hundredths(5)))
    }

    @Test func `A timeline observer knows the heard passage, and its times, at any moment`() {
        var observer = TimelineObserver(sampleRate: 1000)
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0))
        timeline.cut(at: 150)
        timeline.begin(segment(2, from: 150, origin: hundredths(300), rate: 2, isJump: true))

        _ = observer.report(upTo: 149, in: &timeline)
        let before = (observer.passage?.item, observer.time(at: 149)?.time)
        _ = observer.report(upTo: 150, in: &timeline)
        let after = (observer.passage?.item, observer.time(at: 160)?.time)

        #expect(before == (ItemID(1), CMTime(value: 149, timescale: 1000)))
        #expect(after == (ItemID(2), hundredths(302)))
    }
}

/// However late it is asked, and wherever the stream is cut: each multiple once, in order.
@Suite struct `A timeline observer, asked at any moment` {
    @Test(arguments: 0..<60)
    func `A timeline observer reports every multiple that was heard once, and in order`(seed: Int) {
        var generator = SeededGenerator(seed: seed)
        var observer = TimelineObserver(sampleRate: 997, interval: CMTime(value: 1, timescale: 30))
        var timeline = Timeline()
        var (heard, reported, expected) = (0, [CMTime](), [CMTime]())

        for number in 1...40 {
            let origin = CMTime(value: Int64.random(in: 0...900, using: &generator), timescale: 90)
            let isJump = Bool.random(using: &generator)
            let length = Int.random(in: 1...700, using: &generator)
            timeline.begin(segment(number, from: heard, origin: origin, isJump: isJump))
            for _ in 0..<5 {
                let frame = heard + Int.random(in: 0..<length, using: &generator)
                reported += ticks(observer.report(upTo: frame, in: &timeline))
            }
            heard += length
            timeline.cut(at: heard)
            reported += ticks(observer.report(upTo: heard, in: &timeline))
            expected += multiples(from: origin, inclusive: !isJump, frames: length)
        }

        #expect(reported == expected)
    }

    private func ticks(_ reported: [(observation: TimelineObserver.Observation, frame: Int)])
        -> [CMTime]
    {
        reported.compactMap {
            if case .crossed(_, _, let time) = $0.observation { time } else { nil }
        }
    }

    /// The thirtieths of a second within `frames` after `origin`, which is in ninetieths.
    private func multiples(from origin: CMTime, inclusive: Bool, frames: Int) -> [CMTime] {
        let start = (origin.value * 997 + 45) / 90
        let end = CMTime(value: start + Int64(frames), timescale: 997)
        return (0...900).map { CMTime(value: $0, timescale: 30) }.filter { time in
            (inclusive ? time >= origin : time > origin) && time < end
        }
    }
}
