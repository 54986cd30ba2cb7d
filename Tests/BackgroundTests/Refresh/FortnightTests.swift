import Foundation
import Testing
import UndersongBackground
import UndersongPlayback

/// Fourteen days of a listener with twenty feeds, by the rules of this player and by those of two
/// others, after fourteen in which it could learn. With `FORTNIGHT` in the environment a table is
/// printed.
struct FortnightTests {
    private static let start = RefreshStage.monday
    private static let day = RefreshStage.day

    @Test func `Feeds are read before the player is opened, at little cost`() {
        let (own, antennaPod, gPodder) = (
            Self.scheduled(), Self.periodic(every: 43200, isFreeOnly: true), Self.whileOpen()
        )

        #expect(own.missed == 0 && antennaPod.missed > 0 && gPodder.missed > 0, "\(own.missed)")
        // Evenings without news are left out: looking at that hour has often been in vain (F8).
        #expect(own.freshShare >= 0.8, "\(own.freshShare)")
        #expect(own.freshShare > antennaPod.freshShare && own.freshShare > gPodder.freshShare)
        #expect(own.reads <= 12 * ListenerDays.measured, "\(own.reads)")
        // Of what costs money, a feed's news at most, and no episode.
        #expect(own.meteredBytes < 1e6, "\(own.meteredBytes)")
        let undated = Self.scheduled(isDated: false)
        #expect(undated.missed < antennaPod.missed, "\(undated.missed)")
        #expect(undated.reads <= 12 * ListenerDays.measured, "\(undated.reads)")
        if ProcessInfo.processInfo.environment["FORTNIGHT"] != nil {
            print(own.row("Undersong"), undated.row("without dates"), separator: "\n")
            print(
                antennaPod.row("AntennaPod's rules"), gPodder.row("gPodder's rules"),
                separator: "\n")
        }
    }

    /// By `RefreshScheduler` and `FeedPlan`.
    private static func scheduled(isDated: Bool = true) -> FortnightResult {
        let shelf = shelf()
        var stage = RefreshStage()
        let isMetered = Flag()
        stage.answer = { _, now in
            let (new, published) = shelf.read(
                at: now.wall, isMetered: isMetered.value, byPlan: true)
            let result = RefreshResult(rawValue: new > 0 ? "newData" : "noData") ?? .failed
            let completion = RefreshCompletion(
                result, new: new, published: isDated ? published : nil)
            return (completion, 5)
        }
        stage.send(.setInterval(.minimum))
        stage.change { $0.machine.isSleeping = true }
        var isAwake = false
        return spend(shelf, isMetered) { event, time in
            stage.pass(time - stage.now.wall, alarms: isAwake)
            switch event {
            case .wakes?, .sleeps?:
                isAwake = event == .wakes
                stage.change { $0.machine.isSleeping = !isAwake }
            case .opens?: stage.change { $0.host = .active }
            case .metered?, .unmetered?:
                stage.change { $0.machine.network.isMetered = isMetered.value }
            case nil: stage.change { $0.host = .background }
            }
        }
    }

    /// Every so many seconds when the machine is awake, and the network costs nothing if it
    /// `isFreeOnly`.
    private static func periodic(every seconds: Double, isFreeOnly: Bool) -> FortnightResult {
        let shelf = shelf()
        let isMetered = Flag()
        var (next, isAwake, now) = (start, false, start)
        return spend(shelf, isMetered) { event, time in
            while isAwake, !(isFreeOnly && isMetered.value), max(now, next) <= time {
                now = max(now, next)
                _ = shelf.read(at: now, isMetered: isMetered.value, byPlan: false)
                next = now + seconds
            }
            now = time
            if event == .wakes || event == .sleeps { isAwake = event == .wakes }
        }
    }

    /// Every twenty minutes while its window is open, which is half an hour.
    private static func whileOpen() -> FortnightResult {
        let shelf = shelf()
        let isMetered = Flag()
        var next: Double?
        return spend(shelf, isMetered) { event, time in
            if let due = next, due <= time {
                _ = shelf.read(at: due, isMetered: isMetered.value, byPlan: false)
                next = nil
            }
            if event == .opens { next = time + 1200 }
        }
    }

    private final class Flag { var value = false }

    private static func shelf() -> FeedShelf {
        FeedShelf(from: start, days: ListenerDays.trained + ListenerDays.measured, seed: 3)
    }

    /// Passes all days: `pass` is called for each event at its time, and with nil five minutes
    /// after an opening.
    private static func spend(
        _ shelf: FeedShelf, _ isMetered: Flag,
        _ pass: (ListenerDays.Event?, Double) -> Void
    ) -> FortnightResult {
        var result = FortnightResult()
        var days = ListenerDays(seed: 7)
        let from = start + Double(ListenerDays.trained) * day
        let end = from + Double(ListenerDays.measured) * day
        var before = (requests: 0, feedBytes: 0.0, meteredBytes: 0.0)
        for number in 0..<ListenerDays.trained + ListenerDays.measured {
            if number == ListenerDays.trained {
                before = (shelf.requests, shelf.feedBytes, shelf.meteredBytes)
            }
            for (seconds, event) in days.events(of: number) {
                let time = start + Double(number) * day + seconds
                if event == .metered || event == .unmetered {
                    isMetered.value = event == .metered
                    shelf.setMetered(isMetered.value, at: time)
                }
                if event == .opens {
                    // What is due before is done before.
                    pass(.opens, time)
                    if time >= from { result.countOpening(shelf, at: time) }
                    pass(nil, time + 300)
                } else {
                    pass(event, time)
                }
            }
        }
        result.countEnd(shelf, from: from, to: end)
        result.requests = shelf.requests - before.requests
        result.feedBytes = shelf.feedBytes - before.feedBytes
        result.meteredBytes = shelf.meteredBytes - before.meteredBytes
        return result
    }
}
