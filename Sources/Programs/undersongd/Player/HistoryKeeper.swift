import Synchronization
import UndersongAudioSession
import UndersongBackground
import UndersongBase
import UndersongPlayback
import UndersongStore

/// Records what was heard, item by item, from the session's events.
final class HistoryKeeper: Sendable {
    /// The item being heard.
    private struct Hearing {
        var entry: PlayedEntry
        /// The time to which the last jump led, or at which it began.
        var start: CMTime
        /// The time that was reported last.
        var last: CMTime
        /// The last title of a live stream; nil if it had none.
        var streamTitle: String?

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
    func receive(_ event: PlayerEvent) {
        switch event.kind {
        case .item(.began(let item, let description)):
            begin(item, description, event.head.position)
        case .time(isExact: true): hearing.withLock { $0?.last = event.head.position }
        case .jump: jump(to: event.head.position)
        case .item(.measured(let item, let description)):
            let length = Self.length(of: item, description)
            hearing.withLock { $0?.entry.duration = length }
        case .metadata(let title): begin(title, at: event.head.position)
        case .item(.ended(_, let time)): end(at: time, isFinished: true)
        case .item(.left(_, let time)): end(at: time, isFinished: false)
        // A stopped run, and one whose output has failed, leave their item at its position.
        case .runEnded: end(at: hearing.withLock { $0?.last } ?? .zero, isFinished: false)
        default: break
        }
    }

    private func begin(_ item: QueueItem, _ description: MediaDescription?, _ time: CMTime) {
        let facts = description.map { ItemFacts($0) } ?? item.facts
        var entry = PlayedEntry(
            path: item.source.path,
            title: item.knownTitle ?? MediaSource.file(path: item.source.path).title,
            began: clock.secondsSinceEpoch, seconds: 0)
        (entry.artist, entry.album) = (facts?.artist, facts?.album)
        entry.duration = Self.length(of: item, description)
        hearing.withLock { $0 = Hearing(entry: entry, start: time, last: time) }
    }

    /// A station's title holds from `time` on. The first one names what was heard before it, too;
    /// each further one begins an entry of its own.
    private func begin(_ title: String, at time: CMTime) {
        guard !title.isEmpty else { return }
        let now = clock.secondsSinceEpoch
        let before = hearing.withLock { hearing -> PlayedEntry? in
            guard var current = hearing, current.streamTitle != title else { return nil }
            defer { hearing = current }
            let isFirst = current.streamTitle == nil
            (current.streamTitle, current.last) = (title, time)
            guard !isFirst else {
                current.entry.title = title
                return nil
            }
            current.count(to: time)
            let before = current.entry
            (current.entry.title, current.entry.began, current.entry.seconds) = (title, now, 0)
            current.start = time
            return before
        }
        if let before, before.seconds > 0 { store.addToHistory(before) }
    }

    private func jump(to time: CMTime) {
        hearing.withLock { hearing in
            guard var current = hearing else { return }
            current.count(to: current.last)
            (current.start, current.last) = (time, time)
            hearing = current
        }
    }

    /// The seconds that playing the whole item takes; nil if unknown, as of a stream.
    static func length(of item: QueueItem, _ description: MediaDescription?) -> Double? {
        let whole = description.flatMap { ItemFacts($0).duration } ?? item.facts?.duration
        guard let end = [item.end, whole].compactMap(\.self).min() else { return nil }
        return max(0, (end - item.start).seconds)
    }

    private func end(at time: CMTime, isFinished: Bool) {
        let entry = hearing.withLock { hearing in
            hearing?.count(to: time)
            hearing?.entry.finished = isFinished
            return hearing.take()?.entry
        }
        if let entry, entry.seconds > 0 { store.addToHistory(entry) }
    }
}
