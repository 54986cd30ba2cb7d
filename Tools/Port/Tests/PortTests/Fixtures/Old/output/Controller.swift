import AVFoundation
#if os(iOS) || os(Linux)
import UIKit
#elseif os(macOS)
import AppKit
#endif
#if canImport(UIKit) && !os(watchOS)
import UIKit
#else
import WatchKit
#endif
#if os(macOS) || os(tvOS) && canImport(StoreKit)
import StoreKit
@objc class Window: NSObject {}
#endif
#if DEBUG || os(macOS)
import os
#endif

class Controller: NSObject {
    weak var label: Label!
    weak var other: Label!
    private let player = AVPlayer()
    private let session = AVAudioSession.sharedInstance()

    func start(_ sender: Any) throws {
        try session.setCategory(AVAudioSession.Category.playAndRecord, options: [.defaultToSpeaker])
        try session.setActive(true, options: .notifyOthersOnDeactivation)
        try session.setCategory(.playback, mode: .default, options: [])
        let interval = CMTimeMake(value: 1, timescale: 100)
        let second = CMTimeMakeWithSeconds(
            1, // a second
            preferredTimescale: 600)
        let range = CMTimeRangeMake(start: CMTime.zero, duration: CMTimeMultiply(second, multiplier: 2))
        let known = CMTimeMake(value: 1, timescale: 2)
        player.seek(to: CMTime.zero)
        print(interval, range, known)
    }
}
