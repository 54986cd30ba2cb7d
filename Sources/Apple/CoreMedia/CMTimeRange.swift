/// A span of time that begins at `start` and ends just before `end`: a range does not contain its
/// own end (behaviour 2.1, T15).
///
/// The start may be in any epoch, and the range stays within it. A valid range has a duration in
/// epoch 0 that is not negative.
public struct CMTimeRange: Hashable, Sendable {
    /// The first time in the range.
    public var start: CMTime
    /// The length of the range.
    public var duration: CMTime

    /// Creates an invalid range.
    public init() { self.init(start: .invalid, duration: .invalid) }

    /// Creates a range from its two fields, which are not checked.
    public init(start: CMTime, duration: CMTime) {
        self.start = start
        self.duration = duration
    }

    /// Creates the range from `start` up to `end`. It is invalid if the end comes first, or is in
    /// another epoch.
    public init(start: CMTime, end: CMTime) { self.init(start: start, duration: end - start) }

    /// An empty range at 0.
    public static let zero = CMTimeRange(start: .zero, duration: .zero)
    /// The invalid range.
    public static let invalid = CMTimeRange(start: .invalid, duration: .invalid)

    /// The first time after the range: `start + duration`.
    public var end: CMTime { start + duration }

    /// True if this is a range: both times are valid, and the duration is in epoch 0 and not
    /// negative.
    public var isValid: Bool {
        start.isValid && duration.isValid && duration.epoch == 0 && duration.value >= 0
    }

    /// True if this is valid and contains no time.
    public var isEmpty: Bool { isValid && duration == .zero }

    /// True if this is valid, but its start or duration is unknown.
    public var isIndefinite: Bool { isValid && (start.isIndefinite || duration.isIndefinite) }

    /// Returns true if the range contains `time`, which includes its start but not its end. An
    /// invalid range contains nothing, and no range contains a time that is invalid or indefinite.
    public func containsTime(_ time: CMTime) -> Bool {
        guard isValid, time.isValid, !time.isIndefinite else { return false }
        return start <= time && time < end
    }

    /// Returns true if `range` begins and ends within this one, ends included; false if either is
    /// invalid.
    public func containsTimeRange(_ range: CMTimeRange) -> Bool {
        isValid && range.isValid && start <= range.start && range.end <= end
    }

    /// The times contained in both: an empty range at 0 if there are none, an invalid one if either
    /// is invalid or they start in different epochs.
    public func intersection(_ otherRange: CMTimeRange) -> CMTimeRange {
        guard canJoin(otherRange) else { return .invalid }
        let range = CMTimeRange(
            start: max(start, otherRange.start), end: min(end, otherRange.end))
        return range.isValid && !range.isEmpty ? range : .zero
    }

    /// The smallest range that contains all times of both; an empty one adds none. Invalid if
    /// either is invalid or they start in different epochs.
    public func union(_ otherRange: CMTimeRange) -> CMTimeRange {
        guard canJoin(otherRange) else { return .invalid }
        if otherRange.isEmpty { return self }
        if isEmpty { return otherRange }
        return CMTimeRange(start: min(start, otherRange.start), end: max(end, otherRange.end))
    }

    private func canJoin(_ other: CMTimeRange) -> Bool {
        isValid && other.isValid && start.epoch == other.start.epoch
    }
}

extension CMTimeRange: CustomStringConvertible, CustomDebugStringConvertible {
    /// Start and duration: `{{0/1 = 0.000}, {+INFINITY}}`.
    public var description: String { "{\(start), \(duration)}" }

    /// The same as `description`.
    public var debugDescription: String { description }
}
