public import Foundation
import UndersongAudioIO
import UndersongAudioSession
import UndersongPlayback

/// Reads the samples of a sound file of any format that is played: exactly the music, without what
/// an encoder added. Writing is not supported.
///
/// Any thread may call it; calls block on the disk, and wait for each other.
open class AVAudioFile: NSObject, @unchecked Sendable {
    // Sendable: all that changes is changed under `lock`.

    /// The file.
    public let url: URL
    /// The format of the file itself.
    public let fileFormat: AVAudioFormat
    /// The format of the samples that are read: the file's rate and channels.
    public let processingFormat: AVAudioFormat

    private let lock = NSLock()
    private let source: MediaSource
    private let decoder: any AudioDecoder
    private let decodedFormat: StreamFormat
    private let sampleFormat: SampleFormat
    /// Decoded samples, and how many of them were read.
    private var block = SampleBuffer()
    private var taken = 0
    private var place: AVAudioFramePosition = 0
    /// True if the decoder is elsewhere than `place`.
    private var isMoved = false
    private var knownLength: AVAudioFramePosition?

    /// Opens a file, to be read as floating-point numbers, each channel for itself.
    /// - Throws: `AVError`, as for a player.
    public convenience init(forReading fileURL: URL) throws {
        try self.init(
            forReading: fileURL, commonFormat: .pcmFormatFloat32, interleaved: false)
    }

    /// Opens a file, to be read as 32-bit floating-point numbers or 16-bit integers, to which wider
    /// samples are rounded.
    /// - Throws: `AVError`, as for a player; `operationNotSupportedForAsset` for other
    ///   samples.
    public init(
        forReading fileURL: URL, commonFormat format: AVAudioCommonFormat, interleaved: Bool
    ) throws {
        let source = AVURLAsset(url: fileURL).loader.source
        let description: MediaDescription
        do throws(MediaError) {
            decoder = try DecoderRegistry.standard.decoder(for: source)
            _ = try decoder.prime()
            description = decoder.description
        } catch {
            throw AVError(error)
        }
        let processingFormat = AVAudioFormat(
            commonFormat: format, sampleRate: Double(description.format.sampleRate),
            channelCount: AVAudioChannelCount(description.format.channelCount),
            isInterleaved: interleaved)
        guard let sampleFormat = processingFormat.sampleFormat else {
            throw Self.refusal("It is read as 32-bit floats or 16-bit integers only", fileURL)
        }
        self.source = source
        self.sampleFormat = sampleFormat
        self.processingFormat = processingFormat
        decodedFormat = description.format
        fileFormat = AVAudioFormat(description)
        url = fileURL
        if description.isDurationExact { knownLength = description.duration.value }
    }

    /// The exact length in frames. If the file's header does not state it, the first call reads the
    /// whole file, which blocks for some milliseconds per megabyte. 0 for a pipe.
    open var length: AVAudioFramePosition {
        lock.withLock {
            let length = knownLength ?? MediaLoader.length(of: source)?.value ?? 0
            knownLength = length
            return length
        }
    }

    /// The frame at which the next `read` begins. Setting it seeks exactly; from the end on, nothing
    /// is read. Precondition: it is not negative.
    open var framePosition: AVAudioFramePosition {
        get { lock.withLock { place } }
        set {
            precondition(newValue >= 0, "a file begins at frame 0")
            lock.withLock {
                isMoved = isMoved || newValue != place
                place = newValue
            }
        }
    }

    /// Replaces the contents of `buffer` with the next frames, as many as fit or as there are: none
    /// at the end.
    /// - Throws: The errors of `read(into:frameCount:)`.
    open func read(into buffer: AVAudioPCMBuffer) throws {
        try read(into: buffer, frameCount: buffer.frameCapacity)
    }

    /// Replaces the contents of `buffer` with the next frames, at most `frameCount` of them. What
    /// was read before an error is in the buffer.
    /// - Throws: `AVError` if the file cannot be read or decoded any further, or
    ///   changes its rate or channels, and `operationNotSupportedForAsset` if `buffer` is not of
    ///   `processingFormat`.
    open func read(into buffer: AVAudioPCMBuffer, frameCount frames: AVAudioFrameCount) throws {
        guard buffer.format == processingFormat else {
            throw Self.refusal("The buffer does not have its processing format", url)
        }
        try lock.withLock {
            buffer.frameLength = 0
            do throws(MediaError) {
                try fill(buffer, Int(min(frames, buffer.frameCapacity)))
            } catch {
                throw AVError(error)
            }
        }
    }

    private func fill(_ buffer: AVAudioPCMBuffer, _ wanted: Int) throws(MediaError) {
        if isMoved {
            block.removeAll(for: sampleFormat)
            taken = 0
            try decoder.seek(to: Int(place))
            isMoved = false
        }
        let channels = decodedFormat.channelCount
        while Int(buffer.frameLength) < wanted {
            if taken == block.count {
                try decode()
                guard !block.isEmpty else { return }
            }
            let count = min(
                wanted - Int(buffer.frameLength), (block.count - taken) / channels)
            buffer.append(block, from: taken, frames: count)
            taken += count * channels
            place += AVAudioFramePosition(count)
        }
    }

    private func decode() throws(MediaError) {
        try decoder.read(into: &block)
        taken = 0
        let format = decoder.format
        guard
            block.isEmpty
                || (format.sampleRate, format.channelCount)
                    == (decodedFormat.sampleRate, decodedFormat.channelCount)
        else {
            block.removeAll(for: sampleFormat)
            throw MediaError(
                .decodeFailed, operation: "read \(source.path)",
                reason: "Its format changes partway")
        }
        block = block.converted(to: sampleFormat)
    }

    /// All of it, for a player node.
    var sound: NodeSound {
        .file(source, start: 0, frames: length, format: decodedFormat)
    }

    /// Frames of it, as many as there are, for a player node.
    func sound(from start: AVAudioFramePosition, frames: AVAudioFrameCount) -> NodeSound {
        let first = min(max(0, start), length)
        return .file(
            source, start: first,
            frames: min(AVAudioFramePosition(frames), length - first),
            format: decodedFormat)
    }

    private static func refusal(_ reason: String, _ url: URL) -> AVError {
        AVError(
            .operationNotSupportedForAsset,
            userInfo: [NSLocalizedDescriptionKey: "cannot read \(url.path): \(reason)"])
    }
}
