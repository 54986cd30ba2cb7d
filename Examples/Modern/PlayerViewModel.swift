import AVFoundation
import Combine

/// The model of a screen for a queue, as an app of today has it: on the main actor, by Combine.
@MainActor
final class PlayerViewModel: ObservableObject {
    @Published private(set) var title = ""
    @Published private(set) var isPlaying = false
    @Published private(set) var progress = 0.0
    @Published private(set) var playedCount = 0

    let player: AVQueuePlayer
    private var subscriptions = Set<AnyCancellable>()
    private var timeObserver: Any?

    init(urls: [URL]) {
        player = AVQueuePlayer(items: urls.map { AVPlayerItem(url: $0) })
        observe()
    }

    func togglePlayback() {
        player.timeControlStatus == .paused ? player.play() : player.pause()
    }

    func skip(by seconds: Double) async {
        let time = player.currentTime() + CMTime(seconds: seconds, preferredTimescale: 600)
        await player.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero)
    }

    private func observe() {
        player.publisher(for: \.currentItem)
            .removeDuplicates()
            .receive(on: DispatchQueue.main)
            .sink { [weak self] item in
                self?.title = (item?.asset as? AVURLAsset)?.url.lastPathComponent ?? ""
            }
            .store(in: &subscriptions)
        player.publisher(for: \.timeControlStatus)
            .map { $0 == .playing }
            .removeDuplicates()
            .receive(on: DispatchQueue.main)
            .assign(to: &$isPlaying)
        NotificationCenter.default.publisher(for: AVPlayerItem.didPlayToEndTimeNotification)
            .receive(on: DispatchQueue.main)
            .sink { [weak self] _ in self?.playedCount += 1 }
            .store(in: &subscriptions)
        timeObserver = player.addPeriodicTimeObserver(
            forInterval: CMTime(seconds: 0.1, preferredTimescale: 600), queue: .main
        ) { [weak self] time in
            MainActor.assumeIsolated { self?.progress = time.seconds }
        }
    }
}
