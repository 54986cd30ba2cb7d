import Testing

@testable import UndersongPlayback

@Suite struct `A playback reserve` {
    /// Bytes per second of 128 kbit/s.
    private static let rate = 16_000.0

    private var reserve = PlaybackReserve()

    /// Records bytes that arrive at `rate` after `burst` of them, every 50 ms up to `end`.
    private mutating func receive(_ rate: Double, after burst: Int64 = 0, until end: Double) {
        for step in 0...Int(end * 20) {
            let time = Double(step) / 20
            reserve.record(burst + Int64(rate * time), isReceiving: true, at: time)
        }
    }

    @Test func `A playback reserve is a second as long as no rate is known`() {
        #expect(reserve.seconds(playedAt: Self.rate, left: nil, at: 0) == 1)
    }

    @Test
    mutating func `A playback reserve is a second for bytes that come twice as fast as they play`()
    {
        receive(2 * Self.rate, until: 2)

        #expect(reserve.seconds(playedAt: Self.rate, left: nil, at: 2) == 1)
    }

    @Test mutating func `A playback reserve is the greater the slower bytes arrive`() {
        let seconds = [2, 1.75, 1.5, 1.25, 1, 0.9, 0.8].map { ratio in
            var other = Self()
            other.receive(ratio * Self.rate, until: 4)
            return other.reserve.seconds(
                playedAt: Self.rate, left: Int64(60 * Self.rate), at: 4)
        }

        #expect(zip(seconds, seconds.dropFirst()).allSatisfy { $0 < $1 + 0.001 }, "\(seconds)")
        #expect(abs(seconds[4] - PlaybackReserve.usualSeconds) < 0.1)
        // Of what is left, a tenth more is played than arrives.
        #expect(abs(seconds[5] - 6) < 0.3)
        #expect(seconds[6] == PlaybackReserve.mostSeconds)
    }

    @Test mutating func `A playback reserve counts the time in which nothing arrives`() throws {
        receive(2 * Self.rate, until: 4)

        let before = try #require(reserve.arrivalRate(at: 4))
        let after = try #require(reserve.arrivalRate(at: 8))

        #expect(abs(before / Self.rate - 2) < 0.1)
        #expect(abs(after / Self.rate - 1) < 0.1)
    }

    @Test mutating func `A playback reserve forgets the rate of a connection that has ended`() {
        receive(Self.rate / 2, until: 4)

        reserve.record(100_000, isReceiving: false, at: 5)

        #expect(reserve.arrivalRate(at: 5) == nil)
    }

    @Test
    mutating func `A playback reserve measures the last seconds, without a burst before them`()
        throws
    {
        receive(Self.rate, after: 1_000_000, until: 30)

        let arriving = try #require(reserve.arrivalRate(at: 30))

        #expect(abs(arriving / Self.rate - 1) < 0.1)
    }

    @Test mutating func `A playback reserve grows with each stall, and shrinks after a quiet time`()
    {
        let seconds = (1...5).map { index in
            reserve.recordStall(at: Double(index) * 60)
            return reserve.seconds(playedAt: Self.rate, left: nil, at: Double(index) * 60)
        }
        let later = reserve.seconds(
            playedAt: Self.rate, left: nil, at: 301 + PlaybackReserve.stallMemory)
        reserve.recordStall(at: 302 + PlaybackReserve.stallMemory)
        let again = reserve.seconds(
            playedAt: Self.rate, left: nil, at: 302 + PlaybackReserve.stallMemory)

        #expect(seconds == [4, 8, 16, 16, 16])
        #expect(later == 1)
        #expect(again == 4)
    }

    @Test
    mutating func `A playback reserve is larger for a slow server after a stall, but limited`() {
        receive(Self.rate / 2, until: 4)
        let left = Int64(3600 * Self.rate)

        let first = reserve.seconds(playedAt: Self.rate, left: left, at: 4)
        reserve.recordStall(at: 4)
        let second = reserve.seconds(playedAt: Self.rate, left: left, at: 4)
        for _ in 1...9 { reserve.recordStall(at: 4) }
        let last = reserve.seconds(playedAt: Self.rate, left: left, at: 4)

        #expect([first, second, last] == [10, 20, 30])
    }
}
