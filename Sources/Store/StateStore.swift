package import Playback
import Threads

/// Keeps what a player is doing in a file, so that a service that comes after it goes on in its
/// place: the queue with its items, the position, the settings, and the edits that can be taken back.
/// Any thread may call it. It has a thread of its own, which does the writing.
package final class StateStore: QueueStore {
    private let shelf = Shelf()
    private let mailbox = Mailbox()
    private let findings = StoreFindings()
    /// How many batches may wait to be written while the next is made.
    private let stages = Semaphore()
    private let closed = Semaphore()

    /// Opens the store in `folder`, which it makes where there is none; nil when there is no place
    /// for one. Waits until it is open. It never fails: in trouble it still keeps items in memory.
    /// `report` is called on any thread, once when trouble begins, once when it ends, and for a
    /// damaged file that was set aside.
    package init(folder: String?, report: @escaping @Sendable (StoreNotice) -> Void) {
        for _ in 0..<2 { stages.post() }
        let opened = Semaphore()
        startThread(named: "store") { [shelf, mailbox, findings, closed] in
            var keeper = Keeper(
                path: folder, shelf: shelf, mailbox: mailbox, findings: findings, report: report)
            keeper.open()
            opened.post()
            keeper.run()
            closed.post()
        }
        opened.wait()
    }

    deinit { _ = mailbox.post(.close) }

    /// What was found when it was opened; nil when there was nothing.
    package var record: PlayerRecord? { findings.record }

    /// Why it cannot keep what it is given; nil while it can.
    package var trouble: StoreTrouble? { findings.trouble }

    /// Makes everything durable that was to be kept and closes the file; takes a second at most.
    /// Nothing is kept from then on.
    package func close() {
        guard mailbox.post(.close) else { return }
        closed.wait(until: monotonicNow() + 1_000_000_000)
    }

    // MARK: Items

    /// Adds entries and begins to write them, as many times as the entries of one edit need: the
    /// memory that they take is given back while more are added. Waits while two batches before it
    /// are still being written.
    package func stage(_ entries: [QueueEntry]) -> [ItemID] {
        let items = shelf.add(entries)
        stages.wait()
        if !mailbox.post(.stage(items, { [stages] in stages.post() })) { stages.post() }
        return items.map(\.id)
    }

    package func add(_ entries: [QueueEntry]) -> [ItemID] { shelf.add(entries).map(\.id) }

    package func add(_ item: QueueItem) { shelf.add(item) }

    package func items(_ ids: [ItemID]) -> [QueueItem] { shelf.items(ids) }

    package func setRange(of id: ItemID, start: CMTime, end: CMTime?) {
        if shelf.setRange(of: id, start: start, end: end) { _ = mailbox.post(.saveItems) }
    }

    /// Only items that no record has named are forgotten: of the others the store knows by itself
    /// when neither the queue nor an edit that can be taken back needs them.
    package func forget(_ ids: some Collection<ItemID>) {
        let forgotten = shelf.forget(ids)
        if !forgotten.isEmpty { _ = mailbox.post(.discard(forgotten)) }
    }

    // MARK: Records

    package func commit(
        _ record: PlayerRecord, as kind: QueueCommit
    ) async throws(QueueError) {
        try await ask { .commit(record, kind, $0) }
    }

    package func keep(_ record: PlayerRecord) { _ = mailbox.post(.keep(record)) }

    package func keep(_ position: CMTime, of item: ItemID) {
        _ = mailbox.post(.keepPosition(position, item))
    }

    package func flush() async {
        await withCheckedContinuation { continuation in
            if !mailbox.post(.flush({ continuation.resume() })) { continuation.resume() }
        }
    }

    package func orderBeforeLastEdit() async throws(QueueError)
        -> (order: QueueOrder, position: CMTime)?
    {
        try await ask { .orderBeforeLastEdit($0) }
    }

    /// Has a job done and waits for its reply.
    private func ask<T: Sendable>(
        _ job: (@escaping Job.Reply<T>) -> Job
    ) async throws(QueueError) -> T {
        let result: Result<T, QueueError> = await withCheckedContinuation { continuation in
            guard !mailbox.post(job({ continuation.resume(returning: $0) })) else { return }
            continuation.resume(
                returning: .failure(
                    QueueError(.notDurable, operation: "edit the queue", reason: "it is closed")))
        }
        return try result.get()
    }
}
