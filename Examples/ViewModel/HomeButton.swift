import AVFoundation
import UIKit

/// Simulates the user's home button, and the app's Info.plist. An app on iOS needs none of this.
class HomeButton {
    private let player: AVQueuePlayer
    private var observer: NSObjectProtocol?

    init(player: AVQueuePlayer) {
        self.player = player
    }

    /// Sends the app to the background when the first item ends.
    func pressBehindFirstItem() {
        observer = NotificationCenter.default.addObserver(
            forName: .AVPlayerItemDidPlayToEndTime, object: player.currentItem, queue: nil
        ) { _ in
            MainActor.assumeIsolated {
                let host = UIApplication.shared.host
                host.declare(.init(backgroundModes: [.audio]))
                host.enter(.background)
            }
        }
    }
}
