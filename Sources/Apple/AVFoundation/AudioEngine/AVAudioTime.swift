public import Foundation

/// A moment: by the clock, as a frame of a stream, or both.
open class AVAudioTime: NSObject, @unchecked Sendable {
    // Sendable: nothing changes.

    /// Nanoseconds of `CLOCK_MONOTONIC`; 0 if not valid.
    public let hostTime: UInt64
    /// True if `hostTime` is valid.
    public let isHostTimeValid: Bool
    /// The number of the frame; 0 if not valid.
    public let sampleTime: AVAudioFramePosition
    /// True if `sampleTime` and `sampleRate` are valid.
    public let isSampleTimeValid: Bool
    /// The rate of the frames in Hz; 0 if not valid.
    public let sampleRate: Double

    /// A moment by the clock, in nanoseconds of `CLOCK_MONOTONIC`.
    public convenience init(hostTime: UInt64) { self.init(host: hostTime, sample: nil, rate: 0) }

    /// A frame of a stream of `sampleRate` Hz.
    public convenience init(
        sampleTime: AVAudioFramePosition, atRate sampleRate: Double
    ) {
        self.init(host: nil, sample: sampleTime, rate: sampleRate)
    }

    /// A frame of a stream of `sampleRate` Hz, and when it sounds.
    public convenience init(
        hostTime: UInt64, sampleTime: AVAudioFramePosition, atRate sampleRate: Double
    ) {
        self.init(host: hostTime, sample: sampleTime, rate: sampleRate)
    }

    private init(host: UInt64?, sample: AVAudioFramePosition?, rate: Double) {
        hostTime = host ?? 0
        isHostTimeValid = host != nil
        sampleTime = sample ?? 0
        isSampleTimeValid = sample != nil
        sampleRate = rate
    }

    /// Seconds as host time. Precondition: not negative.
    open class func hostTime(forSeconds seconds: TimeInterval) -> UInt64 {
        UInt64((seconds * 1e9).rounded())
    }

    /// Host time in seconds.
    open class func seconds(forHostTime hostTime: UInt64) -> TimeInterval {
        TimeInterval(hostTime) / 1e9
    }

    /// The same moment, with what it lacks taken from `anchor`, a moment of the same stream of which
    /// both are known. Nil if either does not have what is needed.
    open func extrapolateTime(fromAnchor anchor: AVAudioTime) -> AVAudioTime? {
        if isHostTimeValid, isSampleTimeValid { return self }
        guard anchor.isHostTimeValid, anchor.isSampleTimeValid else { return nil }
        if isHostTimeValid {
            let nanoseconds = Double(Int64(hostTime) - Int64(anchor.hostTime))
            let frames = Int64((nanoseconds / 1e9 * anchor.sampleRate).rounded())
            return AVAudioTime(
                hostTime: hostTime, sampleTime: anchor.sampleTime + frames,
                atRate: anchor.sampleRate)
        }
        guard isSampleTimeValid, sampleRate > 0, anchor.sampleRate > 0 else { return nil }
        let seconds =
            Double(sampleTime) / sampleRate - Double(anchor.sampleTime) / anchor.sampleRate
        let nanoseconds = Int64(anchor.hostTime) + Int64((seconds * 1e9).rounded())
        return AVAudioTime(
            hostTime: UInt64(max(0, nanoseconds)), sampleTime: sampleTime, atRate: sampleRate)
    }

    /// True if `object` is the same moment.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioTime else { return false }
        return hostTime == other.hostTime && isHostTimeValid == other.isHostTimeValid
            && sampleTime == other.sampleTime && isSampleTimeValid == other.isSampleTimeValid
            && sampleRate == other.sampleRate
    }

    /// The same for equal moments.
    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(hostTime)
        hasher.combine(sampleTime)
        return hasher.finalize()
    }
}
