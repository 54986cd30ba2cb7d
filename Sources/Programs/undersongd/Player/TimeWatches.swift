import UndersongAudioSession
import UndersongPlayback

/// The times requested by subscriptions; each is watched once, however many want it.
struct TimeWatches {
    private struct Entry {
        var watch: WatchID
        var users: Int
    }

    private var entries: [TimeEvents: Entry] = [:]

    /// The existing watch for `times`, with one more subscriber; nil if there is none.
    mutating func share(_ times: TimeEvents) -> WatchID? {
        entries[times]?.users += 1
        return entries[times]?.watch
    }

    /// Registers `watch` for `times`, with one subscriber.
    mutating func add(_ times: TimeEvents, as watch: WatchID) {
        entries[times] = Entry(watch: watch, users: 1)
    }

    /// Removes a subscriber. Returns whether none is left.
    mutating func leave(_ watch: WatchID) -> Bool {
        guard let times = entries.first(where: { $0.value.watch == watch })?.key else {
            return false
        }
        entries[times]?.users -= 1
        guard entries[times]?.users == 0 else { return false }
        entries[times] = nil
        return true
    }
}
