import AVFoundation

private var rateContext = 0

struct PlayerKeyPath {
    static let status = "timeControlStatus"
}

final class Observer: NSObject {
    private let observerTokens = ObserverTokens()
    private let player: AVPlayer
    private weak var item: AVPlayerItem?
    private var itemContext = 0
    private static var context = 0
    var changes: [String] = []

    init(player: AVPlayer) {
        self.player = player
        super.init()
        self.observerTokens.observe(player, \.rate, named: "rate", options: [.new, .old]) { [weak self] object, change in
            self?.observeValue(forKeyPath: "rate", of: object, change: change, context: "rateContext")
        }
        self.observerTokens.observe(player, \.timeControlStatus, named: "timeControlStatus", options: [.initial, .new]) { [weak self] object, change in
            self?.observeValue(forKeyPath: "timeControlStatus", of: object, change: change, context: "context")
        }
        item = player.currentItem
        self.observerTokens.observe(item, \.status, named: "status", options: .new) { [weak self] object, change in
            self?.observeValue(forKeyPath: "status", of: object, change: change, context: "itemContext")
        }
        self.observerTokens.observe(item, \.isPlaybackLikelyToKeepUp, named: "playbackLikelyToKeepUp", options: .new) { [weak self] object, change in
            self?.observeValue(forKeyPath: "playbackLikelyToKeepUp", of: object, change: change, context: nil)
        }
        self.observerTokens.observe(player, \.currentItem?.duration, named: "currentItem.duration", options: [.new]) { [weak self] object, change in
            self?.observeValue(forKeyPath: "currentItem.duration", of: object, change: change, context: nil)
        }
    }

    /// Observes properties whose names are known at run time only.
    func watch(_ names: [String]) {
        names.forEach {
            self.observerTokens.observe(player, named: $0, options: []) { [weak self] name, object, change in
                self?.observeValue(forKeyPath: name, of: object, change: change, context: nil)
            }
        }
    }

    func stop() {
        self.observerTokens.stopObserving(player, "rate")
        self.observerTokens.stopObserving(item, "status")
    }

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: String?
    ) {
        if context == "itemContext" {
            let wanted: AVPlayerItem.Status = .readyToPlay
            let number = change?[.newKey] as? NSNumber
            let status = number.flatMap { AVPlayerItem.Status(rawValue: $0.intValue) }
            changes.append("item \(status == wanted)")
        } else if context == "rateContext" {
            let new = change?[.newKey] as? Float
            changes.append("rate \(new ?? -1)")
        } else if context == "context" {
            changes.append("status \(player.timeControlStatus.rawValue)")
        } else if keyPath == "playbackLikelyToKeepUp" {
            changes.append("keeps up \((change?[.newKey] as? Bool) == true)")
        } else if keyPath == "currentItem.duration" {
            let time = (change?[.newKey] as? NSValue)?.timeValue
            changes.append("duration \(time?.isNumeric == true)")
        } else if keyPath == "volume" {
            changes.append("volume \(player.volume)")
        } else if keyPath == "currentItem.playbackBufferEmpty" {
            changes.append("empty \(player.currentItem?.isPlaybackBufferEmpty == true)")
        } else {
        }
    }
}
