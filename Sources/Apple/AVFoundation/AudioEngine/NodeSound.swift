import Foundation
import Synchronization
import UndersongAudioIO
import UndersongPlayback

/// Something that a player node plays.
enum NodeSound: Sendable {
    /// Frames of a file of this format.
    case file(
        MediaSource, start: AVAudioFramePosition, frames: AVAudioFramePosition,
        format: StreamFormat)
    /// All of a sound in memory.
    case memory(WaveFile)

    private var format: StreamFormat {
        switch self {
        case .file(_, _, _, let format): format
        case .memory(let file): file.format
        }
    }

    /// Its length in seconds.
    var seconds: Double {
        switch self {
        case .file(_, _, let frames, let format): Double(frames) / Double(format.sampleRate)
        case .memory(let file): Double(file.frames) / Double(file.format.sampleRate)
        }
    }

    /// Its start within the item, in seconds.
    var start: Double {
        switch self {
        case .file(_, let start, _, let format): Double(start) / Double(format.sampleRate)
        case .memory: 0
        }
    }

    /// True if there is anything to play.
    var isEmpty: Bool { seconds <= 0 }

    /// Silence of the same format, so that it is followed by this without a gap.
    func silence(seconds: Double) -> NodeSound {
        .memory(WaveFile(seconds: seconds, format: format))
    }

    /// An item that plays it.
    /// - Throws: Foundation's error if a file cannot be made.
    func queueItem(_ id: ItemID) throws -> QueueItem {
        switch self {
        case .file(let source, let start, let frames, let format):
            let scale = CMTimeScale(format.sampleRate)
            return QueueItem(
                id: id, source: source, start: CMTime(value: start, timescale: scale),
                end: CMTime(value: start + frames, timescale: scale))
        case .memory(let file): return try QueueItem(id: id, source: .file(path: file.path()))
        }
    }
}

/// Sound in memory for the decoder, as a WAV file without a name that is made when it is needed.
final class WaveFile: Sendable {
    let frames: AVAudioFramePosition
    let format: StreamFormat
    /// The samples; nil for silence.
    private let samples: Data?
    private let file = Mutex<UnnamedFile?>(nil)

    /// Silence.
    init(seconds: Double, format: StreamFormat) {
        frames = AVAudioFramePosition((seconds * Double(format.sampleRate)).rounded())
        self.format = format
        samples = nil
    }

    /// Copies the samples of a buffer.
    init(_ buffer: AVAudioPCMBuffer) {
        frames = AVAudioFramePosition(buffer.frameLength)
        format = StreamFormat(
            sampleRate: Int(buffer.format.sampleRate.rounded()),
            channelCount: Int(buffer.format.channelCount), sampleFormat: buffer.sampleFormat)
        samples = buffer.interleavedBytes
    }

    /// The path for the decoder, valid during this object's lifetime.
    /// - Throws: Foundation's error if the file cannot be made.
    func path() throws -> String {
        try file.withLock { file in
            let made = try file ?? UnnamedFile(write)
            file = made
            return made.path
        }
    }

    private func write(to handle: FileHandle) throws {
        let size = Int(frames) * format.bytesPerFrame
        let header = WAVHeader(format: format, byteCount: size).bytes
        try handle.write(contentsOf: header)
        if let samples {
            try handle.write(contentsOf: samples)
        } else {
            try handle.truncate(atOffset: UInt64(header.count + size))
        }
    }
}
