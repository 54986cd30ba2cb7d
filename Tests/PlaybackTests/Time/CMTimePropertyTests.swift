import TestSupport
import Testing
import UndersongBase
import UndersongPlayback

/// Random times of all kinds and sizes, compared with what behaviour 2.1 says of them.
@Suite struct `Arbitrary CMTimes` {
    @Test(.rule("T1"), arguments: seeds(20))
    func `Any CMTimes are in one total order, consistent with equality and hashes`(seed: Int) {
        var chance = SeededGenerator(seed: seed)
        let times = (0..<40).map { _ in chance.time() }
        let orders = times.map { left in times.map { CMTimeCompare(left, $0) } }

        let places = Array(times.indices)
        let asymmetric = places.first { left in
            places.contains { orders[left][$0] != -orders[$0][left] }
        }
        let intransitive = places.first { left in
            places.contains { middle in
                orders[left][middle] <= 0
                    && places.contains { orders[middle][$0] <= 0 && orders[left][$0] > 0 }
            }
        }
        let disagreeing = places.first { left in
            places.contains { right in
                let (first, second, order) = (times[left], times[right], orders[left][right])
                return (first == second) != (order == 0) || (first < second) != (order < 0)
                    || order == 0 && first.hashValue != second.hashValue
            }
        }

        #expect(asymmetric.map { times[$0] } == nil)
        #expect(intransitive.map { times[$0] } == nil)
        #expect(disagreeing.map { times[$0] } == nil)
    }

    @Test(.rule("T1"), arguments: seeds(20))
    func `Any CMTimes are equal in any multiple of their timescale, and hash alike`(seed: Int) {
        var chance = SeededGenerator(seed: seed)

        let wrong = (0..<300).map { _ in (chance.number(), Int64.random(in: 1...9, using: &chance))
        }
        .first { number, factor in
            let (value, isLarge) = number.value.multipliedReportingOverflow(by: factor)
            let scale = Int64(number.timescale) * factor
            guard !isLarge, scale <= Int32.max else { return false }
            let other = time(value, Int32(scale), epoch: number.epoch)
            return other != number || other.hashValue != number.hashValue
        }

        #expect(wrong == nil)
    }

    @Test(.rule("T3"), arguments: seeds(20))
    func `Any CMTimes have a sum that is exact or the nearest possible`(seed: Int) {
        var chance = SeededGenerator(seed: seed)

        let wrong = (0..<500).map { _ in (chance.number(), chance.number()) }.first {
            !isSum($0 + $1, of: $0, $1, sign: 1) || !isSum($0 - $1, of: $0, $1, sign: -1)
        }

        #expect(wrong == nil)
    }

    @Test(.rule("T3"), arguments: seeds(20))
    func `Any CMTimes have the same sum in both orders, and subtraction reverses it`(seed: Int) {
        var chance = SeededGenerator(seed: seed)

        let wrong = (0..<500).map { _ in (chance.time(), chance.time()) }.first { left, right in
            let sum = left + right
            if fields(sum) != fields(right + left) { return true }
            guard sum.isNumeric, !sum.hasBeenRounded else { return false }
            // Times of one epoch make a duration: losing the epoch is right.
            guard left.epoch == 0 || right.epoch == 0 else { return false }
            var back = sum - right
            back.epoch = left.epoch
            return !back.hasBeenRounded && back != left
        }

        #expect(wrong == nil)
    }

    @Test(.rule("2.1"), arguments: seeds(20))
    func `Any CMTimes pass on that they were rounded`(seed: Int) {
        var chance = SeededGenerator(seed: seed)

        let wrong = (0..<300).map { _ in (chance.number(), chance.number()) }.first { left, right in
            guard left.hasBeenRounded else { return false }
            let results = [
                left + right, right - left, CMTimeMultiply(left, multiplier: right.timescale),
                CMTimeMultiplyByFloat64(left, multiplier: right.seconds),
                CMTimeMultiplyByRatio(left, multiplier: 3, divisor: right.timescale),
                left.convertScale(right.timescale, method: .default),
            ]
            return results.contains { $0.isNumeric && !$0.hasBeenRounded }
        }

        #expect(wrong == nil)
    }

