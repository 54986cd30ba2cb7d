import AudioSession
import Playback

/// The times that subscriptions want to be told of: each is watched once, for however many.
struct TimeWatches {
    private struct Entry {
        var watch: Int
        var users: Int
    }

    private var entries: [TimeEvents: Entry] = [:]

    /// The number under which `times` are told of in `session`.
    mutating func add(_ times: TimeEvents, to session: AudioSession) async -> Int {
        if let entry = entries[times] {
            entries[times]?.users += 1
            return entry.watch
        }
        let watch = await session.addTimeEvents(times)
        entries[times] = Entry(watch: watch, users: 1)
        return watch
    }

    /// One that wanted them does not any more.
    mutating func remove(_ watch: Int, from session: AudioSession) async {
        guard let times = entries.first(where: { $0.value.watch == watch })?.key else { return }
        entries[times]?.users -= 1
        guard entries[times]?.users == 0 else { return }
        entries[times] = nil
        await session.removeTimeEvents(watch)
    }
}
