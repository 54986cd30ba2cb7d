package import UndersongPlayback

/// The header before the samples in a WAV file.
package struct WAVHeader {
    private let format: StreamFormat
    private let byteCount: Int

    /// A header for so many bytes of samples; 0 for an unknown number.
    package init(format: StreamFormat, byteCount: Int = 0) {
        self.format = format
        self.byteCount = byteCount
    }

    package var bytes: [UInt8] {
        let format = formatChunk
        let dataSize = byteCount > 0 ? UInt32(clamping: byteCount) : .max
        let riffSize = UInt32(clamping: Int(dataSize) + format.count + 20)
        return Array("RIFF".utf8) + Self.bytes(riffSize) + Array("WAVEfmt ".utf8)
            + Self.bytes(UInt32(format.count)) + format
            + Array("data".utf8) + Self.bytes(dataSize)
    }

    /// The contents of the `fmt ` chunk: the plain form, unless the samples or channels require the
    /// extensible one (Multiple Channel Audio Data and WAVE Files, Microsoft, 2007).
    private var formatChunk: [UInt8] {
        let kind: UInt16 = format.sampleFormat == .int16 ? 1 : 3
        let isPlain = format.channelCount <= 2
        let chunk =
            Self.bytes(isPlain ? kind : 0xFFFE) + Self.bytes(UInt16(format.channelCount))
            + Self.bytes(UInt32(format.sampleRate))
            + Self.bytes(UInt32(format.sampleRate * format.bytesPerFrame))
            + Self.bytes(UInt16(format.bytesPerFrame))
            + Self.bytes(UInt16(format.sampleFormat.byteCount * 8))
        guard !isPlain else { return chunk }
        let subformat: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
        return chunk + Self.bytes(UInt16(22))
            + Self.bytes(UInt16(format.sampleFormat.byteCount * 8))
            + Self.bytes(format.speakers.reduce(UInt32(0)) { $0 | $1.bitOfWAV })
            + Self.bytes(kind) + subformat
    }

    private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe Array($0) }
    }
}

extension Speaker {
    /// Its bit in a WAV file's channel mask.
    fileprivate var bitOfWAV: UInt32 {
        switch self {
        case .frontLeft: 0x1
        case .frontRight: 0x2
        case .frontCenter: 0x4
        case .lowFrequency: 0x8
        case .rearLeft: 0x10
        case .rearRight: 0x20
        case .rearCenter: 0x100
        case .sideLeft: 0x200
        case .sideRight: 0x400
        }
    }
}
