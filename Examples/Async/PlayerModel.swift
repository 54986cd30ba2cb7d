import AVFoundation
import Combine

/// The model of a screen for a queue player.
final class PlayerModel: ObservableObject {
    @Published private(set) var title = ""
    @Published private(set) var isPlaying = false
    @Published private(set) var playedCount = 0
    @Published var rate: Float = 1

    /// The times of the current item, in seconds.
    let times = PassthroughSubject<Double, Never>()

    private let player: AVQueuePlayer
    private var subscriptions = Set<AnyCancellable>()
    private var timeObserver: Any?

    init(urls: [URL]) {
        player = AVQueuePlayer(items: urls.map { AVPlayerItem(url: $0) })

        player.publisher(for: \.currentItem)
            .map { ($0?.asset as? AVURLAsset)?.url.lastPathComponent ?? "" }
            .removeDuplicates()
            .receive(on: DispatchQueue.main)
            .assign(to: &$title)

        player.publisher(for: \.timeControlStatus)
            .map { $0 == .playing }
            .removeDuplicates()
            .receive(on: DispatchQueue.main)
            .assign(to: &$isPlaying)

        NotificationCenter.default.publisher(for: .AVPlayerItemDidPlayToEndTime)
            .compactMap { $0.object as? AVPlayerItem }
            .receive(on: DispatchQueue.main)
            .sink { [weak self] _ in self?.playedCount += 1 }
            .store(in: &subscriptions)

        $rate
            .dropFirst()
            .sink { [weak self] rate in self?.player.rate = rate }
            .store(in: &subscriptions)

        timeObserver = player.addPeriodicTimeObserver(
            forInterval: CMTime(value: 1, timescale: 10), queue: .main
        ) { [weak self] time in
            self?.times.send(time.seconds)
        }
    }

    deinit {
        if let timeObserver { player.removeTimeObserver(timeObserver) }
    }

    func play() { player.play() }
}
