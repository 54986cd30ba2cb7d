import UndersongPlayback

let mono = StreamFormat(sampleRate: 1000, channelCount: 1)
let stereo = StreamFormat(sampleRate: 1000, channelCount: 2)

extension FrameProducer {
    /// Writes an array to a port that takes bytes.
    mutating func write(_ samples: [Int16]) -> Int { samples.withUnsafeBytes { write($0) } }
}

extension FrameConsumer {
    /// The next samples, without taking them.
    func peek(_ limit: Int = .max) -> [Int16] {
        Array(next(limit: limit).bindMemory(to: Int16.self))
    }

    /// Takes everything, including what is past the wrap.
    mutating func popAll(channelCount: Int = 1) -> [Int16] {
        var taken: [Int16] = []
        while available > 0 {
            let samples = peek()
            taken += samples
            advance(by: samples.count / channelCount)
        }
        return taken
    }
}
