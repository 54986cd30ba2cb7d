import Combine
import Foundation
import MediaPlayer

/// Somebody who looks at the screen and presses keys: prints what they see, and reports the end.
@MainActor
public final class Listener {
    private let model: PlayerViewModel
    private let nowPlaying: NowPlaying
    private var subscriptions = Set<AnyCancellable>()

    /// Makes one for a queue of files.
    public init(playing urls: [URL]) {
        model = PlayerViewModel(urls: urls)
        nowPlaying = NowPlaying(model)
    }

    /// Plays the queue to its end, with a pause in its first item.
    public func listen() async {
        model.$title.filter { !$0.isEmpty }.removeDuplicates()
            .sink { print("Title: \($0)") }.store(in: &subscriptions)
        model.$playedCount.dropFirst().sink { print("Played: \($0)") }.store(in: &subscriptions)
        model.togglePlayback()
        for await progress in model.$progress.values where progress >= 0.2 { break }
        let host = MPRemoteCommandCenter.shared().host
        print("Pause: \(await host.send(.player(.toggle)))")
        for await isPlaying in model.$isPlaying.values where !isPlaying { break }
        let info = MPNowPlayingInfoCenter.default().nowPlayingInfo
        print("Shown: \(info?[MPMediaItemPropertyTitle] as? String ?? "-")")
        print("Play: \(await host.send(.player(.toggle)))")
        for await title in model.$title.values where title.isEmpty { break }
        print("Finished")
    }
}
