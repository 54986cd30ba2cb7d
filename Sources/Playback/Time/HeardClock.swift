/// Tells which frame of the stream is heard at a host time, between and beyond the measurements.
///
/// It runs straight between readings and leans towards each by at most 0.1 %, so that a noisy
/// latency report never makes it step; a reading that is far off (an underrun, a moved stream) sets
/// it anew. It never runs backwards, and never past what was written.
package struct HeardClock: Sendable {
    /// A reading this far from the prediction is a new fact, not noise.
    static let resyncNanoseconds = 20_000_000.0
    /// How much of a reading's difference is taken over.
    static let gain = 1.0 / 8
    /// How much of the time since the last reading the clock may be corrected by.
    static let maximumSlew = 1e-3
    /// A device that was emptied and goes on as predicted, to within this, was never short of frames.
    static let bridgeNanoseconds = 300_000.0

    /// A straight line through what is heard.
    private typealias Anchor = (frame: Double, hostTime: Int64)

    private let framesPerNanosecond: Double
    private var anchor: Anchor?
    /// What is heard before the place down to which the device was emptied last, and that place.
    private var past: (anchor: Anchor, end: Double)?
    /// The device was emptied after the readings of an earlier epoch: they say nothing of the pace
    /// at which it went on.
    private var epoch = 0
    /// The last frame that was told: the clock stays at or above it.
    private var floor = 0.0
    /// Frames given to the device: nothing beyond them can be heard.
    package private(set) var limit = 0.0
    /// What readings differ from the prediction by, in nanoseconds, the newest counting most.
    private var deviation = 0.0

    package init(sampleRate: Int) { framesPerNanosecond = Double(sampleRate) / 1e9 }

    /// Whether a measurement has been taken since the last `stop`.
    package var isRunning: Bool { anchor != nil }

    /// Seconds by which the device's own reports wander around this clock: how far off it may be.
    package var uncertainty: Double { deviation / 1e9 }

    /// Takes a measurement in.
    package mutating func update(_ reading: ClockReading) {
        guard let heard = reading.heard else { return cut(at: Double(reading.written)) }
        limit = Double(reading.written)
        let isBridged = isBridged(by: reading)
        guard let anchor, reading.epoch == epoch || isBridged else {
            anchor = (heard, reading.hostTime)
            epoch = reading.epoch
            return
        }
        epoch = reading.epoch
        let elapsed = Double(reading.hostTime - anchor.hostTime)
        let predicted = anchor.frame + elapsed * framesPerNanosecond
        let error = (heard - predicted) / framesPerNanosecond
        deviation = max(abs(error), deviation + (abs(error) - deviation) * Self.gain)
        guard abs(error) < Self.resyncNanoseconds else {
            self.anchor = (heard, reading.hostTime)
            return
        }
        let most = elapsed * Self.maximumSlew
        let slew = min(max(error * Self.gain, -most), most)
        self.anchor = (predicted + slew * framesPerNanosecond, reading.hostTime)
    }

    /// The device holds nothing from `frame` on any more.
    private mutating func cut(at frame: Double) {
        guard let anchor else { return }
        past = (anchor, frame)
        limit = frame.nextDown
    }

    /// Whether the first reading behind a cut says that sound goes on there without a gap.
    private func isBridged(by reading: ClockReading) -> Bool {
        guard past != nil, let anchor, let heard = reading.heard else { return false }
        let predicted = anchor.frame + frames(from: anchor.hostTime, to: reading.hostTime)
        return abs(heard - predicted) < Self.bridgeNanoseconds * framesPerNanosecond
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
