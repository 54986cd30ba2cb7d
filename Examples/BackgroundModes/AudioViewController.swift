import AVFoundation
import UIKit
import UndersongDemoScreen

/// The first tab: a queue of songs, which plays on in the background.
@MainActor
final class AudioViewController {
    /// The time between two times that are shown: each one comes when the next screen may (C8).
    private static let shownInterval = CMTimeMake(value: 51, timescale: 1000)
    /// The time between two times that are written.
    private static let writtenInterval = CMTimeMake(value: 1, timescale: 100)

    private(set) var view = DemoScreen.Audio() { didSet { onChange() } }
    /// Called when `view` has changed.
    var onChange: () -> Void = {}

    private let songs: [URL]
    private let player = AVQueuePlayer()
    private let application: UIApplication
    private let print: (String) -> Void
    private var observations: [NSKeyValueObservation] = []
    private var timeObserver: Any?
    /// The songs of the items that are in the queue, or were.
    private var indices: [ObjectIdentifier: Int] = [:]
    /// The levels of the current song; nil until they are measured.
    private var levels: SongLevels?
    private var measuring: Task<Void, Never>?
    /// True while the queue is filled.
    private var isLoading = false

    /// Makes the tab of an application with these songs, which writes to the console by `print`.
    init(
        _ songs: [URL], _ application: UIApplication = .shared, print: @escaping (String) -> Void
    ) {
        self.songs = songs
        self.application = application
        self.print = print
        view.songs = songs.map(\.lastPathComponent)
    }

    func viewDidLoad() {
        do {
            try AVAudioSession.sharedInstance().setCategory(
                .playAndRecord, options: .defaultToSpeaker)
        } catch {
            print("Failed to set audio session category.  Error: \(error)")
        }
        player.actionAtItemEnd = .advance
        observations = [
            player.observe(\.currentItem, options: [.new, .initial]) { [weak self] _, _ in
                MainActor.assumeIsolated { self?.showItem() }
            },
            player.observe(\.timeControlStatus) { [weak self] player, _ in
                let isPlaying = player.timeControlStatus != .paused
                MainActor.assumeIsolated { self?.showPlaying(isPlaying) }
            },
        ]
        observeTime(isActive: application.applicationState == .active)
    }

    /// Observes the time as often as it is shown, or written while the application is not active.
    func observeTime(isActive: Bool) {
        if let timeObserver { player.removeTimeObserver(timeObserver) }
        timeObserver = player.addPeriodicTimeObserver(
            forInterval: isActive ? Self.shownInterval : Self.writtenInterval, queue: .main
        ) { [weak self] time in
            MainActor.assumeIsolated { self?.show(time) }
        }
    }

    // MARK: Buttons

    func playPauseTapped() {
        if player.timeControlStatus != .paused { return player.pause() }
        if player.currentItem == nil { load(from: 0) }
        player.play()
    }

    /// Plays the song with this index; one that does not exist is ignored.
    func songTapped(_ index: Int) {
        guard songs.indices.contains(index) else { return }
        load(from: index)
        player.play()
    }

    /// Seeks by so many seconds, to the start or the end at most.
    func seek(by seconds: Double) {
        guard let item = player.currentItem, seconds.isFinite else { return }
        let target = max(0, CMTimeGetSeconds(player.currentTime()) + seconds)
        let end = CMTimeGetSeconds(item.duration)
        player.seek(
            to: CMTimeMakeWithSeconds(
                end.isFinite ? min(target, end) : target, preferredTimescale: 1000))
    }

    /// Fills the queue with the songs from an index on.
    private func load(from index: Int) {
        isLoading = true
        player.removeAllItems()
        indices = [:]
        for (index, song) in songs.enumerated().dropFirst(index) {
            let item = AVPlayerItem(url: song)
            indices[ObjectIdentifier(item)] = index
            player.insert(item, after: nil)
        }
        isLoading = false
        showItem()
    }

    // MARK: The player

    private func showItem() {
        guard !isLoading else { return }
        guard let item = player.currentItem else {
            // The queue has ended: the next tap on play begins it again.
            view.current = nil
            view.duration = nil
            view.seconds = 0
            view.level = nil
            if player.rate != 0 { player.pause() }
            return
        }
        view.current = indices[ObjectIdentifier(item)]
        view.duration = nil
        view.artist = nil
        measure(item)
        Task {
            let metadata = try? await item.asset.load(.commonMetadata)
            let duration = try? await item.asset.load(.duration)
            guard item === player.currentItem else { return }
            view.artist = metadata?.first { $0.commonKey == .commonKeyArtist }?.stringValue
            view.duration = duration.map(CMTimeGetSeconds).flatMap { $0.isFinite ? $0 : nil }
        }
    }

    private func showPlaying(_ isPlaying: Bool) {
        view.isPlaying = isPlaying
        if !isPlaying { view.level = levels == nil ? nil : 0 }
    }

    /// Measures the levels of a song, away from the main thread.
    private func measure(_ item: AVPlayerItem) {
        measuring?.cancel()
        levels = nil
        view.level = nil
        guard let url = (item.asset as? AVURLAsset)?.url else { return }
        let measurement = Task.detached { try? SongLevels(of: url) }
        measuring = Task {
            let levels = await withTaskCancellationHandler {
                await measurement.value
            } onCancel: {
                measurement.cancel()
            }
            if !Task.isCancelled { self.levels = levels }
        }
    }

    /// Shows the time, or writes it to the console in the background (C8).
    private func show(_ time: CMTime) {
        let seconds = CMTimeGetSeconds(time)
        guard seconds.isFinite else { return }
        var view = view
        view.seconds = seconds
        if view.isPlaying { view.level = levels?.level(at: seconds) }
        self.view = view
        guard application.applicationState != .active else { return }
        print("Background: " + String(format: "%02.2f", seconds))
    }
}
