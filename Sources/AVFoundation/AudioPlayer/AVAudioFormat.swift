// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import Playback

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

/// The format of a sound file.
public final class AVAudioFormat: NSObject, Sendable {
    /// The sample rate in Hz.
    public let sampleRate: Double
    /// The number of channels.
    public let channelCount: AVAudioChannelCount
    private let formatID: AudioFormatID

    /// The format of nothing.
    override init() {
        sampleRate = 0
        channelCount = 0
        formatID = 0
    }

    init(_ description: MediaDescription) {
        sampleRate = Double(description.format.sampleRate)
        channelCount = AVAudioChannelCount(description.format.channelCount)
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

    /// The format as a dictionary.
    public var settings: [String: Any] {
        [
            AVFormatIDKey: formatID, AVSampleRateKey: sampleRate,
            AVNumberOfChannelsKey: Int(channelCount),
        ]
    }
}