    @Test(.rule("T13"), arguments: seeds(20))
    func `Any CMTimes are rounded to other timescales exactly as each method says`(seed: Int) {
        var chance = SeededGenerator(seed: seed)
        let methods = (1...6).compactMap { CMTimeRoundingMethod(rawValue: $0) }

        let wrong = (0..<300).map { _ in (chance.number(), chance.timescale()) }
            .first { number, timescale in
                methods.contains { method in
                    let result = number.convertScale(timescale, method: method)
                    guard result.isNumeric else {
                        let size = Double(abs(number.seconds) * Double(timescale))
                        return size < 0x1p63 * (1 - 0x1p-50)
                    }
                    return result.timescale != timescale || result.epoch != number.epoch
                        || !isRounded(number, to: result, by: method)
                }
            }

        #expect(wrong == nil)
    }

    @Test(.rule("T12"), arguments: seeds(20))
    func `Any CMTimes convert to seconds and back, as far as a Double is exact`(seed: Int) {
        var chance = SeededGenerator(seed: seed)

        let wrong = (0..<500).map { _ in chance.number() }.first { number in
            guard number.value.magnitude < 1 << 51 else { return false }
            let back = CMTime(seconds: number.seconds, preferredTimescale: number.timescale)
            return fields(back) != [number.value, Int64(number.timescale), 1, 0]
        }

        #expect(wrong == nil)
    }

    @Test(.rule("T8"), arguments: seeds(20))
    func `Any CMTimes have the representable product nearest to the exact one`(seed: Int) {
        var chance = SeededGenerator(seed: seed)

        let wrong = (0..<300).map { _ in (chance.number(), chance.value(), chance.timescale()) }
            .first { number, value, divisor in
                let multiplier = Double(value) / Double(divisor)
                let product = CMTimeMultiplyByFloat64(number, multiplier: multiplier)
                let expected = number.seconds * multiplier
                guard product.isNumeric else { return abs(expected) < 0x1p62 }
                let unit = 1 / Double(product.timescale)
                return abs(product.seconds - expected) > abs(expected) * 0x1p-50 + unit
                    || product.timescale < 65_536 && abs(expected) < 0x1p62 / 131_072
            }

        #expect(wrong == nil)
    }

    @Test(.rule("T9"), arguments: seeds(20))
    func `Any CMTimes have an exact product by a ratio unless marked as rounded`(seed: Int) {
        var chance = SeededGenerator(seed: seed)

        let wrong = (0..<300).map { _ in (chance.number(), chance.timescale(), chance.timescale()) }
            .first { number, multiplier, divisor in
                let result = CMTimeMultiplyByRatio(
                    number, multiplier: multiplier, divisor: divisor)
                guard result.isNumeric, !number.hasBeenRounded else { return false }
                let product = Int128(number.value) * Int128(multiplier) * Int128(result.timescale)
                let scales = Int128(number.timescale) * Int128(divisor)
                let difference = (Int128(result.value) * scales - product).magnitude
                return result.hasBeenRounded
                    ? difference == 0 || 2 * difference > scales.magnitude : difference != 0
            }

        #expect(wrong == nil)
    }

    @Test(.rule("2.1"), arguments: seeds(20))
    func `Any CMTimes never trap, whatever is done with them`(seed: Int) {
        var chance = SeededGenerator(seed: seed)
        var count = 0

        for _ in 0..<500 {
            let (first, second, third) = (chance.time(), chance.time(), chance.time())
            let (range, other) = (
                CMTimeRange(start: first, duration: second), CMTimeRange(start: third, end: first)
            )
            let texts = [
                "\(-first)", "\(CMTimeAbsoluteValue(second))", "\(range.union(other))",
                "\(range.intersection(other))", "\(CMTimeClampToRange(third, range: range))",
                "\(CMTimeFoldIntoRange(third, foldRange: range))",
                "\(CMTimeMapTimeFromRangeToRange(first, fromRange: other, toRange: range))",
                "\(CMTimeMultiplyByRatio(first, multiplier: .min, divisor: .min))",
                "\(CMTimeMultiplyByRatio(first, multiplier: third.timescale, divisor: -1))",
                "\(CMTimeMultiply(first, multiplier: .min))",
                "\(CMTimeMultiplyByFloat64(first, multiplier: Double(bitPattern: chance.next())))",
                "\(CMTime(seconds: Double(bitPattern: chance.next()), preferredTimescale: 600))",
                "\(range.containsTime(third) || range.containsTimeRange(other))",
            ]
            count += texts.filter { !$0.isEmpty }.count
        }

        #expect(count == 500 * 13)
    }

