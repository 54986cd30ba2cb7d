import Dispatch
import Foundation
import Observation
import Synchronization
import UndersongPlayback

/// A looper's upkeep of its copies in the queue, and its observation.
extension AVPlayerLooper {
    /// Starts following the current item.
    func follow() {
        let current = player.currentItem
        state.withLock { $0.current = current }
        let observation = player.observe(\.currentItem, options: [.new]) { [weak self] player, _ in
            let item = player.currentItem
            MainQueue.async { [weak self] in self?.moved(to: item) }
        }
        state.withLock { $0.observation = observation }
        refill()
    }

    private func moved(to item: AVPlayerItem?) {
        let isAgain = state.withLock { state in
            let before = state.current
            state.current = item
            let (wasLooping, isLooping) = (state.has(before), state.has(item))
            guard wasLooping || state.hasRunDry, isLooping, before !== item else { return false }
            state.hasRunDry = false
            return true
        }
        guard status == .ready else { return restoreActionBehindLoop() }
        refill()
        // An observer may call the looper, or let another thread do so.
        if isAgain { change(["loopCount"]) { $0.loopCount += 1 } }
    }

    /// Adds the copies that were heard after the others again. If no copy is left in the queue,
    /// someone else has taken it over, unless all of them were heard before this ran.
    private func refill() {
        guard status == .ready else { return }
        let queued = player.items()
        let replicas = state.withLock(\.replicas)
        if let error = replicas.compactMap({ $0.error }).first {
            stop()
            return fail(error)
        }
        if queued.isEmpty { state.withLock { $0.hasRunDry = true } }
        // A copy that was put into another player is left there.
        for replica in replicas where !queued.contains(replica) && !replica.isInPlayer {
            prepare(replica)
            player.append(replica, after: replicas) { state.withLock { $0.status == .ready } }
        }
    }

    /// Makes a copy start at the range's start: an item that was played would start at zero.
    func prepare(_ replica: AVPlayerItem) {
        if range.isValid { replica.seek(to: range.start) }
    }

    /// Removes the copies not heard yet from the queue.
    func stop() { player.withdraw(state.withLock(\.replicas)) }

    /// Restores the player's action at an item's end once the last copy was heard.
    func restoreActionBehindLoop() {
        let isOver = state.withLock { state in !state.has(state.current) }
        guard status == .cancelled, isOver else { return }
        state.withLock { $0.observation.take() }?.invalidate()
        restoreAction()
    }

    func restoreAction() {
        guard let action = state.withLock({ $0.actionBefore.take() }) else { return }
        player.actionAtItemEnd = action
    }

    // MARK: Observing

    func read<Value>(
        _ keyPath: KeyPath<AVPlayerLooper, Value>, _ property: String, _ value: (State) -> Value
    ) -> Value {
        keyValueObservers.access(property)
        registrar.access(self, keyPath: keyPath)
        return state.withLock { value($0) }
    }

    func change(_ properties: [String], _ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        for property in properties {
            switch property {
            case "status": announce(\.status)
            case "error": announce(\.error)
            case "loopCount": announce(\.loopCount)
            default: announce(\.loopingPlayerItems)
            }
        }
        keyValueObservers.changed(properties)
    }

    private func announce(_ keyPath: KeyPath<AVPlayerLooper, some Any>) {
        registrar.willSet(self, keyPath: keyPath)
        registrar.didSet(self, keyPath: keyPath)
    }
}

extension AVPlayerLooper.State {
    /// True if `item` is one of the copies.
    fileprivate func has(_ item: AVPlayerItem?) -> Bool {
        guard let item else { return false }
        return replicas.contains { $0 === item }
    }
}

extension AVQueuePlayer {
    /// Inserts `item` after the last of `others` in the queue, or into a queue that is empty
    /// because one of them was heard to its end. Does nothing if there is no such place, if the
    /// item is in a player, or if it is no longer wanted. That is checked while the queue is
    /// locked, so disabling looping and then removing the queued copies leaves none behind.
    fileprivate func append(
        _ item: AVPlayerItem, after others: [AVPlayerItem], if isWanted: () -> Bool
    ) {
        let id = state.withLock { $0.makeID() }
        guard item.attach(to: self, as: id) else { return }
        change { state in
            let place = state.entries.last { others.contains($0.item) }?.id
            let hasRunDry = state.entries.isEmpty && state.lastHeard.map(others.contains) ?? false
            guard place != nil || hasRunDry, isWanted() else { return item.detach() }
            insert(PlayerState.Entry(id: id, item: item), after: place, &state)
        }
    }

    /// Removes those of `items` that come after the one that is heard.
    fileprivate func withdraw(_ items: [AVPlayerItem]) {
        // The main queue may not have processed the latest item change.
        let heard = session.player.heard?.item
        change { state in
            let current = heard.flatMap { state.index(of: $0) } ?? 0
            for index in state.entries.indices.reversed()
            where index > current && items.contains(state.entries[index].item) {
                post.remove(state.remove(at: index).id)
            }
        }
    }
}

extension AVPlayerItem {
    /// True if the item is in a player.
    fileprivate var isInPlayer: Bool { state.withLock { $0.player != nil } }
}
