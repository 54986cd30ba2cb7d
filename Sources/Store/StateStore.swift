package import Playback
import Threads

/// Keeps a player's state in a file, so that the next service can continue from it: the queue with
/// its items, the position, the settings, and the edits that can be undone. Any thread may call it.
/// It writes on a thread of its own.
package final class StateStore: QueueStore, FileMemory {
    private let memory = StoreMemory()
    private let folder: String?
    private let clock: any HostClock
    /// How many batches may wait to be written while the next one is made.
    private let stages = Semaphore()
    private let opened = Semaphore()
    private let closed = Semaphore()

    /// Opens the store in `folder`, which is created if missing; pass nil if there is no place for
    /// one. Waits until the store is open. Never fails: in trouble the store keeps items in memory
    /// only. `report` is called on any thread, once when trouble begins, once when it ends, and for
    /// each damaged file that was set aside.
    package convenience init(
        folder: String?, clock: any HostClock, report: @escaping @Sendable (StoreNotice) -> Void
    ) {
        self.init(opening: folder, clock: clock, report: report)
        waitUntilOpen()
    }

    /// Begins to open the store, as above. No other method may be called before `waitUntilOpen`
    /// returns.
    package init(
        opening folder: String?, clock: any HostClock,
        report: @escaping @Sendable (StoreNotice) -> Void
    ) {
        self.folder = folder
        self.clock = clock
        for _ in 0..<2 { stages.post() }
        startThread(named: "store") { [memory, opened, closed] in
            var keeper = Keeper(path: folder, memory: memory, clock: clock, report: report)
            keeper.open()
            opened.post()
            keeper.run()
            closed.post()
        }
    }

    /// Returns when the store is open. Call it once, if `init` did not wait.
    package func waitUntilOpen() { opened.wait() }

    deinit { _ = memory.mailbox.post(.close) }

    /// The record found in the file, until an edit is committed; nil if there was none. After
    /// trouble from the start it appears when the trouble ends.
    package var record: PlayerRecord? { memory.findings.record }

    /// Why the store cannot keep anything; nil while it can.
    package var trouble: StoreTrouble? { memory.findings.trouble }

    /// Makes all pending changes durable and closes the file, which takes a second at most. Nothing
    /// is kept after that.
    package func close() {
        guard memory.mailbox.post(.close) else { return }
        let timer = clock.wake(after: 1, leeway: 0) { [closed] in closed.post() }
        closed.wait()
        timer.cancel()
    }

    // MARK: Items

    /// Adds entries and begins to write them. Call it repeatedly for the entries of one edit: each
    /// batch's memory is freed while the next one is added. Waits while two earlier batches are
    /// still being written.
    package func stage(_ entries: [QueueEntry]) -> [ItemID] {
        let items = memory.itemStore.add(entries)
        stages.wait()
        if !memory.mailbox.post(.stage(items, { [stages] in stages.post() })) { stages.post() }
        return items.map(\.id)
    }

    package func add(_ entries: [QueueEntry]) -> [ItemID] {
        memory.itemStore.add(entries).map(\.id)
    }

    package func add(_ item: QueueItem) { memory.itemStore.add(item) }

    package func items(_ ids: [ItemID]) -> [QueueItem] { memory.itemStore.items(ids) }

    package func setRange(of id: ItemID, start: CMTime, end: CMTime?) {
        if memory.itemStore.setRange(of: id, start: start, end: end) {
            _ = memory.mailbox.post(.saveItems)
        }
    }

    package func learn(_ facts: ItemFacts, of id: ItemID) {
        if memory.itemStore.learn(facts, of: id) { _ = memory.mailbox.post(.saveItems) }
    }

    /// Forgets only items that no record has named. The store itself finds out when neither the
    /// queue nor an undoable edit needs the others.
    package func forget(_ ids: some Collection<ItemID>) {
        let forgotten = memory.itemStore.forget(ids)
        if !forgotten.isEmpty { _ = memory.mailbox.post(.discard(forgotten)) }
    }

    // MARK: Records

    package func commit(
        _ record: PlayerRecord, as kind: QueueCommit
    ) async throws(QueueError) {
        try await ask { .commit(record, kind, $0) }
    }

    package func keep(_ record: PlayerRecord) { _ = memory.mailbox.post(.keep(record)) }

    package func keep(_ position: CMTime, of item: ItemID) {
        _ = memory.mailbox.post(.keepPosition(position, item))
    }

    package func flush() async {
        await withCheckedContinuation { continuation in
            if !memory.mailbox.post(.flush({ continuation.resume() })) { continuation.resume() }
        }
    }

    package func orderBeforeLastEdit() async throws(QueueError)
        -> (order: QueueOrder, position: CMTime)?
    {
        try await ask { .orderBeforeLastEdit($0) }
    }

    // MARK: Search

    /// The items of the queue whose path or title contains each of the words, ignoring case, in
    /// play order and at most `limit` of them. Scans all items.
    package func search(_ words: [String], limit: Int) async -> [ItemID] {
        let search = Search(words)
        // Taken before the file is read, so that items written meanwhile are found one way or the
        // other.
        let unsaved = ItemSet(
            memory.itemStore.unsavedItems.filter { item in
                search.matches(item.source.path.description, item.title, item.facts?.title)
            }.map(\.id))
        let found = await read { try search.run(in: $0) } ?? ItemSet()
        let order = memory.findings.order.ids
        let ids = order.lazy.filter { found.contains($0) || unsaved.contains($0) }
        return Array(ids.prefix(max(0, limit)))
    }

    // MARK: What was heard

    /// How far the file was heard; nil if unknown.
    package func resumePosition(of path: FilePath) -> ResumePoint? {
        memory.listening.position(of: path)
            ?? memory.itemStore.read { try PositionTable(db: $0).position(of: path) } ?? nil
    }

    /// Keeps how far the file was heard. It is written with the next record that `keep` gets.
    package func keepPosition(_ position: ResumePoint, of path: FilePath) {
        memory.listening.keep(position, of: path)
        _ = memory.mailbox.post(.saveListening)
    }

    /// What was heard, latest first.
    package func history(limit: Int) async -> [HistoryEntry] {
        let unsaved = Array(memory.listening.unsaved.history.reversed().prefix(max(0, limit)))
        let saved = await read { db in
            var entries: [HistoryEntry] = []
            guard unsaved.count < limit else { return entries }
            try HistoryTable(db: db).read { entry in
                if !unsaved.contains(entry) { entries.append(entry) }
                return entries.count + unsaved.count < limit
            }
            return entries
        }
        return unsaved + (saved ?? [])
    }

    /// Adds to the history. It is written with the next record that `keep` gets.
    package func addToHistory(_ entry: HistoryEntry) {
        memory.listening.add(entry)
        _ = memory.mailbox.post(.saveListening)
    }

    /// Reads from the file, on a thread and a connection used only for that; nil if it cannot be
    /// read.
    private func read<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async -> T? {
        guard let folder else { return nil }
        return await withCheckedContinuation { continuation in
            startThread(named: "store reader") {
                let path = folder + "/state.sqlite"
                let connection = try? Connection(path, for: .reading, cacheSize: 512)
                let result = try? connection?.read(body)
                connection?.close()
                continuation.resume(returning: result)
            }
        }
    }

    /// Posts a job and waits for its reply.
    private func ask<T: Sendable>(
        _ job: (@escaping Job.Reply<T>) -> Job
    ) async throws(QueueError) -> T {
        let result: Result<T, QueueError> = await withCheckedContinuation { continuation in
            guard !memory.mailbox.post(job({ continuation.resume(returning: $0) })) else { return }
            continuation.resume(
                returning: .failure(
                    QueueError(
                        .notDurable, operation: "edit the queue", reason: "the store is closed")))
        }
        return try result.get()
    }
}
