import TestSupport
import Testing
import UndersongPlayback

/// C7 and behaviour 2.2: one call for each multiple of the interval on the item's own timeline.
@Suite struct `A timeline observer` {
    @Test func `A timeline observer has nothing to report without an item`() {
        let observer = TimelineObserver(
            sampleRate: 1000, interval: CMTime(value: 1, timescale: 100))

        let next = observer.next(in: Timeline())

        #expect(next == nil)
    }

    @Test
    func `A timeline observer reports a beginning, then the tick at zero, at the first frame`() {
        var observer = TimelineObserver(
            sampleRate: 1000, interval: CMTime(value: 1, timescale: 100))
        var timeline = Timeline()
        timeline.begin(segment(1, from: 7))

        let tooEarly = observer.report(upTo: 6, in: &timeline)
        let reported = observer.report(upTo: 7, in: &timeline)

        #expect(tooEarly.isEmpty)
        #expect(reported.map(\.observation) == [.began(segment(1, from: 7)), .tick(1, .zero)])
        #expect(reported.map(\.frame) == [7, 7])
    }

    @Test(.rule("C7")) func `A timeline observer reports each tick at its frame, once`() {
        var observer = TimelineObserver(
            sampleRate: 44100, interval: CMTime(value: 1, timescale: 100))
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0))
        _ = observer.report(upTo: 0, in: &timeline)

        let before = observer.report(upTo: 440, in: &timeline)
        let at = observer.report(upTo: 441, in: &timeline)
        let again = observer.report(upTo: 441, in: &timeline)
        let next = observer.next(in: timeline)

        #expect(before.isEmpty)
        #expect(at.map(\.observation) == [.tick(1, CMTime(value: 1, timescale: 100))])
        #expect(again.isEmpty)
        #expect(next?.frame == 882)
    }

    @Test func `A timeline observer does not use up the next observation when asked for it`() {
        let observer = TimelineObserver(sampleRate: 1000, interval: nil)
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0))

        let first = observer.next(in: timeline)
        let second = observer.next(in: timeline)

        #expect(first?.observation == .began(segment(1, from: 0)))
        #expect(second?.observation == .began(segment(1, from: 0)))
    }

    @Test(.rule("C7")) func `A timeline observer loses no tick if it is asked three seconds late`()
    {
        var observer = TimelineObserver(
            sampleRate: 44100, interval: CMTime(value: 1, timescale: 100))
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0))

        let reported = observer.report(upTo: 132_299, in: &timeline)

        let times = reported.dropFirst().compactMap(\.observation.time)
        #expect(times.map(\.value) == Array(0...299))
        #expect(Set(times.map(\.timescale)) == [100])
    }

    @Test func `A timeline observer reports a tick between two frames at the later one`() {
        var observer = TimelineObserver(
            sampleRate: 22050, interval: CMTime(value: 1, timescale: 100))
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0))

        let reported = observer.report(upTo: 1_000, in: &timeline)

        #expect(reported.map(\.frame) == [0, 0, 221, 441, 662, 882])
    }

    @Test
    func `A timeline observer keeps to the grid for an hour if no frame matches the interval`() {
        var observer = TimelineObserver(
            sampleRate: 44100, interval: CMTime(value: 1001, timescale: 30000))
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0))

        let reported = observer.report(upTo: 158_760_000, in: &timeline)

        #expect(reported.count == 107_894)
        #expect(reported.map(\.frame).prefix(5) == [0, 0, 1472, 2943, 4415])
        #expect(reported.last?.frame == 158_759_842)
        #expect(reported.last?.observation.time == CMTime(value: 107_999_892, timescale: 30000))
    }

    @Test func `A timeline observer reports an interval longer than a second`() {
        var observer = TimelineObserver(sampleRate: 8000, interval: CMTime(value: 5, timescale: 2))
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0))

        let reported = observer.report(upTo: 40_000, in: &timeline)

        #expect(reported.map(\.frame) == [0, 0, 20_000, 40_000])
        #expect(reported.map(\.observation.time?.value) == [nil, 0, 5, 10])
    }

    @Test func `A timeline observer reports only beginnings and ends without an interval`() {
        var observer = TimelineObserver(sampleRate: 1000, interval: nil)
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0))
        timeline.end(at: 2500)

        let reported = observer.report(upTo: 9_999, in: &timeline)

        #expect(
            reported.map(\.observation) == [
                .began(segment(1, from: 0, to: 2500)),
                .ended(ItemID(1), time: CMTime(value: 5, timescale: 2)),
            ])
    }

    @Test func `A timeline observer gives the exact time of any frame of the item that is heard`() {
        var observer = TimelineObserver(sampleRate: 1000, interval: nil)
        var timeline = Timeline()
        timeline.begin(segment(4, from: 100))

        let before = observer.time(at: 100)
        _ = observer.report(upTo: 100, in: &timeline)
        let after = observer.time(at: 123)

        #expect(before == nil)
        #expect(after?.item == ItemID(4))
        #expect(after?.time.value == 23)
        #expect(after?.time.timescale == 1000)
    }
}
