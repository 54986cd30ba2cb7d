// Core Media's C functions and constants for ranges, as Swift sees them on Apple's platforms.
// Printing is left out: for `CMTimeRangeShow(range)`, use `print(range)`.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// An empty range at 0.
public let kCMTimeRangeZero = CMTimeRange.zero
/// The invalid range.
public let kCMTimeRangeInvalid = CMTimeRange.invalid

/// Creates a range; invalid if the duration is not in epoch 0.
public func CMTimeRangeMake(start: CMTime, duration: CMTime) -> CMTimeRange {
    duration.epoch == 0 ? CMTimeRange(start: start, duration: duration) : .invalid
}

/// Creates the range from one time up to another.
public func CMTimeRangeFromTimeToTime(start: CMTime, end: CMTime) -> CMTimeRange {
    CMTimeRange(start: start, end: end)
}

/// The first time after the range.
public func CMTimeRangeGetEnd(_ range: CMTimeRange) -> CMTime { range.end }

/// The smallest range that contains all times of both, by the rules of `CMTimeRange.union(_:)`.
public func CMTimeRangeGetUnion(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange {
    range.union(otherRange)
}

/// The times contained in both, by the rules of `CMTimeRange.intersection(_:)`.
public func CMTimeRangeGetIntersection(
    _ range: CMTimeRange, otherRange: CMTimeRange
) -> CMTimeRange {
    range.intersection(otherRange)
}

/// Returns true if both have the same start and duration.
public func CMTimeRangeEqual(_ range1: CMTimeRange, _ range2: CMTimeRange) -> Bool {
    range1 == range2
}

/// Returns true if the range contains `time`, by the rules of `CMTimeRange.containsTime(_:)`.
public func CMTimeRangeContainsTime(_ range: CMTimeRange, time: CMTime) -> Bool {
    range.containsTime(time)
}

/// Returns true if `otherRange` lies within the range, ends included.
public func CMTimeRangeContainsTimeRange(_ range: CMTimeRange, otherRange: CMTimeRange) -> Bool {
    range.containsTimeRange(otherRange)
}

/// Returns true if this is a range.
public func CMTIMERANGE_IS_VALID(_ range: CMTimeRange) -> Bool { range.isValid }

/// Returns true if this is not a range.
public func CMTIMERANGE_IS_INVALID(_ range: CMTimeRange) -> Bool { !range.isValid }

/// Returns true if this is valid and contains no time.
public func CMTIMERANGE_IS_EMPTY(_ range: CMTimeRange) -> Bool { range.isEmpty }

/// Returns true if this is valid, but its start or duration is unknown.
public func CMTIMERANGE_IS_INDEFINITE(_ range: CMTimeRange) -> Bool { range.isIndefinite }

/// The same as `CMTimeRange.description`. There are no allocators: pass nil.
public func CMTimeRangeCopyDescription(allocator: Never?, range: CMTimeRange) -> String? {
    range.description
}

/// The nearest time in the range: `time` itself, the start or the end. Invalid if `time` or the
/// range is invalid, or the range is empty.
public func CMTimeClampToRange(_ time: CMTime, range: CMTimeRange) -> CMTime {
    guard time.isValid, range.isValid, !range.isEmpty else { return .invalid }
    return min(max(time, range.start), range.end)
}

/// The time that a loop over the range has reached at `time`: whole durations before or after it.
///
/// In an endless range each time stays as it is. Invalid if the range is invalid or empty, and for
/// a time that is not numeric or in another epoch than the range.
public func CMTimeFoldIntoRange(_ time: CMTime, foldRange: CMTimeRange) -> CMTime {
    let (start, duration) = (foldRange.start, foldRange.duration)
    guard foldRange.isValid, !foldRange.isEmpty, time.epoch == start.epoch else { return .invalid }
    let offset = time - start
    guard offset.isRational else { return .invalid }
    if duration.isPositiveInfinity { return time }
    guard duration.isRational else { return .invalid }
    return start + offset.remainder(dividingBy: duration)
}
