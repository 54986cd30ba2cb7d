import Testing
import UndersongPlayback

/// A billion frames per second: one frame is one nanosecond, so that every number is exact.
private let nanosecondFrames = 1_000_000_000

@Suite struct `A heard clock that is held` {
    @Test func `A held clock still reports what is before the hold, and nothing after it`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 900, heard: 100, hostTime: 0))

        clock.hold(at: 300)

        #expect(clock.isRunning)
        #expect(clock.frame(at: 150) == 250)
        #expect(clock.frame(at: 700) == 300)
        #expect(clock.hostTime(of: 300) == 200)
        #expect(clock.hostTime(of: 301) == nil)
    }

    @Test func `A heard clock does not go back to a hold that it has passed`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 900, heard: 100, hostTime: 0))
        let before = clock.frame(at: 400)

        clock.hold(at: 300)

        #expect(before == 500)
        #expect(clock.frame(at: 500) == 500)
    }
}

@Suite struct `A heard clock that is stopped` {
    @Test func `A stopped clock stays at the frame of the stop, whatever the host time`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 900, heard: 100, hostTime: 0))

        clock.stop(at: 300)

        #expect(!clock.isRunning)
        #expect(clock.frame(at: 10) == 300)
        #expect(clock.frame(at: 5_000) == 300)
        #expect(clock.hostTime(of: 200) == nil)
    }

    @Test func `A stopped clock stays at the last reported frame if that is after the stop`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 900, heard: 100, hostTime: 0))
        let before = clock.frame(at: 400)

        clock.stop(at: 300)

        #expect(before == 500)
        #expect(clock.frame(at: 5_000) == 500)
    }

    @Test func `A stopped clock adopts the next reading unchanged, however small the difference`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 9_000, heard: 0, hostTime: 0))
        clock.stop(at: 300)

        clock.update(ClockReading(written: 9_000, heard: 310, hostTime: 1_000))

        #expect(clock.isRunning)
        #expect(clock.frame(at: 1_000) == 310)
        #expect(clock.frame(at: 1_200) == 510)
    }

    @Test func `A stopped clock does not go back if the next reading is before the stop`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 9_000, heard: 0, hostTime: 0))
        clock.stop(at: 300)

        clock.update(ClockReading(written: 9_000, heard: 250, hostTime: 1_000))

        #expect(clock.frame(at: 1_020) == 300)
        #expect(clock.frame(at: 1_070) == 320)
    }
}
