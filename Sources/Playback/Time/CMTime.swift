/// A time as Core Media writes it: a rational number, `value / timescale` seconds, or one of four
/// that are no number (behaviour 2.1).
///
/// Equality and order are `CMTimeCompare`'s: fields are never normalised, so that 1/2 and 2/4 are
/// the same time with different fields. A time whose flags call it a number though its timescale is
/// not positive is told as its fields are, and otherwise treated as an invalid one.
public struct CMTime: Sendable {
    /// The numerator.
    public var value: CMTimeValue
    /// The denominator: how many units make one second.
    public var timescale: CMTimeScale
    /// What kind of time it is.
    public var flags: CMTimeFlags
    /// The timeline that it is on. Times of a larger epoch come later, whatever their value.
    public var epoch: CMTimeEpoch

    /// Makes an invalid time: every field is 0.
    public init() { self.init(value: 0, timescale: 0, flags: [], epoch: 0) }

    /// Makes a time of its four fields, which are not looked at.
    public init(
        value: CMTimeValue, timescale: CMTimeScale, flags: CMTimeFlags, epoch: CMTimeEpoch
    ) {
        self.value = value
        self.timescale = timescale
        self.flags = flags
        self.epoch = epoch
    }

    /// Makes `value / timescale` seconds in epoch 0; a timescale below 1 makes an invalid time.
    public init(value: CMTimeValue, timescale: CMTimeScale) {
        self.init(
            value: timescale > 0 ? value : 0, timescale: max(timescale, 0),
            flags: timescale > 0 ? .valid : [], epoch: 0)
    }

    /// No time at all: what a query without an answer gives.
    public static let invalid = CMTime(value: 0, timescale: 0, flags: [], epoch: 0)
    /// The start of every item.
    public static let zero = CMTime(value: 0, timescale: 1, flags: .valid, epoch: 0)
    /// A time that nobody knows.
    public static let indefinite = CMTime(
        value: 0, timescale: 0, flags: [.valid, .indefinite], epoch: 0)
    /// Later than every number.
    public static let positiveInfinity = CMTime(
        value: 0, timescale: 0, flags: [.valid, .positiveInfinity], epoch: 0)
    /// Earlier than every number.
    public static let negativeInfinity = CMTime(
        value: 0, timescale: 0, flags: [.valid, .negativeInfinity], epoch: 0)

    /// Whether it is a time of any kind.
    public var isValid: Bool { flags.contains(.valid) }
    /// Whether it is later than every number.
    public var isPositiveInfinity: Bool { flags.isSuperset(of: [.valid, .positiveInfinity]) }
    /// Whether it is earlier than every number.
    public var isNegativeInfinity: Bool { flags.isSuperset(of: [.valid, .negativeInfinity]) }
    /// Whether nobody knows it.
    public var isIndefinite: Bool { flags.isSuperset(of: [.valid, .indefinite]) }
    /// Whether its flags call it a number: valid, and neither infinite nor indefinite.
    public var isNumeric: Bool {
        flags.intersection(CMTimeFlags.impliedValueFlagsMask.union(.valid)) == .valid
    }
    /// Whether it is a number that is not exact, or comes from one that was not.
    public var hasBeenRounded: Bool { isNumeric && flags.contains(.hasBeenRounded) }

    /// Whether it is a number that can be calculated with: numeric, and its timescale is positive.
    package var isRational: Bool { isNumeric && timescale > 0 }
}

extension CMTime: CustomStringConvertible, CustomDebugStringConvertible {
    /// The fields and the seconds to three decimals: `{1/2 = 0.500}`, `{1/3 = 0.333, rounded}`,
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

    /// The seconds as C's `%.3f` prints them.
    private var decimalSeconds: String {
        let size = abs(seconds)
        let whole = UInt64(size)
        let fraction = ExactFraction(size - Double(whole))?.rounded(times: 1000, .toNearestOrEven)
        let (carry, rest) = (fraction?.value ?? 0).quotientAndRemainder(dividingBy: 1000)
        let sign = value < 0 ? "-" : ""
        return sign + "\(whole + UInt64(carry))." + String(String(1000 + rest).dropFirst())
    }
}
