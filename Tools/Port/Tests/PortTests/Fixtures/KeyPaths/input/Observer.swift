import AVFoundation

private var rateContext = 0

struct PlayerKeyPath {
    static let status = #keyPath(AVPlayer.timeControlStatus)
}

final class Observer: NSObject {
    private let player: AVPlayer
    private weak var item: AVPlayerItem?
    private var itemContext = 0
    private static var context = 0
    var changes: [String] = []

    init(player: AVPlayer) {
        self.player = player
        super.init()
        player.addObserver(self, forKeyPath: "rate", options: [.new, .old], context: &rateContext)
        player.addObserver(
            self, forKeyPath: PlayerKeyPath.status, options: [.initial, .new],
            context: &Observer.context)
        item = player.currentItem
        item?.addObserver(
            self, forKeyPath: #keyPath(AVPlayerItem.status), options: .new, context: &itemContext)
        item?.addObserver(
            self, forKeyPath: "playbackLikelyToKeepUp", options: .new, context: nil)
        player.addObserver(
            self, forKeyPath: #keyPath(AVPlayer.currentItem.duration), options: [.new], context: nil)
    }

    /// Observes properties whose names are known at run time only.
    func watch(_ names: [String]) {
        names.forEach {
            player.addObserver(self, forKeyPath: $0, options: [], context: nil)
        }
    }

    func stop() {
        player.removeObserver(self, forKeyPath: "rate", context: &rateContext)
        item?.removeObserver(self, forKeyPath: #keyPath(AVPlayerItem.status))
    }

    override func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        if context == &itemContext {
            let wanted: AVPlayerItemStatus = .readyToPlay
            let number = change?[.newKey] as? NSNumber
            let status = number.flatMap { AVPlayerItemStatus(rawValue: $0.intValue) }
            changes.append("item \(status == wanted)")
        } else if context == &rateContext {
            let new = change?[.newKey] as? Float
            changes.append("rate \(new ?? -1)")
        } else if context == &Observer.context {
            changes.append("status \(player.timeControlStatus.rawValue)")
        } else if keyPath == #keyPath(AVPlayerItem.isPlaybackLikelyToKeepUp) {
            changes.append("keeps up \((change?[.newKey] as? Bool) == true)")
        } else if keyPath == "currentItem.duration" {
            let time = (change?[.newKey] as? NSValue)?.timeValue
            changes.append("duration \(time?.isNumeric == true)")
        } else if keyPath == "volume" {
            changes.append("volume \(player.volume)")
        } else if keyPath == "currentItem.playbackBufferEmpty" {
            changes.append("empty \(player.currentItem?.isPlaybackBufferEmpty == true)")
        } else {
            super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
        }
    }
}
