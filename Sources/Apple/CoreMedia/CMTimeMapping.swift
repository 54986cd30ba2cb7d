// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// Maps a span of one timeline, the source, to a span of another, the target.
public struct CMTimeMapping: Hashable, Sendable {
    /// The span of the source's timeline. Its start is invalid if nothing is mapped.
    public var source: CMTimeRange
    /// The span of the target's timeline.
    public var target: CMTimeRange

    /// Creates an invalid mapping.
    public init() { self.init(source: .invalid, target: .invalid) }

    /// Creates a mapping from two ranges, which are not checked.
    public init(source: CMTimeRange, target: CMTimeRange) {
        self.source = source
        self.target = target
    }

    /// The invalid mapping.
    public static let invalid = CMTimeMapping(source: .invalid, target: .invalid)

    /// True if this is a mapping: the target is valid.
    public var isValid: Bool { target.isValid }

    /// True if this is valid and maps nothing to the target.
    public var isEmpty: Bool { isValid && !source.start.isNumeric }
}

/// The invalid mapping.
public let kCMTimeMappingInvalid = CMTimeMapping.invalid

/// Creates a mapping; invalid if a duration is not in epoch 0.
public func CMTimeMappingMake(source: CMTimeRange, target: CMTimeRange) -> CMTimeMapping {
    source.duration.epoch == 0 && target.duration.epoch == 0
        ? CMTimeMapping(source: source, target: target) : .invalid
}

/// Creates a mapping of nothing to `target`.
public func CMTimeMappingMakeEmpty(target: CMTimeRange) -> CMTimeMapping {
    CMTimeMappingMake(source: .invalid, target: target)
}

/// Maps a time in `fromRange` to `toRange`: `(t - fromRange.start) * (toRange.duration /
/// fromRange.duration) + toRange.start`, exact if any timescale can represent it. Starts map to
/// each other, and so do ends.
///
/// Two endless ranges differ only in their start. Invalid if a range is invalid or empty, if only
/// one is endless, or if `t` is in another epoch than `fromRange`.
public func CMTimeMapTimeFromRangeToRange(
    _ t: CMTime, fromRange: CMTimeRange, toRange: CMTimeRange
) -> CMTime {
    guard t.isValid, t.epoch == fromRange.start.epoch else { return .invalid }
    // A distance: between two times in one epoch, or in epoch 0.
    let distance = t - fromRange.start
    let mapped = CMTimeMapDurationFromRangeToRange(
        distance, fromRange: fromRange, toRange: toRange)
    return mapped + toRange.start
}

/// Maps a duration in `fromRange` to `toRange`: `dur * (toRange.duration / fromRange.duration)`,
/// exact if any timescale can represent it.
///
/// Between two endless ranges it stays the same. Invalid if a range is invalid or empty, if only
/// one is endless, or if `dur` is not in epoch 0.
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
