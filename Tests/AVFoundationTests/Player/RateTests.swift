import AVFoundation
import Synchronization
import TestSupport
import Testing

extension Players {
    @Suite struct `A player's rate` {
        @Test func `A player's rate changes at once, and the status follows the sound`() async {
            let player = AVQueuePlayer.silent([Sound.item(0, seconds: 30)])
            #expect(player.rate == 0)
            #expect(player.timeControlStatus == .paused)
            #expect(player.reasonForWaitingToPlay == nil)

            player.play()
            #expect(player.rate == 1)
            #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
            #expect(player.reasonForWaitingToPlay == .evaluatingBufferingRate)
            await player.waitFor(.playing)
            #expect(player.reasonForWaitingToPlay == nil)

            player.pause()
            #expect(player.rate == 0)
            #expect(player.timeControlStatus == .paused)
        }

        @Test func `A rate set to 0 and back in one turn does not make the player wait`() async {
            let player = AVQueuePlayer.silent([Sound.item(0, seconds: 30)])
            player.play()
            await player.waitFor(.playing)
            let log = Log()
            let token = player.observe(\.timeControlStatus) { player, _ in
                log.note("\(player.timeControlStatus)")
            }

            for _ in 1...5 {
                await MainActor.run {
                    player.rate = 0
                    player.play()
                }
                // It was held meanwhile, and plays again.
                let time = player.currentTime() + CMTime(value: 1, timescale: 10)
                _ = await player.firstTime { $0 > time }
            }
            await MainActor.run {}

            let statuses = Set(log.all)
            #expect(statuses == ["paused", "playing"])
            withExtendedLifetime(token) {}
        }

