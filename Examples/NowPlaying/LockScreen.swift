import AVFoundation
import MediaPlayer

/// Simulates the user at the lock screen. An app on iOS needs none of this.
class LockScreen {
    private let commands = MPRemoteCommandCenter.shared().host
    private let model: PlayerModel

    init(model: PlayerModel) {
        self.model = model
    }

    @MainActor func use() async {
        await waitUntil(.playing)
        show("At first")
        await press(.play)
        await press(.pause)
        await waitUntil(.paused)
        show("Paused")
        await press(.changePlaybackPosition(0.6))
        await press(.skipBackward(0.5))
        await press(.play)
        await waitUntil(.playing)
        await press(.nextTrack)
        show("Next")
        await press(.nextTrack)
        await press(.skipForward(0.5))
    }

    @MainActor private func waitUntil(_ status: AVPlayer.TimeControlStatus) async {
        for await now in model.player.values(of: \.timeControlStatus) where now == status { break }
    }

    @MainActor private func press(_ command: MPRemoteCommandCenter.Command) async {
        let status = await commands.send(command)
        if case .player(let command) = command {
            print("\(command.rawValue): \(status)")
        } else {
            print("\(command): \(status)")
        }
    }

    private func show(_ moment: String) {
        let info = MPNowPlayingInfoCenter.default().nowPlayingInfo ?? [:]
        let title = info[MPMediaItemPropertyTitle] as? String ?? "-"
        let duration = info[MPMediaItemPropertyPlaybackDuration] as? Double ?? 0
        let rate = MPNowPlayingInfoCenter.default().host.playbackRate
        print("\(moment): \(title), \(String(format: "%.1f", duration)) s, at rate \(rate)")
    }
}
