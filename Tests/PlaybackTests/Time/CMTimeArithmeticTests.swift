import TestSupport
import Testing
import UndersongPlayback

/// Behaviour 2.1: sums, differences and products.
@Suite struct `Arithmetic with CMTimes` {
    @Test(.rule("T3")) func `CMTime adds and subtracts in the least common timescale`() {
        let (half, third) = (time(1, 2), time(1, 3))

        #expect(fields(half + third) == [5, 6, 1, 0])
        #expect(fields(half - third) == [1, 6, 1, 0])
        #expect(fields(CMTimeAdd(third, half)) == [5, 6, 1, 0])
        #expect(fields(CMTimeSubtract(third, half)) == [-1, 6, 1, 0])
        #expect(fields(time(3, 600) + time(5, 600)) == [8, 600, 1, 0])
        #expect(fields(time(1, 4) + time(1, 6)) == [5, 12, 1, 0])
        #expect(fields(time(1, 2) + time(1, 2)) == [2, 2, 1, 0])
    }

    @Test(.rule("T3")) func `CMTime changes a time in place, and its sign`() {
        var sum = time(1, 2)

        sum += time(1, 3)
        sum -= time(1, 6)

        #expect(fields(sum) == [4, 6, 1, 0])
        #expect(fields(-time(3, 4, epoch: 5)) == [-3, 4, 1, 5])
        #expect(-CMTime.positiveInfinity == .negativeInfinity)
        #expect(-CMTime.indefinite == .indefinite)
        #expect(-CMTime.invalid == .invalid)
    }

    @Test(.rule("T4"))
    func `CMTime adds infinite, indefinite and invalid times by Core Media's table`() {
        let table: [(CMTime, CMTime, CMTime, CMTime)] = [
            (.positiveInfinity, .positiveInfinity, .positiveInfinity, .invalid),
            (.negativeInfinity, .negativeInfinity, .negativeInfinity, .invalid),
            (.positiveInfinity, .negativeInfinity, .invalid, .positiveInfinity),
            (.negativeInfinity, .positiveInfinity, .invalid, .negativeInfinity),
            (.positiveInfinity, time(7, 2), .positiveInfinity, .positiveInfinity),
            (time(7, 2), .positiveInfinity, .positiveInfinity, .negativeInfinity),
            (.negativeInfinity, time(7, 2), .negativeInfinity, .negativeInfinity),
            (time(7, 2), .negativeInfinity, .negativeInfinity, .positiveInfinity),
            (.indefinite, .positiveInfinity, .positiveInfinity, .negativeInfinity),
            (.positiveInfinity, .indefinite, .positiveInfinity, .positiveInfinity),
            (.indefinite, .negativeInfinity, .negativeInfinity, .positiveInfinity),
            (.indefinite, time(7, 2), .indefinite, .indefinite),
            (time(7, 2), .indefinite, .indefinite, .indefinite),
            (.indefinite, .indefinite, .indefinite, .indefinite),
            (.invalid, .positiveInfinity, .invalid, .invalid),
            (.negativeInfinity, .invalid, .invalid, .invalid),
            (.invalid, .indefinite, .invalid, .invalid),
            (.invalid, time(7, 2), .invalid, .invalid),
            (time(7, 2), .invalid, .invalid, .invalid),
        ]

        for (left, right, sum, difference) in table {
            #expect(fields(left + right) == fields(sum), "\(left) + \(right)")
            #expect(fields(left - right) == fields(difference), "\(left) - \(right)")
        }
    }

    @Test(.rule("T5")) func `CMTime halves the timescale of a sum that is too large`() {
        let (max, min) = (Int64.max, Int64.min)

        #expect(fields(time(max, 2) + time(max, 2)) == [max, 1, 1, 0])
        #expect(time(max, 1) + time(max, 1) == .positiveInfinity)
        #expect(time(min, 1) - time(max, 1) == .negativeInfinity)
        #expect(fields(time(min, 2) - time(max, 2)) == [min, 1, 3, 0])
        #expect(fields(time(max, 600) + time(1, 600)) == [1 << 62, 300, 1, 0])
        #expect(fields(time(max, 5) + time(max, 5)) == [7_378_697_629_483_820_646, 2, 3, 0])
        #expect(fields(time(max, 1) + time(-1, 1)) == [max - 1, 1, 1, 0])
    }

    @Test(.rule("2.1")) func `CMTime rounds a sum whose least common timescale is too large`() {
        let (prime, other) = (time(1, 2_147_483_647), time(1, 2_147_483_629))

        let sum = prime + other

        #expect(fields(sum) == [2, 2_147_483_647, 3, 0])
        #expect(fields(prime - prime) == [0, 2_147_483_647, 1, 0])
        #expect(fields(prime + time(1, 1)) == [2_147_483_648, 2_147_483_647, 1, 0])
    }

