import AVFoundation

/// Plays the MP3s named as arguments, written as in any AVQueuePlayer tutorial.
@MainActor
public func queuePlayer(_ files: [String]) -> Any {
    let session = AVAudioSession.sharedInstance()
    do {
        try session.setCategory(.playback)
        try session.setActive(true)
    } catch {
        print("Failed to set audio session category.  Error: \(error)")
    }

    let controller = AudioController(urls: files.map { URL(fileURLWithPath: $0) })
    controller.playPause()
    return controller
}

final class AudioController {
    let player: AVQueuePlayer
    private var currentItemObservation: NSKeyValueObservation?
    private var timeObserver: Any?

    init(urls: [URL]) {
        player = AVQueuePlayer(items: urls.map { AVPlayerItem(url: $0) })
        player.actionAtItemEnd = .advance

        currentItemObservation = player.observe(\.currentItem, options: [.new, .initial]) {
            player, _ in
            let asset = player.currentItem?.asset as? AVURLAsset
            print("Now playing: \(asset?.url.lastPathComponent ?? "Unknown")")
            if player.currentItem == nil { exit(0) }
        }
        timeObserver = player.addPeriodicTimeObserver(
            forInterval: CMTimeMake(value: 1, timescale: 100), queue: .main
        ) { time in
            print(String(format: "%02.2f", CMTimeGetSeconds(time)))
        }
    }

    func playPause() {
        player.rate == 0 ? player.play() : player.pause()
    }
}
