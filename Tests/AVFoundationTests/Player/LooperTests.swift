import Dispatch
import Synchronization
import TestSupport
import Testing
import UndersongAudioSession

@testable import UndersongAVFoundation

extension Players {
    @Suite struct `A looper` {
        private let range = CMTimeRange(
            start: CMTime(value: 2, timescale: 1), duration: CMTime(value: 1, timescale: 10))

        @Test(.rule("T34")) func `A looper repeats an item and counts the repetitions`() async {
            let player = AVQueuePlayer.silent()
            let template = Sound.item(0, seconds: 0.1)
            let looper = AVPlayerLooper(player: player, templateItem: template)
            let log = Log()
            let token = looper.observe(\.loopCount, options: [.initial, .new]) { _, change in
                log.note("\(change.newValue ?? -1)")
            }

            player.play()
            await log.wait(for: "70")

            #expect(log.all.prefix(4) == ["0", "1", "2", "3"])
            #expect(looper.status == .ready)
            #expect(template.status == .unknown)
            #expect(!player.items().contains(template))
            withExtendedLifetime(token) {}
        }

        @Test(.rule("T35"))
        func `A looper inserts at least three copies before the existing items`() async {
            let existing = [Sound.item(1, seconds: 30), Sound.item(2, seconds: 30)]
            let player = AVQueuePlayer.silent(existing)
            player.actionAtItemEnd = .pause
            let looper = AVPlayerLooper(
                player: player, templateItem: AVPlayerItem(url: Sound.url(0)))
            #expect(looper.status == .unknown)
            #expect(looper.loopingPlayerItems.isEmpty)

            await looper.waitFor(.ready)

            let copies = looper.loopingPlayerItems
            #expect(copies.count == 3)
            #expect(player.items() == copies + existing)
            #expect(player.currentItem === copies.first)
            #expect(player.actionAtItemEnd == .advance)
            #expect(looper.loopCount == 0)
            #expect(looper.error == nil)
        }

        @Test func `A looper inserts its copies after the existing items on request`() async {
            let existing = Sound.item(1, seconds: 0.1)
            let player = AVQueuePlayer.silent([existing])
            let looper = AVPlayerLooper(
                player: player, templateItem: AVPlayerItem(url: Sound.url(0)), timeRange: .invalid,
                existingItemsOrdering: .loopingItemsFollowExistingItems)

            await looper.waitFor(.ready)

            let copies = looper.loopingPlayerItems
            #expect(player.items() == [existing] + copies)
            player.play()
            await player.waitFor(current: copies.first)
            #expect(looper.loopCount == 0)
        }

        @Test func `A looper keeps the rate of the player`() async {
            let player = AVQueuePlayer.silent([Sound.item(1, seconds: 30)])
            player.rate = 1.5
            await player.waitFor(.playing)

            let looper = AVPlayerLooper(
                player: player, templateItem: AVPlayerItem(url: Sound.url(0)))
            await looper.waitFor(.ready)

            #expect(player.rate == 1.5)
            await player.waitFor(.playing)
        }

        @Test(.rule("T39")) func `A looper plays a range from start to end each time`() async {
            let player = AVQueuePlayer.silent()
            let times = Log()
            let observer = player.addPeriodicTimeObserver(
                forInterval: CMTime(value: 1, timescale: 1000), queue: nil
            ) { time in
                times.note(time >= range.start && time <= range.end ? "in" : "out \(time)")
            }
            let looper = AVPlayerLooper(
                player: player, templateItem: AVPlayerItem(url: Sound.url(0)), timeRange: range)

            player.play()
            await looper.waitFor(loopCount: 30)

            #expect(times.all.contains("in"))
            #expect(times.all.filter { $0.hasPrefix("out") }.isEmpty)
            player.removeTimeObserver(observer)
        }

        @Test(.rule("T33")) func `A looper ends after the current copy when disabled`() async {
            let following = Sound.item(1, seconds: 30)
            let player = AVQueuePlayer.silent([following])
            player.actionAtItemEnd = .pause
            let looper = AVPlayerLooper(
                player: player, templateItem: AVPlayerItem(url: Sound.url(0)), timeRange: range)
            player.play()
            await looper.waitFor(loopCount: 1)

            looper.disableLooping()

            #expect(looper.status == .cancelled)
            await player.waitFor(current: following)
            #expect(player.items() == [following])
            for await action in player.values(of: \.actionAtItemEnd) where action == .pause {
                break
            }
        }

        @Test func `A looper adds no copy after it is disabled, not even a pending one`() async {
            let player = InterveningPlayer()
            let looper = AVPlayerLooper(
                player: player, templateItem: AVPlayerItem(url: Sound.url(0)), timeRange: range)
            await looper.waitFor(.ready)
            let copies = looper.loopingPlayerItems
            let ends = Log()
            let listener = Listener(.AVPlayerItemDidPlayToEndTime) { notification in
                let item = notification.object as? AVPlayerItem
                if let item, copies.contains(item) { ends.note("end") }
            }

            player.intervene { looper.disableLooping() }
            player.play()
            await player.waitFor(current: nil)

            #expect(looper.status == .cancelled)
            #expect(ends.all == ["end", "end"])
            withExtendedLifetime(listener) {}
        }

