package import UndersongBase
package import UndersongPlayback

/// Keeps a player's state in a file, so that the next service can continue from it: the queue with
/// its items, the position, the settings, and the edits that can be undone. Any thread may call it.
/// It writes on a thread of its own.
package final class StateStore: QueueStore, FileMemory {
    let memory = StoreMemory()
    private let folder: String?
    private let clock: any HostClock
    let report: @Sendable (StoreNotice) -> Void
    /// The number of batches that may wait to be written while the next one is made.
    private let stages = Semaphore()
    private let opened = Semaphore()
    private let closed = Semaphore()

    /// Opens the store in `folder`, which is created if missing; pass nil if there is no place for
    /// one. Waits until the store is open. Never fails: in trouble the store keeps items in memory
    /// only. `report` is called on any thread, once when trouble begins, once when it ends, for each
    /// damaged file that was set aside, and when damaged records were left out.
    package convenience init(
        folder: String?, clock: any HostClock, report: @escaping @Sendable (StoreNotice) -> Void
    ) {
        self.init(opening: folder, clock: clock, report: report)
        waitUntilOpen()
    }

    /// Begins to open the store, as above, with the folder's lock if the caller has it. No other
    /// method may be called before `waitUntilOpen` returns.
    package init(
        opening folder: String?, lock: StateLock? = nil, clock: any HostClock,
        report: @escaping @Sendable (StoreNotice) -> Void
    ) {
        self.folder = folder
        self.clock = clock
        self.report = report
        for _ in 0..<2 { stages.post() }
        startThread(named: "store") { [memory, opened, closed] in
            var keeper = Keeper(
                path: folder, lock: lock, memory: memory, clock: clock, report: report)
            keeper.open()
            opened.post()
            keeper.run()
            closed.post()
        }
    }

    /// Returns when the store is open. Call it once, if `init` did not wait.
    package func waitUntilOpen() { opened.wait() }

    deinit { memory.mailbox.post(.close) }

    /// The record found in the file when it was opened, until an edit is committed; nil if there was
    /// none.
    package var record: PlayerRecord? { memory.findings.withLock(\.record) }

    /// The reason the store cannot keep anything; nil while it can.
    package var trouble: StoreTrouble? { memory.findings.withLock(\.trouble) }

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
        let isPosted = memory.mailbox.post(
            .run { [stages] keeper in
                try? keeper.attempt { try $0.stage(items) }
                stages.post()
            })
        if !isPosted { stages.post() }
        return items.map(\.id)
    }

    package func add(_ entries: [QueueEntry]) -> [ItemID] {
        memory.itemStore.add(entries).map(\.id)
    }

    package func add(_ item: QueueItem) { memory.itemStore.add(item) }

    package func items(_ ids: [ItemID]) -> [QueueItem] { memory.itemStore.items(ids) }

    package func setRange(of id: ItemID, start: CMTime, end: CMTime?) {
        change(id) { $0.setRange(start: start, end: end) }
    }

    package func setVolume(of id: ItemID, _ volume: VolumeEnvelope) {
        change(id) { $0.volume = volume }
    }

    package func learn(_ facts: ItemFacts, of id: ItemID) { change(id) { $0.facts = facts } }

    private func change(_ id: ItemID, _ body: (inout QueueItem) -> Void) {
        if memory.itemStore.change(id, body) { memory.mailbox.post(.run { $0.saveWanted() }) }
    }

    /// Forgets only items that no record has named. The store itself finds out when neither the
    /// queue nor an undoable edit needs the others.
    package func forget(_ ids: some Collection<ItemID>) {
        guard memory.itemStore.forget(ids) else { return }
        memory.mailbox.post(.run { $0.file?.garbage.isDue = true })
    }

    // MARK: Records

    package func commit(
        _ record: PlayerRecord, as kind: QueueCommit
    ) async throws(QueueError) {
        let (operation, change): (String, DurableState.Change) =
            if case .edit(let name, _) = kind { (name, .edit) } else { (Self.undo, .undo) }
        let isNew = try await ask(operation) { keeper throws(StoreTrouble) in
            try keeper.commit(record, as: change, key: kind.key)
        }
        guard isNew else {
            throw QueueError(
                .alreadyDone, operation: operation, reason: "it was done before, with the same key")
        }
    }

    package func keep(_ record: PlayerRecord) { memory.mailbox.post(.keep(record)) }

    package func keep(_ position: CMTime, of item: ItemID) {
        memory.mailbox.post(.keepPosition(position, item))
    }

    package func flush() async {
        await withCheckedContinuation { continuation in
            if !memory.mailbox.post(.run { _ in continuation.resume() }) { continuation.resume() }
        }
    }

    package func orderBeforeLastEdit() async throws(QueueError)
        -> (order: QueueOrder, position: CMTime)?
    {
        try await ask(Self.undo) { keeper throws(StoreTrouble) in
            try keeper.attempt { try $0.orderBeforeLastEdit() }
        }
    }

    private static let undo = "undo the last edit"

    /// Runs a job and waits for its result.
    func ask<T: Sendable>(
        _ operation: String,
        _ body: @escaping @Sendable (inout Keeper) throws(StoreTrouble) -> T
    ) async throws(QueueError) -> T {
        @Sendable func failure(_ reason: String) -> Result<T, QueueError> {
            .failure(QueueError(.notDurable, operation: operation, reason: reason))
        }
        let result: Result<T, QueueError> = await withCheckedContinuation { continuation in
            let isPosted = memory.mailbox.post(
                .run { keeper in
                    do throws(StoreTrouble) {
                        continuation.resume(returning: .success(try body(&keeper)))
                    } catch {
                        continuation.resume(returning: failure(error.reason))
                    }
                })
            if !isPosted { continuation.resume(returning: failure("the store is closed")) }
        }
        return try result.get()
    }

    // MARK: Search

    /// The longest queue of which `prepareSearch` keeps the texts, about 40 MB.
    private static let mostPrepared = 1 << 18

    /// The items of the queue that fulfil the condition, in play order and at most `limit` of them.
    /// Reads the changes since `prepareSearch`.
    package func search(_ condition: ItemCondition, limit: Int) async -> [ItemID] {
        // Taken before the file is read, so that items written meanwhile are found one way or the
        // other. The file may have earlier texts of them.
        let unsaved = memory.itemStore.unsavedItems
        let unsavedIDs = ItemSet(unsaved.map(\.id))
        let foundUnsaved = ItemSet(unsaved.filter { condition.holds(for: $0) }.map(\.id))
        let found = condition == .all([]) ? nil : await find(condition)
        let order = memory.findings.withLock(\.order.ids)
        guard let found else { return Array(order.prefix(max(0, limit))) }
        let ids = order.lazy.filter {
            unsavedIDs.contains($0) ? foundUnsaved.contains($0) : found.contains($0)
        }
        return Array(ids.prefix(max(0, limit)))
    }

    /// Reads the changes that the next search would have to read first, unless the queue is so long
    /// that this is too much to keep for a search that may not come.
    package func prepareSearch() async {
        guard memory.findings.withLock(\.order.ids.count) <= Self.mostPrepared else { return }
        await withIndex { $0.update(read: $1) }
    }

    private func find(_ condition: ItemCondition) async -> ItemSet {
        await withIndex { $0.items(matching: condition, read: $1) }
    }

    /// Calls `body` on a thread with what its second parameter needs to read the file.
    private func withIndex<T: Sendable>(
        _ body:
            @escaping @Sendable (SearchIndex, ((Database) throws -> Void) -> Bool) -> T
    ) async -> T {
        await withCheckedContinuation { continuation in
            startThread(named: "store search") { [self] in
                continuation.resume(
                    returning: body(memory.itemStore.searchIndex) { use in
                        readNow { try use($0) } != nil
                    })
            }
        }
    }

    package func forEachItem(_ body: @escaping @Sendable (QueueItem) -> Void) async -> Bool {
        // Taken before the file is read, as in `search`.
        let unsaved = memory.itemStore.unsavedItems
        let ids = ItemSet(unsaved.map(\.id))
        for item in unsaved { body(item) }
        let isRead: Void? = await read { db in
            let row = try db.statement("SELECT * FROM items")
            while try row.next() {
                guard let item = ItemTable.item(row), !ids.contains(item.id) else { continue }
                body(item)
            }
        }
        return isRead != nil || folder == nil
    }

    package func hold(_ ids: [ItemID]) {
        guard memory.itemStore.hold(ids) else { return }
        memory.mailbox.post(.run { $0.file?.garbage.isDue = true })
    }

    // MARK: What was heard

    /// Returns the position up to which the file was heard; nil if unknown.
    package func resumePosition(of path: FilePath) -> ResumePoint? {
        memory.listening.unsaved.positions[path]
            ?? memory.itemStore.read { try ListeningTable(db: $0).position(of: path) } ?? nil
    }

    /// The feed with an episode in the file or at the URL; nil if there is none.
    package func feed(of path: FilePath) -> Int? {
        memory.itemStore.read { try EpisodeTable(db: $0).feed(of: path) } ?? nil
    }

    /// Keeps how far the file was heard.
    package func keepPosition(_ position: ResumePoint, of path: FilePath) {
        memory.listening.keep(position, of: path)
        memory.mailbox.post(.run { $0.saveListening() })
    }

    /// Returns the items that were heard, latest first.
    package func history(limit: Int) async -> [PlayedEntry] {
        let unsaved = Array(memory.listening.unsaved.history.reversed().prefix(max(0, limit)))
        let saved = await read { db in
            try ListeningTable(db: db).history(
                without: unsaved, limit: limit - unsaved.count)
        }
        return unsaved + (saved ?? [])
    }

    /// Adds to the history.
    package func addToHistory(_ entry: PlayedEntry) {
        memory.listening.add(entry)
        memory.mailbox.post(.run { $0.saveListening() })
    }

    /// Reads from the file, on a thread and a connection used only for that; nil if it cannot be
    /// read.
    @discardableResult
    func read<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async -> T? {
        guard folder != nil else { return nil }
        return await withCheckedContinuation { continuation in
            startThread(named: "store reader") { [self] in
                continuation.resume(returning: readNow(body))
            }
        }
    }

    /// Reads from the file on the calling thread; nil if it cannot be read.
    func readNow<T>(_ body: (Database) throws -> T) -> T? {
        guard let folder,
            let database = try? Database(folder + "/state.sqlite", for: .reading),
            (try? Schema.isMissing(in: database)) == false
        else { return nil }
        return try? body(database)
    }
}