        @Test func `A player's rate is that of the current item's timebase while it sounds`()
            async throws
        {
            let items = [Sound.item(0, seconds: 30), Sound.item(1, seconds: 30)]
            let player = AVQueuePlayer.silent(items)
            let timebases = try items.map { try #require($0.timebase) }
            #expect(timebases.map(\.rate) == [0, 0])

            player.rate = 1.5
            let waitingRate = CMTimebaseGetRate(timebases[0])
            // It may sound already.
            let isWaiting = player.timeControlStatus == .waitingToPlayAtSpecifiedRate
            #expect(waitingRate == 0 || !isWaiting)
            await player.waitFor(.playing)

            #expect(timebases.map(\.rate) == [1.5, 0])
            let first = CMTimebaseGetTime(timebases[0])
            let later = await player.firstTime { $0 > first }
            #expect(timebases[0].time >= later && timebases[1].time == .zero)
            player.pause()
            #expect(timebases.map(\.rate) == [0, 0])
        }

        @Test
        func `A player's rate becomes the default rate on play, and setting that changes nothing`()
        {
            let player = AVQueuePlayer.silent()

            player.defaultRate = 1.5
            #expect(player.rate == 0)
            player.play()
            #expect(player.rate == 1.5)
            player.rate = 2
            #expect(player.defaultRate == 1.5)
        }

        @Test func `A player's rate is clamped to the supported range, with a notification`() async
        {
            let player = AVQueuePlayer.silent()
            let log = Log()
            let listener = Listener(AVPlayer.rateDidChangeNotification, of: player) {
                notification in
                let reason = notification.userInfo?[AVPlayer.rateDidChangeReasonKey]
                log.note((reason as? AVPlayer.RateDidChangeReason)?.rawValue ?? "none")
            }

            player.rate = 64
            #expect(player.rate == 32)
            player.rate = 1
            player.rate = -1
            #expect(player.rate == 0)

            await log.wait { $0.count == 3 }
            let failed = AVPlayer.RateDidChangeReason.setRateFailed.rawValue
            let called = AVPlayer.RateDidChangeReason.setRateCalled.rawValue
            #expect(log.all == [failed, called, failed])
            withExtendedLifetime(listener) {}
        }

        @Test(arguments: [Float(1) / 32, 0.25, 4, 32])
        func `A player's rate may be from a thirty-second to 32, and time passes at it`(rate: Float)
            async throws
        {
            let item = Sound.item(0, seconds: 25)
            let player = AVQueuePlayer.silent([item])
            await item.waitFor(.readyToPlay)
            let start = ContinuousClock.now

            player.rate = rate
            try await eventually { player.currentTime().seconds > Double(rate) * 0.3 }
            let time = player.currentTime().seconds
            let passed: Double = (ContinuousClock.now - start) / .seconds(1)

            #expect(player.rate == rate)
            // Never faster than asked for; how late a busy machine looks does not matter.
            let most: Double = Double(rate) * passed + 0.01
            #expect(time <= most)
        }

        @Test func `A player's rate becomes 0 at the end of the item, which stays`() async {
            AVPlayer.outputDestination = .null
            let item = Sound.item()
            let player = AVPlayer(playerItem: item)
            #expect(player.actionAtItemEnd == .pause)

            player.play()
            await player.waitFor(.playing)
            await player.waitFor(.paused)

            #expect(player.rate == 0)
            #expect(player.currentItem === item)
            #expect(player.currentTime() == CMTime(value: 250, timescale: 1000))
        }

        @Test
        func `A player keeps its rate at the end with the action none, and the time continues`()
            async
        {
            AVPlayer.outputDestination = .null
            let item = Sound.item()
            let player = AVPlayer(playerItem: item)
            player.actionAtItemEnd = .none
            let log = Log()
            let listener = Listener(.AVPlayerItemDidPlayToEndTime, of: item) { _ in log.note("end")
            }

            player.play()
            await log.wait(for: "end")
            let (first, second) = (player.currentTime(), player.currentTime())

            #expect(player.rate == 1)
            #expect(player.timeControlStatus == .playing)
            #expect(player.currentItem === item)
            #expect(first >= CMTime(value: 250, timescale: 1000))
            #expect(second > first)
            withExtendedLifetime(listener) {}
        }

        @Test func `A player lets an application loop by seeking at the end`() async {
            AVPlayer.outputDestination = .null
            let item = Sound.item()
            let player = AVPlayer(playerItem: item)
            player.actionAtItemEnd = .none
            let log = Log()
            let listener = Listener(.AVPlayerItemDidPlayToEndTime, of: item) { [player] _ in
                log.note("end")
                player.seek(to: .zero)
                player.play()
            }

            player.play()
            await log.wait { $0.count == 3 }

            #expect(player.currentItem === item)
            player.pause()
            withExtendedLifetime(listener) {}
        }

        @Test func `A player's rate changes when an action is set at the end`() async {
            let items = [Sound.item(), Sound.item(1, seconds: 30)]
            let player = AVQueuePlayer.silent(items)
            player.actionAtItemEnd = .none
            let log = Log()
            let listener = Listener(.AVPlayerItemDidPlayToEndTime) { _ in log.note("end") }
            player.play()
            await log.wait(for: "end")
            #expect(player.currentItem === items[0])

            player.actionAtItemEnd = .advance

            await player.waitFor(current: items[1])
            #expect(player.rate == 1)
            withExtendedLifetime(listener) {}
        }

        @Test func `A player of one item traps when it is set to advance`() async {
            await #expect(processExitsWith: .failure) {
                AVPlayer.outputDestination = .null
                AVPlayer().actionAtItemEnd = .advance
            }
        }

        @Test func `A player ends an item at an end time set during playback`() async {
            let item = Sound.item(0, seconds: 30)
            let player = AVQueuePlayer.silent([item])
            player.play()
            await player.waitFor(.playing)

            item.forwardPlaybackEndTime = CMTime(value: 6, timescale: 10)
            await player.waitFor(current: nil)

            #expect(item.duration > CMTime(value: 20, timescale: 1))
        }

        @Test func `A player's rate does not affect volume and mute, which are kept in range`() {
            let player = AVQueuePlayer.silent()

            player.volume = 0.25
            player.isMuted = true
            #expect(player.volume == 0.25)
            player.volume = 7
            #expect(player.volume == 1)
            #expect(player.isMuted)
        }
    }
}
