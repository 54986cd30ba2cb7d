public import Foundation
import UndersongPlayback

/// The audio track of an item.
public final class AVPlayerItemTrack: NSObject, @unchecked Sendable {
    private weak var item: AVPlayerItem?

    /// The asset's track; nil once the asset has been released.
    public let assetTrack: AVAssetTrack?

    init(_ item: AVPlayerItem, _ track: AVAssetTrack) {
        self.item = item
        assetTrack = track
    }

    /// True if the track is heard; otherwise the item plays in silence. The same for all objects
    /// that stand for the track.
    public var isEnabled: Bool {
        get {
            guard let item else { return true }
            return item.state.withLock(\.isTrackEnabled)
        }
        set { item?.changeVolume { $0.isTrackEnabled = newValue } }
    }

    /// Always 0: there is no video.
    public var currentVideoFrameRate: Float { 0 }
}

// How an item's tracks are mixed.
extension AVPlayerItem {
    /// The audio track, once the item is ready; otherwise none. Observable.
    public var tracks: [AVPlayerItemTrack] {
        status == .readyToPlay ? asset.tracks.map { AVPlayerItemTrack(self, $0) } : []
    }

    /// The volume over the item's time, besides the player's volume; nil, the default, for full
    /// volume. A change is heard at once, except for a live stream, of which it applies from when
    /// it next starts. Setting it copies it.
    public var audioMix: AVAudioMix? {
        get { state.withLock(\.audioMix) }
        set {
            let mix = newValue?.duplicate(AVAudioMix.self)
            changeVolume { $0.audioMix = mix }
        }
    }

    fileprivate func changeVolume(_ change: (inout State) -> Void) {
        let (player, id, volume) = state.withLock { state in
            change(&state)
            return (state.player, state.id, state.volume)
        }
        if let player, let id { player.post.setVolume(of: id, volume) }
    }
}

extension AVPlayerItem.State {
    /// The volume over the item's time, as the player is given it.
    var volume: VolumeEnvelope {
        var silence = VolumeEnvelope()
        silence.add(.init(start: .zero, end: .zero, origin: 0, target: 0))
        let parameters = audioMix?.inputParameters.first { $0.trackID == 1 }
        return isTrackEnabled ? parameters?.volume ?? VolumeEnvelope() : silence
    }
}
