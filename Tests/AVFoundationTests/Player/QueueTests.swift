import AVFoundation
import TestSupport
import Testing

extension Players {
    @Suite struct `A queue` {
        @Test(.rule("T16"))
        func `A queue player contains its items in order, the first one current`() {
            let items = (0..<3).map { Sound.item($0) }
            let player = AVQueuePlayer.silent(items)

            #expect(player.items() == items)
            #expect(player.currentItem === items[0])
        }

        @Test(.rule("T17"))
        func `A queue player inserts an item after another, or at the end for nil`() {
            let items = (0..<3).map { Sound.item($0) }
            let (new, last) = (Sound.item(), Sound.item())
            let player = AVQueuePlayer.silent(items)

            player.insert(new, after: items[0])
            player.insert(last, after: nil)

            #expect(player.items() == [items[0], new, items[1], items[2], last])
        }

        @Test(.rule("T18"))
        func `A queue player accepts only items it does not contain, after those it does`() {
            let items = (0..<2).map { Sound.item($0) }
            let (new, foreign) = (Sound.item(), Sound.item())
            let player = AVQueuePlayer.silent(items)

            #expect(player.canInsert(new, after: nil))
            #expect(player.canInsert(new, after: items[0]))
            #expect(player.canInsert(new, after: items[1]))
            #expect(!player.canInsert(items[0], after: nil))
            #expect(!player.canInsert(items[0], after: items[1]))
            #expect(!player.canInsert(new, after: foreign))
        }

        @Test(.rule("T19")) func `A queue player traps when an item is inserted twice`() async {
            await #expect(processExitsWith: .failure) {
                let item = Sound.item()
                let player = AVQueuePlayer.silent([item])
                player.insert(item, after: nil)
            }
        }

