// Core Media's C functions and constants for times, as Swift sees them on Apple's platforms. What
// needs printing is left out: `CMTimeShow(time)` is `print(time)`.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The start of every item.
public let kCMTimeZero = CMTime.zero
/// No time at all.
public let kCMTimeInvalid = CMTime.invalid
/// A time that nobody knows.
public let kCMTimeIndefinite = CMTime.indefinite
/// Later than every number.
public let kCMTimePositiveInfinity = CMTime.positiveInfinity
/// Earlier than every number.
public let kCMTimeNegativeInfinity = CMTime.negativeInfinity
/// The largest timescale that a result gets.
public let kCMTimeMaxTimescale = 0x7fff_ffff

/// Makes `value / timescale` seconds; a timescale below 1 makes an invalid time.
public func CMTimeMake(value: Int64, timescale: Int32) -> CMTime {
    CMTime(value: value, timescale: timescale)
}

/// Makes `value / timescale` seconds of that epoch; a timescale below 1 makes an invalid time.
public func CMTimeMakeWithEpoch(value: Int64, timescale: Int32, epoch: Int64) -> CMTime {
    var time = CMTime(value: value, timescale: timescale)
    if time.isValid { time.epoch = epoch }
    return time
}

/// Makes a time of seconds, as `CMTime.init(seconds:preferredTimescale:)` does.
public func CMTimeMakeWithSeconds(_ seconds: Double, preferredTimescale: Int32) -> CMTime {
    CMTime(seconds: seconds, preferredTimescale: preferredTimescale)
}

/// The time in seconds, as `CMTime.seconds` tells it.
public func CMTimeGetSeconds(_ time: CMTime) -> Double { time.seconds }

/// The time in another timescale, as `CMTime.convertScale(_:method:)` gives it.
public func CMTimeConvertScale(
    _ time: CMTime, timescale newTimescale: Int32, method: CMTimeRoundingMethod
) -> CMTime {
    time.convertScale(newTimescale, method: method)
}

/// The sum, by the rules of `+`.
public func CMTimeAdd(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { lhs + rhs }

/// The difference, by the rules of `-`.
public func CMTimeSubtract(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { lhs - rhs }

/// The product in the time's own timescale, which is halved as long as the value does not fit;
/// infinite when whole seconds do not fit either. What is not a number keeps its kind; an infinity
/// changes sides when the multiplier is negative.
public func CMTimeMultiply(_ time: CMTime, multiplier: Int32) -> CMTime {
    time.multiplied(by: multiplier)
}

/// The product in the time's timescale, doubled until it is 65536 or more, and then halved as long
/// as the value does not fit. The exact product is rounded once, half away from zero.
///
/// A multiplier that is not a number makes an invalid time, as 0 times infinity does.
public func CMTimeMultiplyByFloat64(_ time: CMTime, multiplier: Double) -> CMTime {
    time.multiplied(byFloat: multiplier)
}

/// `time * multiplier / divisor`: exactly, if any timescale can tell it, else rounded in the finest
/// one that does not overflow.
///
/// A divisor of 0 makes an infinite time, or an invalid one when the product is 0. What is not a
/// number stays as it is.
public func CMTimeMultiplyByRatio(_ time: CMTime, multiplier: Int32, divisor: Int32) -> CMTime {
    time.multiplied(by: multiplier, over: divisor)
}

/// -1 when the first time comes before the second, 1 when behind it, 0 when they are equal.
///
/// The order is total: negative infinity, numbers by epoch and then by size, indefinite, positive
/// infinity, invalid.
public func CMTimeCompare(_ time1: CMTime, _ time2: CMTime) -> Int32 { time1.compare(time2) }

/// The one that `CMTimeCompare` puts first; the first one of two that are equal.
public func CMTimeMinimum(_ time1: CMTime, _ time2: CMTime) -> CMTime {
    time2 < time1 ? time2 : time1
}

/// The one that `CMTimeCompare` puts last; the first one of two that are equal.
public func CMTimeMaximum(_ time1: CMTime, _ time2: CMTime) -> CMTime {
    time2 > time1 ? time2 : time1
}

/// The time without its sign; an infinity becomes the positive one.
public func CMTimeAbsoluteValue(_ time: CMTime) -> CMTime { time.magnitude }

/// Whether it is a time of any kind.
public func CMTIME_IS_VALID(_ time: CMTime) -> Bool { time.isValid }

/// Whether it is no time at all.
public func CMTIME_IS_INVALID(_ time: CMTime) -> Bool { !time.isValid }

/// Whether it is later than every number.
public func CMTIME_IS_POSITIVE_INFINITY(_ time: CMTime) -> Bool { time.isPositiveInfinity }

/// Whether it is earlier than every number.
public func CMTIME_IS_NEGATIVE_INFINITY(_ time: CMTime) -> Bool { time.isNegativeInfinity }

/// Whether nobody knows it.
public func CMTIME_IS_INDEFINITE(_ time: CMTime) -> Bool { time.isIndefinite }

/// Whether its flags call it a number.
public func CMTIME_IS_NUMERIC(_ time: CMTime) -> Bool { time.isNumeric }

/// Whether it is a number that is not exact, or comes from one that was not.
public func CMTIME_HAS_BEEN_ROUNDED(_ time: CMTime) -> Bool { time.hasBeenRounded }

/// Compares two times: `CMTIME_COMPARE_INLINE(first, <=, second)`.
public func CMTIME_COMPARE_INLINE(
    _ time1: CMTime, _ comparator: (CMTime, CMTime) -> Bool, _ time2: CMTime
) -> Bool {
    comparator(time1, time2)
}

/// What `CMTime.description` says. There are no allocators: give nil.
public func CMTimeCopyDescription(allocator: Never?, time: CMTime) -> String? { time.description }
