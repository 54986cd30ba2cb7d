extension CMTime {
    /// The remainder, from 0 up to `duration`, after subtracting whole `duration`s, or adding them
    /// to a negative time. Both must be numbers, and the duration positive.
    func remainder(dividingBy duration: CMTime) -> CMTime {
        let units = Int128(value) * Int128(duration.timescale)
        let period = Int128(duration.value) * Int128(timescale)
        let rest = units % period
        let scale = Int128(timescale) * Int128(duration.timescale)
        let divisor = greatestCommonDivisor(
            timescale.magnitude, duration.timescale.magnitude)
        return CMTime(
            ExactFraction(rest < 0 ? rest + period : rest, over: scale),
            timescale: CMTimeScale(clamping: scale / Int128(divisor)),
            isRounded: hasBeenRounded || duration.hasBeenRounded)
    }

    /// `self * multiplier / divisor`, both positive numbers; exact if 128 bits and a timescale
    /// suffice. A time that is not numeric keeps its kind.
    func scaled(by multiplier: CMTime, over divisor: CMTime) -> CMTime {
        guard isRational else { return kind(isOpposite: false) }
        var above = [value.magnitude, multiplier.value.magnitude, UInt64(divisor.timescale)]
        var below = [UInt64(timescale), UInt64(multiplier.timescale), divisor.value.magnitude]
        Self.cancel(&above, &below)
        guard let numerator = product(of: above), let denominator = product(of: below) else {
            var time = multiplied(byFloat: multiplier.seconds / divisor.seconds)
            if time.isNumeric { time.flags.insert(.hasBeenRounded) }
            return time
        }
        let isRounded = [self, multiplier, divisor].contains(where: \.hasBeenRounded)
        var fraction = ExactFraction(0, over: 1)
        (fraction.numerator, fraction.denominator) = (numerator, denominator)
        fraction.isNegative = value < 0
        return CMTime(product: fraction, of: 1, isRounded: isRounded, epoch: epoch)
    }

    /// Cancels common factors of the numerator and the denominator.
    private static func cancel(_ above: inout [UInt64], _ below: inout [UInt64]) {
        for upper in above.indices {
            for lower in below.indices {
                let divisor = greatestCommonDivisor(above[upper], below[lower])
                above[upper] /= divisor
                below[lower] /= divisor
            }
        }
    }

    private func product(of factors: [UInt64]) -> UInt128? {
        var product: UInt128 = 1
        for factor in factors {
            let (next, isOverflow) = product.multipliedReportingOverflow(by: UInt128(factor))
            guard !isOverflow else { return nil }
            product = next
        }
        return product
    }
}
