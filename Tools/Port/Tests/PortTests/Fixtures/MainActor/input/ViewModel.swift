import AVKit
import SwiftUI

@MainActor
final class ViewModel: NSObject, ObservableObject {
    @Published var isPlaying = false
    let player = AVPlayer()

    override init() {
        super.init()
        NotificationCenter.default.addObserver(
            self, selector: #selector(ended), name: .AVPlayerItemDidPlayToEndTime, object: nil)
        player.addObserver(self, forKeyPath: #keyPath(AVPlayer.rate), options: [.new], context: nil)
    }

    @objc func ended(_ notification: Notification) { isPlaying = false }

    override func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        isPlaying = player.rate > 0
    }
}
