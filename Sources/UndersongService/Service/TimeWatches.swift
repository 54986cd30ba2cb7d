import AudioSession

/// The times that subscriptions want to be told of: each is watched once, for however many.
struct TimeWatches {
    private struct Entry {
        var watch: Int
        var users: Int
    }

    private var entries: [TimeEvents: Entry] = [:]

    /// The number under which `times` are told of already, for one more; nil when they are not.
    mutating func share(_ times: TimeEvents) -> Int? {
        entries[times]?.users += 1
        return entries[times]?.watch
    }

    /// `times` are told of under `watch` from now on, for one.
    mutating func add(_ times: TimeEvents, as watch: Int) {
        entries[times] = Entry(watch: watch, users: 1)
    }

    /// One that wanted them does not any more. Returns whether nobody does.
    mutating func leave(_ watch: Int) -> Bool {
        guard let times = entries.first(where: { $0.value.watch == watch })?.key else {
            return false
        }
        entries[times]?.users -= 1
        guard entries[times]?.users == 0 else { return false }
        entries[times] = nil
        return true
    }
}
