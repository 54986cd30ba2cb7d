/// A span of time, which begins at `start` and ends just before `end`: no range contains its own end
/// (behaviour 2.1, T15).
///
/// The start may be of any epoch and the range stays within it; the duration has epoch 0 and is not
/// negative, or the range is invalid.
public struct CMTimeRange: Hashable, Sendable {
    /// The first time in it.
    public var start: CMTime
    /// How long it is.
    public var duration: CMTime

    /// Makes an invalid range.
    public init() { self.init(start: .invalid, duration: .invalid) }

    /// Makes a range of its two fields, which are not looked at.
    public init(start: CMTime, duration: CMTime) {
        self.start = start
        self.duration = duration
    }

    /// Makes the range from `start` up to `end`. It is invalid when the end comes first, or is in
    /// another epoch.
    public init(start: CMTime, end: CMTime) { self.init(start: start, duration: end - start) }

    /// An empty range at 0.
    public static let zero = CMTimeRange(start: .zero, duration: .zero)
    /// No range at all.
    public static let invalid = CMTimeRange(start: .invalid, duration: .invalid)

    /// The first time behind it: `start + duration`.
    public var end: CMTime { start + duration }

    /// Whether it is a range: both times are valid, and the duration is of epoch 0 and not negative.
    public var isValid: Bool {
        start.isValid && duration.isValid && duration.epoch == 0 && duration.value >= 0
    }

    /// Whether it is valid and no time is in it.
    public var isEmpty: Bool { isValid && duration == .zero }

    /// Whether it is valid, but nobody knows where it begins or how long it is.
    public var isIndefinite: Bool { isValid && (start.isIndefinite || duration.isIndefinite) }

    /// Whether `time` is in it: at the start or behind it, and before the end. An invalid range has
    /// nothing in it, and a time that is invalid or indefinite is in none.
    public func containsTime(_ time: CMTime) -> Bool {
        guard isValid, time.isValid, !time.isIndefinite else { return false }
        return start <= time && time < end
    }

    /// Whether `range` begins and ends within it, ends included; false when either is invalid.
    public func containsTimeRange(_ range: CMTimeRange) -> Bool {
        isValid && range.isValid && start <= range.start && range.end <= end
    }

    /// The times that both contain: an empty range at 0 when there are none, an invalid one when
    /// either is invalid or they start in different epochs.
    public func intersection(_ otherRange: CMTimeRange) -> CMTimeRange {
        guard canJoin(otherRange) else { return .invalid }
        let range = CMTimeRange(
            start: max(start, otherRange.start), end: min(end, otherRange.end))
        return range.isValid && !range.isEmpty ? range : .zero
    }

    /// The smallest range with all times of both in it, an empty one adding none. Invalid when
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
