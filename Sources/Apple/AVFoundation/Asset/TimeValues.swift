public import Foundation
public import UndersongPlayback

extension NSValue {
    /// Wraps a time, as boundary observers take it.
    public convenience init(time: CMTime) {
        self.init(
            words: UInt64(bitPattern: time.value), UInt64(bitPattern: time.epoch),
            UInt64(UInt32(bitPattern: time.timescale)), UInt64(time.flags.rawValue))
    }

    /// The wrapped time.
    public var timeValue: CMTime {
        let words = words
        return CMTime(
            value: Int64(bitPattern: words.0),
            timescale: Int32(bitPattern: UInt32(truncatingIfNeeded: words.2)),
            flags: CMTimeFlags(rawValue: UInt32(truncatingIfNeeded: words.3)),
            epoch: Int64(bitPattern: words.1))
    }

    /// Wraps a time range. The epochs are not kept: those of an item's times are all 0.
    public convenience init(timeRange range: CMTimeRange) {
        let (start, duration) = (range.start, range.duration)
        let flags = UInt64(start.flags.rawValue) << 32 | UInt64(duration.flags.rawValue)
        let scales =
            UInt64(UInt32(bitPattern: start.timescale)) << 32
            | UInt64(UInt32(bitPattern: duration.timescale))
        self.init(
            words: UInt64(bitPattern: start.value), UInt64(bitPattern: duration.value), scales,
            flags)
    }

    /// The wrapped range.
    public var timeRangeValue: CMTimeRange {
        let words = words
        return CMTimeRange(
            start: CMTime(
                value: Int64(bitPattern: words.0),
                timescale: Int32(bitPattern: UInt32(truncatingIfNeeded: words.2 >> 32)),
                flags: CMTimeFlags(rawValue: UInt32(truncatingIfNeeded: words.3 >> 32)), epoch: 0),
            duration: CMTime(
                value: Int64(bitPattern: words.1),
                timescale: Int32(bitPattern: UInt32(truncatingIfNeeded: words.2)),
                flags: CMTimeFlags(rawValue: UInt32(truncatingIfNeeded: words.3)), epoch: 0))
    }

    /// Foundation on Linux wraps only a few structures of its own, so the bits are stored as a
    /// rectangle.
    private convenience init(words x: UInt64, _ y: UInt64, _ width: UInt64, _ height: UInt64) {
        self.init(
            rect: NSRect(
                x: Double(bitPattern: x), y: Double(bitPattern: y),
                width: Double(bitPattern: width), height: Double(bitPattern: height)))
    }

    private var words: (UInt64, UInt64, UInt64, UInt64) {
        let rect = rectValue
        return (
            Double(rect.origin.x).bitPattern, Double(rect.origin.y).bitPattern,
            Double(rect.size.width).bitPattern, Double(rect.size.height).bitPattern
        )
    }
}
