package import UndersongAudioSession
import UndersongPlayback

/// Events for front ends.
extension PlayerService {
    /// Calls `handler` with every event from now on, in order, on the thread where it happens. It
    /// must neither block nor call the service.
    package nonisolated func observe(_ handler: @escaping @Sendable (PlayerEvent) -> Void) {
        session.subscribe(handler)
    }

    /// Adds the times of `wish` to the events from now on, until `unsubscribe`.
    package func subscribe(_ wish: EventWish) async -> EventSelection {
        var watches: [WatchID] = []
        for times in wish.times { watches.append(await watch(times)) }
        return EventSelection(wish: wish, watches: watches)
    }

    /// Calls `handler` with events that describe the current state, selected or not, and then calls
    /// `then` before any other event happens. Both are called on one thread and must not block.
    package func sendSnapshot(
        _ selection: EventSelection, _ handler: @escaping @Sendable (PlayerEvent) -> Void,
        then: @escaping @Sendable () -> Void
    ) async {
        await session.sendSnapshot(
            interval: selection.wish.interval, sleep: reportedSleep, handler, then: then)
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
