import AVFoundation
import Synchronization
import TestSupport
import Testing

extension Players {
    @Suite struct `A player's time` {
        @Test(.rule("T38"))
        func `A player starts at the target of a seek before the item was loaded`() async {
            let player = AVQueuePlayer.silent([Sound.item(0, seconds: 30)])

            await player.seek(to: CMTime(value: 4, timescale: 1))
            #expect(player.currentTime() == CMTime(value: 4, timescale: 1))
            player.play()

            let first = await player.firstTime { _ in true }
            #expect(first >= CMTime(value: 4, timescale: 1))
            #expect(first < CMTime(value: 29, timescale: 1))
        }

        @Test(.rule("T39"))
        func `A player starts at the target of a seek before its item was queued`() async {
            let item = Sound.item(0, seconds: 30)
            await item.seek(to: CMTime(value: 4, timescale: 1))
            let player = AVQueuePlayer.silent([item])

            player.play()

            let first = await player.firstTime { _ in true }
            #expect(first >= CMTime(value: 4, timescale: 1))
        }

        @Test(.rule("T40"))
        func `A player reaches the next item after a seek to just before an end`() async {
            let items = [Sound.item(0, seconds: 5), Sound.item(1, seconds: 30)]
            let player = AVQueuePlayer.silent(items)
            player.play()
            await player.waitFor(.playing)

            let isFinished = await player.seek(
                to: CMTime(value: 46, timescale: 10), toleranceBefore: .zero, toleranceAfter: .zero)

            #expect(isFinished)
            await player.waitFor(current: items[1])
        }

        @Test(.rule("T41")) func `A player's time is reported at each multiple of an interval`()
            async
        {
            let player = AVQueuePlayer.silent([Sound.item(0, seconds: 0.35)])
            let times = Mutex<[CMTime]>([])
            let observer = player.addPeriodicTimeObserver(
                forInterval: CMTime(value: 1, timescale: 10), queue: nil
            ) { time in
                times.withLock { $0.append(time) }
            }

            player.play()
            await player.waitFor(current: nil)
            player.removeTimeObserver(observer)

            let told = times.withLock { $0 }
            let multiples = (0...3).map { CMTime(value: $0, timescale: 10) }
            #expect(told.filter(multiples.contains).count >= 4)
            #expect(multiples.allSatisfy { told.contains($0) })
            #expect(told == told.sorted())
            #expect(told.last == CMTime(value: 35, timescale: 100))
        }

        @Test(.rule("T42")) func `A player's time is not reported without an item`() async {
            let player = AVQueuePlayer.silent()
            let log = Log()
            let observer = player.addPeriodicTimeObserver(
                forInterval: CMTime(value: 1, timescale: 100), queue: nil
            ) { _ in log.note("tick") }

            player.play()
            await player.waitFor(.waitingToPlayAtSpecifiedRate)
            let other = AVQueuePlayer.silent([Sound.item(0, seconds: 0.3)])
            other.play()
            await other.waitFor(current: nil)

            #expect(log.all.isEmpty)
            player.removeTimeObserver(observer)
        }

        @Test(.rule("T43"))
        func `A boundary is reported once when playback crosses it, not when a seek does`()
            async
        {
            let player = AVQueuePlayer.silent([Sound.item(0, seconds: 10)])
            let log = Log()
            let boundaries = [0.1, 5, 9.9].map {
                NSValue(time: CMTime(seconds: $0, preferredTimescale: 1000))
            }
            let observer = player.addBoundaryTimeObserver(forTimes: boundaries, queue: .main) {
                log.note("crossed")
            }
            #expect(log.all.isEmpty)

            player.play()
            await log.wait(for: "crossed")
            await player.seek(to: CMTime(value: 98, timescale: 10))
            await player.waitFor(current: nil)

            #expect(log.all.count == 2)
            player.removeTimeObserver(observer)
        }

        @Test(.rule("T44"), arguments: [false, true])
        func `A player's time follows the last of many quick seeks, and leaves out earlier ones`(
            isPlaying: Bool
        ) async {
            let player = AVQueuePlayer.silent([Sound.item(0, seconds: 30)])
            let log = Log()
            if isPlaying {
                player.play()
                await player.waitFor(.playing)
            }

            for number in 1...30 {
                player.seek(to: CMTime(value: Int64(number), timescale: 2)) { isFinished in
                    log.note("\(number) \(isFinished)")
                }
            }
            #expect(player.currentTime() >= CMTime(value: 15, timescale: 1))
            await log.wait { $0.count == 30 }

            // A thread that has to wait between two calls lets the first one finish.
            #expect(log.all.contains { $0.hasSuffix("false") })
            #expect(log.all.last == "30 true")
            #expect(log.all.compactMap { Int($0.prefix { $0 != " " }) } == Array(1...30))
        }

