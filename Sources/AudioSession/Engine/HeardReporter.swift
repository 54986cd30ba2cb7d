import AudioIO
import Background
import Playback
import Synchronization

/// Turns what the clock thread says is heard into events at once, without a detour over the engine:
/// so that no event overtakes another, and a tick costs no change of thread.
final class HeardReporter: Sendable {
    private struct Items {
        var queued: [ItemID: (item: QueueItem, place: Int)] = [:]
        var descriptions: [ItemID: MediaDescription] = [:]
        /// What the status is once the output is silent.
        var statusWhenHeld = TimeControlStatus.paused(.userPaused)
    }

    private let hub: EventHub
    private let items = Mutex(Items())

    init(hub: EventHub) { self.hub = hub }

    func enqueued(_ queue: PlaybackQueue) {
        items.withLock { items in
            for (index, item) in queue.items.enumerated() {
                items.queued[item.id] = (item, queue.place + index)
            }
        }
    }

    func opened(_ item: ItemID, _ description: MediaDescription) {
        items.withLock { $0.descriptions[item] = description }
    }

    func willHold(with status: TimeControlStatus) {
        items.withLock { $0.statusWhenHeld = status }
    }

    /// Publishes what was heard. Called on the clock thread.
    func heard(_ event: ClockEvent, at hostTime: Int64) {
        switch event {
        case .running:
            hub.publish(.state, at: hostTime) { $0.status = .playing }
        case .observed(.began(let id)):
            began(id, at: hostTime)
        case .observed(.tick(_, let time)):
            hub.publish(.time(isExact: false), at: hostTime) { $0.position = time }
        case .observed(.ended(let id, let time)):
            ended(id, time, at: hostTime)
        case .held(let item, let time):
            let status = items.withLock(\.statusWhenHeld)
            if item != nil {
                hub.publish(.time(isExact: true), at: hostTime) {
                    $0.position = time
                    $0.status = status
                }
            }
            hub.publish(.state, at: hostTime) { $0.status = status }
        case .finished, .stopped:
            break
        }
    }

    private func began(_ id: ItemID, at hostTime: Int64) {
        let (entry, description) = items.withLock { ($0.queued[id], $0.descriptions[id]) }
        guard let entry else { return }
        hub.publish(.itemBegan(entry.item, description), at: hostTime) {
            $0.item = id
            $0.place = entry.place
            $0.position = .zero
        }
    }

    private func ended(_ id: ItemID, _ length: CMTime, at hostTime: Int64) {
        hub.publish(.time(isExact: true), at: hostTime) { $0.position = length }
        let entry = items.withLock { items in
            items.descriptions[id] = nil
            return items.queued.removeValue(forKey: id)
        }
        guard let entry else { return }
        hub.publish(.itemEnded(entry.item, length: length), at: hostTime)
    }
}
