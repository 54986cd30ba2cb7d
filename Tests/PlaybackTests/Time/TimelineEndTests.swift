import TestSupport
import Testing
import UndersongPlayback

/// Behaviour 2.3: an item ends with a last, exact time; the next one begins at zero.
@Suite struct `A timeline observer at an item's end` {
    @Test(.rule("2.3"))
    func `A timeline observer reports the exact length in frames, off the grid`() {
        var observer = TimelineObserver(
            sampleRate: 44100, interval: CMTime(value: 1, timescale: 100))
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0))
        timeline.end(at: 1000)

        let reported = observer.report(upTo: 1000, in: &timeline)

        #expect(reported.map(\.frame) == [0, 0, 441, 882, 1000])
        #expect(reported.last?.observation.time?.value == 1000)
        #expect(reported.last?.observation.time?.timescale == 44100)
    }

    @Test func `A timeline observer reports an end on the grid once, in the grid's timescale`() {
        var observer = TimelineObserver(
            sampleRate: 44100, interval: CMTime(value: 1, timescale: 100))
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0))
        timeline.end(at: 882)

        let reported = observer.report(upTo: 2000, in: &timeline)

        #expect(
            reported.map(\.observation) == [
                .began(segment(1, from: 0, to: 882)), .tick(1, .zero),
                .tick(1, CMTime(value: 1, timescale: 100)),
                .ended(ItemID(1), time: CMTime(value: 2, timescale: 100)),
            ])
        #expect(reported.last?.observation.time?.value == 2)
        #expect(reported.last?.observation.time?.timescale == 100)
    }

    @Test func `A timeline observer reports an end at its frame, not before`() {
        var observer = TimelineObserver(sampleRate: 1000, interval: nil)
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0))
        timeline.end(at: 50)

        let before = observer.report(upTo: 49, in: &timeline)
        let at = observer.report(upTo: 50, in: &timeline)

        #expect(before.map(\.observation) == [.began(segment(1, from: 0, to: 50))])
        #expect(at.map(\.frame) == [50])
    }

    @Test func `A timeline observer reports an item's ticks while it is decoded, and then its end`()
    {
        var observer = TimelineObserver(sampleRate: 1000, interval: CMTime(value: 1, timescale: 10))
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0))

        let open = observer.report(upTo: 250, in: &timeline)
        timeline.end(at: 260)
        let ended = observer.report(upTo: 260, in: &timeline)

        #expect(open.map(\.frame) == [0, 0, 100, 200])
        #expect(
            ended.map(\.observation) == [
                .ended(ItemID(1), time: CMTime(value: 260, timescale: 1000))
            ])
    }

    @Test func `A timeline observer starts an item's ticks at zero, wherever the last one ended`() {
        var observer = TimelineObserver(
            sampleRate: 44100, interval: CMTime(value: 1, timescale: 100))
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0))
        timeline.end(at: 500)
        timeline.begin(segment(2, from: 500))

        let reported = observer.report(upTo: 941, in: &timeline)

        #expect(
            reported.map(\.observation) == [
                .began(segment(1, from: 0, to: 500)), .tick(1, .zero),
                .tick(1, CMTime(value: 1, timescale: 100)),
                .ended(ItemID(1), time: CMTime(value: 500, timescale: 44100)),
                .began(segment(2, from: 500)), .tick(2, .zero),
                .tick(2, CMTime(value: 1, timescale: 100)),
            ])
        #expect(reported.map(\.frame) == [0, 0, 441, 500, 500, 500, 941])
    }

    @Test func `A timeline observer gives times within the new item once it is heard`() {
        var observer = TimelineObserver(sampleRate: 1000, interval: nil)
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0))
        timeline.end(at: 500)
        timeline.begin(segment(2, from: 500))

        _ = observer.report(upTo: 600, in: &timeline)
        let place = observer.time(at: 600)

        #expect(place?.item == ItemID(2))
        #expect(place?.time == CMTime(value: 1, timescale: 10))
    }

    @Test func `A timeline observer reports begin and end of an item without frames, both at zero`()
    {
        var observer = TimelineObserver(
            sampleRate: 1000, interval: CMTime(value: 1, timescale: 100))
        var timeline = Timeline()
        timeline.begin(segment(1, from: 30))
        timeline.end(at: 30)

        let reported = observer.report(upTo: 30, in: &timeline)

        #expect(
            reported.map(\.observation) == [
                .began(segment(1, from: 30, to: 30)), .ended(ItemID(1), time: .zero),
            ])
        #expect(timeline.first == nil)
    }

    @Test func `A timeline observer reports a tick within the item's last frame before its end`() {
        var observer = TimelineObserver(
            sampleRate: 22050, interval: CMTime(value: 1, timescale: 100))
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0))
        timeline.end(at: 221)

        let reported = observer.report(upTo: 221, in: &timeline)

        #expect(
            reported.map(\.observation) == [
                .began(segment(1, from: 0, to: 221)), .tick(1, .zero),
                .tick(1, CMTime(value: 1, timescale: 100)),
                .ended(ItemID(1), time: CMTime(value: 221, timescale: 22050)),
            ])
    }
}

@Suite struct `A passage that has faded out` {
    @Test func `A passage that has faded out is left, not ended, and no jump leads back into it`() {
        var observer = TimelineObserver(sampleRate: 44100)
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0))
        timeline.end(at: 1000, isComplete: false)

        let reported = observer.report(upTo: 1000, in: &timeline)

        #expect(
            reported.last?.observation
                == .left(ItemID(1), time: CMTime(value: 1000, timescale: 44100)))
    }
}
