// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import Playback

/// Names a coding of sound: four characters as a number.
public typealias AudioFormatID = UInt32
/// How many channels there are.
public typealias AVAudioChannelCount = UInt32

/// MPEG audio, layer I.
public let kAudioFormatMPEGLayer1: AudioFormatID = 0x2E6D_7031
/// MPEG audio, layer II.
public let kAudioFormatMPEGLayer2: AudioFormatID = 0x2E6D_7032
/// MPEG audio, layer III.
public let kAudioFormatMPEGLayer3: AudioFormatID = 0x2E6D_7033

/// Samples as they are, in WAV and AIFF files.
public let kAudioFormatLinearPCM: AudioFormatID = 0x6C70_636D
/// FLAC.
public let kAudioFormatFLAC: AudioFormatID = 0x666C_6163
/// Opus.
public let kAudioFormatOpus: AudioFormatID = 0x6F70_7573
/// Vorbis, for which Apple has no name.
private let formatVorbis: AudioFormatID = 0x766F_7262

/// In settings: the coding, an `AudioFormatID`.
public let AVFormatIDKey = "AVFormatIDKey"
/// In settings: samples in a second, a `Double`.
public let AVSampleRateKey = "AVSampleRateKey"
/// In settings: how many channels there are, an `Int`.
public let AVNumberOfChannelsKey = "AVNumberOfChannelsKey"

/// The format of a sound file.
public final class AVAudioFormat: NSObject, Sendable {
    /// Samples in a second.
    public let sampleRate: Double
    /// How many channels there are.
    public let channelCount: AVAudioChannelCount
    private let formatID: AudioFormatID

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

    /// The same as a dictionary.
    public var settings: [String: Any] {
        [
            AVFormatIDKey: formatID, AVSampleRateKey: sampleRate,
            AVNumberOfChannelsKey: Int(channelCount),
        ]
    }
}
