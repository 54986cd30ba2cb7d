import Dispatch
import Foundation
import Observation
import Playback
import Synchronization

/// How a looper keeps its copies in the queue, and tells of itself.
extension AVPlayerLooper {
    /// Follows which item is current from now on.
    func follow() {
        state.withLock { $0.current = player.currentItem }
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
            return wasLooping && isLooping && before !== item
        }
        guard status == .ready else { return restoreActionBehindLoop() }
        if isAgain { change(["loopCount"]) { $0.loopCount += 1 } }
        refill()
    }

    /// Puts the copies that were heard back behind the others, unless none is in the queue any more:
    /// then somebody has taken it over.
    private func refill() {
        guard status == .ready else { return }
        let queued = player.items()
        let replicas = state.withLock(\.replicas)
        if let error = replicas.lazy.compactMap({ $0.error as? AVError }).first {
            stop()
            return fail(error)
        }
        guard var last = queued.last(where: replicas.contains) else { return }
        // One that somebody has put into another player is left there.
        for replica in replicas where !queued.contains(replica) && !replica.isInPlayer {
            prepare(replica)
            player.append(replica, after: player.id(of: last))
            last = replica
        }
    }

    /// Lets a copy begin where the range does: an item that was played begins at zero again.
    func prepare(_ replica: AVPlayerItem) {
        if range.isValid { replica.seek(to: range.start) }
    }

    /// Takes the copies that are not current out of the queue.
    func stop() {
        let replicas = state.withLock(\.replicas)
        let current = player.currentItem
        for replica in replicas where replica !== current { player.remove(replica) }
    }

    /// Gives the player back what it did at an item's end, when the last copy was heard.
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
    /// Whether `item` is one of the copies.
    fileprivate func has(_ item: AVPlayerItem?) -> Bool {
        guard let item else { return false }
        return replicas.contains { $0 === item }
    }
}

extension AVPlayerItem {
    /// Whether a player has it.
    fileprivate var isInPlayer: Bool { state.withLock { $0.player != nil } }
}