    @Test(.rule("T15"), arguments: seeds(20))
    func `A CMTime is never in a range that it ends, and always in the one that it folds into`(
        seed: Int
    ) {
        var chance = SeededGenerator(seed: seed)

        let wrong = (0..<300).map { _ in
            (CMTimeRange(start: chance.time(), duration: chance.time()), chance.time())
        }.first { range, time in
            if range.containsTime(range.end) { return true }
            let folded = CMTimeFoldIntoRange(time, foldRange: range)
            let isExact = folded.isNumeric && !folded.hasBeenRounded && range.end.isNumeric
            return isExact && !range.end.hasBeenRounded && !range.containsTime(folded)
        }

        #expect(wrong == nil)
    }

    // MARK: What behaviour 2.1 says, worked out another way

    private func isSum(_ result: CMTime, of left: CMTime, _ right: CMTime, sign: Int128) -> Bool {
        guard left.epoch == 0 || right.epoch == 0 || left.epoch == right.epoch else {
            return result == .invalid
        }
        let (first, second) = (Int128(left.timescale), Int128(right.timescale))
        let units = Int128(left.value) * second + sign * Int128(right.value) * first
        let scales = first * second
        guard result.isNumeric else {
            let isLarge = units.magnitude >= scales.magnitude * UInt128(Int64.max)
            return isLarge && result == (units < 0 ? .negativeInfinity : .positiveInfinity)
        }
        let difference = (Int128(result.value) * scales - units * Int128(result.timescale))
            .magnitude
        let isExact = difference == 0 && !left.hasBeenRounded && !right.hasBeenRounded
        return 2 * difference <= scales.magnitude && result.hasBeenRounded == !isExact
            && hasTimescale(result, of: left, right, units, scales)
    }

    /// The least common multiple, or the largest timescale, halved only if the value is too large.
    private func hasTimescale(
        _ result: CMTime, of left: CMTime, _ right: CMTime, _ units: Int128, _ scales: Int128
    ) -> Bool {
        var common = Int64(max(left.timescale, right.timescale))
        let step = common
        while common % Int64(left.timescale) != 0 || common % Int64(right.timescale) != 0 {
            common += step
            if common > Int32.max {
                common = Int64(Int32.max)
                break
            }
        }
        while common > Int64(result.timescale) {
            let value = units * Int128(common) / scales
            guard value.magnitude >= UInt128(Int64.max) else { return false }
            common /= 2
        }
        return common == Int64(result.timescale)
    }

    /// True if `result` is the neighbour of `time` that the method specifies, found by comparing
    /// rather than dividing.
    private func isRounded(
        _ time: CMTime, to result: CMTime, by method: CMTimeRoundingMethod
    ) -> Bool {
        let exact = Int128(time.value) * Int128(result.timescale)
        let unit = Int128(time.timescale)
        let given = Int128(result.value) * unit
        let isExact = given == exact
        guard result.hasBeenRounded == (!isExact || time.hasBeenRounded) else { return false }
        if isExact { return true }
        guard (given - exact).magnitude < unit.magnitude else { return false }
        let isAway = given.magnitude > exact.magnitude
        return switch method {
        case .roundHalfAwayFromZero:
            isAway
                ? 2 * (given.magnitude - exact.magnitude) <= unit.magnitude
                : 2 * (exact.magnitude - given.magnitude) < unit.magnitude
        case .roundTowardZero: !isAway
        case .roundAwayFromZero: isAway
        case .quickTime:
            result.timescale > time.timescale
                || time.value < 0 && result.value == -1
                    && exact.magnitude < unit.magnitude
                ? isAway : !isAway
        case .roundTowardPositiveInfinity: given > exact
        case .roundTowardNegativeInfinity: given < exact
        }
    }
}
