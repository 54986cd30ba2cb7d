import AVFoundation
import UIKit

/// Plays songs one after the other and reports what a screen has to show.
class PlayerViewModel {
    let player: AVQueuePlayer

    /// The screen's handler, called on the main queue.
    var onTitleChange: ((String) -> Void)?
    var onTimeChange: ((String) -> Void)?
    var onFinish: (() -> Void)?

    private(set) var isPlaying = false

    private var currentItemObservation: NSKeyValueObservation?
    private var timeObserverToken: Any?

    init(songs: [String]) {
        let session = AVAudioSession.sharedInstance()
        do {
            try session.setCategory(.playAndRecord, options: .defaultToSpeaker)
            try session.setActive(true)
        } catch {
            print("Failed to set audio session category.  Error: \(error)")
        }
        let items = songs.compactMap(Self.url(of:)).map { AVPlayerItem(url: $0) }
        player = AVQueuePlayer(items: items)
        player.actionAtItemEnd = .advance
    }

    deinit {
        currentItemObservation?.invalidate()
        if let token = timeObserverToken { player.removeTimeObserver(token) }
    }

    /// A song in the app's bundle, or else a file.
    private static func url(of song: String) -> URL? {
        Bundle.main.url(forResource: song, withExtension: "mp3") ?? URL(fileURLWithPath: song)
    }

    func startObserving() {
        currentItemObservation = player.observe(\.currentItem, options: [.new, .initial]) {
            [weak self] player, change in
            self?.showTitle(of: change.newValue ?? nil)
        }
        timeObserverToken = player.addPeriodicTimeObserver(
            forInterval: CMTimeMake(value: 1, timescale: 100), queue: DispatchQueue.main
        ) { [weak self] time in
            self?.show(time)
        }
    }

    func togglePlayPause() {
        if isPlaying {
            player.pause()
        } else {
            player.play()
        }
        isPlaying.toggle()
    }

    private func showTitle(of item: AVPlayerItem?) {
        guard let item = item else {
            isPlaying = false
            onFinish?()
            return
        }
        let asset = item.asset as? AVURLAsset
        onTitleChange?(asset?.url.lastPathComponent ?? "Unknown")
    }

    private func show(_ time: CMTime) {
        let text = String(format: "%02.2f", CMTimeGetSeconds(time))
        if UIApplication.shared.applicationState == .background {
            print("Background: \(text)")
        } else {
            onTimeChange?(text)
        }
    }
}
