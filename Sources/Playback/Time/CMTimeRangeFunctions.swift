// Core Media's C functions and constants for ranges, as Swift sees them on Apple's platforms. What
// needs printing is left out: `CMTimeRangeShow(range)` is `print(range)`.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// An empty range at 0.
public let kCMTimeRangeZero = CMTimeRange.zero
/// No range at all.
public let kCMTimeRangeInvalid = CMTimeRange.invalid

/// Makes a range; an invalid one when the duration is of another epoch than 0.
public func CMTimeRangeMake(start: CMTime, duration: CMTime) -> CMTimeRange {
    duration.epoch == 0 ? CMTimeRange(start: start, duration: duration) : .invalid
}

/// Makes the range from one time up to another.
public func CMTimeRangeFromTimeToTime(start: CMTime, end: CMTime) -> CMTimeRange {
    CMTimeRange(start: start, end: end)
}

/// The first time behind the range.
public func CMTimeRangeGetEnd(_ range: CMTimeRange) -> CMTime { range.end }

/// The smallest range with all times of both in it, by the rules of `CMTimeRange.union(_:)`.
public func CMTimeRangeGetUnion(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange {
    range.union(otherRange)
}

/// The times that both contain, by the rules of `CMTimeRange.intersection(_:)`.
public func CMTimeRangeGetIntersection(
    _ range: CMTimeRange, otherRange: CMTimeRange
) -> CMTimeRange {
    range.intersection(otherRange)
}

/// Whether both start at the same time and are as long.
public func CMTimeRangeEqual(_ range1: CMTimeRange, _ range2: CMTimeRange) -> Bool {
    range1 == range2
}

/// Whether `time` is in the range, by the rules of `CMTimeRange.containsTime(_:)`.
public func CMTimeRangeContainsTime(_ range: CMTimeRange, time: CMTime) -> Bool {
    range.containsTime(time)
}

/// Whether `otherRange` lies within the range, ends included.
public func CMTimeRangeContainsTimeRange(_ range: CMTimeRange, otherRange: CMTimeRange) -> Bool {
    range.containsTimeRange(otherRange)
}

/// Whether it is a range.
public func CMTIMERANGE_IS_VALID(_ range: CMTimeRange) -> Bool { range.isValid }

/// Whether it is no range at all.
public func CMTIMERANGE_IS_INVALID(_ range: CMTimeRange) -> Bool { !range.isValid }

/// Whether it is valid and no time is in it.
public func CMTIMERANGE_IS_EMPTY(_ range: CMTimeRange) -> Bool { range.isEmpty }

/// Whether it is valid, but nobody knows where it begins or how long it is.
public func CMTIMERANGE_IS_INDEFINITE(_ range: CMTimeRange) -> Bool { range.isIndefinite }

/// What `CMTimeRange.description` says. There are no allocators: give nil.
public func CMTimeRangeCopyDescription(allocator: Never?, range: CMTimeRange) -> String? {
    range.description
}

/// The time in the range that is nearest: `time` itself, the start or the end. Invalid when `time`
/// or the range is invalid or the range is empty.
public func CMTimeClampToRange(_ time: CMTime, range: CMTimeRange) -> CMTime {
    guard time.isValid, range.isValid, !range.isEmpty else { return .invalid }
    return min(max(time, range.start), range.end)
}

/// The time in the range that a loop over it has reached at `time`: whole durations away from it,
/// behind or before.
///
/// In an endless range each time is its own. Invalid when the range is invalid or empty, and for a
/// time that is no number or of another epoch than the range.
public func CMTimeFoldIntoRange(_ time: CMTime, foldRange: CMTimeRange) -> CMTime {
    let (start, duration) = (foldRange.start, foldRange.duration)
    guard foldRange.isValid, !foldRange.isEmpty, time.epoch == start.epoch else { return .invalid }
    let offset = time - start
    guard offset.isRational else { return .invalid }
    if duration.isPositiveInfinity { return time }
    guard duration.isRational else { return .invalid }
    return start + offset.remainder(dividingBy: duration)
}
