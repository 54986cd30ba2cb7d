import AVFoundation
import TestSupport
import Testing
import UIKit
import UndersongBackground

extension Players {
    @Suite @MainActor struct `A player in the background` {
        private let host = UIApplication.shared.host

        @Test(.rule("B4")) func `A player stops without the audio mode and does not resume`()
            async throws
        {
            try AVAudioSession.sharedInstance().setCategory(.playback)
            host.declare(Capabilities())
            let player = AVQueuePlayer.silent([Sound.item(0, seconds: 60)])
            let log = Log()
            let listener = Listener(AVPlayer.rateDidChangeNotification, of: player) {
                notification in
                let reason = notification.userInfo?[AVPlayer.rateDidChangeReasonKey]
                log.note((reason as? AVPlayer.RateDidChangeReason)?.rawValue ?? "none")
            }
            player.play()
            await player.waitFor(.playing)

            host.enter(.background)
            await log.wait(for: AVPlayer.RateDidChangeReason.appBackgrounded.rawValue)
            #expect(player.rate == 0)
            player.play()
            #expect(player.rate == 0)
            host.enter(.active)
            #expect(player.rate == 0)

            player.play()
            await player.waitFor(.playing)
            withExtendedLifetime(listener) {}
        }

        @Test(.rule("B4")) func `A player continues with the audio mode`() async throws {
            try AVAudioSession.sharedInstance().setCategory(.playback)
            host.declare(Capabilities(backgroundModes: [.audio]))
            let player = AVQueuePlayer.silent([Sound.item(0, seconds: 60)])
            player.play()
            await player.waitFor(.playing)

            host.enter(.background)
            let start = player.currentTime()
            for await time in player.times(every: CMTime(value: 1, timescale: 100))
            where time > start + CMTime(value: 1, timescale: 10) { break }

            #expect(player.timeControlStatus == .playing)
            host.enter(.active)
        }

        @Test func `A category that never plays in the background stops even with the audio mode`()
            async throws
        {
            host.declare(Capabilities(backgroundModes: [.audio]))
            let player = AVQueuePlayer.silent([Sound.item(0, seconds: 60)])
            try AVAudioSession.sharedInstance().setCategory(.ambient)
            player.play()
            await player.waitFor(.playing)

            host.enter(.background)
            await player.waitFor(.paused)

            #expect(player.rate == 0)
            host.enter(.active)
            try AVAudioSession.sharedInstance().setCategory(.playback)
        }
    }
}
