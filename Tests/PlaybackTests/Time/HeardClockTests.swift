import Testing
import UndersongPlayback

/// A billion frames per second: one frame is one nanosecond, so that every number is exact.
private let nanosecondFrames = 1_000_000_000

@Suite struct `A heard clock` {
    @Test func `A heard clock stays at the start before the first reading`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)

        let frame = clock.frame(at: 5_000)

        #expect(frame == 0)
        #expect(!clock.isRunning)
        #expect(clock.hostTime(of: 0) == nil)
    }

    @Test func `A heard clock runs linearly from a reading`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)

        clock.update(ClockReading(written: 9_000, heard: 100.5, hostTime: 1_000))

        #expect(clock.isRunning)
        #expect(clock.frame(at: 1_000) == 100.5)
        #expect(clock.frame(at: 1_250) == 350.5)
    }

    @Test func `A heard clock runs at the stream's own rate`() {
        var clock = HeardClock(sampleRate: 48_000)

        clock.update(ClockReading(written: 96_000, heard: 0, hostTime: 0))

        #expect(abs(clock.frame(at: 500_000_000) - 24_000) < 0.001)
    }

    @Test func `A heard clock knows when a frame is heard, before and after the reading`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)

        clock.update(ClockReading(written: 9_000, heard: 100, hostTime: 1_000))

        #expect(clock.hostTime(of: 600) == 1_500)
        #expect(clock.hostTime(of: 40) == 940)
    }

    @Test func `A heard clock never reports a frame that is not written`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)

        clock.update(ClockReading(written: 150, heard: 100, hostTime: 0))

        #expect(clock.frame(at: 1_000) == 150)
        #expect(clock.hostTime(of: 150) == 50)
        #expect(clock.hostTime(of: 151) == nil)
    }

    @Test func `A heard clock continues when more is written`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 150, heard: 100, hostTime: 0))

        clock.update(ClockReading(written: 500, heard: 200, hostTime: 100))

        #expect(clock.frame(at: 200) == 300)
    }

    @Test func `A heard clock never runs backward when host times do`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 9_000, heard: 0, hostTime: 0))

        let later = clock.frame(at: 800)
        let earlier = clock.frame(at: 300)

        #expect(later == 800)
        #expect(earlier == 800)
    }

    @Test
    func `A heard clock predicts frames that are not written yet, though it does not report them`()
    {
        var clock = HeardClock(sampleRate: 1000)
        clock.update(ClockReading(written: 300, heard: 100, hostTime: 5_000_000_000))

        let reported = clock.hostTime(of: 301)
        let predicted = clock.prediction(of: 350)

        #expect(reported == nil)
        #expect(predicted == 5_250_000_000)
    }
}

@Suite struct `A heard clock's correction` {
    /// A clock whose first reading is 2 s old, and exact.
    private static func oldClock() -> HeardClock {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 9_000_000_000, heard: 0, hostTime: 0))
        clock.update(
            ClockReading(
                written: 9_000_000_000, heard: 2_000_000_000, hostTime: 2_000_000_000))
        return clock
    }

    @Test func `A correction is the whole difference from a late first answer to a quick one`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(
            ClockReading(written: 1_000_000_000, heard: 0, hostTime: 0, error: 5_000_000))

        clock.update(
            ClockReading(
                written: 1_000_000_000, heard: 104_000_000, hostTime: 100_000_000,
                error: 50_000))

        #expect(abs(clock.frame(at: 100_000_000) - 104_000_000) < 1_000)
    }

    @Test func `A correction is almost zero for a late answer after a quick one`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(
            ClockReading(written: 1_000_000_000, heard: 0, hostTime: 0, error: 50_000))

        clock.update(
            ClockReading(
                written: 1_000_000_000, heard: 104_000_000, hostTime: 100_000_000,
                error: 5_000_000))

        #expect(abs(clock.frame(at: 100_000_000) - 100_000_000) < 1_000)
    }

    @Test func `A correction is about half between two equally quick answers`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(
            ClockReading(written: 1_000_000_000, heard: 0, hostTime: 0, error: 100_000))

        clock.update(
            ClockReading(
                written: 1_000_000_000, heard: 100_064_000, hostTime: 100_000_000,
                error: 100_000))

        #expect(abs(clock.frame(at: 100_000_000) - 100_032_000) < 5_000)
    }

    @Test func `A correction forward is at most a thousandth of the time since the last reading`() {
        var clock = Self.oldClock()

        clock.update(
            ClockReading(
                written: 9_000_000_000, heard: 3_019_000_000, hostTime: 3_000_000_000))

        #expect(clock.frame(at: 3_000_000_000) == 3_001_000_000)
    }

    @Test func `A correction backward is at most a thousandth of the time since the last reading`()
    {
        var clock = Self.oldClock()

        clock.update(
            ClockReading(
                written: 9_000_000_000, heard: 2_981_000_000, hostTime: 3_000_000_000))

        #expect(clock.frame(at: 3_000_000_000) == 2_999_000_000)
    }

    @Test func `A second reading at the same moment corrects nothing, as it cannot show the rate`()
    {
        var clock = Self.oldClock()

        clock.update(
            ClockReading(
                written: 9_000_000_000, heard: 2_008_000_000, hostTime: 2_000_000_000))

        #expect(clock.frame(at: 2_000_001_000) == 2_000_001_000)
    }

    @Test func `A correction is the whole difference at once if three readings agree on it`() {
        var clock = Self.oldClock()

        for hostTime: Int64 in [3_400_000_000, 4_800_000_000, 6_200_000_000] {
            clock.update(
                ClockReading(
                    written: 9_000_000_000, heard: Double(hostTime) + 9_000_000,
                    hostTime: hostTime))
        }

        #expect(abs(clock.frame(at: 6_200_000_000) - 6_209_000_000) < 1_000)
    }

    @Test func `A correction is slow if three readings differ from it and from each other`() {
        var clock = Self.oldClock()

        for (hostTime, ahead) in [(3_400_000_000, 15.0), (4_800_000_000, 5), (6_200_000_000, 15)]
            as [(Int64, Double)]
        {
            clock.update(
                ClockReading(
                    written: 9_000_000_000, heard: Double(hostTime) + ahead * 1e6,
                    hostTime: hostTime))
        }

        #expect(clock.frame(at: 6_200_000_000) - 6_200_000_000 < 4_200_001)
    }

    @Test func `A heard clock does not restart if the answer was late enough to explain it`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(
            ClockReading(written: 1_000_000_000, heard: 0, hostTime: 0, error: 50_000))

        clock.update(
            ClockReading(
                written: 1_000_000_000, heard: 125_000_000, hostTime: 100_000_000,
                error: 30_000_000))

        #expect(abs(clock.frame(at: 100_000_000) - 100_000_000) < 1_000)
    }

    @Test func `A heard clock restarts if the reading is far ahead`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 1_000_000_000, heard: 0, hostTime: 0))

        clock.update(
            ClockReading(written: 1_000_000_000, heard: 121_000_000, hostTime: 100_000_000))

        #expect(clock.frame(at: 100_000_000) == 121_000_000)
    }

    @Test func `A heard clock stops after a reading far behind until the sound has caught up`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 1_000_000_000, heard: 0, hostTime: 0))
        let before = clock.frame(at: 100_000_000)

        clock.update(
            ClockReading(written: 1_000_000_000, heard: 50_000_000, hostTime: 100_000_000))

        #expect(before == 100_000_000)
        #expect(clock.frame(at: 149_000_000) == 100_000_000)
        #expect(clock.frame(at: 151_000_000) == 101_000_000)
    }
}

