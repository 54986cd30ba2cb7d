package import Playback
import Threads

/// Keeps what a player is doing in a file, so that a service that comes after it goes on in its
/// place: the queue with its items, the position, the settings, and the edits that can be taken back.
/// Any thread may call it. It has a thread of its own, which does the writing.
package final class StateStore: QueueStore, FileMemory {
    private let memory = StoreMemory()
    private let folder: String?
    private let clock: any HostClock
    /// How many batches may wait to be written while the next is made.
    private let stages = Semaphore()
    private let opened = Semaphore()
    private let closed = Semaphore()

    /// Opens the store in `folder`, which it makes where there is none; nil when there is no place
    /// for one. Waits until it is open. It never fails: in trouble it still keeps items in memory.
    /// `report` is called on any thread, once when trouble begins, once when it ends, and for a
    /// damaged file that was set aside.
    package convenience init(
        folder: String?, clock: any HostClock, report: @escaping @Sendable (StoreNotice) -> Void
    ) {
        self.init(opening: folder, clock: clock, report: report)
        waitUntilOpen()
    }

    /// Begins to open the store, as the other does. Nothing else may be called before `waitUntilOpen`
    /// has returned.
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

    /// Returns when the store is open. To be called once, where `init` has not waited.
    package func waitUntilOpen() { opened.wait() }

    deinit { _ = memory.mailbox.post(.close) }

    /// What was found when it was opened, until an edit is committed; nil when there was nothing. After
    /// trouble from the start it is there when the trouble ends.
    package var record: PlayerRecord? { memory.findings.record }

    /// Why it cannot keep what it is given; nil while it can.
    package var trouble: StoreTrouble? { memory.findings.trouble }

    /// Makes everything durable that was to be kept and closes the file; takes a second at most.
    /// Nothing is kept from then on.
    package func close() {
        guard memory.mailbox.post(.close) else { return }
        let timer = clock.wake(after: 1, leeway: 0) { [closed] in closed.post() }
        closed.wait()
        timer.cancel()
    }

    // MARK: Items

    /// Adds entries and begins to write them, as many times as the entries of one edit need: the
    /// memory that they take is given back while more are added. Waits while two batches before it
    /// are still being written.
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

    /// Only items that no record has named are forgotten: of the others the store knows by itself
    /// when neither the queue nor an edit that can be taken back needs them.
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

    /// The items of the queue that have each of the words in their path or their title, whatever the
    /// case, `limit` of them at most, in play order. It goes through all items.
    package func search(_ words: [String], limit: Int) async -> [ItemID] {
        let search = Search(words)
        // Before the file is read: what is written meanwhile is found there instead.
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

    /// How far the file was heard; nil when that was never kept.
    package func resumePosition(of path: FilePath) -> ResumePoint? {
        memory.listening.position(of: path)
            ?? memory.itemStore.read { try PositionTable(db: $0).position(of: path) } ?? nil
    }

    /// Keeps how far the file was heard, as soon as `keep` keeps a record.
    package func keepPosition(_ position: ResumePoint, of path: FilePath) {
        memory.listening.keep(position, of: path)
        _ = memory.mailbox.post(.saveListening)
    }

    /// What was heard last, the last one first.
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

    /// Keeps what was heard, as soon as `keep` keeps a record.
    package func addToHistory(_ entry: HistoryEntry) {
        memory.listening.add(entry)
        _ = memory.mailbox.post(.saveListening)
    }

    /// Reads from the file, on a thread and a connection for that alone; nil when it cannot be read.
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

    /// Has a job done and waits for its reply.
    private func ask<T: Sendable>(
        _ job: (@escaping Job.Reply<T>) -> Job
    ) async throws(QueueError) -> T {
        let result: Result<T, QueueError> = await withCheckedContinuation { continuation in
            guard !memory.mailbox.post(job({ continuation.resume(returning: $0) })) else { return }
            continuation.resume(
                returning: .failure(
                    QueueError(.notDurable, operation: "edit the queue", reason: "it is closed")))
        }
        return try result.get()
    }
}