/// The tags of items' files, read before they play. Any thread may call it.
extension StateStore {
    /// The files of items with ids after `id` that were not opened yet, in the order of the ids, and
    /// at most `limit` of them; some may have left the queue. Nil if that cannot be read.
    package func unreadFiles(
        after id: ItemID?, limit: Int
    ) async -> [(id: ItemID, path: FilePath)]? {
        guard folder != nil else { return [] }
        return await read { try ItemTable(db: $0).files(after: id, limit: limit, areUnread: true) }
    }

    /// Keeps the tags of files with those items whose files were not opened since. What was given
    /// with an item stays if its file says nothing, as one that cannot be read. It is on the disk
    /// soon.
    package func learn(_ facts: [(id: ItemID, facts: ItemFacts)]) {
        for (id, facts) in facts {
            _ = memory.itemStore.change(id) { item in
                guard item.facts?.isFromFile != true else { return }
                if facts == ItemFacts(), item.facts != nil {
                    item.facts?.isFromFile = true
                } else {
                    item.facts = facts
                }
            }
        }
        if !facts.isEmpty { memory.mailbox.post(.run { $0.saveWanted(isDurable: false) }) }
    }
}

/// The results of decoding files as a whole. Any thread may call it.
extension StateStore: LoudnessMemory {
    /// Returns the record of a file; nil for none. One quick lookup.
    package func analysis(of path: FilePath) -> AnalysisRecord? {
        memory.itemStore.read { try AnalysisTable(db: $0).record(of: path) } ?? nil
    }

