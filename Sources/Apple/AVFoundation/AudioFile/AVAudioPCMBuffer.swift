public import Foundation
import UndersongPlayback

/// A number of frames.
public typealias AVAudioFrameCount = UInt32
/// A place in a file or a stream, in frames.
public typealias AVAudioFramePosition = Int64

/// Samples in memory. Only one thread at a time may use it.
@safe
open class AVAudioPCMBuffer: NSObject {
    /// The format of the samples.
    public let format: AVAudioFormat
    /// The most frames that fit.
    public let frameCapacity: AVAudioFrameCount
    /// The number of valid frames, 0 at first. Precondition: it is not above `frameCapacity`.
    open var frameLength: AVAudioFrameCount = 0 {
        willSet { precondition(newValue <= frameCapacity, "a buffer holds no more than fits") }
    }

    let sampleFormat: SampleFormat
    private let storage: UnsafeMutableRawBufferPointer
    /// The channels, as pointers to their first samples.
    private let channels: UnsafeMutableBufferPointer<UnsafeMutableRawPointer>

    /// Makes a buffer of silence. Nil unless the samples are of 32-bit floating-point numbers or
    /// 16-bit integers, and if `frameCapacity` is 0.
    public init?(pcmFormat format: AVAudioFormat, frameCapacity: AVAudioFrameCount) {
        guard let sampleFormat = format.sampleFormat, frameCapacity > 0,
            format.channelCount > 0
        else { return nil }
        let (count, size) = (Int(format.channelCount), sampleFormat.byteCount)
        let bytes = Int(frameCapacity) * count * size
        let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes, alignment: 16)
        unsafe storage.initializeMemory(as: UInt8.self, repeating: 0)
        guard let base = storage.baseAddress else { return nil }
        let step = format.isInterleaved ? size : Int(frameCapacity) * size
        let channels = UnsafeMutableBufferPointer<UnsafeMutableRawPointer>.allocate(
            capacity: count)
        for channel in 0..<count {
            unsafe channels.initializeElement(at: channel, to: base + channel * step)
        }
        unsafe self.storage = storage
        unsafe self.channels = channels
        self.format = format
        self.sampleFormat = sampleFormat
        self.frameCapacity = frameCapacity
    }

    deinit {
        unsafe storage.deallocate()
        unsafe channels.deallocate()
    }

    /// The distance in samples from one frame of a channel to its next.
    open var stride: Int { format.isInterleaved ? Int(format.channelCount) : 1 }

    /// A pointer to the first sample of each channel, valid during the buffer's lifetime; nil if the
    /// samples are not floating-point numbers.
    open var floatChannelData: UnsafePointer<UnsafeMutablePointer<Float>>? {
        unsafe pointers(.float32, to: Float.self)
    }

    /// A pointer to the first sample of each channel, valid during the buffer's lifetime; nil if the
    /// samples are not integers.
    open var int16ChannelData: UnsafePointer<UnsafeMutablePointer<Int16>>? {
        unsafe pointers(.int16, to: Int16.self)
    }

    private func pointers<Sample>(
        _ wanted: SampleFormat, to type: Sample.Type
    ) -> UnsafePointer<UnsafeMutablePointer<Sample>>? {
        guard sampleFormat == wanted, let first = unsafe channels.baseAddress else { return nil }
        return unsafe UnsafeRawPointer(first)
            .assumingMemoryBound(to: UnsafeMutablePointer<Sample>.self)
    }

    /// The valid frames, with the samples of each next to each other.
    var interleavedBytes: Data {
        let (count, size) = (Int(format.channelCount), sampleFormat.byteCount)
        var data = Data(count: Int(frameLength) * count * size)
        unsafe data.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            for index in 0..<Int(frameLength) * count {
                let (frame, channel) = index.quotientAndRemainder(dividingBy: count)
                unsafe (base + index * size).copyMemory(
                    from: channels[channel] + frame * stride * size, byteCount: size)
            }
        }
        return data
    }

    /// Appends `frames` frames of `samples`, which are interleaved and of the buffer's own sample
    /// format, from sample `start` on. Precondition: they fit.
    func append(_ samples: SampleBuffer, from start: Int, frames: Int) {
        let (count, size) = (Int(format.channelCount), sampleFormat.byteCount)
        let first = Int(frameLength)
        frameLength += AVAudioFrameCount(frames)
        unsafe samples.withUnsafeBytes { bytes in
            for index in 0..<frames * count {
                let (frame, channel) = index.quotientAndRemainder(dividingBy: count)
                let source = (start + index) * size
                unsafe (channels[channel] + (first + frame) * stride * size).copyMemory(
                    from: bytes.baseAddress.unsafelyUnwrapped + source, byteCount: size)
            }
        }
    }
}