        @Test(.rule("T45")) func `A player traps for a seek to an invalid time`() async {
            await #expect(processExitsWith: .failure) {
                AVQueuePlayer.silent([Sound.item()]).seek(to: .invalid)
            }
            await #expect(processExitsWith: .failure) {
                AVQueuePlayer.silent([Sound.item()]).seek(to: .indefinite)
            }
        }

        @Test(.rule("T46")) func `A player's time never runs backwards during chained seeks`() async
        {
            let player = AVQueuePlayer.silent([Sound.item(0, seconds: 60)])
            player.play()
            await player.waitFor(.playing)
            var times: [CMTime] = []

            for second in 1...8 {
                await player.seek(
                    to: CMTime(value: Int64(second * 3), timescale: 1), toleranceBefore: .zero,
                    toleranceAfter: .zero)
                times += [player.currentTime(), player.currentTime()]
            }

            #expect(times == times.sorted())
            #expect(times[0] >= CMTime(value: 3, timescale: 1))
        }

        @Test(.rule("T47")) func `An observer of the time does not keep its player alive`() async {
            weak var weakPlayer: AVQueuePlayer?
            let times: AsyncStream<CMTime>
            do {
                let player = AVQueuePlayer.silent([Sound.item(0, seconds: 30)])
                weakPlayer = player
                times = player.times(every: CMTime(value: 1, timescale: 100))
                player.play()
                await player.waitFor(.playing)
            }
            for await _ in times { break }
            // A pending block of the main queue may retain it a little longer.
            for _ in 0..<1000 where weakPlayer != nil { await MainActor.run {} }

            #expect(weakPlayer == nil)
        }

        @Test(.rule("T48")) func `A player's time includes an item's duration once loaded`() async {
            let item = AVPlayerItem(url: Sound.url(0))
            #expect(item.duration.isIndefinite)
            let player = AVQueuePlayer.silent([item])

            await item.waitFor(.readyToPlay)

            #expect(item.duration == CMTime(value: 1_270_820, timescale: 44100))
            withExtendedLifetime(player) {}
        }

        @Test func `A seek without an item is reported as not finished`() async {
            let player = AVQueuePlayer.silent()

            #expect(await player.seek(to: .zero) == false)
            #expect(player.currentTime() == .zero)
        }

        @Test func `A player's time is not the one before a seek once that has finished`() async {
            let player = AVQueuePlayer.silent([Sound.item(0, seconds: 29)])
            let place = Mutex(CMTime.zero)
            let old = Log()
            let observer = player.addPeriodicTimeObserver(
                forInterval: CMTime(value: 1, timescale: 100), queue: .main
            ) { time in
                if time < place.withLock(\.self) { old.note("\(time.seconds)") }
            }
            player.play()
            await player.waitFor(.playing)

            for number in 1...20 {
                let target = CMTime(value: CMTimeValue(number), timescale: 1)
                await player.seek(to: target, toleranceBefore: .zero, toleranceAfter: .zero)
                place.withLock { $0 = target }
                _ = await player.firstTime { $0 > target }
            }
            await MainActor.run {}

            #expect(old.all == [])
            player.removeTimeObserver(observer)
        }

        @Test(arguments: [nil, DispatchQueue.main])
        func `A player's time is the item's end after a seek beyond it`(queue: DispatchQueue?) async
        {
            let item = Sound.item(0, seconds: 20)
            let player = AVQueuePlayer.silent([item, Sound.item(1, seconds: 30)])
            let last = Mutex(CMTime.zero)
            let log = Log()
            let observer = player.addPeriodicTimeObserver(
                forInterval: CMTime(value: 1, timescale: 100), queue: queue
            ) { time in last.withLock { $0 = time } }
            let listener = Listener(.AVPlayerItemDidPlayToEndTime, of: item) { _ in
                log.note("\(last.withLock(\.seconds))")
            }
            player.play()
            await player.waitFor(.playing)

            await player.seek(to: CMTime(value: 25, timescale: 1))
            await log.wait { !$0.isEmpty }

            #expect(log.all == ["20.0"])
            player.removeTimeObserver(observer)
            withExtendedLifetime(listener) {}
        }

        @Test func `A player's time posts a notification when it jumps`() async {
            let item = Sound.item(0, seconds: 30)
            let player = AVQueuePlayer.silent([item])
            let log = Log()
            let listener = Listener(.AVPlayerItemTimeJumped, of: item) { _ in log.note("jump") }
            player.play()
            await player.waitFor(.playing)

            await player.seek(to: CMTime(value: 10, timescale: 1))

            await log.wait(for: "jump")
            withExtendedLifetime(listener) {}
        }

        @Test func `A player traps when an unknown observer is removed`() async {
            await #expect(processExitsWith: .failure) {
                AVQueuePlayer.silent().removeTimeObserver("token")
            }
        }
    }
}

extension AVPlayer {
    func firstTime(_ isWanted: (CMTime) -> Bool) async -> CMTime {
        for await time in times(every: CMTime(value: 1, timescale: 100)) where isWanted(time) {
            return time
        }
        return .invalid
    }
}
