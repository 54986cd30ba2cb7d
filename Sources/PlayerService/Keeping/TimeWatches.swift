import AudioSession
import Playback

/// The times that subscriptions want to have reported: each is watched once, for however many.
struct TimeWatches {
    private struct Entry {
        var watch: WatchID
        var users: Int
    }

    private var entries: [TimeEvents: Entry] = [:]

    /// What reports `times` already, for one more; nil when they are not reported.
    mutating func share(_ times: TimeEvents) -> WatchID? {
        entries[times]?.users += 1
        return entries[times]?.watch
    }

    /// `times` are reported under `watch` from now on, for one.
    mutating func add(_ times: TimeEvents, as watch: WatchID) {
        entries[times] = Entry(watch: watch, users: 1)
    }

    /// One that wanted them does not any more. Returns whether nobody does.
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
