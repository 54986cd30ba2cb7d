import AVFoundation
import Foundation
import Testing

@testable import UndersongDemoApp

@Suite struct `The levels of a song` {
    /// Writes a file of 16-bit samples at 8 kHz, and removes it.
    private func levels(_ samples: [Int16]) throws -> SongLevels {
        let path = NSTemporaryDirectory() + "/levels-\(UInt32.random(in: 0 ... .max)).wav"
        defer { try? FileManager.default.removeItem(atPath: path) }
        var file = Data()
        func add(_ text: String) { file += Data(text.utf8) }
        func add(_ numbers: UInt32...) {
            for number in numbers { withUnsafeBytes(of: number.littleEndian) { file += Data($0) } }
        }
        add("RIFF")
        add(UInt32(36 + 2 * samples.count))
        add("WAVEfmt ")
        add(16, 1 | 1 << 16, 8000, 16000, 2 | 16 << 16)
        add("data")
        add(UInt32(2 * samples.count))
        for sample in samples { withUnsafeBytes(of: sample.littleEndian) { file += Data($0) } }
        try file.write(to: URL(fileURLWithPath: path))
        return try SongLevels(of: URL(fileURLWithPath: path))
    }

    /// A sine of 1 kHz for so many seconds, at a part of full scale.
    private func sine(_ amplitude: Double, _ seconds: Double) -> [Int16] {
        (0..<Int(8000 * seconds)).map { index in
            Int16((amplitude * 32767 * sin(Double(index) * .pi / 4)).rounded())
        }
    }

    @Test func `A level is the loudness at its time, in decibels from silence to full scale`()
        throws
    {
        let levels = try levels(sine(1, 0.1) + sine(0.063_095_73, 0.1) + sine(0, 0.1))

        let found = [0.02, 0.07, 0.12, 0.17, 0.22, 0.27].map { levels.level(at: $0) ?? -1 }

        // -24 dB is in the middle of the 48 that are shown.
        for (level, expected) in zip(found, [1, 1, 0.5, 0.5, 0, 0]) {
            #expect(abs(level - expected) < 0.001)
        }
    }

    @Test func `There is no level outside of a song, nor of one that cannot be read`() throws {
        let levels = try levels(sine(1, 0.1))

        #expect(levels.level(at: -0.001) == nil)
        #expect(levels.level(at: 0.1) == nil)
        #expect(throws: (any Error).self) {
            try SongLevels(of: URL(fileURLWithPath: "/nowhere/song.wav"))
        }
    }
}
