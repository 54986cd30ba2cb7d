import UndersongAudioIO
package import UndersongBackground
package import UndersongPlayback

/// Issues commands to a player without waiting for them, for callers that are not asynchronous. The
/// commands run in the order of the calls. Any thread may call it; nothing here blocks.
///
/// Such a caller keeps its own queue and assigns the items' ids. A command names the item that the
/// caller considers current, and does nothing if the player has moved on meanwhile.
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

    /// Adds `item` after `id`, or at the end for nil; if `id` was left already, after the current
    /// item.
    package func insert(_ item: QueueItem, after id: ItemID?) {
        post { $0.handle(.edit(.insert(item, after: id))) }
    }

    package func move(_ id: ItemID, after other: ItemID?) {
        post { try? $0.move(id, after: other) }
    }

    package func replaceCurrent(with item: QueueItem) {
        post { $0.handle(.edit(.replaceCurrent(item))) }
    }

    /// Inserts `item` before the current one and goes to it.
    package func goBack(to item: QueueItem) { post { $0.handle(.edit(.goBack(item))) } }

    /// Changes which part of its source an item plays, even while it is heard.
    package func setRange(of id: ItemID, start: CMTime, end: CMTime?) {
        post { $0.handle(.edit(.setRange(id, start: start, end: end))) }
    }

    /// Changes the volume of an item over its own time, even while it is heard.
    package func setVolume(of id: ItemID, _ volume: VolumeEnvelope) {
        post { $0.handle(.edit(.setVolume(id, volume))) }
    }

    /// Removes an item; if it is current, the next one becomes current.
    package func remove(_ id: ItemID) { post { _ = $0.remove(id) } }

    package func removeAll() { post { $0.removeAll() } }

    // MARK: Time

    /// Seeks to `time` of the item and then calls `completion` on the engine's queue, with false if
    /// the item is not current or another jump came first.
    package func seek(
        _ id: ItemID, to time: CMTime, completion: @escaping @Sendable (Bool) -> Void
    ) {
        post { engine in
            guard engine.currentItem?.id == id else { return completion(false) }
            engine.seek(to: time, completion: completion)
        }
    }

    package func cancelPendingSeeks() { post { $0.cancelPendingSeeks() } }

    /// Observes times as the player's own methods do, but runs each call by `line`, which keeps
    /// their order, and only if the time `isWanted` when it is heard and when the call is run.
    package func addTimeObserver(
        _ times: TimeWatch.Times,
        on line: @escaping @Sendable (_ call: @escaping @Sendable () -> Void) -> Void,
        where isWanted: @escaping @Sendable (CMTime) -> Bool = { _ in true },
        using handler: @escaping @Sendable (CMTime) -> Void
    ) -> TimeObserverToken {
        engine.observers.add(times, on: line, where: isWanted, handler)
    }

    // MARK: The session

    package func setCategory(_ category: SessionCategory) {
        post { $0.handle(.setCategory(category)) }
    }

    package func setInterrupted(_ isInterrupted: Bool) {
        post { $0.handle(.setInterrupted(isInterrupted)) }
    }

    /// The host entered `state`, with or without the `audio` mode declared.
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
    /// The commands for callers that do not wait.
    package var post: PlayerCommands { PlayerCommands(engine: engine) }

    /// The item that is heard and its time, to the nanosecond; nil before anything was heard. Any
    /// thread; it neither waits nor involves the engine.
    package var heard: (item: ItemID, time: CMTime)? {
        guard let position = engine.observers.position else { return nil }
        let seconds = position.seconds(at: engine.configuration.clock.now)
        let time = CMTime(
            value: Int64((min(seconds, 9e9) * 1e9).rounded()), timescale: 1_000_000_000)
        return (position.item, time)
    }
}
