import Synchronization
import UndersongAudioSession
import UndersongBackground
import UndersongBase
import UndersongLibrary
import UndersongPlayback
import UndersongStore

/// Counts in the library what is played and skipped, from the session's events.
final class PlayKeeper: Sendable {
    private struct State {
        var counter = PlayCounter()
        /// The track of the item that is heard, once it is known.
        var known: (subject: PlayCounter.Subject, track: Int)?
    }

    private let state = Mutex(State())
    private let store: LibraryStore
    private let clock: any HostClock
    private let executor: SessionExecutor
    private let whenCounted: @Sendable (_ track: Int) -> Void

    /// Creates a keeper that asks `store` for tracks on `executor`, and calls `whenCounted` on any
    /// thread.
    init(
        _ store: LibraryStore, clock: any HostClock, executor: SessionExecutor,
        whenCounted: @escaping @Sendable (_ track: Int) -> Void
    ) {
        self.store = store
        self.clock = clock
        self.executor = executor
        self.whenCounted = whenCounted
    }

    /// Handles an event on the thread where it happened, without blocking.
    func receive(_ event: PlayerEvent) {
        guard let input = PlayCounter.Input(event) else { return }
        let (count, known) = state.withLock { ($0.counter.handle(input), $0.known) }
        if case .began(_, let subject?, _, _) = input { lookUp(subject) }
        guard let count else { return }
        let time = clock.secondsSinceEpoch
        // Its track is known by now, unless it was heard for a moment only. At the end of the
        // service, nothing else runs any more.
        if let known, known.subject == count.subject {
            return write(count, of: known.track, at: time)
        }
        Task(executorPreference: executor) { [self] in
            guard let track = await store.track(of: count.subject) else { return }
            write(count, of: track.id, at: time)
        }
    }

    /// Finds the track ahead of the time when it is counted.
    private func lookUp(_ subject: PlayCounter.Subject) {
        Task(executorPreference: executor) { [self] in
            guard let track = await store.track(of: subject) else { return }
            state.withLock { $0.known = (subject, track.id) }
        }
    }

    private func write(_ count: PlayCounter.Count, of track: Int, at time: Double) {
        switch count {
        case .played:
            store.countPlay(of: track, at: time) { [whenCounted] in whenCounted(track) }
        case .skipped: store.countSkip(of: track) { [whenCounted] in whenCounted(track) }
        }
    }
}

extension PlayCounter.Count {
    fileprivate var subject: PlayCounter.Subject {
        switch self {
        case .played(let subject), .skipped(let subject): subject
        }
    }
}

extension PlayCounter.Input {
    /// The input for an event; nil if it changes nothing.
    fileprivate init?(_ event: PlayerEvent) {
        let position = event.head.position.seconds
        switch event.kind {
        case .item(.began(let item, let description)):
            self = .began(
                item: item.id.number, PlayCounter.Subject(item),
                length: HistoryKeeper.length(of: item, description), time: position)
        case .item(.measured(let item, let description)):
            self = .measured(length: HistoryKeeper.length(of: item, description))
        case .item(.ended(_, let time)): self = .ended(at: time.seconds)
        case .item(.left(_, let time)): self = .left(at: time.seconds)
        case .time(isExact: true): self = .reached(position)
        case .jump: self = .jumped(to: position)
        case .runEnded: self = .stopped
        default: return nil
        }
    }
}

extension PlayCounter.Subject {
    /// The file, or the part of it, that an item plays; nil for a stream.
    init?(_ item: QueueItem) {
        guard case .file(let path) = item.source else { return nil }
        let isPart = item.start != .zero || item.end != nil
        self.init(
            path: path,
            part: isPart ? TrackPart(start: item.start.seconds, end: item.end?.seconds) : nil)
    }
}

extension LibraryStore {
    /// The track that an item plays; nil if the library has none.
    func track(of subject: PlayCounter.Subject) async -> Track? {
        await track(of: subject.path, part: subject.part)
    }
}
