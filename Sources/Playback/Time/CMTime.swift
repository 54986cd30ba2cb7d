/// A rational time, `value / timescale` seconds, as Core Media writes it. No operation on it
/// rounds: two times are compared by cross-multiplication.
///
/// An invalid time, which a query without an answer gives, has timescale 0 and equals only itself.
public struct CMTime: Hashable, Comparable, Sendable {
    /// The numerator.
    public let value: Int64
    /// The denominator: how many units make one second. Positive unless the time is invalid.
    public let timescale: Int32

    /// Makes `value / timescale` seconds; a timescale below 1 makes an invalid time.
    public init(value: Int64, timescale: Int32) {
        self.value = timescale > 0 ? value : 0
        self.timescale = max(timescale, 0)
    }

    /// No time at all: what a query without an answer gives.
    public static let invalid = CMTime(value: 0, timescale: 0)
    /// The start of every item.
    public static let zero = CMTime(value: 0, timescale: 1)

    /// Whether the time is a number of seconds.
    public var isNumeric: Bool { timescale > 0 }

    /// The time in seconds, the nearest `Double`; NaN when the time is invalid.
    public var seconds: Double { isNumeric ? Double(value) / Double(timescale) : .nan }

    /// Whether both are the same number of seconds, or both invalid.
    public static func == (left: CMTime, right: CMTime) -> Bool {
        left.isNumeric == right.isNumeric && left.scaled(by: right) == right.scaled(by: left)
    }

    /// An invalid time comes after every number, as in Core Media's order.
    public static func < (left: CMTime, right: CMTime) -> Bool {
        guard left.isNumeric && right.isNumeric else { return left.isNumeric && !right.isNumeric }
        return left.scaled(by: right) < right.scaled(by: left)
    }

    /// Equal times hash alike, whatever their timescale.
    public func hash(into hasher: inout Hasher) {
        var (divisor, rest) = (Int64(timescale), value)
        while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
        hasher.combine(divisor == 0 ? 0 : value / abs(divisor))
        hasher.combine(divisor == 0 ? 0 : Int64(timescale) / abs(divisor))
    }

    private func scaled(by other: CMTime) -> Int128 { Int128(value) * Int128(other.timescale) }
}
