import Foundation
import Synchronization
import Testing
import UndersongAudioSession
import UndersongBase
import UndersongPlayback

@Suite struct `Measured ReplayGain` {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "undersong-gain-\(UUID())")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// A WAV file of `samples`.
    private func makeFile(_ samples: [Int16]) throws -> FilePath {
        var data = Data()
        func add(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
        }
        data += Data("RIFF".utf8)
        add(UInt32(36 + samples.count * 2))
        data += Data("WAVEfmt ".utf8)
        add(UInt32(16))
        add(UInt16(1))
        add(UInt16(2))
        add(UInt32(44100))
        add(UInt32(44100 * 4))
        add(UInt16(4))
        add(UInt16(16))
        data += Data("data".utf8)
        add(UInt32(samples.count * 2))
        for sample in samples { add(sample) }
        let file = folder.appending(path: "in.wav")
        try data.write(to: file)
        return FilePath(file.path)
    }

    /// Plays `file` to a WAV file, and returns its samples and what was said of the gain.
    private func play(
        _ file: FilePath, _ mode: ReplayGainMode, _ memory: Memory
    ) async throws -> (samples: [Int16], isMeasured: Bool?) {
        let output = folder.appending(path: "\(mode.rawValue).wav")
        var settings = PlayerSettings()
        settings.replayGain = mode
        var configuration = SessionConfiguration(
            output: .wav(path: FilePath(output.path)), settings: settings)
        configuration.loudnessMemory = memory
        let session = AudioSession(configuration)
        let isMeasured = Mutex<Bool?>(nil)
        session.subscribe { event in
            if case .item(.began(_, let description)) = event.kind {
                isMeasured.withLock { $0 = description?.isReplayGainMeasured }
            }
        }
        let run = Task { await session.run() }
        await session.player.append([QueueEntry(.file(path: file))])
        await session.player.play()
        _ = await session.waitForEnd()
        _ = await run.value
        let data = try Data(contentsOf: output).dropFirst(44)
        let samples = stride(from: 0, to: data.count - 1, by: 2).map { index in
            data.withUnsafeBytes { bytes in
                Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: Int16.self))
            }
        }
        return (samples, isMeasured.withLock { $0 })
    }

    @Test func `A measured gain is applied to a file without tags, as a tag would be`() async throws
    {
        let samples = (0..<8820).map { Int16($0 % 2 == 0 ? 1000 : -2000) }
        let file = try makeFile(samples)
        // 20 log 0.5
        let memory = Memory(ReplayGain(trackGain: -6.020599913, trackPeak: 0.5))

        let (heard, isMeasured) = try await play(file, .track, memory)

        #expect(heard == samples.map { $0 / 2 })
        #expect(isMeasured == true)
        #expect(memory.questions == [file])
    }

    @Test func `A measured gain is neither asked for nor applied when ReplayGain is off`()
        async throws
    {
        let samples = (0..<8820).map { Int16(truncatingIfNeeded: $0 * 7919) }
        let file = try makeFile(samples)
        let memory = Memory(ReplayGain(trackGain: -6, trackPeak: 0.5))

        let (heard, isMeasured) = try await play(file, .off, memory)

        #expect(heard == samples)
        #expect(isMeasured == false)
        #expect(memory.questions == [])
    }

    @Test func `A measured gain that is not known changes nothing`() async throws {
        let samples = (0..<8820).map { Int16(truncatingIfNeeded: $0 * 7919) }
        let file = try makeFile(samples)

        let (heard, isMeasured) = try await play(file, .album, Memory(nil))

        #expect(heard == samples)
        #expect(isMeasured == false)
    }

    @Test func `A measured gain cannot be louder than its true peak allows`() {
        let loudness = MeasuredLoudness(integrated: -30, truePeak: 0.5, samplePeak: 0.4)

        #expect(abs(ReplayGain(measured: loudness).factor(.track) - 2) < 1e-9)
        #expect(ReplayGain(measured: loudness).trackGain == 12)
    }
}

/// Knows one gain for every file.
private final class Memory: LoudnessMemory {
    private let gain: ReplayGain?
    private let asked = Mutex<[FilePath]>([])

    init(_ gain: ReplayGain?) { self.gain = gain }

    var questions: [FilePath] { asked.withLock { $0 } }

    func measuredGain(of path: FilePath, _ stamp: FileStamp) -> ReplayGain? {
        asked.withLock { $0.append(path) }
        return gain
    }
}
