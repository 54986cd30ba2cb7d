/// The long calculation: one number after the other, each the sum of the two before it, starting over
/// when they get too large (E15, E17).
struct Fibonacci: Equatable {
    private var previous = Number()
    private var current = Number()
    private(set) var position = 1

    /// The digits of the last number.
    var number: String { "\(current)" }

    /// Advances to the next number.
    mutating func tick() {
        guard let next = previous + current else {
            self = Fibonacci()
            return
        }
        (previous, current) = (current, next)
        position += 1
    }

    /// `Position 4 = 5`
    var message: String { "Position \(position) = \(number)" }
}

/// A number below 10 to the 40th, in two halves of 20 digits each: `NSDecimalNumber` has only 38 digits
/// on Linux.
private struct Number: Equatable, CustomStringConvertible {
    private static let half: UInt128 = 100_000_000_000_000_000_000

    private var high: UInt128 = 0
    private var low: UInt128 = 1

    /// The sum; nil if it is too large.
    static func + (one: Number, other: Number) -> Number? {
        let (carry, low) = (one.low + other.low).quotientAndRemainder(dividingBy: half)
        var sum = Number()
        (sum.high, sum.low) = (one.high + other.high + carry, low)
        return sum.high < half ? sum : nil
    }

    var description: String {
        guard high > 0 else { return "\(low)" }
        let digits = "\(low)"
        return "\(high)" + String(repeating: "0", count: 20 - digits.count) + digits
    }
}
