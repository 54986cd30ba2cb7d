import Foundation

@testable import UndersongService

/// A stretch of a test signal: a 1 kHz sine for so many seconds, and its level in dBFS in each
/// channel.
struct Tone {
    var seconds: Double
    var levels: [Double]

    /// The same level in both channels of stereo.
    init(_ seconds: Double, _ level: Double) { (self.seconds, levels) = (seconds, [level, level]) }

    init(_ seconds: Double, _ levels: [Double]) { (self.seconds, self.levels) = (seconds, levels) }

    /// Interleaved samples of all `tones`, without a jump from one to the next.
    static func samples(_ tones: [Tone], rate: Double = 48000) -> [Float] {
        var samples: [Float] = []
        var phase = 0
        for tone in tones {
            let amplitudes = tone.levels.map { pow(10, $0 / 20) }
            for _ in 0..<Int((tone.seconds * rate).rounded()) {
                let value = sin(2 * .pi * 1000 * Double(phase) / rate)
                samples += amplitudes.map { Float($0 * value) }
                phase += 1
            }
        }
        return samples
    }
}

/// WAV files of a test, removed with it.
final class Recordings {
    let folder = FileManager.default.temporaryDirectory
        .appending(path: "undersong-analysis-\(UUID())")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Writes a WAV file of floating-point samples and returns its path.
    func write(
        _ samples: [Float], channels: Int, rate: Int = 48000, to name: String = "tone.wav"
    ) throws -> String {
        var data = Data()
        func add(_ text: String) { data += Data(text.utf8) }
        func add(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
        }
        let size = samples.count * 4
        add("RIFF")
        add(UInt32(36 + size))
        add("WAVEfmt ")
        add(UInt32(16))
        add(UInt16(3))
        add(UInt16(channels))
        add(UInt32(rate))
        add(UInt32(rate * channels * 4))
        add(UInt16(channels * 4))
        add(UInt16(32))
        add("data")
        add(UInt32(size))
        samples.withUnsafeBytes { data.append(contentsOf: $0) }
        return try write(data, to: name)
    }

    func write(_ data: Data, to name: String) throws -> String {
        let file = folder.appending(path: name)
        try data.write(to: file)
        return file.path
    }
}
