extension CMTime {
    /// The sum. Its timescale is the least common multiple of the operands', at most
    /// `kCMTimeMaxTimescale`, and is halved until the value fits; the sum is infinite if even whole
    /// seconds do not fit.
    ///
    /// The sum is rounded if it had to be rounded or an operand was. It is invalid if an operand is
    /// invalid, if the operands are opposite infinities, or if their epochs differ and neither is
    /// 0. Otherwise it is infinite if an operand is infinite, and indefinite if one is indefinite.
    /// The sum of two times in the same epoch is a duration, in epoch 0; if one operand is in epoch
    /// 0, the other's epoch is kept.
    public static func + (left: CMTime, right: CMTime) -> CMTime { sum(left, right, 1) }

    /// The difference, by the rules of the sum; infinity minus itself is therefore invalid.
    public static func - (left: CMTime, right: CMTime) -> CMTime { sum(left, right, -1) }

    /// Adds by the rules of `+`.
    public static func += (left: inout CMTime, right: CMTime) { left = left + right }

    /// Subtracts by the rules of `-`.
    public static func -= (left: inout CMTime, right: CMTime) { left = left - right }

    /// The time with the opposite sign, in the same epoch; an infinity becomes the opposite one.
    /// The one value without an opposite is rounded in half the timescale.
    public static prefix func - (time: CMTime) -> CMTime { time.multiplied(by: -1) }

    /// `time * multiplier` in the time's timescale and epoch, halved as for a sum. A time that is
    /// not numeric keeps its kind; a negative multiplier turns an infinity into the opposite one.
    func multiplied(by multiplier: Int32) -> CMTime {
        guard isRational else { return kind(isOpposite: multiplier < 0) }
        let fraction = ExactFraction(
            Int128(value) * Int128(multiplier), over: Int128(timescale))
        return CMTime(fraction, timescale: timescale, isRounded: hasBeenRounded, epoch: epoch)
    }

    /// `time * multiplier`, computed exactly and then rounded: in the time's timescale, doubled
    /// until it is at least 65536 and then halved as for a sum. The result is invalid if the
    /// multiplier is NaN or if 0 is multiplied by infinity; otherwise an infinite multiplier gives
    /// an infinity.
    func multiplied(byFloat multiplier: Double) -> CMTime {
        guard !multiplier.isNaN else { return .invalid }
        guard isRational else { return kind(isOpposite: multiplier < 0) }
        let isNegative = (value < 0) != (multiplier < 0)
        guard multiplier.isFinite else {
            return value == 0 ? .invalid : .infinity(isNegative: isNegative)
        }
        guard var units = ExactFraction(multiplier, times: value.magnitude) else {
            return .infinity(isNegative: isNegative)
        }
        units.isNegative = isNegative
        return CMTime(units: units, of: timescale, isRounded: hasBeenRounded, epoch: epoch)
    }

    /// `time * multiplier / divisor`, exact if any timescale can represent it, otherwise in the
    /// finest one that does not overflow. Division by 0 gives infinity, or an invalid time for 0
    /// divided by 0.
    func multiplied(by multiplier: Int32, over divisor: Int32) -> CMTime {
        guard isRational else { return kind(isOpposite: false) }
        let product = Int128(value) * Int128(multiplier)
        guard divisor != 0 else {
            return product == 0 ? .invalid : .infinity(isNegative: product < 0)
        }
        return CMTime(
            product: ExactFraction(product, over: Int128(divisor)), of: timescale,
            isRounded: hasBeenRounded, epoch: epoch)
    }

    /// The absolute value; negative infinity becomes positive infinity.
    var magnitude: CMTime { isNegativeInfinity || isRational && value < 0 ? -self : self }
}

