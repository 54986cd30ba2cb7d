/// Decides how much of a stream must be there before its sound begins, and begins again after a
/// stall: what the rate justifies at which its bytes arrive, and more after each stall.
///
/// Times are in seconds of any clock that never goes back.
package struct PlaybackReserve: Hashable, Sendable {
    /// The seconds of sound for bytes that arrive at least twice as fast as they are played.
    static let leastSeconds = 1.0
    /// The seconds for bytes that arrive no faster than they are played.
    static let usualSeconds = 3.0
    /// The seconds after a first stall; twice as many after each further one, up to the most.
    static let secondsAfterStall = 4.0
    static let mostAfterStall = 16.0
    /// At most as many are waited for, however slowly the rest arrives; after each stall twice as
    /// many, up to the last.
    static let mostSeconds = 10.0
    static let mostOfAll = 30.0
    /// A stall that is longer ago says nothing about the next one.
    static let stallMemory = 120.0
    /// The seconds for which the rate is measured, and the time between two samples of it.
    static let rateSeconds = 10.0
    private static let sampleSeconds = 0.25

    private struct Sample: Hashable, Sendable {
        var time: Double
        var count: Int64
    }

    /// The arrivals with their times, while bytes came without an interruption.
    private var samples: [Sample] = []
    /// The last stalls, each close to the one before.
    private var stalls = 0
    private var lastStall = -Double.infinity

    package init() {}

    /// Records how many bytes have arrived in all; with `isReceiving`, more are awaited.
    package mutating func record(_ count: Int64, isReceiving: Bool, at now: Double) {
        guard isReceiving else { return samples = [] }
        let sample = Sample(time: now, count: count)
        // The newest one moves until it is old enough to stay.
        if samples.count > 1, now - samples[samples.count - 2].time < Self.sampleSeconds {
            samples[samples.count - 1] = sample
        } else {
            samples.append(sample)
        }
        if let first = samples.lastIndex(where: { now - $0.time >= Self.rateSeconds }) {
            samples.removeFirst(first)
        }
    }

    /// Records that sound has stopped for want of bytes.
    package mutating func recordStall(at now: Double) {
        stalls = now - lastStall <= Self.stallMemory ? stalls + 1 : 1
        lastStall = now
    }

    /// The bytes per second that have arrived lately; nil if too little is known.
    package func arrivalRate(at now: Double) -> Double? {
        guard let first = samples.first, let last = samples.last, last.count > first.count else {
            return nil
        }
        // What comes in one piece comes at any rate.
        return Double(last.count - first.count) / max(now - first.time, 0.001)
    }

    /// The seconds of sound that must be there before it begins, of bytes that are played at `rate`
    /// a second. `left` is how many are still to be played; nil without an end.
    package func seconds(playedAt rate: Double, left: Int64?, at now: Double) -> Double {
        let isRecent = now - lastStall <= Self.stallMemory
        let stalls = isRecent ? stalls : 0
        let after =
            stalls == 0
            ? 0
            : min(Self.secondsAfterStall * Double(1 << min(stalls - 1, 8)), Self.mostAfterStall)
        guard rate > 0, let arriving = arrivalRate(at: now) else {
            return max(Self.leastSeconds, after)
        }
        let ratio = arriving / rate
        guard ratio < 1 else {
            let share = max(0, 2 - ratio)
            return max(
                Self.leastSeconds + share * (Self.usualSeconds - Self.leastSeconds), after)
        }
        // What arrives while the rest is played is that much less than the rest.
        let missing = left.map { Double($0) / rate * (1 - ratio) } ?? 0
        let most = min(Self.mostSeconds * Double(1 << min(stalls, 8)), Self.mostOfAll)
        return max(min(missing, most), Self.usualSeconds, after)
    }
}
