// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// How a span of one timeline, the source, lies in another, the target.
public struct CMTimeMapping: Hashable, Sendable {
    /// The span of the source's timeline. Its start is invalid when nothing is there to be mapped.
    public var source: CMTimeRange
    /// The span of the target's timeline.
    public var target: CMTimeRange

    /// Makes an invalid mapping.
    public init() { self.init(source: .invalid, target: .invalid) }

    /// Makes a mapping of its two ranges, which are not looked at.
    public init(source: CMTimeRange, target: CMTimeRange) {
        self.source = source
        self.target = target
    }

    /// No mapping at all.
    public static let invalid = CMTimeMapping(source: .invalid, target: .invalid)

    /// Whether it is a mapping: the target is valid.
    public var isValid: Bool { target.isValid }

    /// Whether it is valid and nothing is mapped to the target.
    public var isEmpty: Bool { isValid && !source.start.isNumeric }
}

/// No mapping at all.
public let kCMTimeMappingInvalid = CMTimeMapping.invalid

/// Makes a mapping; an invalid one when a duration is of another epoch than 0.
public func CMTimeMappingMake(source: CMTimeRange, target: CMTimeRange) -> CMTimeMapping {
    source.duration.epoch == 0 && target.duration.epoch == 0
        ? CMTimeMapping(source: source, target: target) : .invalid
}

/// Makes a mapping of nothing to `target`.
public func CMTimeMappingMakeEmpty(target: CMTimeRange) -> CMTimeMapping {
    CMTimeMappingMake(source: .invalid, target: target)
}

/// Where in `toRange` a time lies that has its place in `fromRange`:
/// `(t - fromRange.start) * (toRange.duration / fromRange.duration) + toRange.start`, exactly if any
/// timescale can tell it. Starts map to each other, and ends.
///
/// Between two endless ranges only the start differs. Invalid when a range is invalid, empty, or the
/// only endless one, or when `t` is of another epoch than `fromRange`.
public func CMTimeMapTimeFromRangeToRange(
    _ t: CMTime, fromRange: CMTimeRange, toRange: CMTimeRange
) -> CMTime {
    guard t.isValid, t.epoch == fromRange.start.epoch else { return .invalid }
    // A distance: of two times in one epoch, or in epoch 0.
    let distance = t - fromRange.start
    let mapped = CMTimeMapDurationFromRangeToRange(
        distance, fromRange: fromRange, toRange: toRange)
    return mapped + toRange.start
}

/// How long a duration of `fromRange` is in `toRange`:
/// `dur * (toRange.duration / fromRange.duration)`, exactly if any timescale can tell it.
///
/// Between two endless ranges it stays as it is. Invalid when a range is invalid, empty, or the only
/// endless one, or when `dur` is of another epoch than 0.
public func CMTimeMapDurationFromRangeToRange(
    _ dur: CMTime, fromRange: CMTimeRange, toRange: CMTimeRange
) -> CMTime {
    guard dur.isValid, dur.epoch == 0 else { return .invalid }
    let ranges = [fromRange, toRange]
    guard ranges.allSatisfy({ $0.isValid && !$0.isEmpty }) else { return .invalid }
    if ranges.allSatisfy(\.duration.isPositiveInfinity) { return dur }
    guard ranges.allSatisfy(\.duration.isRational) else { return .invalid }
    return dur.scaled(by: toRange.duration, over: fromRange.duration)
}
