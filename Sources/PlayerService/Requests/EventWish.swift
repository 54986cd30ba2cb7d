package import AudioSession
package import Playback

/// Which events somebody wants.
package struct EventWish: Sendable {
    /// The kinds, by their names; nil: all.
    package var kinds: Set<String>?
    /// Seconds between time events on an item's timeline, above 0; nil: none.
    package var interval: CMTime?
    /// Times on every item's timeline that are reported when they are crossed.
    package var boundaries: [CMTime]

    package init(kinds: Set<String>? = nil, interval: CMTime? = nil, boundaries: [CMTime] = []) {
        self.kinds = kinds
        self.interval = interval
        self.boundaries = boundaries
    }

    /// The times that the session has to report for it.
    var times: [TimeEvents] {
        (interval.map { [.every($0)] } ?? []) + (boundaries.isEmpty ? [] : [.at(boundaries)])
    }
}

/// A wish that is being met: it says which of the session's events are meant.
package struct EventSelection: Sendable {
    let wish: EventWish
    /// The session's watches whose times are wanted.
    let watches: [WatchID]

    /// Whether `event` is wanted. Any thread.
    package func wants(_ event: SessionEvent) -> Bool {
        if let watch = event.watch, !watches.contains(watch) { return false }
        return wish.kinds?.contains(event.kind.name) ?? true
    }
}
