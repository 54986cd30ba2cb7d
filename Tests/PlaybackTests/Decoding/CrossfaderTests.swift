import Testing

@testable import UndersongPlayback

@Suite struct `A crossfader without an overlap` {
    @Test func `A crossfader without an overlap passes every sample through at once, unchanged`() {
        var crossfader = Crossfader(channelCount: 2)
        let (first, second) = (noise(1000, seed: 1), noise(1000, seed: 2))

        let begun = crossfader.begin(overlap: 0, within: nil).int16
        let out = crossfader.pass(first)
        let held = crossfader.heldFrames
        let begunAgain = crossfader.begin(overlap: 0, within: 500).int16
        let outAgain = crossfader.pass(second)

        #expect(begun == [])
        #expect(out == first)
        #expect(held == 0)
        #expect(begunAgain == [])
        #expect(outAgain == second)
        #expect(crossfader.playOut().int16 == [])
    }

    @Test func `A crossfader without an overlap releases a passage's end that was held back whole`()
    {
        var crossfader = Crossfader(channelCount: 1)
        let (first, second) = (noise(100, seed: 1), noise(50, seed: 2))

        let before = crossfader.play(first, overlap: 30)
        let later = crossfader.play(second, overlap: 0)

        #expect(before == Array(first[..<70]))
        #expect(later == Array(first[70...]) + second)
    }
}

@Suite struct `A crossfader` {
    @Test func `A crossfader leaves the first beginning and the last end unchanged`() {
        var crossfader = Crossfader(channelCount: 1)
        let (first, second) = (noise(200, seed: 1), noise(150, seed: 2))

        let out =
            crossfader.play(first, overlap: 40) + crossfader.play(second, overlap: 40)
            + crossfader.playOut().int16

        #expect(out.count == 310)
        #expect(Array(out[..<160]) == Array(first[..<160]))
        #expect(Array(out[200...]) == Array(second[40...]))
        #expect(out[160] == first[160])
    }

    @Test func `A crossfader makes three passages shorter by their overlaps`() {
        var crossfader = Crossfader(channelCount: 2)

        let out =
            crossfader.play(noise(400, seed: 1), overlap: 40)
            + crossfader.play(noise(600, seed: 2), overlap: 40, knows: 300)
            + crossfader.play(noise(500, seed: 3), overlap: 40, knows: 250)
            + crossfader.playOut().int16

        #expect(out.count == 2 * (200 + 300 + 250 - 40 - 40))
    }

    @Test func `A crossfader mixes each pair of passages separately`() {
        let (second, third) = (noise(600, seed: 2), noise(500, seed: 3))
        var crossfader = Crossfader(channelCount: 2)
        var alone = crossfader

        _ = crossfader.play(noise(400, seed: 1), overlap: 40)
        _ = crossfader.play(second, overlap: 40)
        _ = alone.play(second, overlap: 40)

        #expect(crossfader.play(third, overlap: 40) == alone.play(third, overlap: 40))
    }

    @Test func `A crossfader mixes both channels alike`() {
        var crossfader = Crossfader(channelCount: 2)
        _ = crossfader.play([Int16](repeating: 1000, count: 16), overlap: 4)

        let out = crossfader.play([Int16](repeating: 0, count: 16), overlap: 4)

        #expect(out.prefix(8) == [1000, 1000, 866, 866, 707, 707, 500, 500])
    }

    @Test func `A crossfader keeps the power constant throughout, within 1 %`() {
        let (loud, silent) = (
            [Int16](repeating: 10_000, count: 600), [Int16](repeating: 0, count: 600)
        )
        var outgoing = Crossfader(channelCount: 1)
        var incoming = outgoing
        _ = outgoing.play(loud, overlap: 300)
        _ = incoming.play(silent, overlap: 300)

        let falling = outgoing.play(silent, overlap: 300).prefix(300).map(Double.init)
        let rising = incoming.play(loud, overlap: 300).prefix(300).map(Double.init)

        let powers = zip(falling, rising).map { $0 * $0 + $1 * $1 }
        #expect(powers.allSatisfy { abs($0 / 1e8 - 1) < 0.01 })
        #expect(zip(falling, falling.dropFirst()).allSatisfy { $0 > $1 })
        #expect(zip(rising, rising.dropFirst()).allSatisfy { $0 < $1 })
        #expect(falling.first == 10_000)
        #expect(rising.first == 0)
        // Halfway, both have half the power.
        #expect(abs(falling[150] - 7071) < 1 && abs(rising[150] - 7071) < 1)
    }

