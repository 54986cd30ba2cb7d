import AVFoundation
import MediaPlayer

/// Publishes the Now Playing information.
class NowPlayingController {
    private let model: PlayerModel
    private var itemObservation: NSKeyValueObservation?
    private var statusObservation: NSKeyValueObservation?

    init(model: PlayerModel) {
        self.model = model
        itemObservation = model.player.observe(\.currentItem, options: [.initial]) {
            [weak self] player, _ in
            self?.currentItemChanged(to: player.currentItem)
        }
        statusObservation = model.player.observe(\.timeControlStatus, options: [.new]) {
            [weak self] _, _ in
            self?.updatePlaybackState()
        }
    }

    private func currentItemChanged(to item: AVPlayerItem?) {
        guard let item = item else {
            MPNowPlayingInfoCenter.default().nowPlayingInfo = nil
            print("Finished")
            exit(0)
        }
        var nowPlayingInfo = [String: Any]()
        nowPlayingInfo[MPMediaItemPropertyTitle] = title(of: item)
        nowPlayingInfo[MPMediaItemPropertyPlaybackDuration] =
            CMTimeGetSeconds(item.asset.duration)
        nowPlayingInfo[MPNowPlayingInfoPropertyElapsedPlaybackTime] =
            CMTimeGetSeconds(item.currentTime())
        nowPlayingInfo[MPNowPlayingInfoPropertyPlaybackRate] = model.player.rate
        nowPlayingInfo[MPNowPlayingInfoPropertyMediaType] = MPNowPlayingInfoMediaType.audio.rawValue
        MPNowPlayingInfoCenter.default().nowPlayingInfo = nowPlayingInfo
    }

    private func title(of item: AVPlayerItem) -> String {
        let titles = AVMetadataItem.metadataItems(
            from: item.asset.commonMetadata, filteredByIdentifier: .commonIdentifierTitle)
        let file = (item.asset as? AVURLAsset)?.url.lastPathComponent
        return titles.first?.stringValue ?? file ?? "Unknown"
    }

    private func updatePlaybackState() {
        guard var nowPlayingInfo = MPNowPlayingInfoCenter.default().nowPlayingInfo else { return }
        nowPlayingInfo[MPNowPlayingInfoPropertyElapsedPlaybackTime] =
            model.player.currentTime().seconds
        nowPlayingInfo[MPNowPlayingInfoPropertyPlaybackRate] = model.isPlaying ? 1.0 : 0.0
        MPNowPlayingInfoCenter.default().nowPlayingInfo = nowPlayingInfo
    }
}
