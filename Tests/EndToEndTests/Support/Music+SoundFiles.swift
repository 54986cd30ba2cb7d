import Foundation

/// A kind of file that libsndfile plays.
enum SoundFileKind: String, CaseIterable {
    case flac16, flac24, oggFLAC16, oggFLAC24, vorbis, opus
    case wav8, wav16, wav24, wavFloat, aiff16, aiff24

    /// Bits of its samples; nil: it is lossy.
    var bits: Int? {
        switch self {
        case .vorbis, .opus: nil
        case .wav8: 8
        case .flac16, .oggFLAC16, .wav16, .aiff16: 16
        case .flac24, .oggFLAC24, .wav24, .aiff24: 24
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
