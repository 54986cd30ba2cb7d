import AVFoundation
import Combine

@MainActor
final class ViewModel: NSObject, ObservableObject {
    private let observerTokens = ObserverTokens()
    @Published var isPlaying = false
    let player = AVPlayer()

    override init() {
        super.init()
        self.observerTokens.observe(NotificationCenter.default, .AVPlayerItemDidPlayToEndTime, object: nil) { [weak self] notification in
            MainActor.assumeIsolated { self?.ended(notification) }
        }
        self.observerTokens.observe(player, \.rate, named: "rate", options: [.new]) { [weak self] object, change in
            MainActor.assumeIsolated { self?.observeValue(forKeyPath: "rate", of: object, change: change, context: nil) }
        }
    }

    func ended(_ notification: Notification) { isPlaying = false }

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: String?
    ) {
        isPlaying = player.rate > 0
    }
}
