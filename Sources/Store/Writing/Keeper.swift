import Playback
import Synchronization

/// What other threads see of the store's own one.
final class StoreFindings: Sendable {
    private struct Contents {
        var record: PlayerRecord?
        var trouble: StoreTrouble?
    }

    private let contents = Mutex(Contents())

    var record: PlayerRecord? {
        get { contents.withLock { $0.record } }
        set { contents.withLock { $0.record = newValue } }
    }

    var trouble: StoreTrouble? {
        get { contents.withLock { $0.trouble } }
        set { contents.withLock { $0.trouble = newValue } }
    }
}

/// Does what the store is asked for, one job after the other, and holds on to what it cannot write
/// until it can. It belongs to the store's own thread.
struct Keeper: ~Copyable {
    let path: String?
    let shelf: Shelf
    let mailbox: Mailbox
    let findings: StoreFindings
    let report: @Sendable (StoreNotice) -> Void
    /// Nil while it cannot be opened.
    private var file: StateFile?
    /// What the file should hold; nil while it is to stay as it was found.
    private var wanted: PlayerRecord?
    /// Items that a refused edit has brought.
    private var refused: [ItemID] = []
    private var canMaintain = true
    private var retry: (time: Int64, delay: Int64)?

    init(
        path: String?, shelf: Shelf, mailbox: Mailbox, findings: StoreFindings,
        report: @escaping @Sendable (StoreNotice) -> Void
    ) {
        self.path = path
        self.shelf = shelf
        self.mailbox = mailbox
        self.findings = findings
        self.report = report
    }

    /// Opens the file.
    mutating func open() { try? attempt { _ in } }

    /// Does jobs until it is closed.
    mutating func run() {
        while true {
            let jobs = mailbox.take(until: retry?.time)
            if jobs.isEmpty { saveWanted() }
            for job in jobs {
                if case .close = job { return close() }
                perform(job)
            }
            while mailbox.isEmpty, maintain() {}
        }
    }

    private mutating func perform(_ job: Job) {
        switch job {
        case .keep(let record): keep(record)
        case .keepPosition(let position, let item):
            guard var record = wanted, record.order.current == item else { return }
            record.position = position
            keep(record)
        case .commit(let record, let kind, let reply): reply(commit(record, as: kind))
        case .stage(let items, let done):
            try? attempt { try $0.stage(items) }
            done()
        case .saveItems: saveWanted()
        case .discard(let ids): file?.discard(ids)
        case .orderBeforeLastEdit(let reply): reply(orderBeforeLastEdit())
        case .flush(let done): done()
        case .close: break
        }
    }

    private mutating func keep(_ record: PlayerRecord) {
        wanted = record
        saveWanted()
    }

    private mutating func saveWanted() {
        guard let wanted else { return }
        try? attempt { try $0.save(wanted, as: .keep) }
    }

    private mutating func commit(
        _ record: PlayerRecord, as kind: QueueCommit
    ) -> Result<Void, QueueError> {
        do throws(StoreTrouble) {
            let earlier = wanted
            try attempt { file in
                if let earlier { try file.save(earlier, as: .keep) }
                switch kind {
                case .edit(let name): try file.save(record, as: .edit, name: name)
                case .undo: try file.save(record, as: .undo)
                }
            }
            wanted = record
            return .success(())
        } catch {
            let operation = if case .edit(let name) = kind { name } else { Self.undo }
            return .failure(
                QueueError(.notDurable, operation: operation, reason: error.reason))
        }
    }

    private static var undo: String { "take the last edit back" }

    private mutating func orderBeforeLastEdit()
        -> Result<(order: QueueOrder, position: CMTime)?, QueueError>
    {
        do throws(StoreTrouble) {
            return .success(try attempt { try $0.orderBeforeLastEdit() })
        } catch {
            return .failure(
                QueueError(.notDurable, operation: Self.undo, reason: error.reason))
        }
    }

    /// Does something with the file, which is opened first when it is not.
    private mutating func attempt<T>(
        _ body: (StateFile) throws -> T
    ) throws(StoreTrouble) -> T {
        do {
            guard let path else { throw StoreTrouble.noFolder }
            let file = try self.file ?? StateFile(in: path, shelf: shelf, report: report)
            if self.file == nil { didOpen(file) }
            let result = try body(file)
            canMaintain = true
            endTrouble()
            return result
        } catch {
            let trouble = StoreTrouble(error, in: path)
            if trouble.code == .damaged {
                file?.close()
                file = nil
            }
            begin(trouble)
            throw trouble
        }
    }

    private mutating func didOpen(_ file: StateFile) {
        self.file = file
        if !file.durable.isNew {
            findings.record = file.durable.record
            wanted = wanted ?? file.durable.record
        }
    }

    private mutating func begin(_ trouble: StoreTrouble) {
        if findings.trouble == nil {
            findings.trouble = trouble
            report(.troubleBegan(trouble))
        }
        let delay = min((retry?.delay ?? 500_000_000) * 2, 30_000_000_000)
        let isUnsaved = path != nil && wanted != nil && wanted != file?.durable.record
        retry = isUnsaved ? (monotonicNow() + delay, delay) : nil
    }

    private mutating func endTrouble() {
        retry = nil
        guard findings.trouble != nil else { return }
        findings.trouble = nil
        report(.troubleEnded)
    }

    /// Does some of what can wait. Returns whether there is more of it.
    private mutating func maintain() -> Bool {
        guard let file, canMaintain else { return false }
        do {
            return try file.maintain(wanted?.order)
        } catch {
            // It is no harm when it is not done: it waits until something could be written again.
            canMaintain = false
            return false
        }
    }

    private mutating func close() {
        saveWanted()
        file?.close()
        file = nil
    }
}
