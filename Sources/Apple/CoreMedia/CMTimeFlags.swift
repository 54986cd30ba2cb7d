/// The numerator of a `CMTime`.
public typealias CMTimeValue = Int64
/// The denominator of a `CMTime`: the number of units per second. Positive.
public typealias CMTimeScale = Int32
/// The timeline to which a `CMTime` belongs, such as an iteration of a loop. 0 for durations.
public typealias CMTimeEpoch = Int64

/// The kind of a `CMTime` (behaviour 2.1, with Core Media's bits).
public struct CMTimeFlags: OptionSet, Hashable, Sendable {
    /// The bits, as in Core Media.
    public let rawValue: UInt32

    /// Creates flags from bits; unknown ones are kept.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The time is valid. Without this flag the others are meaningless.
    public static let valid = CMTimeFlags(rawValue: 1)
    /// The number was rounded, or was computed from one that was.
    public static let hasBeenRounded = CMTimeFlags(rawValue: 2)
    /// The time is later than every number.
    public static let positiveInfinity = CMTimeFlags(rawValue: 4)
    /// The time is earlier than every number.
    public static let negativeInfinity = CMTimeFlags(rawValue: 8)
    /// The time is unknown, such as the duration of a live broadcast.
    public static let indefinite = CMTimeFlags(rawValue: 16)
    /// Flags that define the time by themselves; with any of them set, the other fields are
    /// meaningless.
    public static let impliedValueFlagsMask: CMTimeFlags = [
        .positiveInfinity, .negativeInfinity, .indefinite,
    ]
}

/// The ways to round a value that lies between two units of a timescale.
public enum CMTimeRoundingMethod: UInt32, Hashable, Sendable {
    /// To the nearest unit; ties away from zero.
    case roundHalfAwayFromZero = 1
    /// Towards zero.
    case roundTowardZero = 2
    /// Away from zero.
    case roundAwayFromZero = 3
    /// Towards zero if the new timescale is smaller, away from zero if it is larger; a negative
    /// time becomes -1 rather than 0.
    case quickTime = 4
    /// Towards positive infinity.
    case roundTowardPositiveInfinity = 5
    /// Towards negative infinity.
    case roundTowardNegativeInfinity = 6

    /// The default: half away from zero.
    public static var `default`: CMTimeRoundingMethod { .roundHalfAwayFromZero }
}
