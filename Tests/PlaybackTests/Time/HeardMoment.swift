import UndersongPlayback

/// A clock's report at a host time. Errors are in milliseconds.
struct HeardMoment {
    let hostTime: Int64
    let frame: Double
    let limit: Double
    /// The delay of the clock's time for a frame; infinite without a reading.
    let error: Double
    let uncertainty: Double

    /// A clock's values for readings, every 10 ms: each reading arrives late by its uncertainty,
    /// when the answer would. `heard` is the frame heard at a host time.
    static func all(
        _ readings: [ClockReading], sampleRate: Int, heard: (_ hostTime: Int64) -> Double
    ) -> [Self] {
        var clock = HeardClock(sampleRate: sampleRate)
        var pending = readings[...]
        let end = readings.map(\.hostTime).max() ?? 0
        return stride(from: 0, through: end, by: 10_000_000).map { now in
            while let next = pending.first, next.hostTime + next.error <= now {
                clock.update(next)
                pending.removeFirst()
            }
            let said = clock.prediction(of: heard(now)).map { Double($0 - now) / 1e6 }
            return HeardMoment(
                hostTime: now, frame: clock.frame(at: now), limit: clock.limit,
                error: said ?? .infinity, uncertainty: clock.uncertainty * 1000)
        }
    }
}
