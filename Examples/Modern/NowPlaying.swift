import AVFoundation
import Combine
import MediaPlayer

/// Shows what is playing, and lets a remote control play, pause and skip.
@MainActor
final class NowPlaying {
    private let model: PlayerViewModel
    private var subscriptions = Set<AnyCancellable>()

    init(_ model: PlayerViewModel) {
        self.model = model
        Publishers.CombineLatest(model.$title, model.$isPlaying)
            .receive(on: DispatchQueue.main)
            .sink { [weak self] title, isPlaying in self?.show(title, isPlaying) }
            .store(in: &subscriptions)
        let commands = MPRemoteCommandCenter.shared()
        commands.togglePlayPauseCommand.addTarget { [weak model] _ in
            MainActor.assumeIsolated { model?.togglePlayback() }
            return .success
        }
        commands.skipForwardCommand.preferredIntervals = [0.3]
        commands.skipForwardCommand.addTarget { [weak model] event in
            guard let event = event as? MPSkipIntervalCommandEvent else { return .commandFailed }
            let interval = event.interval
            Task { @MainActor in await model?.skip(by: interval) }
            return .success
        }
    }

    private func show(_ title: String, _ isPlaying: Bool) {
        MPNowPlayingInfoCenter.default().nowPlayingInfo =
            title.isEmpty
            ? nil
            : [
                MPMediaItemPropertyTitle: title,
                MPNowPlayingInfoPropertyPlaybackRate: isPlaying ? 1.0 : 0.0,
                MPNowPlayingInfoPropertyElapsedPlaybackTime: model.player.currentTime().seconds,
            ]
    }
}
