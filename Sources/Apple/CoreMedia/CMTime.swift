/// A time as represented by Core Media: a rational number, `value / timescale` seconds, or one of
/// four kinds of time that are not numeric (behaviour 2.1).
///
/// Equality and order are those of `CMTimeCompare`: fields are never normalized, so 1/2 and 2/4 are
/// equal times with different fields. A time whose flags say that it is numeric but whose timescale
/// is not positive is described by its fields, and otherwise treated as invalid.
public struct CMTime: Sendable {
    /// The numerator.
    public var value: CMTimeValue
    /// The denominator: the number of units per second.
    public var timescale: CMTimeScale
    /// The kind of time.
    public var flags: CMTimeFlags
    /// The timeline to which the time belongs. Times of a larger epoch are later, whatever their
    /// value.
    public var epoch: CMTimeEpoch

    /// Creates an invalid time: every field is 0.
    public init() { self.init(value: 0, timescale: 0, flags: [], epoch: 0) }

    /// Creates a time from its four fields, which are not checked.
    public init(
        value: CMTimeValue, timescale: CMTimeScale, flags: CMTimeFlags, epoch: CMTimeEpoch
    ) {
        self.value = value
        self.timescale = timescale
        self.flags = flags
        self.epoch = epoch
    }

    /// Creates `value / timescale` seconds in epoch 0; a timescale below 1 gives an invalid time.
    public init(value: CMTimeValue, timescale: CMTimeScale) {
        self.init(
            value: timescale > 0 ? value : 0, timescale: max(timescale, 0),
            flags: timescale > 0 ? .valid : [], epoch: 0)
    }

    /// The invalid time: the result of a query that has no answer.
    public static let invalid = CMTime(value: 0, timescale: 0, flags: [], epoch: 0)
    /// The start of every item.
    public static let zero = CMTime(value: 0, timescale: 1, flags: .valid, epoch: 0)
    /// An unknown time.
    public static let indefinite = CMTime(
        value: 0, timescale: 0, flags: [.valid, .indefinite], epoch: 0)
    /// Later than every number.
    public static let positiveInfinity = CMTime(
        value: 0, timescale: 0, flags: [.valid, .positiveInfinity], epoch: 0)
    /// Earlier than every number.
    public static let negativeInfinity = CMTime(
        value: 0, timescale: 0, flags: [.valid, .negativeInfinity], epoch: 0)

    /// True if this is a time of any kind.
    public var isValid: Bool { flags.contains(.valid) }
    /// True if this is positive infinity, which is later than every number.
    public var isPositiveInfinity: Bool { flags.isSuperset(of: [.valid, .positiveInfinity]) }
    /// True if this is negative infinity, which is earlier than every number.
    public var isNegativeInfinity: Bool { flags.isSuperset(of: [.valid, .negativeInfinity]) }
    /// True if the time is unknown.
    public var isIndefinite: Bool { flags.isSuperset(of: [.valid, .indefinite]) }
    /// True if the flags say that this is a number: valid, and neither infinite nor indefinite.
    public var isNumeric: Bool {
        flags.intersection(CMTimeFlags.impliedValueFlagsMask.union(.valid)) == .valid
    }
    /// True if this is a number that was rounded, or was computed from one that was.
    public var hasBeenRounded: Bool { isNumeric && flags.contains(.hasBeenRounded) }

    /// True if this is a number usable in calculations: numeric with a positive timescale.
    package var isRational: Bool { isNumeric && timescale > 0 }
}

extension CMTime: CustomStringConvertible, CustomDebugStringConvertible {
    /// The fields, and the seconds to three decimals: `{1/2 = 0.500}`, `{1/3 = 0.333, rounded}`,
    /// `{1/2 = 0.500, epoch 7}`; or `{INVALID}`, `{INDEFINITE}`, `{+INFINITY}`, `{-INFINITY}`.
    public var description: String {
        if isNegativeInfinity { return "{-INFINITY}" }
        if isPositiveInfinity { return "{+INFINITY}" }
        if isIndefinite { return "{INDEFINITE}" }
        guard isRational else { return "{INVALID}" }
        let rounded = hasBeenRounded ? ", rounded" : ""
        let epoch = epoch == 0 ? "" : ", epoch \(epoch)"
        return "{\(value)/\(timescale) = \(decimalSeconds)\(rounded)\(epoch)}"
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// The seconds as printed by C's `%.3f`.
    private var decimalSeconds: String {
        let size = abs(seconds)
        let whole = UInt64(size)
        let fraction = ExactFraction(size - Double(whole))?.rounded(times: 1000, .toNearestOrEven)
        let (carry, rest) = (fraction?.value ?? 0).quotientAndRemainder(dividingBy: 1000)
        let sign = value < 0 ? "-" : ""
        return sign + "\(whole + UInt64(carry))." + String(String(1000 + rest).dropFirst())
    }
}