    package func measuredGain(of path: FilePath, _ stamp: FileStamp) -> ReplayGain? {
        memory.itemStore.read { try AnalysisTable(db: $0).gain(of: path, stamp) } ?? nil
    }

    /// Makes the record of a file durable, and then calls `handler` on the store's own thread: with
    /// nil, or the reason why it is not.
    package func keep(
        _ record: AnalysisRecord, of path: FilePath,
        then handler: @escaping @Sendable (StoreTrouble?) -> Void
    ) {
        write(then: handler) { try AnalysisTable(db: $0).write(record, of: path) }
    }

    /// The paths of items with ids after `id`, in the order of the ids, and at most `limit` of them;
    /// some may have left the queue. Empty at the end, and if the file cannot be read. Blocks on the
    /// disk.
    package func files(after id: ItemID?, limit: Int) -> [(id: ItemID, path: FilePath)] {
        readNow { try ItemTable(db: $0).files(after: id, limit: limit) } ?? []
    }

    /// Forgets the records of surplus files, lets SQLite look at its indexes, and returns some free
    /// space to the disk. Calls `handler` on the store's own thread: with nil, or the reason for
    /// the failure.
    package func tidy(then handler: @escaping @Sendable (StoreTrouble?) -> Void) {
        write(then: handler) { db in
            try AnalysisTable(db: db).trim()
            try db.execute("PRAGMA optimize; PRAGMA incremental_vacuum(2048)")
        }
    }

    private func write(
        then handler: @escaping @Sendable (StoreTrouble?) -> Void,
        _ body: @escaping @Sendable (Database) throws -> Void
    ) {
        let isPosted = memory.mailbox.post(
            .run { keeper in
                do throws(StoreTrouble) {
                    try keeper.attempt { try $0.write(body) }
                    handler(nil)
                } catch {
                    handler(error)
                }
            })
        if !isPosted {
            handler(
                StoreTrouble(code: .inputOutput, reason: "the store is closed", since: 0))
        }
    }
}
