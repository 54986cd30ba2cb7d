/// Computes which frame of the stream is heard at a host time, between and beyond the measurements.
///
/// It follows the straight line through the best readings (`ReadingWindow`). While it is young it
/// jumps to where they are, so that a single late answer does no harm; after that it is corrected
/// by at most 0.1 %, unless several readings that agree with each other lie elsewhere. A reading
/// that is far off (an underrun, a moved stream) resets it. It never runs backwards, and never past
/// what was written: if it was ahead of what is heard, it waits.
package struct HeardClock: Sendable {
    /// A reading that is off by more than this, beyond both possible errors, is a new fact and not
    /// noise.
    private static let resyncNanoseconds = 20_000_000.0
    /// The fraction of the time since the last reading by which a clock past its youth may be
    /// corrected.
    private static let maximumSlew = 1e-3
    /// A device that was flushed and continues as predicted, to within this and the reading's own
    /// error, never ran out of frames.
    private static let bridgeNanoseconds = 300_000.0
    /// The time for which a clock is young.
    private static let youthNanoseconds: Int64 = 1_500_000_000
    /// No device is known to deviate by more.
    private static let maximumDoubt = 50_000_000.0

    /// A straight line through the frames heard.
    private typealias Anchor = (frame: Double, hostTime: Int64)

    private let framesPerNanosecond: Double
    private var anchor: Anchor?
    /// The line up to the frame at which the device was last flushed, and that frame.
    private var past: (anchor: Anchor, end: Double)?
    /// The device was flushed since the readings of an earlier epoch: they do not show the pace at
    /// which it continued.
    private var epoch = 0
    /// The last frame reported: the clock never goes below it.
    private var floor = 0.0
    /// The frames given to the device: nothing beyond them can be heard.
    package private(set) var limit = 0.0
    private var readings = ReadingWindow()
    /// The host time of the first reading since the clock was set.
    private var birth: Int64 = 0
    /// By how many nanoseconds the device was seen to deviate before the clock was set, halved with
    /// each reading since.
    private var doubt = 0.0
    /// The clock's possible error in nanoseconds: from differences between readings, and from what
    /// all of them may be off by together.
    private var (error, bias) = (0.0, 0.0)

    package init(sampleRate: Int) { framesPerNanosecond = Double(sampleRate) / 1e9 }

    /// True if there has been a measurement since the last `stop`.
    package var isRunning: Bool { anchor != nil }

    /// The clock's possible error in seconds at the last reading: the error of the best reading,
    /// the differences of readings beyond their own errors, and what all of them may be off by
    /// together.
    package var uncertainty: Double { (error + bias) / 1e9 }

    /// Processes a measurement.
    package mutating func update(_ reading: ClockReading) {
        guard let heard = reading.heard else { return cut(at: Double(reading.written)) }
        limit = Double(reading.written)
        bias = Double(reading.bias)
        let isBridged = isBridged(by: reading)
        guard let anchor, reading.epoch == epoch || isBridged else {
            epoch = reading.epoch
            return set(to: heard, by: reading)
        }
        epoch = reading.epoch
        let predicted = anchor.frame + frames(from: anchor.hostTime, to: reading.hostTime)
        let offset = (heard - predicted) / framesPerNanosecond
        guard abs(offset) < Self.resyncNanoseconds + error + Double(reading.error) else {
            return set(to: heard, by: reading, after: abs(offset))
        }
        readings.append(
            offset: offset, error: Double(reading.error), hostTime: reading.hostTime)
        let correction = correction(at: reading.hostTime, since: anchor.hostTime)
        readings.shift(by: correction)
        self.anchor = (predicted + correction * framesPerNanosecond, reading.hostTime)
        estimateError(at: reading.hostTime)
    }

    /// The nanoseconds by which to move the line ahead at a reading.
    private mutating func correction(at hostTime: Int64, since last: Int64) -> Double {
        doubt /= 2
        let wandered = readings.scatter(at: hostTime)
        let isMoved = readings.keepsOnlyNewest()
        if isMoved { doubt = min(max(doubt, wandered), Self.maximumDoubt) }
        let offset = readings.offset(at: hostTime)
        if isMoved || hostTime - birth < Self.youthNanoseconds { return offset }
        let most = Double(max(hostTime - last, 0)) * Self.maximumSlew
        return min(max(offset, -most), most)
    }

    /// Restarts from a reading that was `jump` nanoseconds away from the expected value.
    private mutating func set(
        to heard: Double, by reading: ClockReading, after jump: Double = 0
    ) {
        let wandered = max(doubt, readings.scatter(at: reading.hostTime), jump)
        doubt = min(wandered, Self.maximumDoubt)
        readings.removeAll()
        readings.append(offset: 0, error: Double(reading.error), hostTime: reading.hostTime)
        anchor = (heard, reading.hostTime)
        birth = reading.hostTime
        estimateError(at: reading.hostTime)
    }

    private mutating func estimateError(at hostTime: Int64) {
        error = readings.bound(at: hostTime) + max(readings.scatter(at: hostTime), doubt)
    }

    /// The device holds nothing from `frame` on.
    private mutating func cut(at frame: Double) {
        guard let anchor else { return }
        past = (anchor, frame)
        limit = frame.nextDown
    }

    /// True if the first reading after a cut shows that sound continues there without a gap.
    private func isBridged(by reading: ClockReading) -> Bool {
        guard past != nil, let anchor, let heard = reading.heard else { return false }
        let predicted = anchor.frame + frames(from: anchor.hostTime, to: reading.hostTime)
        let most = Self.bridgeNanoseconds + Double(reading.error)
        return abs(heard - predicted) < most * framesPerNanosecond
    }

    /// Nothing after `frame` will be heard until the next reading. What comes before it is still
    /// reported at its time.
    package mutating func hold(at frame: Int) { limit = Double(frame) }

    /// Discards the measurements: the stream is stopped at `frame`.
    package mutating func stop(at frame: Int) {
        (anchor, past) = (nil, nil)
        floor = max(floor, Double(frame))
    }

    /// The frame heard at `hostTime`.
    package mutating func frame(at hostTime: Int64) -> Double {
        guard let anchor else { return floor }
        let frame = anchor.frame + frames(from: anchor.hostTime, to: hostTime)
        floor = max(floor, min(frame, limit))
        return floor
    }

    /// The time at which `frame` is heard, or nil if that is not known yet.
    package func hostTime(of frame: Double) -> Int64? {
        if let past, frame < past.end { return hostTime(of: frame, past.anchor) }
        return frame <= limit ? prediction(of: frame) : nil
    }

    /// The time at which everything before `frame` has been heard, or nil if that is not known yet.
    /// Earlier than `hostTime(of:)` if the device was flushed and new frames came too late.
    package func hostTime(before frame: Double) -> Int64? {
        let follows = hostTime(of: frame)
        guard let past, frame == past.end else { return follows }
        return min(hostTime(of: frame, past.anchor), follows ?? .max)
    }

    /// The time at which `frame` will be heard if the device never runs out of frames, or nil
    /// without a reading.
    package func prediction(of frame: Double) -> Int64? {
        anchor.map { hostTime(of: frame, $0) }
    }

    private func hostTime(of frame: Double, _ anchor: Anchor) -> Int64 {
        anchor.hostTime + Int64((frame - anchor.frame) / framesPerNanosecond)
    }

    private func frames(from start: Int64, to end: Int64) -> Double {
        Double(end - start) * framesPerNanosecond
    }
}
