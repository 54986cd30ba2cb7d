import UndersongBase

/// The four bytes at the start of each MPEG audio frame (ISO/IEC 11172-3, 2.4.1.3).
package struct MPEGFrameHeader: Equatable, Sendable {
    package enum Version: Equatable, Sendable {
        case one
        case two
        /// Not part of the standard: the sample rates below 16000 Hz.
        case twoAndAHalf
    }

    package let version: Version
    /// 1, 2 or 3.
    package let layer: Int
    /// The bitrate in kbit/s; 0 for free format.
    package let bitrate: Int
    package let sampleRate: Int
    package let channelCount: Int
    /// True if the frame has one slot more than its bitrate implies, as some must.
    package let isPadded: Bool

    /// Bitrates in kbit/s by the header's four bits: Layers I to III of version 1, Layer I of the
    /// others, and their Layers II and III.
    private static let bitrates = [
        [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
        [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
        [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
        [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
        [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ]
    private static let sampleRates = [44100, 48000, 32000]

    /// Parses the first four of `bytes`; nil if they are not a header.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0 else { return nil }
        let (layerBits, rateBits) = (Int(bytes[1] >> 1 & 3), Int(bytes[2] >> 2 & 3))
        let bitrateBits = Int(bytes[2] >> 4)
        guard layerBits > 0, rateBits < 3, bitrateBits < 15 else { return nil }
        let divisor: Int
        switch bytes[1] >> 3 & 3 {
        case 3: (version, divisor) = (.one, 1)
        case 2: (version, divisor) = (.two, 2)
        case 0: (version, divisor) = (.twoAndAHalf, 4)
        default: return nil
        }
        layer = 4 - layerBits
        let row = version == .one ? layer - 1 : layer == 1 ? 3 : 4
        bitrate = Self.bitrates[row][bitrateBits]
        sampleRate = Self.sampleRates[rateBits] / divisor
        channelCount = bytes[3] >> 6 == 3 ? 1 : 2
        isPadded = bytes[2] & 2 != 0
    }

    /// The number of samples per channel.
    package var sampleCount: Int {
        switch layer {
        case 1: 384
        case 3 where version != .one: 576
        default: 1152
        }
    }

    /// The length of the frame in bytes; nil if only the next frame's position shows it (free
    /// format).
    package var length: Int? {
        guard bitrate > 0 else { return nil }
        let slot = layer == 1 ? 4 : 1
        let slots = sampleCount / 8 * bitrate * 1000 / (sampleRate * slot)
        return (slots + (isPadded ? 1 : 0)) * slot
    }

    /// True if both may belong to one stream, in which bitrate, padding and channel mode may vary.
    package func isOfStream(_ other: MPEGFrameHeader) -> Bool {
        version == other.version && layer == other.layer && sampleRate == other.sampleRate
    }

    /// True if consecutive frames of one stream, as many as prove that they are music, begin at
    /// `offset`, and `fits` holds for each and the first. Those of free format give false.
    package static func beginsRun(
        at offset: Int, _ read: TagLength.Reader,
        fits: (_ frame: MPEGFrameHeader, _ first: MPEGFrameHeader) -> Bool = { $0.isOfStream($1) }
    ) -> Bool {
        var (position, first) = (offset, MPEGFrameHeader?.none)
        for _ in 0..<FrameRun.proof {
            guard let frame = MPEGFrameHeader(read(position, 4)), let length = frame.length,
                fits(frame, first ?? frame)
            else { return false }
            first = first ?? frame
            position += length
        }
        return true
    }
}
