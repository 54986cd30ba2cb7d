import AVFoundation
import UIKit

/// What a person does to the app, and its Info.plist: iOS needs nothing of this file.
class HomeButton {
    private let player: AVQueuePlayer
    private var observer: NSObjectProtocol?

    init(player: AVQueuePlayer) {
        self.player = player
    }

    /// Sends the app to the background when the first item is over.
    func pressBehindFirstItem() {
        observer = NotificationCenter.default.addObserver(
            forName: .AVPlayerItemDidPlayToEndTime, object: player.currentItem, queue: nil
        ) { _ in
            MainActor.assumeIsolated {
                let host = UIApplication.shared.host
                host.declare(Capabilities(backgroundModes: [.audio]))
                host.enter(.background)
            }
        }
    }
}
