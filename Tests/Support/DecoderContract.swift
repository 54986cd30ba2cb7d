internal import Foundation
import Glibc
package import Testing
internal import UndersongBase
package import UndersongPlayback

/// Checks that a decoder fulfils the contract of its port.
/// - Parameters:
///   - path: An intact file, of one format from start to end and longer than 0.2 s.
///   - frameCount: The number of frames of music in it.
///   - rounding: The largest difference between a sample after a seek and that of a straight
///     decode.
///   - playsPipes: Whether a pipe plays as a file does; otherwise it must be refused.
///   - open: Makes the decoder.
package func expectDecoderContract(
    _ path: String, frameCount: Int, rounding: Int = 0, playsPipes: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation,
    open: @escaping (MediaSource) throws(MediaError) -> any AudioDecoder
) throws {
    let decoder = try open(.file(path: path))
    let contract = DecoderContract(
        path: path, frameCount: frameCount, rounding: rounding, format: decoder.format,
        music: try allSamples(of: decoder), sourceLocation: sourceLocation, open: open)
    try contract.checkLength()
    try contract.checkPortions()
    try contract.checkSeeks()
    try contract.checkGain()
    if playsPipes { try contract.checkStream() } else { try contract.checkRefusal() }
    try contract.checkErrors()
}

/// All samples, where 32768 is full scale whatever their format.
private func allSamples(of decoder: any AudioDecoder) throws(MediaError) -> [Float] {
    var (all, block): ([Float], SampleBuffer) = ([], SampleBuffer([1, 2, 3] as [Int16]))
    repeat {
        try decoder.read(into: &block)
        all += values(block)
    } while !block.isEmpty
    return all
}

private func values(_ samples: SampleBuffer) -> [Float] { samples.float32.map { $0 * 32768 } }

private struct DecoderContract {
    let path: String
    let frameCount: Int
    let rounding: Int
    let format: StreamFormat
    /// The result of a straight decode.
    let music: [Float]
    let sourceLocation: SourceLocation
    let open: (MediaSource) throws(MediaError) -> any AudioDecoder

    /// Checks that the file has as many frames as its music, and none after them.
    func checkLength() throws {
        let count = music.count / format.channelCount
        expect(count == frameCount, "\(count) frames come of \(frameCount)")
        expect(music.count % format.channelCount == 0, "a frame is cut")
        let decoder = try decoder()
        expect(decoder.position == 0, "it begins at frame \(decoder.position)")
        let description = decoder.description
        expect(description.format == format, "the format is not what was described")
        if description.isDurationExact {
            let duration = CMTime(
                value: Int64(frameCount), timescale: Int32(format.sampleRate))
            expect(description.duration == duration, "its length is said to be exact, and is not")
        }
        _ = try allSamples(of: decoder)
        expect(decoder.format == format, "the format is another at the end")
        try expect(allSamples(of: decoder).isEmpty, "something comes after the end")
        expect(decoder.undecodable == nil, "a part of a good file cannot be decoded")
        let scanned = try self.decoder().scan { false }?.frameCount
        expect(scanned == frameCount, "a scan finds \(scanned ?? -1) frames")
        try expect(self.decoder().scan { true } == nil, "a scan cannot be cancelled")
    }

    /// Checks that the samples do not depend on the size of the reads.
    func checkPortions() throws {
        let primed = try decoder()
        for _ in 0..<2 { try expect(primed.prime(), "there is nothing to begin with") }
        try expect(allSamples(of: primed) == music, "samples differ after a look ahead")
        for step in [1009, 1153, 4099] {
            let decoder = try decoder()
            var position = 0
            while position < frameCount {
                try decoder.seek(to: position)
                var block = SampleBuffer([1, 1, 1, 1, 1] as [Int16])
                try decoder.read(into: &block)
                expect(block.format == format.sampleFormat, "samples are not of the format")
                let count = block.count / format.channelCount
                guard count > 0, isMusic(values(block), at: position) else {
                    expect(false, "samples differ at frame \(position), in steps of \(step)")
                    break
                }
                position += min(step, count)
            }
            try expect(allSamples(of: decoder).count < music.count, "the end is not the end")
        }
    }

    /// Checks that a seek leads to its frame, from any position, with and without an index.
    func checkSeeks() throws {
        let targets = [
            frameCount / 2, 0, frameCount - 1, 1, frameCount, 1153, 1152, 1 << 50, 1151, 576,
            frameCount + 1, 575,
        ]
        let index = try #require(try decoder().scan { false }, sourceLocation: sourceLocation)
        let (plain, indexed) = (try decoder(), try decoder())
        indexed.use(index)
        for target in targets {
            for decoder in [plain, indexed, try decoder()] {
                try decoder.seek(to: target)
                let hasFrames = try decoder.prime()
                let place = min(target, frameCount)
                expect(hasFrames == (target < frameCount), "frame \(target) is there or not")
                expect(
                    decoder.position == place,
                    "a seek to frame \(target) of \(frameCount) leads to \(decoder.position)")
                let rest = try allSamples(of: decoder)
                expect(
                    rest.count == (frameCount - place) * format.channelCount
                        && isMusic(rest, at: place), "samples differ after frame \(target)")
            }
        }
    }

