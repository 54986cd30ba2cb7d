import AudioSession
import Playback
import Store
import Synchronization

/// Records what was heard, item by item, from the session's events.
final class HistoryKeeper: Sendable {
    /// The item being heard.
    private struct Hearing {
        var entry: HistoryEntry
        /// Where it was last reached by a jump, or began.
        var start: CMTime
        /// Where it was last reported.
        var last: CMTime

        /// Counts what was heard up to `time`.
        mutating func count(to time: CMTime) {
            entry.seconds += max(0, time.seconds - start.seconds)
        }
    }

    private let hearing = Mutex<Hearing?>(nil)
    private let store: StateStore
    private let clock: any HostClock

    init(_ store: StateStore, clock: any HostClock) {
        self.store = store
        self.clock = clock
    }

    /// Handles an event on the thread where it happened, without blocking.
    func take(_ event: SessionEvent) {
        switch event.kind {
        case .itemBegan(let item, _): begin(item, event.snapshot.position)
        case .time(isExact: true): hearing.withLock { $0?.last = event.snapshot.position }
        case .jump: jump(to: event.snapshot.position)
        case .itemEnded(_, let time), .itemLeft(_, let time): end(at: time)
        // A stopped run, and one whose output has failed, leave their item at its position.
        case .runEnded: end(at: hearing.withLock { $0?.last } ?? .zero)
        default: break
        }
    }

    private func begin(_ item: QueueItem, _ time: CMTime) {
        let entry = HistoryEntry(
            path: item.source.path, title: item.knownTitle,
            began: clock.secondsSinceEpoch, seconds: 0)
        hearing.withLock { $0 = Hearing(entry: entry, start: time, last: time) }
    }

    private func jump(to time: CMTime) {
        hearing.withLock { hearing in
            guard var current = hearing else { return }
            current.count(to: current.last)
            (current.start, current.last) = (time, time)
            hearing = current
        }
    }

    private func end(at time: CMTime) {
        let entry = hearing.withLock { hearing in
            hearing?.count(to: time)
            return hearing.take()?.entry
        }
        if let entry, entry.seconds > 0 { store.addToHistory(entry) }
    }
}
