import Testing
import UndersongPlayback

@Suite struct `A silence counter` {
    private static let stereo = StreamFormat(sampleRate: 8000, channelCount: 2)

    @Test func `A silence counter adds up blocks of zeros, and one sample ends the silence`() {
        var counter = SilenceCounter()
        var lengths: [Int] = []

        for (frame, block) in [
            (0, [0, 0, 0, 0]), (2, [0, 0]), (3, [0, 0, 0, 0, 0, 1]), (6, [0, 0]), (7, [-1, 0]),
        ] as [(Int, [Int16])] {
            count(block, from: frame, Self.stereo, in: &counter)
            lengths.append(counter.length)
        }

        #expect(lengths == [2, 3, 0, 1, 0])
    }

    @Test func `A silence counter counts a negative zero, and ends at the least sample`() {
        let format = StreamFormat(sampleRate: 8000, channelCount: 1, sampleFormat: .float32)
        var counter = SilenceCounter()

        count([0, -0.0, 0] as [Float], from: 0, format, in: &counter)
        let silent = counter.length
        count([0, 0, .leastNonzeroMagnitude] as [Float], from: 3, format, in: &counter)

        #expect(silent == 3)
        #expect(counter.length == 0)
    }

    @Test func `A silence counter counts what a device returns and gets again only once`() {
        var counter = SilenceCounter()
        count([Int16](repeating: 0, count: 200), from: 100, Self.stereo, in: &counter)

        count([Int16](repeating: 0, count: 100), from: 150, Self.stereo, in: &counter)
        let again = counter.length
        count([Int16](repeating: 0, count: 20), from: 50, Self.stereo, in: &counter)

        #expect(again == 100)
        #expect(counter.length == 10)
    }

    private func count<Sample>(
        _ block: [Sample], from frame: Int, _ format: StreamFormat,
        in counter: inout SilenceCounter
    ) {
        unsafe block.withUnsafeBytes {
            unsafe counter.count($0, from: frame, format: format)
        }
    }
}

@Suite struct `Digital silence` {
    private static let limit = DigitalSilence.limit

    @Test func `Digital silence is long after 10 minutes of it in the background`() {
        var silence = DigitalSilence()

        let early = silence.update(duration: Self.limit - 1, backgroundSince: 5, at: Self.limit + 5)
        let sinceEarly = silence.since
        let due = silence.update(duration: Self.limit, backgroundSince: 5, at: Self.limit + 6)
        let since = silence.since
        let again = silence.update(duration: Self.limit + 1, backgroundSince: 5, at: Self.limit + 7)

        #expect(!early && sinceEarly == nil)
        #expect(due && since == 6)
        #expect(!again && silence.since == 6)
    }

    @Test func `Digital silence does not count from before the host was in the background`() {
        var silence = DigitalSilence()
        let long = 2 * Self.limit

        _ = silence.update(duration: long, backgroundSince: long - Self.limit + 1, at: long)
        let early = silence.since
        _ = silence.update(duration: long + 1, backgroundSince: long - Self.limit + 1, at: long + 1)

        #expect(early == nil)
        #expect(silence.since == long - Self.limit + 1)
    }

    @Test(arguments: [(0, 0), (2 * limit, nil)] as [(Int64, Int64?)])
    func `Digital silence is over with sound, a pause, or the foreground`(
        duration: Int64, backgroundSince: Int64?
    ) {
        var silence = DigitalSilence()
        _ = silence.update(duration: 2 * Self.limit, backgroundSince: 0, at: 2 * Self.limit)
        let before = silence.since

        let isOver = silence.update(
            duration: duration, backgroundSince: backgroundSince, at: 2 * Self.limit + 1)

        #expect(before == 0)
        #expect(isOver && silence.since == nil)
    }
}