    @Test(arguments: [Int16.max, .min])
    func `A crossfader stays in range where two loud passages meet`(peak: Int16) {
        var crossfader = Crossfader(channelCount: 1)
        let loud = [Int16](repeating: peak, count: 8)

        let out =
            crossfader.play(loud, overlap: 4) + crossfader.play(loud, overlap: 4)
            + crossfader.playOut().int16

        #expect(out == [Int16](repeating: peak, count: 12))
    }

    @Test func `A crossfader is the same however the passages are divided`() {
        let (first, second) = (noise(400, seed: 1), noise(400, seed: 2))
        var whole = Crossfader(channelCount: 2)
        var pieces = whole

        let wholeOut =
            whole.play(first, overlap: 60, pieces: 400)
            + whole.play(second, overlap: 60, pieces: 400)
            + whole.playOut().int16
        let piecesOut =
            pieces.play(first, overlap: 60, pieces: 6) + pieces.play(second, overlap: 60, pieces: 2)
            + pieces.playOut().int16

        #expect(piecesOut == wholeOut)
    }

    @Test func `A crossfader holds back exactly the overlap as soon as it can, and never more`() {
        var crossfader = Crossfader(channelCount: 2)
        _ = crossfader.begin(overlap: 10, within: nil)

        let first = crossfader.pass(noise(12, seed: 1))
        let early = crossfader.heldFrames
        let second = crossfader.pass(noise(28, seed: 2))

        #expect(first == [])
        #expect(early == 6)
        #expect(second.count == 20)
        #expect(crossfader.heldFrames == 10)
    }

    @Test func `A crossfader releases everything if nothing follows, and has nothing left`() {
        var crossfader = Crossfader(channelCount: 1)
        let samples = noise(100, seed: 1)

        let out = crossfader.play(samples, overlap: 30) + crossfader.playOut().int16

        #expect(out == samples)
        #expect(crossfader.heldFrames == 0)
        #expect(crossfader.playOut().int16 == [])
    }
}

@Suite struct `A crossfader between short passages` {
    @Test func `A crossfader overlaps at most half of the passage before`() {
        var crossfader = Crossfader(channelCount: 1)
        let (first, second) = (noise(10, seed: 1), noise(100, seed: 2))

        let out =
            crossfader.play(first, overlap: 8) + crossfader.play(second, overlap: 8)
            + crossfader.playOut().int16

        #expect(out.count == 105)
        #expect(Array(out[..<5]) == Array(first[..<5]))
        #expect(Array(out[10...]) == Array(second[5...]))
    }

    @Test func `A crossfader overlaps at most half of the passage after, if its length is known`() {
        var crossfader = Crossfader(channelCount: 1)
        let (first, second) = (noise(100, seed: 1), noise(6, seed: 2))

        let out =
            crossfader.play(first, overlap: 8) + crossfader.play(second, overlap: 8, knows: 6)
            + crossfader.playOut().int16

        #expect(out.count == 103)
        #expect(Array(out[..<97]) == Array(first[..<97]))
        #expect(Array(out[100...]) == Array(second[3...]))
    }

    @Test func `A crossfader fades out the passage before alone if the one after is too short`() {
        var crossfader = Crossfader(channelCount: 1)
        let first = [Int16](repeating: 1000, count: 16)

        let out =
            crossfader.play(first, overlap: 4) + crossfader.play([0, 0], overlap: 4)
            + crossfader.playOut().int16

        #expect(out == first.prefix(12) + [1000, 866, 707, 500])
    }

    @Test func `A crossfader fades out a passage before what follows a short one after it`() {
        var crossfader = Crossfader(channelCount: 1)
        let first = [Int16](repeating: 1000, count: 16)

        let out =
            crossfader.play(first, overlap: 4) + crossfader.play([0, 0], overlap: 4)
            + crossfader.play([5, 6, 7], overlap: 0)

        #expect(out == first.prefix(12) + [1000, 866, 707, 500] + [5, 6, 7])
    }

    @Test func `A crossfader skips a passage without samples`() {
        var crossfader = Crossfader(channelCount: 1)
        let first = noise(20, seed: 1)

        let out =
            crossfader.play(first, overlap: 4) + crossfader.play([], overlap: 4, knows: 0)
            + crossfader.play([5, 6, 7], overlap: 0)

        #expect(out == first + [5, 6, 7])
    }
}
