import Foundation
import Testing

/// Tests the analysis on which other tests rely, with recordings made by hand.
@Suite struct `The analysis of a recording` {
    private let sources = (1...3).map { frames(Music.noise(seconds: 1, seed: UInt64($0))) }

    @Test func `A recording's analysis finds each piece at its exact frame, and silence before it`()
    {
        let silence = [Frame](repeating: 0, count: 1001)
        let parts: [[Frame]] = [
            silence, Array(sources[0][777..<20_001]), sources[2],
            Array(sources[0][20_001..<30_000]), silence, Array(sources[0][30_000..<30_063]), [0],
            Array(sources[1][44_000...]),
        ]

        let heard = Heard(Array(parts.joined()), of: sources)

        #expect(heard.unmatchedFrames == 0)
        #expect(
            heard.pieces.map(\.description) == [
                "[1001] 0: 777..<20001", "[0] 2: 0..<44100", "[0] 0: 20001..<30000",
                "[1001] 0: 30000..<30063", "[1] 1: 44000..<44100",
            ])
        #expect(heard.pieces.map(\.position) == [1001, 20_225, 64_325, 75_325, 75_389])
        #expect(heard.joined.map(\.count) == [19_224, 44_100, 10_062, 100])
    }

    @Test func `A recording's analysis shows a single frame that is lost, repeated or changed`() {
        let lost = Array(sources[0][0..<5000] + sources[0][5001...])
        let repeated = Array(sources[0][0..<5000] + sources[0][4999...])
        var changed = sources[0]
        changed[5000] ^= 1

        #expect(Heard(lost, of: sources).pieces.map(\.start) == [0, 5001])
        #expect(Heard(repeated, of: sources).pieces.map(\.start) == [0, 4999])
        #expect(Heard(changed, of: sources).pieces.map(\.start) == [0, 5001])
        #expect(Heard(changed, of: sources).unmatchedFrames == 1)
    }

    @Test func `A recording's analysis counts frames that belong to no source`() {
        let stranger = frames(Music.noise(seconds: 0.1, seed: 9))

        let heard = Heard(
            Array(sources[0][0..<1000] + stranger + sources[1][0..<1000]), of: sources)

        #expect(heard.unmatchedFrames == 4410)
        #expect(heard.pieces.map(\.source) == [0, 1])
    }
}
