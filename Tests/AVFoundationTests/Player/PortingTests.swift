import AVFoundation
import Testing

extension Players {
    @Suite struct `A player for ported code` {
        @Test func `A player for ported code prerolls at once when ready and paused`() async {
            let item = Sound.item(0, seconds: 30)
            let player = AVQueuePlayer.silent([item])
            await item.waitFor(.readyToPlay)

            let isFinished = await withCheckedContinuation { continuation in
                player.preroll(atRate: 1) { continuation.resume(returning: $0) }
            }

            #expect(isFinished)
            #expect(player.rate == 0)
        }

        @Test func `A player for ported code is made by a subclass's own initializers`() {
            AVPlayer.outputDestination = .null
            let items = [Sound.item(0), Sound.item(1)]

            let looping = LoopingPlayer(playerItem: items[0])
            let fromURL = LoopingPlayer(url: Sound.url(0))
            let list = ListPlayer(items: [items[1]])
            let inherited = InheritingPlayer(url: Sound.url(1))

            #expect(looping.currentItem === items[0] && looping.actionAtItemEnd == .none)
            #expect(fromURL.currentItem != nil && fromURL.actionAtItemEnd == .none)
            #expect(list.items() == [items[1]] && list.name == "list")
            #expect(list.actionAtItemEnd == .advance)
            #expect(inherited.currentItem != nil && inherited.actionAtItemEnd == .advance)
        }

        @Test func `A player for ported code lets a subclass follow its seeks`() async {
            AVPlayer.outputDestination = .null
            let player = LoopingPlayer(playerItem: Sound.item(0, seconds: 30))
            let target = CMTime(value: 5, timescale: 1)

            let isFinished = await withCheckedContinuation { continuation in
                player.seek(to: target, toleranceBefore: .zero, toleranceAfter: .zero) {
                    continuation.resume(returning: $0)
                }
            }

            #expect(isFinished && player.sought == [target])
            #expect(player.currentTime() == target)
        }

        @Test func `A player for ported code has time observers that nobody has to keep`() async {
            let player = AVQueuePlayer.silent([Sound.item(0, seconds: 30)])
            let log = Log()
            player.addPeriodicTimeObserver(
                forInterval: CMTime(value: 1, timescale: 10), queue: .main
            ) { _ in log.note("periodic") }
            player.addBoundaryTimeObserver(
                forTimes: [NSValue(time: CMTime(value: 1, timescale: 10))], queue: .main
            ) { log.note("boundary") }

            player.play()

            await log.wait { $0.contains("periodic") && $0.contains("boundary") }
        }

        @Test func `A player for ported code stores properties that have no effect here`() {
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

/// A player as an application makes it: it loops.
private class LoopingPlayer: AVPlayer, @unchecked Sendable {
    private(set) var sought: [CMTime] = []

    override init(url: URL) {
        super.init(url: url)
        actionAtItemEnd = .none
    }

    override init(playerItem item: AVPlayerItem?) {
        super.init(playerItem: item)
        actionAtItemEnd = .none
    }

    override func seek(
        to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime,
        completionHandler: @escaping @Sendable (Bool) -> Void
    ) {
        sought.append(time)
        super.seek(
            to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter,
            completionHandler: completionHandler)
    }
}

private class ListPlayer: AVQueuePlayer, @unchecked Sendable {
    let name: String

    override init(items: [AVPlayerItem]) {
        name = "list"
        super.init(items: items)
    }
}

private class InheritingPlayer: AVQueuePlayer, @unchecked Sendable {}