@Suite struct `A heard clock after its device was emptied` {
    @Test func `A heard clock adopts the first reading of a new epoch unchanged, however close`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 1_000_000_000, heard: 0, hostTime: 0))

        clock.update(
            ClockReading(
                written: 1_000_000_000, heard: 101_000_000, hostTime: 100_000_000, epoch: 1))

        #expect(clock.frame(at: 100_000_000) == 101_000_000)
    }

    @Test func `A heard clock converges to the following readings of the same epoch`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 1_000_000_000, heard: 0, hostTime: 0))
        clock.update(
            ClockReading(
                written: 1_000_000_000, heard: 101_000_000, hostTime: 100_000_000, epoch: 1))

        clock.update(
            ClockReading(
                written: 1_000_000_000, heard: 201_064_000, hostTime: 200_000_000, epoch: 1))

        #expect(abs(clock.frame(at: 200_000_000) - 201_032_000) < 5_000)
    }

    @Test func `A heard clock does not go back if the new epoch begins before what was reported`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 9_000, heard: 0, hostTime: 0))
        let before = clock.frame(at: 500)

        clock.update(ClockReading(written: 9_000, heard: 300, hostTime: 500, epoch: 1))

        #expect(before == 500)
        #expect(clock.frame(at: 600) == 500)
        #expect(clock.frame(at: 800) == 600)
    }
}

@Suite struct `A heard clock's uncertainty` {
    @Test func `The uncertainty is the error of the first reading until two can differ`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)

        clock.update(ClockReading(written: 9_000, heard: 0, hostTime: 0, error: 250_000))

        #expect(clock.uncertainty == 0.00025)
    }

    @Test func `The uncertainty falls to the error of the quickest answer`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(
            ClockReading(written: 1_000_000_000, heard: 0, hostTime: 0, error: 5_000_000))

        clock.update(
            ClockReading(
                written: 1_000_000_000, heard: 104_000_000, hostTime: 100_000_000,
                error: 50_000))

        #expect(abs(clock.uncertainty - 0.00005) < 0.000_001)
    }

    @Test func `The uncertainty is the difference of readings if no round trip explains it`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)

        for index in 0..<10 {
            let hostTime = Int64(index) * 100_000_000
            let wander = index.isMultiple(of: 2) ? 8_000_000.0 : -8_000_000
            clock.update(
                ClockReading(
                    written: 2_000_000_000, heard: Double(hostTime) + wander,
                    hostTime: hostTime, error: 50_000))
        }

        #expect(abs(clock.frame(at: 900_000_000) - 900_000_000) < 1_000_000)
        #expect((0.008...0.018).contains(clock.uncertainty))
    }

    @Test func `The uncertainty is all of a jump at once, and halves with each agreeing reading`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 1_000_000_000, heard: 30_000_000, hostTime: 0))

        clock.update(
            ClockReading(written: 1_000_000_000, heard: 60_000_000, hostTime: 0))
        let far = clock.uncertainty
        clock.update(
            ClockReading(written: 1_000_000_000, heard: 70_000_000, hostTime: 10_000_000))

        #expect(far == 0.03)
        #expect(clock.uncertainty == 0.015)
    }
}