    @Test(.rule("2.1")) func `CMTime passes on that a time has been rounded`() {
        let rounded = time(1, 3, [.valid, .hasBeenRounded])

        #expect((rounded + .zero).hasBeenRounded)
        #expect((.zero - rounded).hasBeenRounded)
        #expect((-rounded).hasBeenRounded)
        #expect(CMTimeMultiply(rounded, multiplier: 3).hasBeenRounded)
        #expect(CMTimeMultiplyByFloat64(rounded, multiplier: 3).hasBeenRounded)
        #expect(CMTimeMultiplyByRatio(rounded, multiplier: 3, divisor: 2).hasBeenRounded)
        #expect(rounded.convertScale(6, method: .default).hasBeenRounded)
        #expect(!(rounded + .positiveInfinity).hasBeenRounded)
        #expect(!(time(1, 3) + time(1, 7)).hasBeenRounded)
    }

    @Test(.rule("T14")) func `CMTime adds times of one epoch, or of epoch 0 and another`() {
        let (first, other, duration) = (time(5, 1, epoch: 1), time(3, 1, epoch: 2), time(2, 1))

        #expect(fields(first - time(3, 1, epoch: 1)) == [2, 1, 1, 0])
        #expect(fields(first + time(3, 1, epoch: 1)) == [8, 1, 1, 0])
        #expect(fields(first + duration) == [7, 1, 1, 1])
        #expect(fields(duration + other) == [5, 1, 1, 2])
        #expect(fields(duration - other) == [-1, 1, 1, 2])
        #expect(fields(first + other) == [0, 0, 0, 0])
        #expect(fields(first - other) == [0, 0, 0, 0])
        #expect(fields(first + time(3, 1, epoch: -1)) == [0, 0, 0, 0])
    }

    @Test(.rule("T14")) func `CMTime orders times of a later epoch after all of an earlier one`() {
        #expect(time(1, 1, epoch: 2) > time(1_000_000, 1, epoch: 1))
        #expect(time(-1, 1, epoch: 0) > time(1, 1, epoch: -1))
        #expect(time(1, 2, epoch: 1) == time(2, 4, epoch: 1))
        #expect(time(1, 2, epoch: 1) != time(1, 2))
        #expect(time(1, 2, epoch: 1).seconds == 0.5)
    }

    @Test(.rule("T8")) func `CMTime multiplies by a whole number in its own timescale`() {
        let half = time(1, 2)

        #expect(fields(CMTimeMultiply(half, multiplier: 2)) == [2, 2, 1, 0])
        #expect(fields(CMTimeMultiply(time(3, 4, epoch: 6), multiplier: -5)) == [-15, 4, 1, 6])
        #expect(fields(CMTimeMultiply(time(.max, 4), multiplier: 2)) == [.max, 2, 1, 0])
        #expect(CMTimeMultiply(time(.max, 1), multiplier: -2) == .negativeInfinity)
        #expect(CMTimeMultiply(.positiveInfinity, multiplier: -2) == .negativeInfinity)
        #expect(CMTimeMultiply(.negativeInfinity, multiplier: 2) == .negativeInfinity)
        #expect(CMTimeMultiply(.indefinite, multiplier: 2) == .indefinite)
        #expect(CMTimeMultiply(.invalid, multiplier: 2) == .invalid)
    }

