import Foundation

/// A kind of file that libsndfile plays.
enum SoundFileKind: String, CaseIterable {
    case flac16, flac24, oggFLAC16, oggFLAC24, vorbis, opus
    case wav8, wav16, wav24, wavFloat, aiff16, aiff24, wave64, au24, caf24

    /// Bits of its samples; nil: it is lossy.
    var bits: Int? {
        switch self {
        case .vorbis, .opus: nil
        case .wav8: 8
        case .flac16, .oggFLAC16, .wav16, .aiff16, .wave64: 16
        case .flac24, .oggFLAC24, .wav24, .aiff24, .au24, .caf24: 24
        case .wavFloat: 32
        }
    }

    var fileExtension: String {
        switch self {
        case .flac16, .flac24: "flac"
        case .oggFLAC16, .oggFLAC24: "oga"
        case .vorbis: "ogg"
        case .opus: "opus"
        case .wav8, .wav16, .wav24, .wavFloat: "wav"
        case .aiff16, .aiff24: "aiff"
        case .wave64: "w64"
        case .au24: "au"
        case .caf24: "caf"
        }
    }
}

extension Music {
    /// Noise of 24 bits, as integers.
    static func fineNoise(frames: Int, channels: Int = 2, seed: UInt64 = 1) -> [Int32] {
        var state = seed &* 0x9E37_79B9_7F4A_7C15
        return (0..<frames * channels).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int32(truncatingIfNeeded: Int64(bitPattern: state) >> 42)
        }
    }

    /// Makes a file of noise and returns its path, to which the kind's extension is added. `tags` are
    /// Vorbis comments.
    @discardableResult
    func make(
        _ kind: SoundFileKind, seconds: Double, rate: Int = 44_100, channels: Int = 2,
        seed: UInt64 = 1, tags: [String] = [], to name: String
    ) throws -> String {
        let samples = Self.fineNoise(
            frames: Int(seconds * Double(rate)), channels: channels, seed: seed)
        return try make(kind, of: samples, rate: rate, channels: channels, tags: tags, to: name)
    }

    /// The same of samples of 24 bits.
    @discardableResult
    func make(
        _ kind: SoundFileKind, of samples: [Int32], rate: Int = 44_100, channels: Int = 2,
        tags: [String] = [], to name: String
    ) throws -> String {
        let path = path(name + "." + kind.fileExtension)
        let wide = kind.bits ?? 16 > 16
        let source = Self.wav(samples, rate: rate, channels: channels, bits: wide ? 24 : 16)
        switch kind {
        case .flac16, .flac24, .oggFLAC16, .oggFLAC24:
            let container = kind.fileExtension == "oga" ? ["--ogg"] : []
            // The WAV file does not say where its channels are.
            let map = channels > 2 ? ["--channel-map=none"] : []
            let comments = tags.flatMap { ["--tag", $0] }
            _ = try output(
                of: "flac", ["-s", "-f"] + container + map + comments + ["-o", path, "-"],
                input: source)
        case .vorbis:
            let comments = tags.flatMap { ["-c", $0] }
            _ = try output(of: "oggenc", ["-Q"] + comments + ["-o", path, "-"], input: source)
        case .opus:
            let comments = tags.flatMap { ["--comment", $0] }
            _ = try output(of: "opusenc", ["--quiet"] + comments + ["-", path], input: source)
        case .wav16, .wav24:
            try source.write(to: URL(filePath: path))
        case .wave64:
            try Self.wave64(samples, rate: rate, channels: channels).write(to: URL(filePath: path))
        case .au24:
            try Self.au(samples, rate: rate, channels: channels).write(to: URL(filePath: path))
        case .caf24:
            try Self.caf(samples, rate: rate, channels: channels).write(to: URL(filePath: path))
        case .wav8, .wavFloat, .aiff16, .aiff24:
            let encoding =
                switch kind {
                case .wav8: ["-b", "8", "-e", "unsigned-integer"]
                case .wavFloat: ["-b", "32", "-e", "floating-point"]
                default: [String]()
                }
            _ = try output(
                of: "sox", ["-D", "-t", "wav", "-"] + encoding + [path], input: source)
        }
        return path
    }

    /// A number of `size` bytes with the most significant one first.
    private static func big(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// A Wave64 file of samples of 24 bits, of which the upper 16 are kept.
    static func wave64(_ samples: [Int32], rate: Int, channels: Int) -> Data {
        func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
            identifier(name) + big(24 + body.count, 8).reversed() + body
        }
        func identifier(_ name: String) -> [UInt8] {
            let rest: [UInt8] =
                name == "riff"
                ? [0x2E, 0x91, 0xCF, 0x11, 0xA5, 0xD6, 0x28, 0xDB, 0x04, 0xC1, 0, 0]
                : [0xF3, 0xAC, 0xD3, 0x11, 0x8C, 0xD1, 0x00, 0xC0, 0x4F, 0x8E, 0xDB, 0x8A]
            return Array(name.utf8) + rest
        }
        // The chunks' contents are those of a WAV file.
        let plain = Array(wav(samples, rate: rate, channels: channels, bits: 16))
        let rest = chunk("fmt ", Array(plain[20..<36])) + chunk("data", Array(plain[44...]))
        return Data(chunk("riff", identifier("wave") + rest))
    }

    /// An AU file of samples of 24 bits.
    static func au(_ samples: [Int32], rate: Int, channels: Int) -> Data {
        var bytes = Array(".snd".utf8) + big(24, 4) + big(samples.count * 3, 4) + big(4, 4)
        bytes += big(rate, 4) + big(channels, 4)
        return Data(bytes + samples.flatMap { big(Int($0), 3) })
    }

    /// A CAF file of samples of 24 bits.
    static func caf(_ samples: [Int32], rate: Int, channels: Int) -> Data {
        var bytes = Array("caff".utf8) + big(1, 2) + big(0, 2) + Array("desc".utf8) + big(32, 8)
        bytes += big(Int(bitPattern: UInt(Double(rate).bitPattern)), 8) + Array("lpcm".utf8)
        bytes += big(0, 4) + big(channels * 3, 4) + big(1, 4) + big(channels, 4) + big(24, 4)
        bytes += Array("data".utf8) + big(4 + samples.count * 3, 8) + big(0, 4)
        return Data(bytes + samples.flatMap { big(Int($0), 3) })
    }

    /// A WAV file of samples of 24 bits, of which the upper `bits` are kept.
    static func wav(_ samples: [Int32], rate: Int, channels: Int, bits: Int) -> Data {
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let width = bits / 8
        var bytes = Array("RIFF".utf8) + number(36 + samples.count * width, 4)
        bytes += Array("WAVEfmt ".utf8) + number(16, 4) + number(1, 2) + number(channels, 2)
        bytes += number(rate, 4) + number(rate * channels * width, 4)
        bytes += number(channels * width, 2) + number(bits, 2)
        bytes += Array("data".utf8) + number(samples.count * width, 4)
        bytes.reserveCapacity(bytes.count + samples.count * width)
        for sample in samples {
            for index in 0..<width {
                bytes.append(UInt8(truncatingIfNeeded: sample >> Int32(24 - bits + 8 * index)))
            }
        }
        return Data(bytes)
    }
}

/// The floating-point samples of a WAV file with a plain header.
func floats(ofWAV path: String) throws -> [Float] {
    let data = try Data(contentsOf: URL(filePath: path)).dropFirst(44)
    return data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
}
