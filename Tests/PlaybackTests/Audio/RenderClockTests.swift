import Testing
import UndersongPlayback

@Suite struct `A render clock` {
    @Test func `A render clock has no reading before one is published`() {
        let clock = RenderClock()
        var seen = 0

        let reading = clock.reading(after: &seen)

        #expect(reading == nil)
        #expect(seen == 0)
    }

    @Test func `A render clock passes a reading once to each reader that has not seen it`() {
        let clock = RenderClock()
        var mine = 0
        var another = 0
        clock.publish(
            ClockReading(written: 882, heard: 441.5, hostTime: -7, epoch: 3, error: 25))

        let first = clock.reading(after: &mine)
        let second = clock.reading(after: &mine)
        let other = clock.reading(after: &another)

        #expect(
            first == ClockReading(written: 882, heard: 441.5, hostTime: -7, epoch: 3, error: 25))
        #expect(second == nil)
        #expect(other == first)
    }

    @Test func `A render clock passes only the newest of several readings`() {
        let clock = RenderClock()
        var seen = 0
        clock.publish(ClockReading(written: 1, heard: 0.25, hostTime: 10))
        clock.publish(ClockReading(written: 2, heard: 0.5, hostTime: 20))

        let newest = clock.reading(after: &seen)
        clock.publish(ClockReading(written: 3, heard: 0.75, hostTime: 30))
        let next = clock.reading(after: &seen)

        #expect(newest == ClockReading(written: 2, heard: 0.5, hostTime: 20))
        #expect(next == ClockReading(written: 3, heard: 0.75, hostTime: 30))
    }

    @Test func `A render clock shows that the device was emptied`() {
        let clock = RenderClock()
        var seen = 0

        clock.publish(ClockReading(written: 3, heard: nil, hostTime: 30, epoch: 1))

        let reading = clock.reading(after: &seen)
        #expect(reading == ClockReading(written: 3, heard: nil, hostTime: 30, epoch: 1))
    }
}
