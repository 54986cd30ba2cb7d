import Testing
import UndersongPlayback

/// A billion frames per second: one frame is one nanosecond, so that every number is exact.
private let nanosecondFrames = 1_000_000_000

@Suite struct `A heard clock whose device is emptied while it plays` {
    /// Frame 0 is heard at 0; at 10 ms the device is emptied from 30 ms on.
    private static func cutClock() -> HeardClock {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 1_000_000_000, heard: 0, hostTime: 0))
        clock.update(
            ClockReading(written: 30_000_000, heard: nil, hostTime: 10_000_000, epoch: 1))
        return clock
    }

    @Test func `A cut heard clock still reports what the device has kept, at its time`() {
        var clock = Self.cutClock()

        #expect(clock.isRunning)
        #expect(clock.frame(at: 20_000_000) == 20_000_000)
        #expect(clock.hostTime(of: 29_999_999) == 29_999_999)
    }

    @Test
    func `A cut heard clock reports nothing of what follows until it knows when that is heard`() {
        var clock = Self.cutClock()

        #expect(clock.frame(at: 90_000_000) < 30_000_000)
        #expect(clock.hostTime(of: 30_000_000) == nil)
        #expect(clock.hostTime(before: 30_000_000) == 30_000_000)
    }

    @Test func `A cut heard clock reports late frames when heard, and earlier ones at their time`()
    {
        var clock = Self.cutClock()

        clock.update(
            ClockReading(
                written: 500_000_000, heard: 7_000_000, hostTime: 12_000_000, epoch: 1))

        #expect(clock.hostTime(of: 29_000_000) == 29_000_000)
        #expect(clock.hostTime(before: 30_000_000) == 30_000_000)
        #expect(clock.hostTime(of: 30_000_000) == 35_000_000)
        #expect(clock.hostTime(before: 31_000_000) == 36_000_000)
        #expect(clock.frame(at: 36_000_000) == 31_000_000)
    }

    @Test func `A cut heard clock ends what was before no later than what follows begins`() {
        var clock = Self.cutClock()

        clock.update(
            ClockReading(
                written: 500_000_000, heard: 14_000_000, hostTime: 12_000_000, epoch: 1))

        #expect(clock.hostTime(before: 30_000_000) == 28_000_000)
        #expect(clock.hostTime(of: 30_000_000) == 28_000_000)
    }

    @Test func `A cut heard clock continues as before if the reading shows no delay`() {
        var clock = Self.cutClock()

        clock.update(
            ClockReading(
                written: 500_000_000, heard: 11_800_000, hostTime: 12_000_000, epoch: 1))

        // Both readings are equally certain: between them.
        #expect(abs(clock.frame(at: 40_000_000) - 39_900_000) < 1_000)
        #expect(abs(clock.uncertainty - 0.0002) < 0.000_001)
    }

    @Test func `A cut heard clock converges to the following readings`() {
        var clock = Self.cutClock()
        clock.update(
            ClockReading(
                written: 500_000_000, heard: 7_000_000, hostTime: 12_000_000, epoch: 1))

        clock.update(
            ClockReading(
                written: 500_000_000, heard: 98_000_000, hostTime: 100_000_000, epoch: 1))

        #expect(abs(clock.frame(at: 100_000_000) - 96_500_000) < 10_000)
    }

    @Test func `A heard clock does not go back to a cut that it has passed`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 1_000_000_000, heard: 0, hostTime: 0))
        let before = clock.frame(at: 40_000_000)

        clock.update(
            ClockReading(written: 30_000_000, heard: nil, hostTime: 40_000_000, epoch: 1))

        #expect(before == 40_000_000)
        #expect(clock.frame(at: 50_000_000) == 40_000_000)
        #expect(clock.hostTime(before: 30_000_000) == 30_000_000)
        #expect(clock.hostTime(of: 30_000_000) == nil)
    }

    @Test func `A heard clock knows of no cut before its first reading`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)

        clock.update(ClockReading(written: 30, heard: nil, hostTime: 10, epoch: 1))
        clock.update(ClockReading(written: 100, heard: 5, hostTime: 20, epoch: 1))

        #expect(clock.hostTime(of: 20) == 35)
        #expect(clock.hostTime(of: 40) == 55)
    }

    @Test func `A heard clock forgets the cut when it is stopped`() {
        var clock = Self.cutClock()
        clock.stop(at: 30_000_000)

        clock.update(
            ClockReading(
                written: 500_000_000, heard: 30_000_000, hostTime: 30_100_000, epoch: 2))

        #expect(clock.hostTime(before: 30_000_000) == 30_100_000)
    }
}
