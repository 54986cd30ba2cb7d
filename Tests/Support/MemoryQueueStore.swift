internal import Synchronization
package import UndersongPlayback

/// A store that keeps everything in memory, for as long as it lives, and takes commits when it is asked
/// to.
package final class MemoryQueueStore: QueueStore {
    private struct Edit {
        /// The state that was durable before it.
        var before: PlayerRecord
        /// Items that have gone since by no edit.
        var consumed: Set<ItemID> = []
    }

    private struct State {
        var itemStore = MemoryItemStore()
        var commits: [(record: PlayerRecord, kind: QueueCommit)] = []
        var records: [PlayerRecord] = []
        var edits: [Edit] = []
        var keys: Set<String> = []
        var refusal: QueueError?
        var flushCount = 0
        var isHeld = false
        var held: [CheckedContinuation<Void, Never>] = []
        var heldItems: [ItemID] = []

        mutating func store(_ record: PlayerRecord, as kind: QueueCommit) {
            switch kind {
            case .edit: edits.append(Edit(before: records.last ?? PlayerRecord()))
            case .undo: _ = edits.popLast()
            }
            commits.append((record, kind))
            records.append(record)
        }

        mutating func keep(_ record: PlayerRecord) {
            let gone = Set(records.last?.order.ids ?? []).subtracting(record.order.ids)
            for index in edits.indices { edits[index].consumed.formUnion(gone) }
            records.append(record)
        }
    }

    private let state = Mutex(State())
    private let arrivals = AsyncStream.makeStream(of: Void.self)

    package init() {}

    /// All that was committed or kept, in order.
    package var records: [PlayerRecord] { state.withLock(\.records) }
    package var commits: [PlayerRecord] { state.withLock { $0.commits.map(\.record) } }
    package var kinds: [QueueCommit] { state.withLock { $0.commits.map(\.kind) } }

    /// The number of times that somebody waited until everything was durable.
    package var flushCount: Int { state.withLock(\.flushCount) }

    /// Takes no commit from now on.
    package func refuse(_ error: QueueError) { state.withLock { $0.refusal = error } }

    /// Lets commits wait, or takes those that wait.
    package func holdsCommits(_ isHeld: Bool) {
        let waiting = state.withLock { state in
            state.isHeld = isHeld
            defer { state.held = [] }
            return state.held
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until a commit has come.
    package func nextCommit() async {
        for await _ in arrivals.stream { return }
    }

    /// The items that are held for edits that can be redone.
    package var heldItems: [ItemID] { state.withLock(\.heldItems) }

    // MARK: Records

    package func commit(
        _ record: PlayerRecord, as kind: QueueCommit
    ) async throws(QueueError) {
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                if state.isHeld { state.held.append(continuation) }
                return state.isHeld
            }
            arrivals.continuation.yield()
            if !isHeld { continuation.resume() }
        }
        let refusal: QueueError? = state.withLock { state in
            if let key = kind.key, !state.keys.insert(key).inserted {
                return QueueError(.alreadyDone, operation: "edit", reason: "it was done before")
            }
            if state.refusal == nil { state.store(record, as: kind) }
            return state.refusal
        }
        if let refusal { throw refusal }
    }

    package func orderBeforeLastEdit() async throws(QueueError)
        -> (order: QueueOrder, position: CMTime)?
    {
        state.withLock { state in
            guard let edit = state.edits.last else { return nil }
            var (order, position) = (edit.before.order, edit.before.position)
            let gone = edit.consumed.subtracting(state.records.last?.order.ids ?? [])
            if let current = order.current, gone.contains(current) {
                let later = order.ids.drop { $0 != current }
                (order.current, position) = (later.first { !gone.contains($0) }, .zero)
            }
            order.ids.removeAll(where: gone.contains)
            order.original?.removeAll(where: gone.contains)
            return (order, position)
        }
    }

    package func keep(_ record: PlayerRecord) { state.withLock { $0.keep(record) } }

    package func keep(_ position: CMTime, of item: ItemID) {
        state.withLock { state in
            guard var record = state.records.last, record.order.current == item else { return }
            record.position = position
            state.keep(record)
        }
    }

    package func flush() async { state.withLock { $0.flushCount += 1 } }

    // MARK: Items

    package func stage(_ entries: [QueueEntry]) -> [ItemID] { add(entries) }

    package func add(_ entries: [QueueEntry]) -> [ItemID] {
        state.withLock { $0.itemStore.add(entries) }
    }

    package func add(_ item: QueueItem) { state.withLock { $0.itemStore.add(item) } }

    package func items(_ ids: [ItemID]) -> [QueueItem] {
        state.withLock { $0.itemStore.items(ids) }
    }

    package func setRange(of id: ItemID, start: CMTime, end: CMTime?) {
        state.withLock { $0.itemStore.setRange(of: id, start: start, end: end) }
    }

    package func setVolume(of id: ItemID, _ volume: VolumeEnvelope) {
        state.withLock { $0.itemStore.setVolume(of: id, volume) }
    }

    package func learn(_ facts: ItemFacts, of id: ItemID) {
        state.withLock { $0.itemStore.learn(facts, of: id) }
    }

    /// An edit that is taken back may need what has left the queue.
    package func forget(_ ids: some Collection<ItemID>) {}

    package func forEachItem(_ body: @escaping @Sendable (QueueItem) -> Void) async -> Bool {
        state.withLock { $0.itemStore.all }.forEach(body)
        return true
    }

    package func hold(_ ids: [ItemID]) { state.withLock { $0.heldItems = ids } }

    package func search(_ condition: ItemCondition, limit: Int) async -> [ItemID] {
        let found = state.withLock { state in
            state.itemStore.items(state.records.last?.order.ids ?? []).filter {
                condition.holds(for: $0)
            }
        }
        return found.prefix(max(0, limit)).map(\.id)
    }
}
