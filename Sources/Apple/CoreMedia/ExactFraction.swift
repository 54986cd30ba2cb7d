/// A rational number with a numerator and denominator of 128 bits, in which sums, products and
/// conversions of times are computed before they are rounded once.
struct ExactFraction {
    var numerator: UInt128
    /// Positive.
    var denominator: UInt128
    var isNegative: Bool

    init(_ numerator: Int128, over denominator: Int128) {
        self.numerator = numerator.magnitude
        self.denominator = denominator.magnitude
        isNegative = (numerator < 0) != (denominator < 0)
    }

    /// `number * product`, exactly; a denominator above 2^127 is treated as 2^127, since such a
    /// number rounds to nothing in any timescale. Nil unless the magnitude is below 2^128.
    ///
    /// `number` must be finite, and `product` below 2^64.
    init?(_ number: Double, times product: UInt64 = 1) {
        let fraction = Self.significand(of: number)
        let numerator = UInt128(fraction.digits) * UInt128(product)
        guard fraction.exponent <= numerator.leadingZeroBitCount || numerator == 0 else {
            return nil
        }
        self.numerator = numerator << max(0, fraction.exponent)
        denominator = 1 << min(127, max(0, -fraction.exponent))
        isNegative = number < 0
    }

    /// The product with `factor`, rounded to an integer by that rule, and whether that is exact.
    /// Nil if it does not fit.
    func rounded(
        times factor: Int32, _ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero
    ) -> (value: Int64, isExact: Bool)? {
        let product = numerator.multipliedFullWidth(by: UInt128(factor.magnitude))
        guard product.high < denominator else { return nil }
        let (floor, rest) = denominator.dividingFullWidth(product)
        guard floor <= UInt128(UInt64.max) else { return nil }
        let magnitude = floor + (goesUp(from: floor, rest, rule) ? 1 : 0)
        let value = Int64(exactly: isNegative ? -Int128(magnitude) : Int128(magnitude))
        return value.map { ($0, rest == 0) }
    }

    /// The same number in lowest terms.
    var reduced: ExactFraction {
        var reduced = self
        let divisor = greatestCommonDivisor(numerator, denominator)
        reduced.numerator /= divisor
        reduced.denominator /= divisor
        return reduced
    }

    /// Returns true if the magnitude is to be rounded up from `floor`, with `rest / denominator`
    /// remaining.
    private func goesUp(
        from floor: UInt128, _ rest: UInt128, _ rule: FloatingPointRoundingRule
    ) -> Bool {
        let opposite = denominator - rest
        return switch rule {
        case .toNearestOrAwayFromZero: rest >= opposite
        case .toNearestOrEven: rest > opposite || rest == opposite && floor % 2 == 1
        case .awayFromZero: rest > 0
        case .up: rest > 0 && !isNegative
        case .down: rest > 0 && isNegative
        default: false
        }
    }

    /// The magnitude as `digits * 2^exponent`, with as few digits as possible.
    private static func significand(of number: Double) -> (digits: UInt64, exponent: Int) {
        let isNormal = number.exponentBitPattern > 0
        let implicit: UInt64 = isNormal ? 1 << UInt64(Double.significandBitCount) : 0
        let digits = number.significandBitPattern | implicit
        let exponent = Int(max(1, number.exponentBitPattern)) - 1075
        let zeros = digits == 0 ? 0 : digits.trailingZeroBitCount
        return (digits >> zeros, exponent + zeros)
    }
}

/// The greatest common divisor; if one number is 0, the other one.
func greatestCommonDivisor<Number: UnsignedInteger>(_ first: Number, _ second: Number) -> Number {
    var (divisor, rest) = (first, second)
    while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
    return divisor
}
