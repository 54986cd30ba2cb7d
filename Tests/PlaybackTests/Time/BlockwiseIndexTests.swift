import Testing
import UndersongBase
import UndersongPlayback

@Suite struct `An index that moves by blocks` {
    private static let rate = 44_100
    private static let framesPerNanosecond = Double(rate) / 1e9

    @Test(arguments: RecordedStream.pipeWire)
    func `A blockwise index shows that it is one to two blocks ahead of what is heard`(
        stream: RecordedStream
    ) throws {
        var blocks = BlockwiseIndex(sampleRate: Self.rate)
        var last: (estimate: BlockwiseIndex.Estimate, hostTime: Int64)?

        for reading in stream.readings {
            let index = try #require(reading.heard)
            let estimate = blocks.estimate(
                index: Int(index), held: 0, hostTime: reading.hostTime)
            if reading.hostTime > 1_000_000_000 {
                #expect(estimate.heard <= index - 1882 + 4)
                #expect(estimate.heard >= index - 2 * 2048 - 4)
            }
            last = (estimate, reading.hostTime)
        }

        // Half of the readings' uncertainty, and the block in progress.
        let bound = try #require(last).estimate.bound
        // 2,048 frames at 48 kHz are 1,882 of these.
        #expect(bound >= 1882)
        #expect(bound < 2048 + 1024)
    }

    @Test(arguments: [236, 470, 1024, 2048])
    func `A blockwise index is right within its stated uncertainty`(block: Int) {
        var chance = SeededGenerator(seed: UInt64(block))
        let young: [Double] = [15, 15, 20, 30, 40, 50, 60, 70, 100, 150, 200, 250]
        for _ in 0..<20 {
            var blocks = BlockwiseIndex(sampleRate: Self.rate)
            let pace = 1 + Double.random(in: -5e-5...5e-5, using: &chance)
            let start = Double.random(in: 0...5e7, using: &chance)
            var time = Double.random(in: 6e7...8e7, using: &chance)
            var errors: [Double] = []
            for (number, gap) in (young + [Double](repeating: 500, count: 30)).enumerated() {
                time += (gap + Double.random(in: 0...1, using: &chance)) * 1e6
                let heard = (time - start) * pace * Self.framesPerNanosecond
                // A resampler returns a frame more or less.
                let index =
                    (Int(heard) / block + 2) * block + Int.random(in: -1...1, using: &chance)
                let estimate = blocks.estimate(index: index, held: 0, hostTime: Int64(time))
                guard number >= young.count else { continue }
                errors.append(abs(estimate.heard - heard))
                #expect(abs(estimate.heard - heard) <= estimate.bound)
                #expect(estimate.bound >= Double(block) - 20)
            }

            // With shorter blocks the resampler sometimes hides the length.
            #expect(block < 1024 || errors.sorted()[errors.count / 2] < Double(block) / 4)
        }
    }

    @Test func `A blockwise index starts over if the stream ran out of frames`() {
        var blocks = BlockwiseIndex(sampleRate: Self.rate)
        let second: Int64 = 1_000_000_000
        for block in 1...20 {
            _ = blocks.estimate(
                index: block * 2205, held: 0, hostTime: Int64(block - 1) * second / 20)
        }

        let later = blocks.estimate(index: 21 * 2205, held: 0, hostTime: 4 * second)

        #expect(later.heard <= 20 * 2205)
        #expect(later.heard >= 19 * 2205)
    }

    @Test func `A blockwise index does not mistake a long step for a block, and knows longer ones`()
    {
        var blocks = BlockwiseIndex(sampleRate: Self.rate)
        func estimate(_ index: Int, at milliseconds: Int64) -> BlockwiseIndex.Estimate {
            blocks.estimate(index: index, held: 0, hostTime: milliseconds * 1_000_000)
        }
        for block in 0..<20 { _ = estimate((block + 1) * 441, at: Int64(block) * 10) }

        // The readings stopped for a while, and so did the stream.
        let afterStall = estimate(20 * 441 + 44_100, at: 2200)
        // A program that wanted short blocks has ended.
        let later = (1...40).map { estimate(52_920 + $0 * 2048, at: 2200 + Int64($0) * 46) }

        #expect(afterStall.bound <= 2 * 2051)
        #expect(later.allSatisfy { $0.bound >= 1800 && $0.bound <= 2 * 2051 })
    }

    @Test func `A blockwise index includes what the device holds besides its blocks`() {
        var (near, far) = (
            BlockwiseIndex(sampleRate: Self.rate), BlockwiseIndex(sampleRate: Self.rate)
        )

        let without = near.estimate(index: 2048, held: 0, hostTime: 0)
        let with = far.estimate(index: 2048, held: 500, hostTime: 0)

        #expect(without.heard - with.heard == 500)
    }
}
