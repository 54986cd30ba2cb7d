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
        formatID =
            switch description.encoding.split(separator: " ").last {
            case "I": kAudioFormatMPEGLayer1
            case "II": kAudioFormatMPEGLayer2
            default: kAudioFormatMPEGLayer3
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
