import Playback
import Testing

/// Contract 2.1, as far as the program needs it: exact, without rounding.
@Suite struct `A CMTime` {
    @Test func `2.1: keeps its fields as they were given`() {
        let time = CMTime(value: 4, timescale: 2)

        #expect(time.value == 4)
        #expect(time.timescale == 2)
    }

    @Test func `T2: equals another with the same quotient, and hashes alike`() {
        let times: Set = [
            CMTime(value: 2, timescale: 1), CMTime(value: 4, timescale: 2),
            CMTime(value: 600, timescale: 300),
        ]

        #expect(CMTime(value: 2, timescale: 1) == CMTime(value: 4, timescale: 2))
        #expect(CMTime(value: -441, timescale: 44100) == CMTime(value: -1, timescale: 100))
        #expect(CMTime(value: 1, timescale: 3) != CMTime(value: 333_333, timescale: 1_000_000))
        #expect(times == [CMTime(value: 2, timescale: 1)])
    }

    @Test func `hashes zero and negative times alike in any timescale`() {
        let zeros: Set = [CMTime.zero, CMTime(value: 0, timescale: 44100)]
        let negatives: Set = [
            CMTime(value: -441, timescale: 44100), CMTime(value: -1, timescale: 100),
        ]

        #expect(zeros.count == 1)
        #expect(negatives.count == 1)
    }

    @Test func `T1: is ordered by its quotient, an invalid one last`() {
        let times = [
            CMTime.invalid, CMTime(value: 1, timescale: 2), CMTime(value: -3, timescale: 1),
            CMTime(value: 1, timescale: 3), CMTime.zero,
        ]

        #expect(
            times.sorted() == [
                CMTime(value: -3, timescale: 1), .zero, CMTime(value: 1, timescale: 3),
                CMTime(value: 1, timescale: 2), .invalid,
            ])
    }

    @Test func `T1: equals or precedes itself never both, invalid included`() {
        #expect(!(CMTime.invalid < .invalid))
        #expect(CMTime.invalid == .invalid)
        #expect(!(CMTime(value: 1, timescale: 2) < CMTime(value: 2, timescale: 4)))
        #expect(!(CMTime.invalid < CMTime(value: .max, timescale: 1)))
        #expect(CMTime.invalid != .zero)
    }

    @Test func `is compared without overflow at the largest values`() {
        let huge = CMTime(value: .max, timescale: 1)
        let half = CMTime(value: .max, timescale: 2)
        let negative = CMTime(value: .min, timescale: .max)

        #expect(half < huge)
        #expect(huge != half)
        #expect(negative < .zero)
    }

    @Test(arguments: [0, -1, Int32.min])
    func `2.1: is invalid when its timescale is below 1`(timescale: Int32) {
        let time = CMTime(value: 5, timescale: timescale)

        #expect(!time.isNumeric)
        #expect(time == .invalid)
        #expect(time.value == 0)
        #expect(time.timescale == 0)
        #expect(time.seconds.isNaN)
    }

    @Test func `2.1: gives seconds as a quotient`() {
        #expect(CMTime(value: 1, timescale: 2).seconds == 0.5)
        #expect(CMTime(value: -3, timescale: 4).seconds == -0.75)
        #expect(CMTime.zero.seconds == 0)
        #expect(CMTime(value: 0, timescale: 44100).isNumeric)
    }
}
