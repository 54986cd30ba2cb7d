import Testing
import UndersongPlayback

/// The points at which a seek, a skip or an edit of the queue replaces decoded frames.
@Suite struct `A timeline that is cut` {
    /// Three passages, the last of which is still being decoded.
    private let timeline: Timeline = {
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0))
        timeline.end(at: 100)
        timeline.begin(segment(2, from: 100))
        timeline.end(at: 250)
        timeline.begin(segment(3, from: 250))
        return timeline
    }()

    @Test func `A cut timeline ends the passage that extends beyond the cut, which is not its end`()
    {
        var timeline = timeline

        timeline.cut(at: 180)

        #expect(timeline[PassageID(2)]?.end == 180)
        #expect(timeline[PassageID(2)]?.isComplete == false)
    }

    @Test func `A cut timeline forgets what begins after the cut, and keeps what ends before it`() {
        var timeline = timeline

        timeline.cut(at: 180)

        #expect(timeline[PassageID(3)] == nil)
        #expect(timeline.last?.passage == PassageID(2))
        #expect(timeline[PassageID(1)]?.end == 100)
        #expect(timeline[PassageID(1)]?.isComplete == true)
    }

    @Test
    func `A cut timeline keeps a passage that ends there, and forgets one that begins there`() {
        var timeline = timeline

        timeline.cut(at: 100)

        #expect(timeline.last?.passage == PassageID(1))
        #expect(timeline.last?.end == 100)
        #expect(timeline.last?.isComplete == true)
    }

    @Test func `A cut a frame before its end cuts a passage short`() {
        var timeline = timeline

        timeline.cut(at: 249)

        #expect(timeline.last?.passage == PassageID(2))
        #expect(timeline.last?.end == 249)
        #expect(timeline.last?.isComplete == false)
    }

    @Test func `A cut timeline ends a passage that is still being decoded`() {
        var timeline = timeline

        timeline.cut(at: 300)

        #expect(timeline.last?.passage == PassageID(3))
        #expect(timeline.last?.end == 300)
        #expect(timeline.last?.isComplete == false)
        #expect(timeline[PassageID(2)]?.isComplete == true)
    }

    @Test func `A timeline cut at its beginning contains nothing`() {
        var timeline = timeline

        timeline.cut(at: 0)

        #expect(timeline.first == nil)
    }

    @Test func `A timeline is cut again before the first cut, and not after it`() {
        var timeline = timeline
        timeline.cut(at: 180)

        timeline.cut(at: 200)
        let later = timeline.last?.end
        timeline.cut(at: 120)

        #expect(later == 180)
        #expect(timeline.last?.end == 120)
        #expect(timeline.last?.isComplete == false)
    }

    @Test func `A cut timeline continues with another passage, whose beginning ends nothing else`()
    {
        var timeline = timeline
        timeline.cut(at: 180)

        timeline.begin(segment(4, from: 180, isJump: true))
        timeline.end(at: 400)

        #expect(timeline[PassageID(2)]?.end == 180)
        #expect(timeline[PassageID(4)]?.end == 400)
        #expect(timeline[PassageID(4)]?.isComplete == true)
    }

    @Test func `A cut timeline lets only the passage that ends at the cut continue`() {
        var (there, elsewhere, cutShort) = (timeline, timeline, timeline)
        there.cut(at: 100)
        elsewhere.cut(at: 100)
        cutShort.cut(at: 180)

        there.reopen(at: 100)
        elsewhere.reopen(at: 90)
        cutShort.reopen(at: 180)

        #expect(there.last?.end == nil)
        #expect(there.last?.isComplete == true)
        #expect(elsewhere.last?.end == 100)
        #expect(cutShort.last?.end == 180)
    }

    @Test func `A timeline knows the time of an item at a frame, or where it ended before that`() {
        var timeline = timeline
        timeline.remove(PassageID(1))

        #expect(timeline.time(of: ItemID(1), at: 120, sampleRate: 100) == nil)
        #expect(
            timeline.time(of: ItemID(2), at: 120, sampleRate: 100)
                == CMTime(value: 20, timescale: 100))
        #expect(
            timeline.time(of: ItemID(2), at: 9_999, sampleRate: 100)
                == CMTime(value: 150, timescale: 100))
        #expect(timeline.time(of: ItemID(3), at: 249, sampleRate: 100) == nil)
    }

    @Test func `A timeline forgets one passage of an item that is heard again after it`() {
        var timeline = Timeline()
        timeline.begin(
            Timeline.Segment(passage: PassageID(7), item: ItemID(1), start: 0, end: 50))
        timeline.begin(Timeline.Segment(passage: PassageID(8), item: ItemID(1), start: 50))

        timeline.remove(PassageID(7))

        #expect(timeline.first?.passage == PassageID(8))
        #expect(timeline.last?.passage == PassageID(8))
    }
}
