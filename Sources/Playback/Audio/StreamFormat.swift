/// How one sample is stored.
public enum SampleFormat: String, Hashable, Sendable {
    /// A signed integer of 16 bits.
    case int16
    /// A floating-point number of 32 bits, 1 being full scale: it carries integers of up to 25 bits
    /// exactly.
    case float32

    package var byteCount: Int { self == .int16 ? 2 : 4 }

    /// The one that carries the samples of both exactly.
    package func widened(by other: SampleFormat) -> SampleFormat {
        other == .float32 ? other : self
    }
}

/// What the samples of a stream are: interleaved frames of one kind of sample at a rate.
public struct StreamFormat: Hashable, Sendable {
    /// More channels are not played.
    package static let channelLimit = 8
    /// Frames per second that are played; a sound server takes no others.
    package static let sampleRates = 1000...384_000

    /// Frames per second, 8000 to 48000 for MPEG audio, and up to 384000.
    public var sampleRate: Int
    /// Samples per frame, 1 to 8, in the order of a WAV file: front left, front right, front center,
    /// low frequency, rear left, rear right, side left, side right.
    public var channelCount: Int
    /// How each sample is stored.
    public var sampleFormat: SampleFormat

    /// Makes a format of `sampleRate` frames per second with `channelCount` samples each.
    public init(sampleRate: Int, channelCount: Int, sampleFormat: SampleFormat = .int16) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.sampleFormat = sampleFormat
    }

    /// Whether frames of `other` go into a stream of this format as they are.
    package func carries(_ other: StreamFormat) -> Bool {
        sampleRate == other.sampleRate && channelCount == other.channelCount
            && sampleFormat.widened(by: other.sampleFormat) == sampleFormat
    }

    package var bytesPerFrame: Int { channelCount * sampleFormat.byteCount }

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
    /// best of `others` decides; it is asked for only then. `isWider` says whether samples of one of
    /// them need more than 16 bits, and is asked only where those of the first do not.
    package static func forQueue(
        first: StreamFormat, others: () -> some Sequence<StreamFormat>, isWider: () -> Bool
    ) -> StreamFormat {
        var format = first
        if first.channelCount < 2 || first.sampleRate < fullRate {
            for other in others() {
                format.channelCount = max(format.channelCount, other.channelCount)
                if first.sampleRate < fullRate {
                    format.sampleRate = max(format.sampleRate, other.sampleRate)
                }
            }
        }
        if format.sampleFormat == .int16 && isWider() { format.sampleFormat = .float32 }
        return format
    }
}
