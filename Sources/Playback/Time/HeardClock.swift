/// Says which frame of the stream is heard at a host time, between and beyond the measurements.
///
/// It runs straight, along the line on which the best readings lie (`ReadingWindow`). While it is
/// young it moves to where they say at once, so that one answer that came late does not matter; from
/// then on it leans towards them by at most 0.1 %, unless several that agree with each other lie
/// elsewhere. A reading that is far off (an underrun, a moved stream) sets it afresh. It never runs
/// backwards, and never past what was written: where it was ahead of what is heard, it waits.
package struct HeardClock: Sendable {
    /// A reading this far from what it and the clock may be off by is a new fact, not noise.
    private static let resyncNanoseconds = 20_000_000.0
    /// How much of the time since the last reading a clock that is not young may be corrected by.
    private static let maximumSlew = 1e-3
    /// A device that was emptied and continues as predicted, to within this and the reading's own
    /// error, was never short of frames.
    private static let bridgeNanoseconds = 300_000.0
    /// How long a clock is young.
    private static let youthNanoseconds: Int64 = 1_500_000_000
    /// No device is known to wander by more.
    private static let maximumDoubt = 50_000_000.0

    /// A straight line through what is heard.
    private typealias Anchor = (frame: Double, hostTime: Int64)

    private let framesPerNanosecond: Double
    private var anchor: Anchor?
    /// What is heard before the place down to which the device was emptied last, and that place.
    private var past: (anchor: Anchor, end: Double)?
    /// The device was emptied after the readings of an earlier epoch: they say nothing of the pace
    /// at which it continued.
    private var epoch = 0
    /// The last frame that was reported: the clock stays at or above it.
    private var floor = 0.0
    /// Frames given to the device: nothing beyond them can be heard.
    package private(set) var limit = 0.0
    private var readings = ReadingWindow()
    /// The host time of the first reading since the clock was set.
    private var birth: Int64 = 0
    /// Nanoseconds by which the device was seen to wander before the clock was set, halved with each
    /// reading since.
    private var doubt = 0.0
    /// Nanoseconds by which the clock may be off, as far as the readings differ, and by which all of
    /// them may be off together.
    private var (error, bias) = (0.0, 0.0)

    package init(sampleRate: Int) { framesPerNanosecond = Double(sampleRate) / 1e9 }

    /// Whether a measurement has been taken since the last `stop`.
    package var isRunning: Bool { anchor != nil }

    /// Seconds by which this clock may have been off at the last reading: what the best reading allows,
    /// what the readings differ by beyond their own errors, and what all of them may be off by.
    package var uncertainty: Double { (error + bias) / 1e9 }

    /// Takes a measurement in.
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

    /// Nanoseconds by which the line moves ahead at a reading.
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

    /// Starts from a reading, which differed by `jump` nanoseconds from what was expected.
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

    /// The device holds nothing from `frame` on any more.
    private mutating func cut(at frame: Double) {
        guard let anchor else { return }
        past = (anchor, frame)
        limit = frame.nextDown
    }

    /// Whether the first reading after a cut says that sound continues there without a gap.
    private func isBridged(by reading: ClockReading) -> Bool {
        guard past != nil, let anchor, let heard = reading.heard else { return false }
        let predicted = anchor.frame + frames(from: anchor.hostTime, to: reading.hostTime)
        let most = Self.bridgeNanoseconds + Double(reading.error)
        return abs(heard - predicted) < most * framesPerNanosecond
    }

    /// Says that nothing after `frame` will be heard until the next reading: what lies between is
    /// still told at its time.
    package mutating func hold(at frame: Int) { limit = Double(frame) }

    /// Forgets the measurements: the stream stands still at `frame`.
    package mutating func stop(at frame: Int) {
        (anchor, past) = (nil, nil)
        floor = max(floor, Double(frame))
    }

    /// The frame that is heard at `hostTime`.
    package mutating func frame(at hostTime: Int64) -> Double {
        guard let anchor else { return floor }
        let frame = anchor.frame + frames(from: anchor.hostTime, to: hostTime)
        floor = max(floor, min(frame, limit))
        return floor
    }

    /// When `frame` is heard, or nil when that cannot be said yet.
    package func hostTime(of frame: Double) -> Int64? {
        if let past, frame < past.end { return hostTime(of: frame, past.anchor) }
        return frame <= limit ? prediction(of: frame) : nil
    }

    /// When all before `frame` has been heard, or nil when that cannot be said yet. It is earlier
    /// than `hostTime(of:)` where the device was emptied, and what follows came too late.
    package func hostTime(before frame: Double) -> Int64? {
        let follows = hostTime(of: frame)
        guard let past, frame == past.end else { return follows }
        return min(hostTime(of: frame, past.anchor), follows ?? .max)
    }

    /// When `frame` will be heard if the device is never short of frames, or nil without a reading.
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
