import AVFoundation

/// Plays a queue of files.
class AudioController {
    let player: AVQueuePlayer
    private var timeControlObservation: NSKeyValueObservation?
    private var endObservation: NSKeyValueObservation?

    init(urls: [URL]) {
        player = AVQueuePlayer(items: urls.map { AVPlayerItem(url: $0) })
        timeControlObservation = player.observe(\.timeControlStatus, options: [.new]) {
            player, _ in
            switch player.timeControlStatus {
            case .paused: print("Player: paused")
            case .playing: print("Player: playing")
            case .waitingToPlayAtSpecifiedRate: break
            @unknown default: break
            }
        }
        endObservation = player.observe(\.currentItem) { player, _ in
            guard player.currentItem == nil else { return }
            print("Finished")
            exit(0)
        }
    }

    func configureSession() {
        let session = AVAudioSession.sharedInstance()
        do {
            try session.setCategory(.playback, mode: .default)
            try session.setActive(true)
        } catch {
            print("Failed to set up the audio session: \(error.localizedDescription)")
        }
    }

    func play() {
        player.play()
    }
}
