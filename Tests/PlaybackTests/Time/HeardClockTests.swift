import Playback
import Testing

/// A thousand million frames a second: one frame is one nanosecond, so that every number is exact.
private let nanosecondFrames = 1_000_000_000

@Suite struct `A heard clock` {
    @Test func `stands at the start before the first reading`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)

        let frame = clock.frame(at: 5_000)

        #expect(frame == 0)
        #expect(!clock.isRunning)
        #expect(clock.hostTime(of: 0) == nil)
    }

    @Test func `runs straight on from a reading`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)

        clock.update(ClockReading(written: 9_000, heard: 100.5, hostTime: 1_000))

        #expect(clock.isRunning)
        #expect(clock.frame(at: 1_000) == 100.5)
        #expect(clock.frame(at: 1_250) == 350.5)
    }

    @Test func `runs at the stream's own rate`() {
        var clock = HeardClock(sampleRate: 48_000)

        clock.update(ClockReading(written: 96_000, heard: 0, hostTime: 0))

        #expect(abs(clock.frame(at: 500_000_000) - 24_000) < 0.001)
    }

    @Test func `says when a frame is heard, before and after the reading`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)

        clock.update(ClockReading(written: 9_000, heard: 100, hostTime: 1_000))

        #expect(clock.hostTime(of: 600) == 1_500)
        #expect(clock.hostTime(of: 40) == 940)
    }

    @Test func `never tells a frame that is not written`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)

        clock.update(ClockReading(written: 150, heard: 100, hostTime: 0))

        #expect(clock.frame(at: 1_000) == 150)
        #expect(clock.hostTime(of: 150) == 50)
        #expect(clock.hostTime(of: 151) == nil)
    }

    @Test func `goes on when more is written`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 150, heard: 100, hostTime: 0))

        clock.update(ClockReading(written: 500, heard: 200, hostTime: 100))

        #expect(clock.frame(at: 200) == 300)
    }

    @Test func `never runs backwards when host times do`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 9_000, heard: 0, hostTime: 0))

        let later = clock.frame(at: 800)
        let earlier = clock.frame(at: 300)

        #expect(later == 800)
        #expect(earlier == 800)
    }

    @Test func `predicts frames that are not written yet, though it does not tell them`() {
        var clock = HeardClock(sampleRate: 1000)
        clock.update(ClockReading(written: 300, heard: 100, hostTime: 5_000_000_000))

        let told = clock.hostTime(of: 301)
        let predicted = clock.prediction(of: 350)

        #expect(told == nil)
        #expect(predicted == 5_250_000_000)
    }
}

@Suite struct `A heard clock's correction` {
    @Test func `is an eighth of a small error`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 1_000_000_000, heard: 0, hostTime: 0))

        clock.update(
            ClockReading(written: 1_000_000_000, heard: 100_064_000, hostTime: 100_000_000))

        #expect(clock.frame(at: 100_000_000) == 100_008_000)
    }

    @Test func `is at most a thousandth of the time since the last reading, forwards`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 1_000_000_000, heard: 0, hostTime: 0))

        clock.update(
            ClockReading(written: 1_000_000_000, heard: 119_000_000, hostTime: 100_000_000))

        #expect(clock.frame(at: 100_000_000) == 100_100_000)
    }

    @Test func `is at most a thousandth of the time since the last reading, backwards`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 1_000_000_000, heard: 0, hostTime: 0))

        clock.update(
            ClockReading(written: 1_000_000_000, heard: 181_000_000, hostTime: 200_000_000))

        #expect(clock.frame(at: 200_000_000) == 199_800_000)
    }

    @Test func `is none for a reading at the same moment, which says nothing of the pace`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 1_000_000_000, heard: 0, hostTime: 0))

        clock.update(ClockReading(written: 1_000_000_000, heard: 8_000_000, hostTime: 0))

        #expect(clock.frame(at: 1_000) == 1_000)
    }

    @Test func `adds up over readings that agree`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 1_000_000_000, heard: 0, hostTime: 0))

        clock.update(
            ClockReading(written: 1_000_000_000, heard: 110_000_000, hostTime: 100_000_000))
        clock.update(
            ClockReading(written: 1_000_000_000, heard: 210_000_000, hostTime: 200_000_000))

        #expect(clock.frame(at: 200_000_000) == 200_200_000)
    }

    @Test func `is a new start when the reading is far ahead`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 1_000_000_000, heard: 0, hostTime: 0))

        clock.update(
            ClockReading(written: 1_000_000_000, heard: 121_000_000, hostTime: 100_000_000))

        #expect(clock.frame(at: 100_000_000) == 121_000_000)
    }

    @Test func `stands still after a reading far behind until the sound has caught up`() {
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
    @Test func `takes the first reading of the new epoch as it is, however small the difference`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 1_000_000_000, heard: 0, hostTime: 0))

        clock.update(
            ClockReading(
                written: 1_000_000_000, heard: 101_000_000, hostTime: 100_000_000, epoch: 1))

        #expect(clock.frame(at: 100_000_000) == 101_000_000)
    }

    @Test func `leans towards the readings that follow in the same epoch`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 1_000_000_000, heard: 0, hostTime: 0))
        clock.update(
            ClockReading(
                written: 1_000_000_000, heard: 101_000_000, hostTime: 100_000_000, epoch: 1))

        clock.update(
            ClockReading(
                written: 1_000_000_000, heard: 201_064_000, hostTime: 200_000_000, epoch: 1))

        #expect(clock.frame(at: 200_000_000) == 201_008_000)
    }

    @Test func `does not go back when the new epoch begins before what was told`() {
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
    @Test func `is none before two readings can differ`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)

        clock.update(ClockReading(written: 9_000, heard: 0, hostTime: 0))

        #expect(clock.uncertainty == 0)
    }

    @Test func `is the largest difference at once, and falls by an eighth with each that agrees`() {
        var clock = HeardClock(sampleRate: nanosecondFrames)
        clock.update(ClockReading(written: 1_000_000_000, heard: 30_000_000, hostTime: 0))

        clock.update(
            ClockReading(written: 1_000_000_000, heard: 60_000_000, hostTime: 0))
        let far = clock.uncertainty
        clock.update(
            ClockReading(written: 1_000_000_000, heard: 70_000_000, hostTime: 10_000_000))

        #expect(far == 0.03)
        #expect(clock.uncertainty == 0.02625)
    }
}
