import TestSupport
import Testing
import UndersongPlayback

/// Behaviour 2.1: fields, kinds, order and equality.
@Suite struct `A CMTime` {
    @Test(.rule("2.1")) func `A CMTime keeps its fields as given`() {
        let time = CMTime(value: 4, timescale: 2)
        let other = CMTime(value: -1, timescale: -2, flags: [.valid, .indefinite], epoch: 9)

        #expect(time.value == 4)
        #expect(time.timescale == 2)
        #expect(time.flags == .valid)
        #expect(time.epoch == 0)
        #expect(other.value == -1)
        #expect(other.timescale == -2)
        #expect(other.flags.rawValue == 17)
        #expect(other.epoch == 9)
    }

    @Test(.rule("2.1")) func `A CMTime has Core Media's constants, bit for bit`() {
        #expect(fields(.invalid) == [0, 0, 0, 0])
        #expect(fields(CMTime()) == [0, 0, 0, 0])
        #expect(fields(.zero) == [0, 1, 1, 0])
        #expect(fields(.positiveInfinity) == [0, 0, 5, 0])
        #expect(fields(.negativeInfinity) == [0, 0, 9, 0])
        #expect(fields(.indefinite) == [0, 0, 17, 0])
        #expect(CMTimeFlags.hasBeenRounded.rawValue == 2)
        #expect(CMTimeFlags.impliedValueFlagsMask.rawValue == 28)
        #expect(kCMTimeMaxTimescale == 2_147_483_647)
    }

    @Test(.rule("2.1")) func `A CMTime can be made by the C functions too`() {
        #expect(fields(CMTimeMake(value: 3, timescale: 4)) == [3, 4, 1, 0])
        #expect(fields(CMTimeMakeWithEpoch(value: 3, timescale: 4, epoch: 7)) == [3, 4, 1, 7])
        #expect(fields(CMTimeMakeWithEpoch(value: 3, timescale: 0, epoch: 7)) == [0, 0, 0, 0])
        #expect(fields(kCMTimeZero) == [0, 1, 1, 0])
        #expect(fields(kCMTimeInvalid) == [0, 0, 0, 0])
        #expect(fields(kCMTimeIndefinite) == [0, 0, 17, 0])
        #expect(fields(kCMTimePositiveInfinity) == [0, 0, 5, 0])
        #expect(fields(kCMTimeNegativeInfinity) == [0, 0, 9, 0])
    }

