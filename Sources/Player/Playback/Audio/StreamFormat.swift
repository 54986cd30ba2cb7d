/// The format of a sample.
public enum SampleFormat: String, Hashable, Sendable {
    /// A signed integer of 16 bits.
    case int16
    /// A 32-bit floating-point number; 1 is full scale. It represents integers of up to 25 bits
    /// exactly.
    case float32

    package var byteCount: Int {
        @_noLocks get {
            switch self {
            case .int16: 2
            case .float32: 4
            }
        }
    }

    /// The narrowest format that represents the samples of both exactly.
    package func widened(by other: SampleFormat) -> SampleFormat {
        other == .float32 ? other : self
    }
}

/// The format of a stream: interleaved frames of one sample format at one rate.
public struct StreamFormat: Hashable, Sendable {
    /// The most channels that can be played.
    package static let channelLimit = 8
    /// The sample rates that can be played; a sound server accepts no others.
    package static let sampleRates = 1000...384_000
    /// The most frames that an item can have: 132 days at the highest rate. Files may claim more than
    /// can be calculated with.
    package static let frameLimit = 1 << 42

    /// Frames per second: 8000 to 48000 for MPEG audio, up to 384000 otherwise.
    public var sampleRate: Int
    /// Samples per frame, 1 to 8, in the order of a WAV file: front left, front right, front center,
    /// low frequency, rear left, rear right, side left, side right.
    public var channelCount: Int
    /// The format of each sample.
    public var sampleFormat: SampleFormat

    /// Creates a format of `sampleRate` frames per second with `channelCount` samples each.
    public init(sampleRate: Int, channelCount: Int, sampleFormat: SampleFormat = .int16) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.sampleFormat = sampleFormat
    }

    /// True if frames of `other` fit into a stream of this format unchanged.
    package func carries(_ other: StreamFormat) -> Bool {
        sampleRate == other.sampleRate && channelCount == other.channelCount
            && sampleFormat.widened(by: other.sampleFormat) == sampleFormat
    }

    package var bytesPerFrame: Int { @_noLocks get { channelCount * sampleFormat.byteCount } }

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
    /// Rates from here on lose nothing audible.
    private static let fullRate = 44100

    /// The format for a whole queue: the first item's, so that this is played unchanged. Only if
    /// that would degrade later items, being mono or of a low rate, the best of `others` decides;
    /// only then is it called. `isWider` returns whether samples of an item need more than 16 bits;
    /// it is called only if those of the first item do not.
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
