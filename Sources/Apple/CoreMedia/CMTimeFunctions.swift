// Core Media's C functions and constants for times, as Swift sees them on Apple's platforms.
// Printing is left out: for `CMTimeShow(time)`, use `print(time)`.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The start of every item.
public let kCMTimeZero = CMTime.zero
/// The invalid time.
public let kCMTimeInvalid = CMTime.invalid
/// An unknown time.
public let kCMTimeIndefinite = CMTime.indefinite
/// Later than every number.
public let kCMTimePositiveInfinity = CMTime.positiveInfinity
/// Earlier than every number.
public let kCMTimeNegativeInfinity = CMTime.negativeInfinity
/// The largest timescale of a result.
public let kCMTimeMaxTimescale = 0x7fff_ffff

/// Creates `value / timescale` seconds; a timescale below 1 gives an invalid time.
public func CMTimeMake(value: Int64, timescale: Int32) -> CMTime {
    CMTime(value: value, timescale: timescale)
}

/// Creates `value / timescale` seconds in an epoch; a timescale below 1 gives an invalid time.
public func CMTimeMakeWithEpoch(value: Int64, timescale: Int32, epoch: Int64) -> CMTime {
    var time = CMTime(value: value, timescale: timescale)
    if time.isValid { time.epoch = epoch }
    return time
}

/// Creates a time from seconds, as `CMTime.init(seconds:preferredTimescale:)` does.
public func CMTimeMakeWithSeconds(_ seconds: Double, preferredTimescale: Int32) -> CMTime {
    CMTime(seconds: seconds, preferredTimescale: preferredTimescale)
}

/// The time in seconds, as given by `CMTime.seconds`.
public func CMTimeGetSeconds(_ time: CMTime) -> Double { time.seconds }

/// The time in another timescale, as given by `CMTime.convertScale(_:method:)`.
public func CMTimeConvertScale(
    _ time: CMTime, timescale newTimescale: Int32, method: CMTimeRoundingMethod
) -> CMTime {
    time.convertScale(newTimescale, method: method)
}

/// The sum, by the rules of `+`.
public func CMTimeAdd(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { lhs + rhs }

/// The difference, by the rules of `-`.
public func CMTimeSubtract(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { lhs - rhs }

/// The product in the time's own timescale, which is halved until the value fits; infinite if even
/// whole seconds do not fit. A time that is not numeric keeps its kind; a negative multiplier turns
/// an infinity into the opposite one.
public func CMTimeMultiply(_ time: CMTime, multiplier: Int32) -> CMTime {
    time.multiplied(by: multiplier)
}

/// The product in the time's timescale, doubled until it is at least 65536 and then halved until
/// the value fits. The exact product is rounded once, half away from zero.
///
/// The result is invalid if the multiplier is NaN, or if 0 is multiplied by infinity.
public func CMTimeMultiplyByFloat64(_ time: CMTime, multiplier: Double) -> CMTime {
    time.multiplied(byFloat: multiplier)
}

/// `time * multiplier / divisor`: exact if any timescale can represent it, otherwise rounded in the
/// finest one that does not overflow.
///
/// A divisor of 0 gives infinity, or an invalid time if the product is 0. A time that is not
/// numeric is returned as is.
public func CMTimeMultiplyByRatio(_ time: CMTime, multiplier: Int32, divisor: Int32) -> CMTime {
    time.multiplied(by: multiplier, over: divisor)
}

/// -1 if the first time comes before the second, 1 if it comes after, 0 if they are equal.
///
/// The order is total: negative infinity, numbers by epoch and then by value, indefinite, positive
/// infinity, invalid.
public func CMTimeCompare(_ time1: CMTime, _ time2: CMTime) -> Int32 { time1.compare(time2) }

/// The time that `CMTimeCompare` orders first; the first argument if both are equal.
public func CMTimeMinimum(_ time1: CMTime, _ time2: CMTime) -> CMTime {
    time2 < time1 ? time2 : time1
}

/// The time that `CMTimeCompare` orders last; the first argument if both are equal.
public func CMTimeMaximum(_ time1: CMTime, _ time2: CMTime) -> CMTime {
    time2 > time1 ? time2 : time1
}

/// The absolute value; an infinity becomes positive infinity.
public func CMTimeAbsoluteValue(_ time: CMTime) -> CMTime { time.magnitude }

/// Returns true if this is a time of any kind.
public func CMTIME_IS_VALID(_ time: CMTime) -> Bool { time.isValid }

/// Returns true if this is not a time.
public func CMTIME_IS_INVALID(_ time: CMTime) -> Bool { !time.isValid }

/// Returns true if this is positive infinity.
public func CMTIME_IS_POSITIVE_INFINITY(_ time: CMTime) -> Bool { time.isPositiveInfinity }

/// Returns true if this is negative infinity.
public func CMTIME_IS_NEGATIVE_INFINITY(_ time: CMTime) -> Bool { time.isNegativeInfinity }

/// Returns true if the time is unknown.
public func CMTIME_IS_INDEFINITE(_ time: CMTime) -> Bool { time.isIndefinite }

/// Returns true if the flags say that this is a number.
public func CMTIME_IS_NUMERIC(_ time: CMTime) -> Bool { time.isNumeric }

/// Returns true if this is a number that was rounded, or was computed from one that was.
public func CMTIME_HAS_BEEN_ROUNDED(_ time: CMTime) -> Bool { time.hasBeenRounded }

/// Compares two times: `CMTIME_COMPARE_INLINE(first, <=, second)`.
public func CMTIME_COMPARE_INLINE(
    _ time1: CMTime, _ comparator: (CMTime, CMTime) -> Bool, _ time2: CMTime
) -> Bool {
    comparator(time1, time2)
}

/// The same as `CMTime.description`. There are no allocators: pass nil.
public func CMTimeCopyDescription(allocator: Never?, time: CMTime) -> String? { time.description }
