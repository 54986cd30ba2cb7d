import AVFoundation
#if os(iOS)
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
    @IBOutlet weak var label: Label!
    @IBOutlet
    weak var other: Label!
    private let player = AVPlayer()
    private let session = AVAudioSession.sharedInstance()

    @IBAction func start(_ sender: Any) throws {
        try session.setCategory(AVAudioSessionCategoryPlayAndRecord, with: [.defaultToSpeaker])
        try session.setActive(true, with: .notifyOthersOnDeactivation)
        try session.setCategory(.playback, mode: .default, options: [])
        let interval = CMTimeMake(1, 100)
        let second = CMTimeMakeWithSeconds(
            1, // a second
            600)
        let range = CMTimeRangeMake(kCMTimeZero, CMTimeMultiply(second, 2))
        let known = CMTimeMake(value: 1, timescale: 2)
        player.seek(to: kCMTimeZero)
        print(interval, range, known)
    }
}