extension CMTime {
    /// Creates `units / timescale` seconds, changing the timescale as little as exactness requires,
    /// or else the nearest time in the finest timescale that does not overflow.
    init(
        product units: ExactFraction, of timescale: CMTimeScale, isRounded: Bool,
        epoch: CMTimeEpoch
    ) {
        var fraction = units.reduced
        fraction.denominator *= UInt128(timescale)
        if fraction.fits == nil { fraction = fraction.reduced }
        let scale = fraction.fits ?? fraction.finestTimescale
        self.init(fraction, timescale: scale, isRounded: isRounded, epoch: epoch)
    }

    /// Creates `units / timescale` seconds, with the timescale doubled until it is at least 65536.
    fileprivate init(
        units: ExactFraction, of timescale: CMTimeScale, isRounded: Bool, epoch: CMTimeEpoch
    ) {
        var doubled = timescale
        while doubled < 65536 { doubled *= 2 }
        if let (value, isExact) = units.rounded(times: doubled / timescale) {
            let flags: CMTimeFlags = isExact && !isRounded ? .valid : [.valid, .hasBeenRounded]
            self.init(value: value, timescale: doubled, flags: flags, epoch: epoch)
        } else {
            // More than 2^63 units: the digits before the decimal point leave room for the
            // timescale.
            var seconds = units
            seconds.denominator *= UInt128(timescale)
            self.init(seconds, timescale: doubled, isRounded: isRounded, epoch: epoch)
        }
    }

    private static func sum(_ left: CMTime, _ right: CMTime, _ sign: Int32) -> CMTime {
        guard left.isRational && right.isRational else {
            return sum(ofKinds: left.kind(isOpposite: false), right.kind(isOpposite: sign < 0))
        }
        guard left.epoch == 0 || right.epoch == 0 || left.epoch == right.epoch else {
            return .invalid
        }
        let (first, second) = (Int128(left.timescale), Int128(right.timescale))
        let divisor = Int128(
            greatestCommonDivisor(left.timescale.magnitude, right.timescale.magnitude))
        let common = first / divisor * second
        let units =
            Int128(left.value) * (second / divisor)
            + Int128(sign) * Int128(right.value) * (first / divisor)
        return CMTime(
            ExactFraction(units, over: common),
            timescale: CMTimeScale(clamping: common),
            isRounded: left.hasBeenRounded || right.hasBeenRounded,
            epoch: left.epoch == right.epoch ? 0 : left.epoch + right.epoch)
    }

    /// A sum with at least one operand that is not numeric.
    private static func sum(ofKinds left: CMTime, _ right: CMTime) -> CMTime {
        let isPositive = left.isPositiveInfinity || right.isPositiveInfinity
        let isNegative = left.isNegativeInfinity || right.isNegativeInfinity
        guard left.isValid && right.isValid, !(isPositive && isNegative) else { return .invalid }
        if isPositive { return .positiveInfinity }
        return isNegative ? .negativeInfinity : .indefinite
    }

    /// A time that is not numeric, reduced to its kind; the opposite infinity if `isOpposite`.
    func kind(isOpposite: Bool) -> CMTime {
        if isRational { return self }
        if isIndefinite { return .indefinite }
        guard isPositiveInfinity || isNegativeInfinity else { return .invalid }
        return .infinity(isNegative: isNegativeInfinity != isOpposite)
    }
}

extension ExactFraction {
    /// The denominator, if a time can have exactly these fields.
    fileprivate var fits: CMTimeScale? {
        let limit = UInt128(Int64.max) + (isNegative ? 1 : 0)
        return numerator <= limit ? CMTimeScale(exactly: denominator) : nil
    }

    /// The largest timescale in which the value fits; 1 if there is none.
    fileprivate var finestTimescale: CMTimeScale {
        guard numerator > 0 else { return .max }
        let product = denominator.multipliedFullWidth(by: UInt128(Int64.max))
        guard product.high < numerator else { return .max }
        return max(1, CMTimeScale(clamping: numerator.dividingFullWidth(product).quotient))
    }
}
