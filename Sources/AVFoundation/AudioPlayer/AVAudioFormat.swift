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

    init(_ description: MediaDescription) {
        sampleRate = Double(description.format.sampleRate)
        channelCount = AVAudioChannelCount(description.format.channelCount)
        formatID =
            switch description.encoding.split(separator: " ").last {
            case "I": kAudioFormatMPEGLayer1
            case "II": kAudioFormatMPEGLayer2
            default: kAudioFormatMPEGLayer3
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
