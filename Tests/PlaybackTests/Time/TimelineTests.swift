import Testing
import UndersongPlayback

@Suite struct `A timeline` {
    @Test func `A timeline is empty initially`() {
        let timeline = Timeline()

        #expect(timeline.first == nil)
    }

    @Test func `A timeline leaves a passage open until it is ended`() {
        var timeline = Timeline()

        timeline.begin(segment(1, from: 10))
        let open = timeline.first
        timeline.end(at: 25)

        #expect(open?.item == ItemID(1))
        #expect(open?.start == 10)
        #expect(open?.end == nil)
        #expect(timeline.first?.end == 25)
    }

    @Test func `A timeline ends the passage begun last and returns the earliest first`() {
        var timeline = Timeline()
        timeline.begin(segment(1, from: 0))
        timeline.end(at: 25)
        timeline.begin(segment(2, from: 25))
        timeline.end(at: 40)

        let first = timeline.first
        timeline.remove(PassageID(1))
        let second = timeline.first

        #expect(first?.item == ItemID(1))
        #expect(first?.end == 25)
        #expect(second?.item == ItemID(2))
        #expect(second?.start == 25)
        #expect(second?.end == 40)
    }

    @Test func `A timeline ends nothing if nothing has begun`() {
        var timeline = Timeline()

        timeline.end(at: 25)

        #expect(timeline.first == nil)
    }
}
