/// The numerator of a `CMTime`.
public typealias CMTimeValue = Int64
/// The denominator of a `CMTime`: how many of its units make one second. Positive.
public typealias CMTimeScale = Int32
/// The timeline that a `CMTime` is on: the turn of a loop, for instance. 0 for durations.
public typealias CMTimeEpoch = Int64

/// What kind of time a `CMTime` is (behaviour 2.1, with Core Media's bits).
public struct CMTimeFlags: OptionSet, Hashable, Sendable {
    /// The bits, as Core Media has them.
    public let rawValue: UInt32

    /// Makes flags of bits; unknown ones are kept.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The time is not an invalid one. The others count only beside it.
    public static let valid = CMTimeFlags(rawValue: 1)
    /// The number is not exact, or comes from one that was not.
    public static let hasBeenRounded = CMTimeFlags(rawValue: 2)
    /// The time is later than every number.
    public static let positiveInfinity = CMTimeFlags(rawValue: 4)
    /// The time is earlier than every number.
    public static let negativeInfinity = CMTimeFlags(rawValue: 8)
    /// Nobody knows the time: the duration of a live broadcast, for instance.
    public static let indefinite = CMTimeFlags(rawValue: 16)
    /// The flags that say all there is to say: beside one of them the other fields mean nothing.
    public static let impliedValueFlagsMask: CMTimeFlags = [
        .positiveInfinity, .negativeInfinity, .indefinite,
    ]
}

/// Which of its two neighbours a value becomes that lies between two units of a timescale.
public enum CMTimeRoundingMethod: UInt32, Hashable, Sendable {
    /// The nearer one; of two as near, the one further from zero.
    case roundHalfAwayFromZero = 1
    /// The one nearer to zero.
    case roundTowardZero = 2
    /// The one further from zero.
    case roundAwayFromZero = 3
    /// Towards zero when the new timescale is smaller, away from it when it is larger; a negative
    /// time never becomes 0 but -1.
    case quickTime = 4
    /// The greater one.
    case roundTowardPositiveInfinity = 5
    /// The smaller one.
    case roundTowardNegativeInfinity = 6

    /// What everything rounds with that is not told otherwise: half away from zero.
    public static var `default`: CMTimeRoundingMethod { .roundHalfAwayFromZero }
}
