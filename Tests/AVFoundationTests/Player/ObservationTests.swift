import Observation
import TestSupport
import Testing

@testable import UndersongAVFoundation

extension Players {
    @Suite struct `The observation of a player` {
        @Test(.rule("C5"))
        func `Observing a player starts with the current value, before the call returns`() {
            let item = Sound.item()
            let player = AVQueuePlayer.silent([item])
            var values: [AVPlayerItem?] = []

            let token = player.observe(\.currentItem, options: [.initial, .new]) { _, change in
                values.append(change.newValue ?? nil)
                #expect(change.oldValue == nil)
                #expect(change.kind == .setting)
            }

            #expect(values == [item])
            withExtendedLifetime(token) {}
        }

        @Test func `Observing a player reports the old and the new value, as requested`() {
            let player = AVQueuePlayer.silent()
            var changes: [[Float?]] = []
            let token = player.observe(\.volume, options: [.old, .new]) { _, change in
                changes.append([change.oldValue, change.newValue])
            }
            let plain = player.observe(\.volume) { _, change in
                changes.append([change.oldValue, change.newValue])
            }

            player.volume = 0.5
            player.volume = 0.5
            token.invalidate()
            plain.invalidate()
            player.volume = 0.25

            #expect(changes.count == 2)
            #expect(changes.contains([1, 0.5]))
            #expect(changes.contains([nil, nil]))
        }

        @Test(arguments: [false, true])
        func `Observing reports a rate that is set to 0 again, with an item and without`(
            hasItem: Bool
        ) {
            let player = AVQueuePlayer.silent(hasItem ? [Sound.item()] : [])
            let log = Log()
            let tokens = [
                player.observe(\.rate) { _, _ in log.note("rate") },
                player.observe(\.timeControlStatus) { _, _ in log.note("status") },
            ]

            player.rate = 0

            #expect(log.all.sorted() == ["rate", "status"])
            withExtendedLifetime(tokens) {}
        }

        @Test func `Observing a player ends with its token`() {
            let player = AVQueuePlayer.silent()
            var count = 0
            do {
                let token = player.observe(\.rate) { _, _ in count += 1 }
                player.rate = 1
                withExtendedLifetime(token) {}
            }

            player.rate = 2

            #expect(count == 1)
        }

        @Test
        func `An observed sequence ends with the newest value when two threads report at once`()
            async
        {
            let counter = Counter()
            let values = counter.values(of: \.count)

            counter.set(1) { counter.set(2) }

            for await value in values {
                #expect(value == 2)
                break
            }
        }

        @Test func `Observing a player follows a path through the current item`() async {
            let (bad, good) = (Sound.missing(), Sound.item(0, seconds: 30))
            AVPlayer.outputDestination = .null
            let player = AVPlayer(playerItem: bad)
            let log = Log()
            let token = player.observe(\.currentItem?.status, options: [.initial, .new]) {
                player, _ in
                log.note(player.currentItem?.status.name ?? "none")
            }
            await log.wait(for: "failed")

            player.replaceCurrentItem(with: good)

            await log.wait(for: "ready")
            // A status may have changed before it could be reported, and is read twice then.
            let known = log.all.filter { $0 != "unknown" }
            #expect(zip(["failed"] + known, known).filter(!=).map(\.1) == ["ready"])
            #expect(known.first == "failed")
            withExtendedLifetime(token) {}
        }

        @Test func `Observing reports an item's loaded values as soon as they are loaded`() async {
            let item = Sound.item(0, seconds: 30)
            let log = Log()
            let token = item.observe(\.loadedTimeRanges, options: [.initial]) { item, _ in
                log.note(item.loadedTimeRanges.isEmpty ? "nothing" : "all")
            }
            let player = AVQueuePlayer.silent([item])

            await log.wait(for: "all")

            #expect(log.all.first == "nothing")
            let range = item.loadedTimeRanges.first?.timeRangeValue
            #expect(range == CMTimeRange(start: .zero, duration: item.duration))
            withExtendedLifetime((player, token)) {}
        }

        @Test func `Observing a player works with Swift's Observation`() {
            let player = AVQueuePlayer.silent()
            let log = Log()

            let rate = withObservationTracking {
                player.rate
            } onChange: {
                log.note("changed")
            }
            player.volume = 0.5
            #expect(log.all.isEmpty)
            player.rate = 1

            #expect(rate == 0)
            #expect(log.all == ["changed"])
        }

        @Test func `Observing a player works as a sequence of values`() async {
            let player = AVQueuePlayer.silent([Sound.item(0, seconds: 0.2)])
            var seen: [AVPlayer.TimeControlStatus] = []

            for await status in player.values(of: \.timeControlStatus) {
                seen.append(status)
                if status == .paused { player.play() }
                if status == .playing { break }
            }

            #expect(seen.first == .paused)
            #expect(seen.last == .playing)
        }

        @Test
        func `Notifications come on the main queue, which is not a fixed thread here`() async {
            let player = AVQueuePlayer.silent([Sound.item(0, seconds: 0.2)])
            let log = Log()
            let names = [
                AVPlayer.rateDidChangeNotification, AVPlayerItem.didPlayToEndTimeNotification,
                AVAudioSession.routeChangeNotification, AVAudioSession.interruptionNotification,
            ]
            let tokens = names.map { name in
                NotificationCenter.default.addObserver(
                    forName: name, object: nil, queue: .main
                ) { log.note($0.name.rawValue) }
            }
            let host = AVAudioSession.sharedInstance().host

            player.play()
            await log.wait(for: names[1].rawValue)
            host.changeRoute(to: AVAudioSession.sharedInstance().currentRoute, reason: .override)
            host.beginInterruption()
            host.endInterruption(shouldResume: false)

            await log.wait { log in names.allSatisfy { log.contains($0.rawValue) } }
            for token in tokens { NotificationCenter.default.removeObserver(token) }
        }

        @Test func `Observing a player works as a sequence of notifications`() async {
            let item = Sound.item(0, seconds: 0.2)
            let player = AVQueuePlayer.silent([item])
            let ends = NotificationCenter.default.notifications(
                named: .AVPlayerItemDidPlayToEndTime, object: item)

            player.play()

            for await notification in ends {
                #expect(notification.object as? AVPlayerItem === item)
                break
            }
        }
    }
}

extension AVPlayerItem.Status {
    fileprivate var name: String {
        switch self {
        case .unknown: "unknown"
        case .readyToPlay: "ready"
        case .failed: "failed"
        }
    }
}

/// An observable object that changes once more while its observers read it.
private final class Counter: NSKeyValueObservation.Observable {
    let keyValueObservers = NSKeyValueObservation.Observers()
    private var value = 0
    private var intervention: (() -> Void)?

    var count: Int {
        keyValueObservers.access("count")
        let read = value
        intervention.take()?()
        return read
    }

    func set(_ value: Int, andThen intervention: (() -> Void)? = nil) {
        self.value = value
        self.intervention = intervention
        keyValueObservers.changed(["count"])
    }
}
