import UndersongBase

@testable import UndersongPlayback

/// Random samples, the same in every run.
func noise(_ count: Int, seed: Int) -> [Int16] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in Int16.random(in: .min ... .max, using: &generator) }
}

extension Crossfader {
    /// Creates a crossfader for integers.
    init(channelCount: Int) {
        self.init(format: StreamFormat(sampleRate: 1000, channelCount: channelCount))
    }

    mutating func pass(_ samples: [Int16]) -> [Int16] { pass(SampleBuffer(samples)).int16 }

    /// Begins a passage, passes it in pieces, and returns the whole output.
    mutating func play(
        _ samples: [Int16], overlap: Int, knows frameCount: Int? = nil, pieces: Int = 7
    ) -> [Int16] {
        var out = begin(overlap: overlap, within: frameCount).int16
        for start in stride(from: 0, to: samples.count, by: pieces) {
            out += pass(Array(samples[start..<min(start + pieces, samples.count)]))
        }
        return out
    }
}
