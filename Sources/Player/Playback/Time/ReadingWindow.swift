/// The readings that a clock follows, each stored as its difference from the clock's line.
///
/// A reading is off by at most half of its round trip. In 66 recorded streams of PulseAudio (null
/// sinks with and without rewinding, and at 48 kHz; idle, and with up to four busy loops on two
/// processors) that explained every difference to within 0.016 ms, from the first reading 20 ms
/// after the start: a young stream is not wrong in itself, its answers are only late. PipeWire
/// 0.3.65 moves its index one block at a time, 2,048 frames at 44.1 kHz: its readings scatter by up
/// to 26 ms on both sides of their middle, however fast the answer was. Readings are therefore
/// weighted by their round trip; scatter that no round trip explains evens out the weights and
/// counts as uncertainty.
struct ReadingWindow: Sendable {
    private struct Reading {
        /// The nanoseconds by which the reading is ahead of the clock's line.
        var offset: Double
        var error: Double
        var hostTime: Int64
    }

    /// The relative difference between a device's pace and the host's, which makes readings age.
    private static let drift = 1e-4
    /// Smaller differences are rounding in the server's own numbers.
    private static let noise = 20_000.0
    /// Readings that agree with each other and are this far from the clock's line have a reason.
    private static let movedNanoseconds = 300_000.0
    /// By how much the differences of agreeing readings may exceed their errors.
    private static let agreementNanoseconds = 100_000.0
    /// The number of agreeing readings that outweigh all before them.
    private static let quorum = 3

    /// In order of arrival.
    private var readings = InlineArray<12, Reading>(
        repeating: Reading(offset: 0, error: 0, hostTime: 0))
    private var count = 0

    mutating func removeAll() { count = 0 }

    /// Adds a reading, replacing the least certain one if necessary.
    mutating func append(offset: Double, error: Double, hostTime: Int64) {
        if count == readings.count { removeLeastCertain(at: hostTime) }
        readings[count] = Reading(offset: offset, error: error, hostTime: hostTime)
        count += 1
    }

    /// The clock's line was moved ahead by `nanoseconds`.
    mutating func shift(by nanoseconds: Double) {
        for index in 0..<count { readings[index].offset -= nanoseconds }
    }

    /// The error of the clock's line, according to the readings.
    func offset(at hostTime: Int64) -> Double {
        let likely = mean(scattered: Self.noise, at: hostTime)
        var squares = Self.noise * Self.noise
        for index in 0..<count {
            let unexplained = unexplained(index, from: likely, at: hostTime)
            squares += unexplained * unexplained / Double(count)
        }
        return mean(scattered: squares.squareRoot(), at: hostTime)
    }

    /// The mean of the readings' offsets, each weighted by its own possible error and the common
    /// scatter.
    private func mean(scattered scatter: Double, at hostTime: Int64) -> Double {
        var (sum, weights) = (0.0, 0.0)
        for index in 0..<count {
            let error = error(index, at: hostTime)
            let weight = 1 / (error * error + scatter * scatter)
            sum += weight * readings[index].offset
            weights += weight
        }
        return weights > 0 ? sum / weights : 0
    }

    /// Discards everything before the newest readings if those agree with each other but not with
    /// the clock's line. Returns whether they do.
    mutating func keepsOnlyNewest() -> Bool {
        guard count >= Self.quorum else { return false }
        let newest = count - Self.quorum..<count
        var (least, most) = (-Double.infinity, Double.infinity)
        for index in newest {
            let (offset, error) = (readings[index].offset, readings[index].error)
            guard abs(offset) - error > Self.movedNanoseconds,
                (offset > 0) == (readings[count - 1].offset > 0)
            else { return false }
            least = max(least, offset - error)
            most = min(most, offset + error)
        }
        guard least <= most + Self.agreementNanoseconds else { return false }
        for (index, kept) in newest.enumerated() { readings[index] = readings[kept] }
        count = Self.quorum
        return true
    }

    /// The nanoseconds by which readings differ from the clock's line beyond what round trips
    /// explain.
    func scatter(at hostTime: Int64) -> Double {
        var most = 0.0
        for index in 0..<count { most = max(most, unexplained(index, from: 0, at: hostTime)) }
        return most
    }

    /// The nanoseconds by which the clock's line may be off if all readings are right to within
    /// their errors.
    func bound(at hostTime: Int64) -> Double {
        var bound = Double.infinity
        for index in 0..<count {
            bound = min(bound, abs(readings[index].offset) + error(index, at: hostTime))
        }
        return count > 0 ? bound : 0
    }

    private mutating func removeLeastCertain(at hostTime: Int64) {
        var worst = 0
        for index in 1..<count where error(index, at: hostTime) > error(worst, at: hostTime) {
            worst = index
        }
        for index in worst + 1..<count { readings[index - 1] = readings[index] }
        count -= 1
    }

    /// The possible error of a reading, as seen at `hostTime`.
    private func error(_ index: Int, at hostTime: Int64) -> Double {
        let age = Double(max(hostTime - readings[index].hostTime, 0))
        return readings[index].error + age * Self.drift
    }

    /// The distance of a reading from an offset, beyond its possible error.
    private func unexplained(_ index: Int, from offset: Double, at hostTime: Int64) -> Double {
        max(abs(readings[index].offset - offset) - error(index, at: hostTime), 0)
    }
}
