import UndersongAudioSession
package import UndersongBackground
import UndersongPlayback

/// Events for front ends.
extension PlayerService {
    /// Calls `handler` with every event from now on, in order, on the thread where it happens. It
    /// must neither block nor call the service.
    package nonisolated func observe(_ handler: @escaping @Sendable (PlayerEvent) -> Void) {
        session.subscribe(handler)
    }

    /// Adds the times of a subscription to the events from now on, until `unsubscribe`. Throws if a
    /// time is out of range.
    package func subscribe(_ call: Subscribe) async throws(ServiceError) -> EventSelection {
        var selection = EventSelection(
            kinds: call.kinds.map(Set.init),
            interval: try call.interval?.checked(isPositive: true))
        // A shorter one could never be reported in time.
        if let interval = selection.interval, !(1e-6...86400 ~= interval.seconds) {
            throw ServiceError(
                .invalidValue, "report times", "an interval is from a microsecond to a day")
        }
        var boundaries: [CMTime] = []
        for time in call.boundaries ?? [] {
            boundaries.append(try time.checked(isPositive: false))
        }
        if let interval = selection.interval {
            selection.watches.append(await watch(.every(interval)))
        }
        if !boundaries.isEmpty { selection.watches.append(await watch(.at(boundaries))) }
        return selection
    }

    /// Calls `handler` with events that describe the current state, selected or not, and then calls
    /// `then` before any other event happens. Both are called on one thread and must not block.
    package func sendSnapshot(
        _ selection: EventSelection, _ handler: @escaping @Sendable (PlayerEvent) -> Void,
        then: @escaping @Sendable () -> Void
    ) async {
        await session.sendSnapshot(
            interval: selection.interval, sleep: feature(SleepFeature.self).published, handler,
            then: then)
    }

    /// Ends a subscription to times.
    package func unsubscribe(_ selection: EventSelection) async {
        for watch in selection.watches where watches.leave(watch) {
            await session.removeTimeEvents(watch)
        }
    }

    /// The watch for `times`, shared by one more subscription.
    private func watch(_ times: TimeEvents) async -> WatchID {
        if let watch = watches.share(times) { return watch }
        let watch = await session.addTimeEvents(times)
        if let shared = watches.share(times) {
            // Another subscription has requested the same times meanwhile.
            await session.removeTimeEvents(watch)
            return shared
        }
        watches.add(times, as: watch)
        return watch
    }
}

/// An active subscription: selects events of the session.
package struct EventSelection: Sendable {
    /// The kinds by name; nil for all.
    var kinds: Set<String>?
    /// The time between time events on an item's timeline, above 0; nil for none.
    var interval: CMTime?
    /// The session's watches whose times are selected.
    var watches: [WatchID] = []

    /// Returns true if `event` is selected. May be called on any thread.
    package func wants(_ event: PlayerEvent) -> Bool {
        if let watch = event.watch, !watches.contains(watch) { return false }
        return kinds?.contains(event.kind.name) ?? true
    }
}
