import Playback
import Testing

@Suite struct `What a sound server holds at least` {
    private let format = StreamFormat(sampleRate: 48_000, channelCount: 2)

    @Test func `falls as time passes, and rises with what is written`() {
        var gauge = ArrivalGauge(format: format)
        gauge.take(300_000_000, at: 1_000_000_000, written: 24_000)

        #expect(gauge.least(at: 1_100_000_000, written: 24_000) == 200_000_000)
        // Half a second more was written, of which a count over another connection may not know yet.
        #expect(gauge.least(at: 1_100_000_000, written: 48_000) == 700_000_000)
        #expect(gauge.least(at: 1_400_000_000, written: 24_000) == -100_000_000)
    }

    @Test func `is what the last count says, and nothing before the first or behind a flush`() {
        var gauge = ArrivalGauge(format: format)
        let before = gauge.least(at: 0, written: 0)
        gauge.take(300_000_000, at: 1_000_000_000, written: 24_000)
        gauge.take(250_000_000, at: 2_000_000_000, written: 72_000)
        let between = gauge.least(at: 2_000_000_000, written: 72_000)
        gauge.forget()

        #expect(before == nil)
        #expect(between == 250_000_000)
        #expect(gauge.least(at: 2_000_000_000, written: 72_000) == nil)
    }
}