        @Test func `A queue player traps when an item is in another player`() async {
            await #expect(processExitsWith: .failure) {
                let item = Sound.item()
                let first = AVQueuePlayer.silent([item])
                let second = AVQueuePlayer.silent([item])
                print(first, second)
            }
        }

        @Test(.rule("T20")) func `A queue player removes an item from its middle`() {
            let items = (0..<3).map { Sound.item($0) }
            let player = AVQueuePlayer.silent(items)

            player.remove(items[1])
            player.remove(Sound.item())

            #expect(player.items() == [items[0], items[2]])
            #expect(player.currentItem === items[0])
        }

        @Test(.rule("T21")) func `A queue player is empty and silent when all items are removed`()
            async
        {
            let items = (0..<3).map { Sound.item($0, seconds: 30) }
            let player = AVQueuePlayer.silent(items)
            player.play()
            await player.waitFor(.playing)

            player.removeAllItems()

            #expect(player.items().isEmpty)
            #expect(player.currentItem == nil)
            await player.waitFor(.waitingToPlayAtSpecifiedRate)
            #expect(player.reasonForWaitingToPlay == .noItemToPlay)
            #expect(player.currentTime() == .zero)
        }

        @Test(.rule("T22")) func `A queue player is empty after its only item ends`() async {
            let player = AVQueuePlayer.silent([Sound.item()])

            player.play()
            await player.waitFor(current: nil)

            #expect(player.items().isEmpty)
            #expect(player.rate == 1)
            #expect(player.reasonForWaitingToPlay == .noItemToPlay)
        }

        @Test(.rule("T23"))
        func `A queue player continues with the next item in Apple's order of events`() async {
            let items = [Sound.item(0), Sound.item(1, seconds: 30)]
            let player = AVQueuePlayer.silent(items)
            let log = Log()
            let listener = Listener(.AVPlayerItemDidPlayToEndTime, of: items[0]) { [player] _ in
                log.note("end, current \(player.currentItem === items[0])")
                log.note("end, in items \(player.items().contains(items[0]))")
            }
            let token = player.observe(\.currentItem, options: [.initial, .new]) { player, change in
                log.note("current \(items.firstIndex { $0 === change.newValue ?? nil } ?? -1)")
            }
            let observer = player.addPeriodicTimeObserver(
                forInterval: CMTime(value: 1, timescale: 4), queue: .main
            ) { time in
                if time == CMTime(value: 1, timescale: 4) { log.note("last tick") }
            }

            player.play()
            await log.wait(for: "current 1")
            player.removeTimeObserver(observer)

            let expected = [
                "current 0", "last tick", "end, current true", "end, in items true", "current 1",
            ]
            #expect(Array(log.all.prefix(5)) == expected)
            #expect(log.all.filter { $0.hasPrefix("current") }.count == 2)
            withExtendedLifetime((listener, token)) {}
        }

        @Test(.rule("T24"), arguments: [[0], [0, 1], [1, 0, 1], [1, 0], [0, 0, 1, 0]])
        func `A queue player skips an item that cannot be played`(kinds: [Int]) async {
            let items = kinds.map { $0 == 0 ? Sound.missing() : Sound.item() }
            let player = AVQueuePlayer.silent(items)
            let log = Log()
            let ends = items.enumerated().map { index, item in
                Listener(.AVPlayerItemDidPlayToEndTime, of: item) { _ in log.note("end \(index)") }
            }
            let failures = items.enumerated().map { index, item in
                Listener(.AVPlayerItemFailedToPlayToEndTime, of: item) { notification in
                    let key = AVPlayerItemFailedToPlayToEndTimeErrorKey
                    let error = notification.userInfo?[key] as? URLError
                    log.note("failure \(index) \(error?.code == .fileDoesNotExist)")
                }
            }

            player.play()
            await player.waitFor(current: nil)

            let expected = kinds.enumerated().map { index, kind in
                kind == 0 ? "failure \(index) true" : "end \(index)"
            }
            #expect(log.all == expected)
            for (kind, item) in zip(kinds, items) where kind == 0 {
                #expect(item.status == .failed)
                #expect(
                    item.errorLog()?.events.map(\.errorStatusCode) == [NSURLErrorFileDoesNotExist])
            }
            withExtendedLifetime((ends, failures)) {}
        }

        @Test(.rule("T25")) func `A queue player plays again when a failed item is replaced`() async
        {
            let (bad, good) = (Sound.missing(), Sound.item(0, seconds: 30))
            AVPlayer.outputDestination = .null
            let player = AVPlayer(playerItem: bad)
            player.play()
            await bad.waitFor(.failed)
            #expect(player.currentItem === bad)

            player.replaceCurrentItem(with: good)

            await player.waitFor(.playing)
            #expect(player.currentItem === good)
        }

        @Test(.rule("T26"))
        func `A queue player has no current item after advancing from the last`() async {
            let item = Sound.item(0, seconds: 30)
            let player = AVQueuePlayer.silent([item])
            let log = Log()
            let listener = Listener(.AVPlayerItemDidPlayToEndTime) { _ in log.note("end") }
            player.play()
            await player.waitFor(.playing)

            player.advanceToNextItem()

            #expect(player.currentItem == nil)
            await player.waitFor(.waitingToPlayAtSpecifiedRate)
            #expect(log.all.isEmpty)
            withExtendedLifetime(listener) {}
        }

        @Test(.rule("T27")) func `A queue player plays the last of several replacements`() async {
            let items = (0..<4).map { Sound.item($0 % 3, seconds: 30) }
            let player = AVQueuePlayer.silent([items[0]])
            player.play()

            for item in items.dropFirst() {
                player.removeAllItems()
                player.insert(item, after: nil)
            }

            #expect(player.items() == [items[3]])
            await player.waitFor(.playing)
            for await time in player.times(every: CMTime(value: 1, timescale: 100))
            where time > .zero {
                break
            }
            #expect(player.currentItem === items[3])
        }

        @Test(.rule("T28", "T31", "T32")) func `A queue player ignores commands without an item`() {
            let player = AVQueuePlayer.silent()
            let log = Log()
            let token = player.observe(\.currentItem) { _, _ in log.note("current") }
            let status = player.observe(\.timeControlStatus) { _, _ in log.note("status") }

            player.advanceToNextItem()
            player.removeAllItems()
            #expect(log.all.isEmpty)
            player.pause()

            // As of any rate that is set, observers learn of it.
            #expect(log.all == ["status"])
            #expect(player.timeControlStatus == .paused)
            withExtendedLifetime((token, status)) {}
        }

        @Test(.rule("T29", "T30"), arguments: [false, true])
        func `A queue player advances to the next item, playing or paused as before`(
            isPlaying: Bool
        )
            async
        {
            let items = (0..<2).map { Sound.item($0, seconds: 30) }
            let player = AVQueuePlayer.silent(items)
            if isPlaying {
                player.play()
                await player.waitFor(.playing)
            }
            await items[1].waitFor(.readyToPlay)

            player.advanceToNextItem()

            #expect(player.currentItem === items[1])
            #expect(player.timeControlStatus == (isPlaying ? .playing : .paused))
            #expect(player.rate == (isPlaying ? 1 : 0))
        }

        @Test func `A queue player plays at once an item that is added after its end`() async {
            let player = AVQueuePlayer.silent([Sound.item()])
            player.play()
            await player.waitFor(current: nil)
            let next = Sound.item(1, seconds: 30)

            player.insert(next, after: nil)

            #expect(player.currentItem === next)
            await player.waitFor(.playing)
        }
    }
}
