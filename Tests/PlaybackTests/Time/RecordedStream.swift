import Testing
import UndersongPlayback

/// Readings of a sound server by one stream, and what was heard then.
struct RecordedStream: Sendable, CustomTestStringConvertible {
    static let sampleRate = 44_100

    let testDescription: String
    /// The time in nanoseconds at which frame 0 is heard, by all readings of the stream.
    let truth: Double
    let readings: [ClockReading]

    /// Each line of `readings`: microseconds, half the round trip in microseconds, frames written,
    /// frame heard.
    init(_ name: String, truth: Int64, _ readings: String) {
        testDescription = name
        self.truth = Double(truth) * 1000
        self.readings = readings.split(separator: "\n").map { line in
            let numbers = line.split(separator: " ").compactMap { Double($0) }
            return ClockReading(
                written: Int(numbers[2]), heard: numbers[3], hostTime: Int64(numbers[0]) * 1000,
                error: Int64(numbers[1]) * 1000)
        }
    }

    func moments() -> [HeardMoment] {
        HeardMoment.all(readings, sampleRate: Self.sampleRate) { hostTime in
            (Double(hostTime) - truth) * Double(Self.sampleRate) / 1e9
        }
    }
}