    @Test(.rule("T8")) func `CMTime multiplies by any number in a timescale of 65536 or more`() {
        let product = CMTimeMultiplyByFloat64(time(1, 2), multiplier: 4)

        #expect(product == time(2, 1))
        #expect(fields(product) == [131_072, 65_536, 1, 0])
        #expect(CMTimeMultiplyByFloat64(time(1, 600), multiplier: 0.5).timescale == 76_800)
        #expect(
            fields(CMTimeMultiplyByFloat64(time(3, 65_536), multiplier: 1)) == [3, 65_536, 1, 0])
        #expect(
            fields(CMTimeMultiplyByFloat64(time(1, 65_536), multiplier: 0.5)) == [1, 65_536, 3, 0])
        #expect(
            fields(CMTimeMultiplyByFloat64(time(-1, 65_536), multiplier: 0.1)) == [0, 65_536, 3, 0])
        #expect(fields(CMTimeMultiplyByFloat64(time(1, 1, epoch: 4), multiplier: 0)).last == 4)
    }

    @Test(.rule("T8")) func `CMTime halves the timescale of a product that is too large`() {
        let product = CMTimeMultiplyByFloat64(time(1, 3), multiplier: 1e15)

        // 3 * 2^15 units of a second would be 98304e15 / 3, which is 3.3e19.
        #expect(fields(product) == [8_192_000_000_000_000_000, 24_576, 1, 0])
        #expect(CMTimeMultiplyByFloat64(time(1, 1), multiplier: 1e18).timescale == 8)
        #expect(CMTimeMultiplyByFloat64(time(1, 1), multiplier: 1e19) == .positiveInfinity)
        #expect(CMTimeMultiplyByFloat64(time(-1, 1), multiplier: 1e300) == .negativeInfinity)
    }

    @Test(.rule("T8")) func `CMTime multiplies by NaN, infinity and almost nothing`() {
        #expect(CMTimeMultiplyByFloat64(time(1, 2), multiplier: .nan) == .invalid)
        #expect(CMTimeMultiplyByFloat64(.positiveInfinity, multiplier: .nan) == .invalid)
        #expect(CMTimeMultiplyByFloat64(time(1, 2), multiplier: -.infinity) == .negativeInfinity)
        #expect(CMTimeMultiplyByFloat64(.zero, multiplier: .infinity) == .invalid)
        #expect(CMTimeMultiplyByFloat64(.negativeInfinity, multiplier: -1) == .positiveInfinity)
        #expect(CMTimeMultiplyByFloat64(.indefinite, multiplier: 2) == .indefinite)
        #expect(
            fields(CMTimeMultiplyByFloat64(time(.max, 1), multiplier: .leastNonzeroMagnitude)) == [
                0, 65_536, 3, 0,
            ])
        #expect(
            fields(CMTimeMultiplyByFloat64(time(.min, 1), multiplier: 0x1p-63))
                == [-65_536, 65_536, 1, 0])
    }

    @Test(.rule("T9"))
    func `CMTime multiplies by a ratio, exactly if a timescale can represent the result`() {
        let thousand = time(1000, 1)

        #expect(
            fields(CMTimeMultiplyByRatio(thousand, multiplier: 20, divisor: 10)) == [2000, 1, 1, 0])
        #expect(
            fields(CMTimeMultiplyByRatio(time(1, 2), multiplier: 1, divisor: 3)) == [1, 6, 1, 0])
        #expect(
            fields(CMTimeMultiplyByRatio(time(900, 600), multiplier: 2, divisor: -3))
                == [-600, 600, 1, 0])
        #expect(
            fields(CMTimeMultiplyByRatio(time(.max, 1, epoch: 3), multiplier: 6, divisor: 6))
                == [.max, 1, 1, 3])
        // A timescale of 3 * 2^30 is too large, but the fraction can be reduced.
        #expect(
            fields(CMTimeMultiplyByRatio(time(1 << 20, 1 << 30), multiplier: 1, divisor: 3))
                == [1, 3072, 1, 0])
    }

    @Test(.rule("T9")) func `CMTime rounds a result that no timescale can represent`() {
        let tiny = CMTimeMultiplyByRatio(time(1, .max), multiplier: 2, divisor: 3)
        let huge = CMTimeMultiplyByRatio(time(.max, 1), multiplier: 4, divisor: 11)

        #expect(fields(tiny) == [1, 2_147_483_647, 3, 0])
        #expect(fields(huge) == [6_707_906_935_894_382_405, 2, 3, 0])
        #expect(
            CMTimeMultiplyByRatio(time(.max, 1), multiplier: 4, divisor: -3) == .negativeInfinity)
    }

    @Test(.rule("T9")) func `CMTime divides by zero without trapping`() {
        let half = time(1, 2)

        #expect(CMTimeMultiplyByRatio(half, multiplier: 1, divisor: 0) == .positiveInfinity)
        #expect(CMTimeMultiplyByRatio(half, multiplier: -1, divisor: 0) == .negativeInfinity)
        #expect(CMTimeMultiplyByRatio(-half, multiplier: -1, divisor: 0) == .positiveInfinity)
        #expect(CMTimeMultiplyByRatio(half, multiplier: 0, divisor: 0) == .invalid)
        #expect(CMTimeMultiplyByRatio(.zero, multiplier: 1, divisor: 0) == .invalid)
        #expect(
            CMTimeMultiplyByRatio(.negativeInfinity, multiplier: -1, divisor: 2)
                == .negativeInfinity)
        #expect(CMTimeMultiplyByRatio(.indefinite, multiplier: 1, divisor: 0) == .indefinite)
        #expect(CMTimeMultiplyByRatio(.invalid, multiplier: 1, divisor: 0) == .invalid)
    }

    @Test(.rule("2.1")) func `CMTime removes the sign`() {
        #expect(fields(CMTimeAbsoluteValue(time(-3, 4, epoch: 2))) == [3, 4, 1, 2])
        #expect(fields(CMTimeAbsoluteValue(time(3, 4))) == [3, 4, 1, 0])
        #expect(CMTimeAbsoluteValue(.negativeInfinity) == .positiveInfinity)
        #expect(CMTimeAbsoluteValue(.invalid) == .invalid)
        #expect(CMTimeAbsoluteValue(.indefinite) == .indefinite)
        #expect(fields(CMTimeAbsoluteValue(time(.min, 2))) == [1 << 62, 1, 1, 0])
        #expect(CMTimeAbsoluteValue(time(.min, 1)) == .positiveInfinity)
    }
}
