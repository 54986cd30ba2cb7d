import AVFoundation
import Testing

extension Players {
    @Suite struct `A player for ported code` {
        @Test func `prerolls at once when ready and paused`() async {
            let item = Sound.item(0, seconds: 30)
            let player = AVQueuePlayer.silent([item])
            await item.waitFor(.readyToPlay)

            let isFinished = await withCheckedContinuation { continuation in
                player.preroll(atRate: 1) { continuation.resume(returning: $0) }
            }

            #expect(isFinished)
            #expect(player.rate == 0)
        }

        @Test func `stores properties that have no effect here`() {
            let player = AVQueuePlayer.silent()

            player.allowsExternalPlayback = false
            player.preventsDisplaySleepDuringVideoPlayback = false
            player.audiovisualBackgroundPlaybackPolicy = .continuesIfPossible

            #expect(!player.allowsExternalPlayback)
            #expect(!player.preventsDisplaySleepDuringVideoPlayback)
            #expect(player.audiovisualBackgroundPlaybackPolicy == .continuesIfPossible)
            #expect(!player.isExternalPlaybackActive)
        }
    }
}
