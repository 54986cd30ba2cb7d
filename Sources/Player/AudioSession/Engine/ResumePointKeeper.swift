import Synchronization
import UndersongBase
import UndersongPlayback

/// Saves the positions in long files: every ten seconds while they play, and exactly where the
/// player stops, leaves them or has played them to their end.
///
/// It takes them from the session's events, on the thread where these happen, so that a position
/// never is another item's.
final class ResumePointKeeper: Sendable {
    private static let interval = CMTime(value: 10, timescale: 1)

    /// The item that is heard, if its position is worth saving.
    private struct Heard {
        var item: QueueItem
        var duration: Double
    }

    private let memory: any FileMemory
    private let observers: TimeObservers
    private let clock: any HostClock
    private let heard = Mutex<Heard?>(nil)
    private let watch = Mutex<TimeObserverToken?>(nil)

    init(_ memory: any FileMemory, _ observers: TimeObservers, clock: any HostClock) {
        self.memory = memory
        self.observers = observers
        self.clock = clock
    }

    /// The item is left at `time` without an event.
    func leave(_ item: ItemID, at time: CMTime) {
        let left = heard.withLock { heard in
            heard?.item.id == item ? heard.take() : nil
        }
        if let left { keep(left, at: time.seconds) }
    }

    /// Handles an event on the thread where it happened.
    func receive(_ event: PlayerEvent) {
        switch event.kind {
        case .item(.began(let item, let description)): begin(item, description)
        case .item(.measured(let item, let description)): begin(item, description)
        case .item(.ended(let item, let time)): end(item.id, at: time)
        case .item(.left(let item, let time)): leave(item.id, at: time)
        case .state where event.head.status != .playing:
            keep(event.head.item, at: event.head.position)
        default: break
        }
    }

    private func begin(_ item: QueueItem, _ description: MediaDescription?) {
        let duration = description.flatMap { $0.duration.isNumeric ? $0.duration.seconds : nil }
        guard let duration, ResumePolicy.isLong(duration), item.isWhole,
            item.source != .standardInput
        else {
            heard.withLock { $0 = nil }
            return watchTime(false)
        }
        heard.withLock { $0 = Heard(item: item, duration: duration) }
        watchTime(true)
    }

    private func end(_ item: ItemID, at time: CMTime) {
        let ended = heard.withLock { heard in
            heard?.item.id == item ? heard.take() : nil
        }
        guard var ended else { return }
        ended.duration = time.seconds
        keep(ended, at: time.seconds)
    }

    /// Turns callbacks every ten seconds of an item's time on or off, so that short items cause no
    /// wake-ups.
    private func watchTime(_ isWanted: Bool) {
        watch.withLock { watch in
            guard isWanted != (watch != nil) else { return }
            if let token = watch.take() {
                _ = observers.remove(token)
            } else {
                watch = observers.add(.every(Self.interval), on: { $0() }) { [weak self] time in
                    self?.keep(nil, at: time)
                }
            }
        }
    }

    /// Saves `time` as the position of the item that is heard, if that is `item` or `item` is nil.
    private func keep(_ item: ItemID?, at time: CMTime) {
        guard let heard = heard.withLock({ $0 }), item == nil || heard.item.id == item else {
            return
        }
        keep(heard, at: time.seconds)
    }

    private func keep(_ heard: Heard, at seconds: Double) {
        let position = ResumePolicy.position(
            at: seconds, of: heard.duration, date: clock.secondsSinceEpoch)
        if let position { memory.keepPosition(position, of: heard.item.source.path) }
    }
}
