import AVFoundation

/// A queue player with the operations that a remote control needs.
class PlayerModel {
    let player: AVQueuePlayer

    init(urls: [URL]) {
        player = AVQueuePlayer(items: urls.map { AVPlayerItem(url: $0) })
    }

    var isPlaying: Bool { player.timeControlStatus == .playing }

    func play() {
        player.play()
    }

    func pause() {
        player.pause()
    }

    func next() {
        player.advanceToNextItem()
    }

    func skip(by seconds: TimeInterval) {
        let offset = CMTime(seconds: seconds, preferredTimescale: CMTimeScale(NSEC_PER_SEC))
        seek(to: CMTimeAdd(player.currentTime(), offset))
    }

    func seek(to seconds: TimeInterval) {
        seek(to: CMTime(seconds: seconds, preferredTimescale: 1000))
    }

    private func seek(to time: CMTime) {
        player.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) { finished in
            print("Seek finished: \(finished)")
        }
    }
}