    @Test(.rule("2.1")) func `A CMTime is exactly of the kind that its flags say`() {
        let kinds: [(CMTime, String)] = [
            (.zero, "valid numeric"), (.invalid, ""), (.indefinite, "valid indefinite"),
            (.positiveInfinity, "valid positive"), (.negativeInfinity, "valid negative"),
            (time(1, 3, [.valid, .hasBeenRounded]), "valid numeric rounded"),
            (time(1, 3, .hasBeenRounded), ""), (time(1, 3, .positiveInfinity), ""),
            (time(1, 3, [.valid, .hasBeenRounded, .indefinite]), "valid indefinite"),
        ]

        for (time, kind) in kinds { #expect(self.kind(of: time) == kind) }
    }

    @Test(.rule("T2")) func `A CMTime equals another with the same quotient, and hashes alike`() {
        let times: Set = [
            CMTime(value: 2, timescale: 1), CMTime(value: 4, timescale: 2),
            CMTime(value: 600, timescale: 300),
        ]

        #expect(CMTime(value: 2, timescale: 1) == CMTime(value: 4, timescale: 2))
        #expect(CMTime(value: -441, timescale: 44100) == CMTime(value: -1, timescale: 100))
        #expect(CMTime(value: 1, timescale: 3) != CMTime(value: 333_333, timescale: 1_000_000))
        #expect(times == [CMTime(value: 2, timescale: 1)])
    }

    @Test(.rule("T2"))
    func `A CMTime equals another of its kind whatever its other fields, and hashes alike`() {
        let infinity = time(3, 7, [.valid, .positiveInfinity, .hasBeenRounded], epoch: 2)
        let invalid = time(3, 7, .indefinite, epoch: 2)

        #expect(infinity == .positiveInfinity)
        #expect(infinity.hashValue == CMTime.positiveInfinity.hashValue)
        #expect(invalid == .invalid)
        #expect(invalid.hashValue == CMTime.invalid.hashValue)
        #expect(time(1, 2, [.valid, .hasBeenRounded]) == CMTime(value: 1, timescale: 2))
    }

    @Test func `A CMTime hashes zero and negative times alike in any timescale`() {
        let zeros: Set = [CMTime.zero, CMTime(value: 0, timescale: 44100)]
        let negatives: Set = [
            CMTime(value: -441, timescale: 44100), CMTime(value: -1, timescale: 100),
        ]

        #expect(zeros.count == 1)
        #expect(negatives.count == 1)
    }

    @Test(.rule("T1")) func `A CMTime is ordered as in Core Media`() {
        let times: [CMTime] = [
            .negativeInfinity, time(9, 1, epoch: -1), time(.min, 1), time(-3, 1), .zero,
            time(1, 3), time(1, 2), time(.max, 1), time(-5, 1, epoch: 1), time(0, 1, epoch: 2),
            .indefinite, .positiveInfinity, .invalid,
        ]

        let wrong = times.indices.flatMap { left in
            times.indices.filter { right in
                CMTimeCompare(times[left], times[right])
                    != (left < right ? -1 : left > right ? 1 : 0)
            }
        }

        #expect(wrong == [])
        #expect(times.reversed().sorted() == times)
        #expect(times.min() == .negativeInfinity)
        #expect(times.max() == .invalid)
    }

    @Test(.rule("T1")) func `A CMTime equals or precedes itself, never both, even if invalid`() {
        #expect(!(CMTime.invalid < .invalid))
        #expect(CMTime.invalid == .invalid)
        #expect(!(CMTime(value: 1, timescale: 2) < CMTime(value: 2, timescale: 4)))
        #expect(!(CMTime.invalid < CMTime(value: .max, timescale: 1)))
        #expect(CMTime.invalid != .zero)
    }

    @Test(.rule("T1")) func `A CMTime has a minimum and maximum consistent with its order`() {
        let (half, same) = (time(1, 2), time(2, 4))

        #expect(CMTimeMinimum(.indefinite, half) == half)
        #expect(CMTimeMaximum(.indefinite, half) == .indefinite)
        #expect(CMTimeMaximum(.positiveInfinity, .invalid) == .invalid)
        #expect(fields(CMTimeMinimum(half, same)) == [1, 2, 1, 0])
        #expect(fields(CMTimeMaximum(half, same)) == [1, 2, 1, 0])
        #expect(CMTIME_COMPARE_INLINE(half, <, .positiveInfinity))
        #expect(!CMTIME_COMPARE_INLINE(half, !=, same))
    }

    @Test func `A CMTime is compared without overflow at the largest values`() {
        let huge = CMTime(value: .max, timescale: 1)
        let half = CMTime(value: .max, timescale: 2)
        let negative = CMTime(value: .min, timescale: .max)

        #expect(half < huge)
        #expect(huge != half)
        #expect(negative < .zero)
    }

    @Test(.rule("2.1"), arguments: [0, -1, Int32.min])
    func `A CMTime is invalid if its timescale is below 1`(timescale: Int32) {
        let time = CMTime(value: 5, timescale: timescale)

        #expect(!time.isNumeric)
        #expect(time == .invalid)
        #expect(time.value == 0)
        #expect(time.timescale == 0)
        #expect(time.seconds.isNaN)
    }

    /// By its flags and Core Media's formula it is a number, but no sum can be.
    @Test(.rule("2.1"), arguments: [0, -1, Int32.min])
    func `A CMTime counts as invalid if it was given a timescale below 1`(timescale: Int32) {
        var time = CMTime(value: 5, timescale: 1)
        time.timescale = timescale

        #expect(time.isNumeric)
        #expect(time == .invalid)
        #expect(time.hashValue == CMTime.invalid.hashValue)
        #expect(time.seconds.isNaN)
        #expect("\(time)" == "{INVALID}")
        let results = [
            time + .zero, .zero - time, time + .positiveInfinity, -time,
            CMTimeMultiply(time, multiplier: 2), CMTimeMultiplyByFloat64(time, multiplier: 2),
            CMTimeMultiplyByRatio(time, multiplier: 2, divisor: 3),
            time.convertScale(600, method: .default),
        ]
        #expect(results.filter { $0.isValid } == [])
    }

    private func kind(of time: CMTime) -> String {
        let facts = [
            (CMTIME_IS_VALID(time) && !CMTIME_IS_INVALID(time), "valid"),
            (CMTIME_IS_NUMERIC(time), "numeric"), (CMTIME_IS_INDEFINITE(time), "indefinite"),
            (CMTIME_IS_POSITIVE_INFINITY(time), "positive"),
            (CMTIME_IS_NEGATIVE_INFINITY(time), "negative"),
            (CMTIME_HAS_BEEN_ROUNDED(time), "rounded"),
        ]
        return facts.filter(\.0).map(\.1).joined(separator: " ")
    }
}