    /// Checks that a gain of 1 changes nothing, a lower one scales, and a higher one clips integers.
    func checkGain() throws {
        let plain = try samples(gain: 1)
        expect(plain == music, "a gain of 1 changes samples")
        let half = try samples(gain: 0.5)
        expect(
            half.count == music.count
                && zip(half, music).allSatisfy { abs(2 * $0 - $1) <= 2 },
            "a gain of 0.5 does not halve the samples")
        let loud = try samples(gain: 1000)
        expect(
            loud.count == music.count
                && zip(loud, music).allSatisfy {
                    abs($1) < 100
                        || $0
                            == (format.sampleFormat == .float32
                                ? 1000 * $1 : $1 < 0 ? -32768 : 32767)
                },
            "a gain of 1000 does not do as the format wants")
    }

    /// Checks that a pipe gives the same as the file, without seeking and scanning.
    func checkStream() throws {
        try withFolder { folder in
            let pipe = folder.appending(path: "pipe").path
            try #require(mkfifo(pipe, 0o600) == 0)
            let data = try Data(contentsOf: URL(filePath: path))
            startThread(named: "feed") {
                guard let end = FileHandle(forWritingAtPath: pipe) else { return }
                try? end.write(contentsOf: data)
                try? end.close()
            }
            let decoder = try open(.file(path: pipe))
            let error = #expect(throws: MediaError.self, sourceLocation: sourceLocation) {
                try decoder.seek(to: 1)
            }
            expect(error?.code == .notSeekable, "a pipe is not refused as such")
            expect(error?.operation.contains(pipe) == true, "the error does not name the pipe")
            expect(decoder.scan { false } == nil, "a pipe is scanned")
            try expect(allSamples(of: decoder) == music, "samples from a pipe differ")
        }
    }

    /// Checks that a pipe is refused as one.
    func checkRefusal() throws {
        try withFolder { folder in
            let pipe = folder.appending(path: "pipe.\(suffix)").path
            try #require(mkfifo(pipe, 0o600) == 0)
            startThread(named: "feed") {
                try? FileHandle(forWritingAtPath: pipe)?.close()
            }
            expectError(.notSeekable, pipe)
        }
    }

    private var suffix: String { URL(filePath: path).pathExtension }

    /// Checks that a file which cannot be played is an error with the operation, the file and the
    /// reason.
    func checkErrors() throws {
        try withFolder { folder in
            let isMPEG = suffix == "mp3"
            let contents: [(name: String, code: MediaError.Code, data: Data?)] = [
                ("missing.\(suffix)", .notFound, nil), ("empty.\(suffix)", .empty, Data()),
                (
                    "text.\(suffix)", isMPEG ? .notMPEGAudio : .unsupportedFormat,
                    Data("Not a note of music.\n".utf8)
                ),
                ("zip.\(suffix)", .unsupportedFormat, Data("PK\u{3}\u{4}".utf8)),
            ]
            for (name, code, data) in contents {
                let file = folder.appending(path: name)
                try data?.write(to: file)
                expectError(code, file.path)
            }
            expectError(.notAFile, folder.path)
        }
    }

    private func expectError(_ code: MediaError.Code, _ path: String) {
        let error = #expect(throws: MediaError.self, sourceLocation: sourceLocation) {
            _ = try open(.file(path: path))
        }
        expect(error?.code == code, "\(path) is refused as \(error?.code.rawValue ?? "nothing")")
        expect(error?.operation.contains(path) == true, "the error does not name \(path)")
        expect(error?.reason.isEmpty == false, "the error does not say why")
    }

    private func decoder() throws(MediaError) -> any AudioDecoder { try open(.file(path: path)) }

    private func samples(gain: Double) throws(MediaError) -> [Float] {
        let decoder = try decoder()
        decoder.setGain(gain)
        return try allSamples(of: decoder)
    }

    private func isMusic(_ samples: [Float], at frame: Int) -> Bool {
        let wanted = music.dropFirst(frame * format.channelCount).prefix(samples.count)
        return wanted.count == samples.count
            && zip(samples, wanted).allSatisfy { abs($0 - $1) <= Float(rounding) }
    }

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "undersong-decoder-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func expect(
        _ isKept: @autoclosure () throws -> Bool, _ comment: @autoclosure () -> Comment
    ) rethrows {
        let isKept = try isKept()
        #expect(isKept, comment(), sourceLocation: sourceLocation)
    }
}
