import AVFoundation
import Synchronization
import Testing

extension Players {
    @Suite struct `A player at an item's end` {
        @Test func `A player ends an item that was just inserted by a seek beyond its end`() async {
            let items = [Sound.item(0, seconds: 30), Sound.item(1, seconds: 0.3)]
            let player = AVQueuePlayer.silent()
            let log = Log()
            let listener = Listener(.AVPlayerItemDidPlayToEndTime) { notification in
                log.note(notification.object as AnyObject === items[0] ? "first" : "second")
            }

            player.rate = 1
            player.insert(items[0], after: nil)
            player.insert(items[1], after: nil)
            player.seek(to: CMTime(value: 4000, timescale: 1)) { _ in }

            await log.wait { $0.count == 2 }
            #expect(log.all == ["first", "second"])
            withExtendedLifetime(listener) {}
        }

        @Test(arguments: [false, true], [4000.0, 30])
        func `A player ends the only item of a queue by a seek beyond its end`(
            isPaused: Bool, seconds: Double
        ) async {
            let items = [Sound.item(0, seconds: 30), Sound.item(1, seconds: 0.2)]
            let player = AVQueuePlayer.silent()
            let log = Log()
            let listener = Listener(.AVPlayerItemDidPlayToEndTime) { notification in
                log.note(notification.object as AnyObject === items[0] ? "first" : "second")
            }

            if !isPaused { player.play() }
            player.insert(items[0], after: nil)
            player.seek(to: CMTime(seconds: seconds, preferredTimescale: 1)) { _ in }
            if isPaused { player.play() }
            await log.wait(for: "first")
            await player.waitFor(current: nil)
            player.insert(items[1], after: nil)

            await log.wait { $0.count == 2 }
            #expect(log.all == ["first", "second"])
            withExtendedLifetime(listener) {}
        }

        @Test func `A player plays after play at the end and a seek to the start`() async {
            AVPlayer.outputDestination = .null
            let item = Sound.item()
            let player = AVPlayer(playerItem: item)
            let log = Log()
            let listener = Listener(.AVPlayerItemDidPlayToEndTime, of: item) { _ in
                log.note("end")
            }
            player.play()
            await log.wait(for: "end")
            await player.waitFor(.paused)

            player.play()
            await player.seek(to: .zero)

            #expect(player.rate == 1)
            await log.wait { $0.count == 2 }
            #expect(player.rate == 0)
            withExtendedLifetime(listener) {}
        }

        @Test(arguments: [AVPlayer.ActionAtItemEnd.pause, .none])
        func `A player does not play before it sounds again after a seek and play in a handler`(
            action: AVPlayer.ActionAtItemEnd
        ) async {
            AVPlayer.outputDestination = .null
            let item = Sound.item()
            let player = AVPlayer(playerItem: item)
            player.actionAtItemEnd = action
            let log = Log()
            let isFirst = Atomic(true)
            let listener = Listener(.AVPlayerItemDidPlayToEndTime, of: item) { [player] _ in
                guard isFirst.exchange(false, ordering: .relaxed) else { return log.note("end") }
                player.seek(to: .zero)
                player.play()
                log.note("\(player.timeControlStatus) in the handler")
            }
            let token = player.observe(\.timeControlStatus) { player, _ in
                log.note("\(player.timeControlStatus)")
            }

            player.play()
            await log.wait(for: "end")

            let places = log.all.split(separator: "waitingToPlayAtSpecifiedRate in the handler")
            #expect(places.count == 2)
            #expect(places.last?.contains("playing") == true)
            withExtendedLifetime((listener, token)) {}
        }

        @Test func `A player at an item's end has the item's duration as its time, not less`() async
        {
            AVPlayer.outputDestination = .null
            let item = AVPlayerItem(url: Sound.url(0))
            let player = AVPlayer(playerItem: item)
            let times = Mutex<[CMTime]>([])
            let log = Log()
            let listener = Listener(.AVPlayerItemDidPlayToEndTime, of: item) { [player] _ in
                times.withLock { $0.append(player.currentTime()) }
                log.note("end")
            }
            let observer = player.addPeriodicTimeObserver(
                forInterval: CMTime(value: 1, timescale: 1000), queue: nil
            ) { time in times.withLock { $0 += [time, player.currentTime()] } }
            await player.seek(to: CMTime(value: 285, timescale: 10))
            player.play()
            await log.wait(for: "end")
            await player.waitFor(.paused)
            player.removeTimeObserver(observer)

            #expect(times.withLock { $0.max() } == item.duration)
            #expect(player.currentTime() == item.duration)
            withExtendedLifetime(listener) {}
        }

        @Test func `A player of a queue has the end as its time in the handler`() async {
            let items = [AVPlayerItem(url: Sound.url(0)), Sound.item(1, seconds: 30)]
            let player = AVQueuePlayer.silent(items)
            let log = Log()
            let listener = Listener(.AVPlayerItemDidPlayToEndTime) { [player] _ in
                let isFirst = player.currentItem === items[0]
                log.note("\(isFirst) \(player.currentTime() == items[0].duration)")
            }
            await player.seek(to: CMTime(value: 285, timescale: 10))
            player.play()
            await log.wait { !$0.isEmpty }
            #expect(log.all == ["true true"])
            withExtendedLifetime(listener) {}
        }

        @Test(arguments: [0.1, 1.234567, 3.00001, 7.7777])
        func `A player is at the time that was sought, not at the next sample`(seconds: Double)
            async
        {
            let player = AVQueuePlayer.silent([AVPlayerItem(url: Sound.url(0))])
            let time = CMTime(seconds: seconds, preferredTimescale: 1_000_000)

            await player.seek(to: time)
            #expect(player.currentTime() == time)
            player.play()
            await player.waitFor(.playing)
            player.pause()
            let other = time + CMTime(value: 1, timescale: 1)
            await player.seek(to: other)
            for _ in 0..<100 { await MainActor.run {} }
            #expect(player.currentTime() == other)
        }
    }

    @Suite struct `A setter` {
        @Test func `A setter notifies of rate and status when the same rate is set again`() async {
            let player = AVQueuePlayer.silent([Sound.item(0, seconds: 30)])
            player.play()
            await player.waitFor(.playing)
            let log = Log()
            let tokens = [
                player.observe(\.rate, options: [.old, .new]) { _, change in
                    log.note("rate \(change.oldValue!) \(change.newValue!)")
                },
                player.observe(\.timeControlStatus) { player, _ in
                    log.note("status \(player.timeControlStatus)")
                },
            ]

            player.rate = 1

            #expect(log.all.sorted() == ["rate 1.0 1.0", "status playing"])
            withExtendedLifetime(tokens) {}
        }
    }
}