        @Test func `A looper continues if all copies were heard before one could be put back`()
            async
        {
            let player = AVQueuePlayer.silent()
            let looper = AVPlayerLooper(
                player: player, templateItem: AVPlayerItem(url: Sound.url(0)), timeRange: range)
            await looper.waitFor(.ready)
            let copies = looper.loopingPlayerItems.count
            let isOver = DispatchSemaphore(value: 0)
            player.session.subscribe { event in
                if case .state = event.kind, event.head.reason == .known(.noItemToPlay) {
                    isOver.signal()
                }
            }

            DispatchQueue.main.async { isOver.wait() }
            player.play()
            await looper.waitFor(loopCount: copies + 1)

            #expect(player.items().count >= 3)
        }

        @Test func `A looper ends when it is released`() async {
            let player = AVQueuePlayer.silent()
            var looper: AVPlayerLooper? = AVPlayerLooper(
                player: player, templateItem: AVPlayerItem(url: Sound.url(0)), timeRange: range)
            player.play()
            await looper?.waitFor(loopCount: 1)

            looper = nil

            await player.waitFor(current: nil)
            #expect(player.items().isEmpty)
        }

        @Test func `A looper pauses its work when its copies are removed from the queue`() async {
            let player = AVQueuePlayer.silent()
            let looper = AVPlayerLooper(
                player: player, templateItem: AVPlayerItem(url: Sound.url(0)), timeRange: range)
            player.play()
            await looper.waitFor(loopCount: 1)
            let other = Sound.item(1, seconds: 0.2)

            player.removeAllItems()
            player.insert(other, after: nil)
            await player.waitFor(current: nil)

            #expect(player.items().isEmpty)
        }

        @Test func `A looper fails if the range exceeds the item`() async {
            let player = AVQueuePlayer.silent([Sound.item(1)])
            player.actionAtItemEnd = .pause
            let beyond = CMTimeRange(start: .zero, end: CMTime(value: 29, timescale: 1))

            let looper = AVPlayerLooper(
                player: player, templateItem: AVPlayerItem(url: Sound.url(0)), timeRange: beyond)
            await looper.waitFor(.failed)

            let error = looper.error as? AVError
            #expect(error?.code == .operationNotSupportedForAsset)
            #expect(
                error?.localizedDescription.hasSuffix(
                    "The range ends at 29.0 s, the item at 28.816780045351475 s")
                    == true)
            #expect(player.items().count == 1)
            #expect(player.actionAtItemEnd == .pause)
        }

        @Test func `A looper fails if the item cannot be opened`() async {
            let player = AVQueuePlayer.silent()

            let looper = AVPlayerLooper(player: player, templateItem: Sound.missing())
            await looper.waitFor(.failed)

            #expect((looper.error as? URLError)?.code == .fileDoesNotExist)
            #expect(player.items().isEmpty)
        }

        @Test func `A looper fails if the file is deleted later`() async throws {
            let file = try TaggedFile([])
            let player = AVQueuePlayer.silent()
            let looper = AVPlayerLooper(
                player: player, templateItem: AVPlayerItem(url: file.url))
            await looper.waitFor(.ready)
            file.remove()

            player.play()
            await looper.waitFor(.failed)

            #expect(looper.error != nil)
        }

        @Test func `A looper traps for an empty range`() async {
            await #expect(processExitsWith: .failure) {
                let player = AVQueuePlayer.silent()
                _ = AVPlayerLooper(
                    player: player, templateItem: Sound.item(),
                    timeRange: CMTimeRange(start: .zero, duration: .zero))
            }
        }

        @Test func `A looper traps for a range that starts before the item`() async {
            await #expect(processExitsWith: .failure) {
                let player = AVQueuePlayer.silent()
                _ = AVPlayerLooper(
                    player: player, templateItem: Sound.item(),
                    timeRange: CMTimeRange(
                        start: CMTime(value: -1, timescale: 1),
                        duration: CMTime(value: 2, timescale: 1)))
            }
        }
    }
}

/// A player that runs a closure just after the looper has read the queue.
private final class InterveningPlayer: AVQueuePlayer, @unchecked Sendable {
    private let action = Mutex<(@Sendable () -> Void)?>(nil)

    override init() {
        AVPlayer.outputDestination = .null
        super.init()
    }

    func intervene(_ action: @escaping @Sendable () -> Void) {
        self.action.withLock { $0 = action }
    }

    override func items() -> [AVPlayerItem] {
        let items = super.items()
        action.withLock { $0.take() }?()
        return items
    }
}

extension AVPlayerLooper {
    fileprivate func waitFor(_ status: Status) async {
        for await now in values(of: \.status) where now == status { return }
    }

    fileprivate func waitFor(loopCount: Int) async {
        for await now in values(of: \.loopCount) where now >= loopCount { return }
    }
}
