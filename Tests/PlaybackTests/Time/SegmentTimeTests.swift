import Testing
import UndersongPlayback

/// An item's time at a frame of the stream, and back.
@Suite struct `A passage's times` {
    @Test(arguments: [44_100, 48_000, 22_050])
    func `A passage's times are exact over an hour, and identify their own frames`(rate: Int) {
        let passage = segment(1, from: 777)

        let wrong = stride(from: 0, through: 3600 * rate, by: 3989).filter { frame in
            let time = passage.time(at: 777 + frame, sampleRate: rate)
            return time.value != Int64(frame) || time.timescale != Int32(rate)
                || passage.frame(of: time, sampleRate: rate) != 777 + frame
        }

        #expect(wrong.first == nil)
    }

    @Test func `A passage's times of 1/100 s are at the first frame at or after them`() {
        let passage = segment(1, from: 0)
        let hundredths: [Int64] = [0, 1, 2, 3, 359_999, 360_000]

        let at44100 = hundredths.map {
            passage.frame(of: CMTime(value: $0, timescale: 100), sampleRate: 44_100)
        }
        let at22050 = hundredths.map {
            passage.frame(of: CMTime(value: $0, timescale: 100), sampleRate: 22_050)
        }

        #expect(at44100 == [0, 441, 882, 1323, 158_759_559, 158_760_000])
        #expect(at22050 == [0, 221, 441, 662, 79_379_780, 79_380_000])
    }

    @Test func `A passage's times begin with its own time`() {
        let passage = segment(1, from: 1000, origin: CMTime(value: 3, timescale: 2))

        #expect(
            passage.time(at: 1000, sampleRate: 48_000) == CMTime(value: 72_000, timescale: 48_000))
        #expect(
            passage.time(at: 1480, sampleRate: 48_000) == CMTime(value: 151, timescale: 100))
        #expect(passage.frame(of: CMTime(value: 151, timescale: 100), sampleRate: 48_000) == 1480)
        #expect(passage.frame(of: CMTime(value: 1, timescale: 1), sampleRate: 48_000) == -23_000)
    }

    /// An item of 44.1 kHz played in a stream of 48 kHz, from any of its frames on.
    @Test(arguments: [(44_100, 48_000), (48_000, 44_100), (22_050, 44_100), (11_025, 48_000)])
    func `A passage's times identify their own frames if the item has another rate`(
        item: Int, stream: Int
    ) {
        let wrong = (Int64(0)..<300).filter { start in
            let origin = CMTime(value: start, timescale: Int32(item))
            let passage = segment(1, from: 50, origin: origin)
            return [50, 51, 1_234, 158_760_007].contains { frame in
                let time = passage.time(at: frame, sampleRate: stream)
                return passage.frame(of: time, sampleRate: stream) != frame
            }
        }

        #expect(wrong.first == nil)
    }

    @Test func `A passage's times are within half a frame if the item has another rate`() {
        let origin = CMTime(value: 100_001, timescale: 44_100)
        let passage = segment(1, from: 0, origin: origin)

        // 100001 / 44100 seconds are 108844.6 frames of 1/48000 second.
        #expect(
            passage.time(at: 0, sampleRate: 48_000) == CMTime(value: 108_845, timescale: 48_000))
        #expect(
            passage.time(at: 155, sampleRate: 48_000) == CMTime(value: 109_000, timescale: 48_000))
    }

    @Test func `A passage's times run at its rate`() {
        let origin = CMTime(value: 10, timescale: 1)
        let fast = segment(1, from: 300, origin: origin, rate: 2)
        let slow = segment(1, from: 300, origin: origin, rate: 0.75)

        #expect(
            fast.time(at: 44_400, sampleRate: 44_100) == CMTime(value: 12, timescale: 1))
        #expect(
            slow.time(at: 44_400, sampleRate: 44_100) == CMTime(value: 43, timescale: 4))
        #expect(
            slow.time(at: 301, sampleRate: 44_100) == CMTime(value: 441_001, timescale: 44_100))
        #expect(fast.frame(of: CMTime(value: 12, timescale: 1), sampleRate: 44_100) == 44_400)
        #expect(slow.frame(of: CMTime(value: 43, timescale: 4), sampleRate: 44_100) == 44_400)
    }

    /// Every tick of an hour falls on a frame at these rates; none may be reported a frame late.
    @Test(arguments: [(0.5, 882), (0.75, 588), (1.5, 294)])
    func `A passage's ticks are at their exact frames at another rate`(rate: Double, frames: Int) {
        let passage = segment(1, from: 0, rate: rate)

        let wrong = (0..<360_000).filter { tick in
            let time = CMTime(value: Int64(tick), timescale: 100)
            return passage.frame(of: time, sampleRate: 44_100) != tick * frames
        }

        #expect(wrong.first == nil)
    }

    @Test func `A passage's times between two frames are at the later one at another rate`() {
        let passage = segment(1, from: 0, rate: 2)

        let frames = (0..<5).map {
            passage.frame(of: CMTime(value: $0, timescale: 100), sampleRate: 44_100)
        }

        #expect(frames == [0, 221, 441, 662, 882])
    }
}
