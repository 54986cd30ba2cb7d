import TestSupport
import Testing
import UndersongPlayback

/// Behaviour 2.1: from and to seconds, other timescales, text and dictionaries.
@Suite struct `A converted CMTime` {
    @Test(.rule("T12")) func `A CMTime from seconds has the preferred timescale`() {
        #expect(fields(CMTime(seconds: 5, preferredTimescale: 600)) == [3000, 600, 1, 0])
        #expect(
            fields(CMTimeMakeWithSeconds(-0.5, preferredTimescale: 44_100)) == [
                -22_050, 44_100, 1, 0,
            ])
        #expect(fields(CMTime(seconds: 0.29, preferredTimescale: 100)) == [29, 100, 1, 0])
        #expect(fields(CMTime(seconds: 0, preferredTimescale: 1)) == [0, 1, 1, 0])
        #expect(fields(CMTime(seconds: -0.0, preferredTimescale: 1)) == [0, 1, 1, 0])
    }

    @Test func `A CMTime's timescale may be made of clock units, as iOS sources write it`() {
        #expect(
            fields(CMTime(seconds: 0.5, preferredTimescale: CMTimeScale(NSEC_PER_SEC))) == [
                500_000_000, 1_000_000_000, 1, 0,
            ])
        #expect(NSEC_PER_SEC == NSEC_PER_MSEC * MSEC_PER_SEC)
        #expect(NSEC_PER_SEC == NSEC_PER_USEC * USEC_PER_SEC)
        #expect(
            fields(CMTimeMake(value: 1, timescale: Int32(USEC_PER_SEC))) == [1, 1_000_000, 1, 0])
    }

    @Test(.rule("T12"))
    func `A CMTime from seconds is marked as rounded if it does not convert back exactly`() {
        #expect(fields(CMTime(seconds: 0.29, preferredTimescale: 10)) == [3, 10, 3, 0])
        #expect(fields(CMTime(seconds: 2.5, preferredTimescale: 1)) == [3, 1, 3, 0])
        #expect(fields(CMTime(seconds: -2.5, preferredTimescale: 1)) == [-3, 1, 3, 0])
        #expect(
            fields(CMTime(seconds: .leastNonzeroMagnitude, preferredTimescale: 600)) == [
                0, 600, 3, 0,
            ])
        // Not the same number, but the same `Double`.
        #expect(fields(CMTime(seconds: 1.0 / 3, preferredTimescale: 3)) == [1, 3, 1, 0])
    }

    @Test(.rule("T12"), arguments: [0, -1, Int32.min])
    func `A CMTime from seconds is invalid without a timescale`(timescale: Int32) {
        #expect(fields(CMTime(seconds: 5, preferredTimescale: timescale)) == [0, 0, 0, 0])
    }

    @Test(.rule("T5"))
    func `A CMTime from seconds has a smaller timescale if it would be too large`() {
        #expect(fields(CMTime(seconds: 0x1p62, preferredTimescale: 600)) == [1 << 62, 1, 1, 0])
        #expect(fields(CMTime(seconds: -0x1p63, preferredTimescale: 7)) == [.min, 1, 1, 0])
        #expect(fields(CMTime(seconds: 0x1p54, preferredTimescale: 600)) == [300 << 54, 300, 1, 0])
        #expect(CMTime(seconds: 0x1p63, preferredTimescale: 600) == .positiveInfinity)
        #expect(CMTime(seconds: -1e300, preferredTimescale: 1) == .negativeInfinity)
        #expect(CMTime(seconds: .infinity, preferredTimescale: 1) == .positiveInfinity)
        #expect(CMTime(seconds: -.infinity, preferredTimescale: 1) == .negativeInfinity)
    }

    @Test(.rule("T6")) func `A CMTime from seconds that are NaN is invalid`() {
        #expect(fields(CMTime(seconds: .nan, preferredTimescale: 600)) == [0, 0, 0, 0])
        #expect(fields(CMTime(seconds: -.signalingNaN, preferredTimescale: 600)) == [0, 0, 0, 0])
    }

    @Test(.rule("2.1")) func `A CMTime's seconds are a quotient, whatever the epoch`() {
        #expect(CMTime(value: 1, timescale: 2).seconds == 0.5)
        #expect(CMTime(value: -3, timescale: 4).seconds == -0.75)
        #expect(CMTime.zero.seconds == 0)
        #expect(CMTime(value: 0, timescale: 44100).isNumeric)
        #expect(CMTimeGetSeconds(time(1, 4, epoch: 9)) == 0.25)
        #expect(CMTime.positiveInfinity.seconds == .infinity)
        #expect(CMTime.negativeInfinity.seconds == -.infinity)
        #expect(CMTime.invalid.seconds.isNaN)
        #expect(CMTime.indefinite.seconds.isNaN)
    }

    @Test(.rule("T7")) func `A CMTime in another timescale is the same time`() {
        let converted = time(10, 2, epoch: 8).convertScale(1, method: .default)

        #expect(fields(converted) == [5, 1, 1, 8])
        #expect(
            fields(CMTimeConvertScale(time(1, 2), timescale: 600, method: .quickTime))
                == [300, 600, 1, 0])
        #expect(fields(time(7, 3).convertScale(3, method: .roundAwayFromZero)) == [7, 3, 1, 0])
    }

    /// Five halves, and a little less and more than two and a half, with both signs.
    @Test(
        .rule("T13"),
        arguments: [
            (CMTimeRoundingMethod.roundHalfAwayFromZero, [3, 2, 3, -3, -2, -3] as [Int64]),
            (.default, [3, 2, 3, -3, -2, -3]), (.roundTowardZero, [2, 2, 2, -2, -2, -2]),
            (.roundAwayFromZero, [3, 3, 3, -3, -3, -3]), (.quickTime, [2, 2, 2, -2, -2, -2]),
            (.roundTowardPositiveInfinity, [3, 3, 3, -2, -2, -2]),
            (.roundTowardNegativeInfinity, [2, 2, 2, -3, -3, -3]),
        ])
    func `A CMTime in a smaller timescale is rounded by the given method`(
        method: CMTimeRoundingMethod, values: [Int64]
    ) {
        let times = [250, 249, 251, -250, -249, -251].map { time($0, 100) }

        let converted = times.map { $0.convertScale(1, method: method) }

        #expect(converted.map(\.value) == values)
        #expect(converted.filter { !$0.hasBeenRounded } == [])
    }

    @Test(.rule("T13")) func `QuickTime's method rounds away from zero in a larger timescale`() {
        #expect(fields(time(1, 3).convertScale(4, method: .quickTime)) == [2, 4, 3, 0])
        #expect(fields(time(-1, 3).convertScale(4, method: .quickTime)) == [-2, 4, 3, 0])
        #expect(fields(time(2, 3).convertScale(2, method: .quickTime)) == [1, 2, 3, 0])
    }

    @Test(.rule("T13")) func `QuickTime's method never rounds from below zero to zero`() {
        #expect(fields(time(-1, 600).convertScale(1, method: .quickTime)) == [-1, 1, 3, 0])
        #expect(fields(time(1, 600).convertScale(1, method: .quickTime)) == [0, 1, 3, 0])
        #expect(fields(time(0, 600).convertScale(1, method: .quickTime)) == [0, 1, 1, 0])
    }

    @Test(.rule("2.1")) func `CMTime's rounding methods have Core Media's numbers`() {
        let methods: [CMTimeRoundingMethod] = [
            .roundHalfAwayFromZero, .roundTowardZero, .roundAwayFromZero, .quickTime,
            .roundTowardPositiveInfinity, .roundTowardNegativeInfinity,
        ]

        #expect(methods.map(\.rawValue) == [1, 2, 3, 4, 5, 6])
        #expect(CMTimeRoundingMethod.default == .roundHalfAwayFromZero)
    }

    @Test(.rule("2.1")) func `A CMTime in another timescale remains non-numeric`() {
        let indefinite = time(4, 5, [.valid, .indefinite], epoch: 6)

        #expect(fields(indefinite.convertScale(600, method: .default)) == [4, 5, 17, 6])
        #expect(CMTime.positiveInfinity.convertScale(600, method: .default) == .positiveInfinity)
        #expect(CMTime.negativeInfinity.convertScale(0, method: .default) == .negativeInfinity)
        #expect(CMTime.invalid.convertScale(600, method: .default) == .invalid)
        #expect(time(1, 2).convertScale(0, method: .default) == .invalid)
        #expect(time(1, 2).convertScale(-3, method: .default) == .invalid)
        #expect(time(.max, 1).convertScale(600, method: .default) == .positiveInfinity)
        #expect(time(.min, 1).convertScale(600, method: .default) == .negativeInfinity)
    }

    @Test(.rule("T10")) func `A CMTime's dictionary has four keys, and converts back`() throws {
        let time = time(-7, 600, [.valid, .hasBeenRounded], epoch: 3)

        let dictionary = try #require(CMTimeCopyAsDictionary(time, allocator: nil))

        #expect(dictionary == ["value": -7, "timescale": 600, "flags": 3, "epoch": 3])
        #expect(fields(CMTimeMakeFromDictionary(dictionary)) == [-7, 600, 3, 3])
        for key in dictionary.keys {
            var less = dictionary
            less[key] = nil
            #expect(fields(CMTimeMakeFromDictionary(less)) == [0, 0, 0, 0])
        }
    }

    @Test(.rule("T10")) func `A CMTime from a dictionary that no time made is invalid`() throws {
        var dictionary = try #require(CMTimeCopyAsDictionary(.zero))

        dictionary[kCMTimeScaleKey] = 1 << 32 | 1
        let large = CMTimeMakeFromDictionary(dictionary)
        dictionary[kCMTimeScaleKey] = 1
        dictionary[kCMTimeFlagsKey] = -1
        let negative = CMTimeMakeFromDictionary(dictionary)

        #expect(large == .invalid)
        #expect(negative == .invalid)
        #expect(CMTimeMakeFromDictionary(nil) == .invalid)
    }

    @Test(.rule("T11")) func `A CMTime's text shows fields, seconds and kind`() {
        #expect("\(time(1, 2))" == "{1/2 = 0.500}")
        #expect("\(time(-90_001, 3))" == "{-90001/3 = -30000.333}")
        #expect("\(time(-1, 30))" == "{-1/30 = -0.033}")
        #expect("\(time(1999, 1000))" == "{1999/1000 = 1.999}")
        #expect("\(time(19_996, 10_000))" == "{19996/10000 = 2.000}")
        #expect("\(time(1, 16))" == "{1/16 = 0.062}")
        #expect("\(time(1, 3, [.valid, .hasBeenRounded]))" == "{1/3 = 0.333, rounded}")
        #expect("\(time(1, 2, epoch: 7))" == "{1/2 = 0.500, epoch 7}")
        #expect("\(time(.max, 600))" == "{9223372036854775807/600 = 15372286728091294.000}")
        #expect(CMTimeCopyDescription(allocator: nil, time: .zero) == "{0/1 = 0.000}")
        #expect(String(reflecting: CMTime.invalid) == "{INVALID}")
        #expect("\(CMTime.indefinite)" == "{INDEFINITE}")
        #expect(
            "\(CMTime.positiveInfinity) \(CMTime.negativeInfinity)" == "{+INFINITY} {-INFINITY}")
    }

    @Test(.rule("T11")) func `A CMTime's text does not trap at the largest value`() {
        #expect("\(time(.max, 1))".hasPrefix("{9223372036854775807/1 = 922337203685477"))
        #expect("\(time(.min, 1))" == "{-9223372036854775808/1 = -9223372036854775808.000}")
    }
}
