package import UndersongAudioSession

/// The events that a subscriber wants.
package struct EventWish: Sendable {
    /// The kinds by name; nil for all.
    package var kinds: Set<String>?
    /// The seconds between time events on an item's timeline, above 0; nil for none.
    package var interval: CMTime?
    /// Times on every item's timeline to report when they are crossed.
    package var boundaries: [CMTime]

    package init(kinds: Set<String>? = nil, interval: CMTime? = nil, boundaries: [CMTime] = []) {
        self.kinds = kinds
        self.interval = interval
        self.boundaries = boundaries
    }

    /// The times that the session has to report for this wish.
    var times: [TimeEvents] {
        (interval.map { [.every($0)] } ?? []) + (boundaries.isEmpty ? [] : [.at(boundaries)])
    }
}

/// An active subscription: selects events of the session.
package struct EventSelection: Sendable {
    let wish: EventWish
    /// The session's watches whose times are selected.
    let watches: [WatchID]

    /// Whether `event` is selected. May be called on any thread.
    package func wants(_ event: PlayerEvent) -> Bool {
        if let watch = event.watch, !watches.contains(watch) { return false }
        return wish.kinds?.contains(event.kind.name) ?? true
    }
}
