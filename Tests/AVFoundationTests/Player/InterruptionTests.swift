import AVFoundation
import TestSupport
import Testing

extension Players {
    @Suite struct `An interruption` {
        private let host = AVAudioSession.sharedInstance().host

        @Test func `An interruption silences a player, which resumes after it`() async {
            let player = AVQueuePlayer.silent([Sound.item(0, seconds: 60)])
            let log = Log()
            let listener = Listener(AVPlayer.rateDidChangeNotification, of: player) {
                notification in
                let reason = notification.userInfo?[AVPlayer.rateDidChangeReasonKey]
                log.note((reason as? AVPlayer.RateDidChangeReason)?.rawValue ?? "none")
            }
            player.rate = 1.5
            await player.waitFor(.playing)

            host.beginInterruption()
            #expect(player.rate == 0)
            #expect(player.timeControlStatus == .paused)
            host.endInterruption(shouldResume: true)

            #expect(player.rate == 1.5)
            await player.waitFor(.playing)
            await log.wait { $0.count == 3 }
            let interrupted = AVPlayer.RateDidChangeReason.audioSessionInterrupted.rawValue
            #expect(log.all[1] == interrupted)
            withExtendedLifetime(listener) {}
        }

        @Test(.rule("T51")) func `An interruption postpones playback until it ends`() async {
            let player = AVQueuePlayer.silent([Sound.item(0, seconds: 60)])
            host.beginInterruption()

            player.play()
            #expect(player.rate == 0)
            #expect(player.timeControlStatus == .paused)
            host.endInterruption(shouldResume: true)

            #expect(player.rate == 1)
            await player.waitFor(.playing)
        }

        @Test(.rule("T52"))
        func `An interruption leaves a player paused if its end does not allow resuming`() async {
            let player = AVQueuePlayer.silent([Sound.item(0, seconds: 60)])
            player.play()
            await player.waitFor(.playing)

            host.beginInterruption()
            host.endInterruption(shouldResume: false)
            #expect(player.rate == 0)

            player.play()
            await player.waitFor(.playing)
        }

        @Test(.rule("T57"))
        func `An interruption is not followed by sound if the user paused during it`() {
            let player = AVQueuePlayer.silent([Sound.item(0, seconds: 60)])
            player.play()

            host.beginInterruption()
            player.pause()
            host.endInterruption(shouldResume: true)

            #expect(player.rate == 0)
        }

        @Test(.rule("T58"))
        func `An interruption by a disconnected device pauses the player for good`() async throws {
            let player = AVQueuePlayer.silent([Sound.item(0, seconds: 60)])
            player.play()
            await player.waitFor(.playing)
            let route = AVAudioSession.sharedInstance().currentRoute

            host.changeRoute(to: route, reason: .oldDeviceUnavailable)
            #expect(player.rate == 0)
            host.changeRoute(to: route, reason: .newDeviceAvailable)

            #expect(player.rate == 0)
        }
    }
}
