/// What the samples of a stream are: interleaved signed 16-bit frames at a rate.
public struct StreamFormat: Hashable, Sendable {
    /// Frames per second, 8000 to 48000 for MPEG audio.
    public var sampleRate: Int
    /// Samples per frame: 1 or 2.
    public var channelCount: Int

    /// Makes a format of `sampleRate` frames per second with `channelCount` samples each.
    public init(sampleRate: Int, channelCount: Int) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
    }

    package var bytesPerFrame: Int { channelCount * 2 }

    /// The frames that fill `milliseconds`, rounded down.
    package func frames(milliseconds: Int) -> Int { sampleRate * milliseconds / 1000 }

    package func nanoseconds(frames: Int) -> Int64 {
        Int64(Int128(frames) * 1_000_000_000 / Int128(sampleRate))
    }

    package func frames(nanoseconds: Int64) -> Int {
        Int(Int128(nanoseconds) * Int128(sampleRate) / 1_000_000_000)
    }
}

extension StreamFormat {
    /// Rates from here on lose nothing that is heard.
    private static let fullRate = 44100

    /// The format that a whole queue is played in: the first item's, so that it is not touched. Only
    /// where that would take something away from later items, being mono or of a low rate, the
    /// best of `others` decides; it is asked for only then.
    package static func forQueue(
        first: StreamFormat, others: () -> some Sequence<StreamFormat>
    ) -> StreamFormat {
        guard first.channelCount < 2 || first.sampleRate < fullRate else { return first }
        var format = first
        for other in others() {
            format.channelCount = max(format.channelCount, other.channelCount)
            if first.sampleRate < fullRate {
                format.sampleRate = max(format.sampleRate, other.sampleRate)
            }
        }
        return format
    }
}
