import AudioIO
package import Background
package import Playback

/// Gives a player's commands without waiting for them, for callers that are not asynchronous: they
/// are carried out in the order of the calls. Any thread may call it; nothing here blocks.
///
/// Such a caller keeps a queue of its own and allots the items' ids; a command names the item that
/// it takes for the current one, and does nothing when the player has gone on meanwhile.
package struct PlayerCommands: Sendable {
    let engine: PlayerEngine

    package func play(rate: Double) {
        post { engine in
            engine.set { $0.rate = rate }
            engine.play()
        }
    }

    package func pause() { post { $0.pause() } }

    package func set(_ change: @escaping @Sendable (inout PlayerSettings) -> Void) {
        post { $0.set(change) }
    }

    // MARK: The queue

    /// Adds `item` behind `id`, or at the end for nil; when `id` was left already, next.
    package func insert(_ item: QueueItem, after id: ItemID?) {
        post { $0.handle(.edit(.insert(item, after: id))) }
    }

    package func move(_ id: ItemID, after other: ItemID?) {
        post { try? $0.move(id, after: other) }
    }

    package func replaceCurrent(with item: QueueItem) {
        post { $0.handle(.edit(.replaceCurrent(item))) }
    }

    /// Puts `item` in front of the current one and goes to it.
    package func goBack(to item: QueueItem) { post { $0.handle(.edit(.goBack(item))) } }

    /// Changes which part of its source an item plays, also while it is heard.
    package func setRange(of id: ItemID, start: CMTime, end: CMTime?) {
        post { $0.handle(.edit(.setRange(id, start: start, end: end))) }
    }

    /// Removes an item; the current one is left for the next.
    package func remove(_ id: ItemID) { post { _ = $0.remove(id) } }

    package func removeAll() { post { $0.removeAll() } }

    // MARK: Time

    /// Goes to `time` of the item and then calls `completion`, on the engine's queue: with false when
    /// the item is not current, or when another jump came first.
    package func seek(
        _ id: ItemID, to time: CMTime, completion: @escaping @Sendable (Bool) -> Void
    ) {
        post { engine in
            guard engine.currentItem?.id == id else { return completion(false) }
            engine.seek(to: time, completion: completion)
        }
    }

    package func cancelPendingSeeks() { post { $0.cancelPendingSeeks() } }

    /// Observes times as the player's own methods do, and has each call run by `line`, which keeps
    /// their order.
    package func addTimeObserver(
        _ times: TimeWatch.Times,
        on line: @escaping @Sendable (_ call: @escaping @Sendable () -> Void) -> Void,
        using handler: @escaping @Sendable (CMTime) -> Void
    ) -> TimeObserverToken {
        engine.observers.add(times, on: line, handler)
    }

    // MARK: The session

    package func setCategory(_ category: SessionCategory) {
        post { $0.handle(.setCategory(category)) }
    }

    package func setInterrupted(_ isInterrupted: Bool) {
        post { $0.handle(.setInterrupted(isInterrupted)) }
    }

    /// The host is in `state`, with or without the `audio` mode declared.
    package func enter(_ state: ApplicationState, hasAudioCapability: Bool) {
        post { engine in
            engine.handle(.setAudioCapability(hasAudioCapability))
            engine.enter(state, source: "host")
        }
    }

    private func post(_ command: @escaping @Sendable (isolated PlayerEngine) -> Void) {
        let engine = engine
        engine.executor.post { engine.assumeIsolated(command) }
    }
}

extension QueuePlayer {
    /// The same commands for callers that do not wait.
    package var post: PlayerCommands { PlayerCommands(engine: engine) }

    /// Where the current item is heard, to the nanosecond: the item and its time; nil before
    /// anything was heard. Any thread; it neither waits nor asks the engine.
    package var heard: (item: ItemID, time: CMTime)? {
        guard let position = engine.observers.position else { return nil }
        let seconds = position.seconds(at: engine.configuration.clock.now)
        let time = CMTime(value: Int64((seconds * 1e9).rounded()), timescale: 1_000_000_000)
        return (position.item, time)
    }
}
