// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import UndersongPlayback

/// Identifies an audio coding: four characters as a number.
public typealias AudioFormatID = UInt32
/// A number of channels.
public typealias AVAudioChannelCount = UInt32

/// MPEG audio, layer I.
public let kAudioFormatMPEGLayer1: AudioFormatID = 0x2E6D_7031
/// MPEG audio, layer II.
public let kAudioFormatMPEGLayer2: AudioFormatID = 0x2E6D_7032
/// MPEG audio, layer III.
public let kAudioFormatMPEGLayer3: AudioFormatID = 0x2E6D_7033

/// Uncompressed samples, in WAV and AIFF files.
public let kAudioFormatLinearPCM: AudioFormatID = 0x6C70_636D
/// FLAC.
public let kAudioFormatFLAC: AudioFormatID = 0x666C_6163
/// Opus.
public let kAudioFormatOpus: AudioFormatID = 0x6F70_7573
/// Vorbis, for which Apple has no name.
private let formatVorbis: AudioFormatID = 0x766F_7262

/// Settings key: the coding, an `AudioFormatID`.
public let AVFormatIDKey = "AVFormatIDKey"
/// Settings key: the sample rate in Hz, a `Double`.
public let AVSampleRateKey = "AVSampleRateKey"
/// Settings key: the number of channels, an `Int`.
public let AVNumberOfChannelsKey = "AVNumberOfChannelsKey"

/// The format of a sound file, or of samples in memory.
public final class AVAudioFormat: NSObject, Sendable {
    /// The sample rate in Hz.
    public let sampleRate: Double
    /// The number of channels.
    public let channelCount: AVAudioChannelCount
    /// The storage of the samples; `otherFormat` for a file.
    public let commonFormat: AVAudioCommonFormat
    /// True if the samples of a frame are next to each other, as in a file.
    public let isInterleaved: Bool
    private let formatID: AudioFormatID

    /// The format of nothing.
    override init() {
        sampleRate = 0
        channelCount = 0
        commonFormat = .otherFormat
        isInterleaved = true
        formatID = 0
    }

    init(_ description: MediaDescription) {
        sampleRate = Double(description.format.sampleRate)
        channelCount = AVAudioChannelCount(description.format.channelCount)
        commonFormat = .otherFormat
        isInterleaved = true
        let words = description.encoding.split(separator: " ")
        formatID =
            switch (words.first, words.last) {
            case ("MPEG", "I"): kAudioFormatMPEGLayer1
            case ("MPEG", "II"): kAudioFormatMPEGLayer2
            case ("MPEG", _): kAudioFormatMPEGLayer3
            case (_, "Opus"): kAudioFormatOpus
            case (_, "Vorbis"): formatVorbis
            case ("FLAC", _): kAudioFormatFLAC
            default: kAudioFormatLinearPCM
            }
    }

    init(
        commonFormat: AVAudioCommonFormat, sampleRate: Double, channelCount: AVAudioChannelCount,
        isInterleaved: Bool
    ) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.commonFormat = commonFormat
        self.isInterleaved = isInterleaved
        formatID = kAudioFormatLinearPCM
    }

    /// 32-bit floating-point numbers, each channel for itself. Nil unless there are one or two
    /// channels, or if the rate is not positive.
    public convenience init?(
        standardFormatWithSampleRate sampleRate: Double, channels: AVAudioChannelCount
    ) {
        self.init(
            commonFormat: .pcmFormatFloat32, sampleRate: sampleRate, channels: channels,
            interleaved: false)
    }

    /// Samples in memory at a rate in Hz. Nil unless there are one or two channels, if the rate is
    /// not positive, and for `otherFormat`.
    public convenience init?(
        commonFormat format: AVAudioCommonFormat, sampleRate: Double,
        channels: AVAudioChannelCount, interleaved: Bool
    ) {
        guard format != .otherFormat, sampleRate > 0, 1...2 ~= channels else { return nil }
        self.init(
            commonFormat: format, sampleRate: sampleRate, channelCount: channels,
            isInterleaved: interleaved)
    }

    /// True if it is 32-bit floating-point numbers, each channel for itself.
    public var isStandard: Bool { commonFormat == .pcmFormatFloat32 && !isInterleaved }

    /// The format as a dictionary.
    public var settings: [String: Any] {
        [
            AVFormatIDKey: formatID, AVSampleRateKey: sampleRate,
            AVNumberOfChannelsKey: Int(channelCount),
        ]
    }

    /// True if `object` is the same format.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioFormat else { return false }
        return sampleRate == other.sampleRate && channelCount == other.channelCount
            && commonFormat == other.commonFormat && isInterleaved == other.isInterleaved
            && formatID == other.formatID
    }

    /// The same for equal formats.
    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(sampleRate)
        hasher.combine(channelCount)
        hasher.combine(commonFormat)
        hasher.combine(isInterleaved)
        hasher.combine(formatID)
        return hasher.finalize()
    }

    /// The samples in memory; nil if they are not handled here.
    var sampleFormat: SampleFormat? {
        switch commonFormat {
        case .pcmFormatFloat32: .float32
        case .pcmFormatInt16: .int16
        default: nil
        }
    }
}
