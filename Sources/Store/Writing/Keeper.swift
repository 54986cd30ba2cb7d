import Playback

/// Runs the store's jobs one after the other, and holds what it cannot write until it can. It
/// belongs to the store's own thread.
struct Keeper: ~Copyable {
    private let path: String?
    private let memory: StoreMemory
    private let clock: any HostClock
    private let report: @Sendable (StoreNotice) -> Void
    /// The file; nil while it cannot be opened.
    private(set) var file: StateFile?
    /// Reads the file while it cannot be opened for writing.
    private var peek: FilePeek?
    /// What the file should contain; nil while it stays as it was found.
    private var wanted: PlayerRecord? {
        didSet { memory.findings.order = wanted?.order ?? QueueOrder() }
    }
    /// Whether the file has an order that nobody has seen because of trouble from the start.
    /// Replacing it counts as an edit, which can be undone.
    private var replacesUnknown = false
    /// Items of refused edits.
    private var refused: [ItemID] = []
    /// Whether the file may be damaged somewhere.
    private var isSuspect = false
    /// How often the file was opened.
    private var openings = 0
    private var canMaintain = true
    /// When the next sync is due: until then a power loss costs that much of the position. Nil if
    /// nothing waits to be synced.
    private var syncTime: Int64?
    private var retry: (time: Int64, delay: Int64)?

    init(
        path: String?, memory: StoreMemory, clock: any HostClock,
        report: @escaping @Sendable (StoreNotice) -> Void
    ) {
        self.path = path
        self.memory = memory
        self.clock = clock
        self.report = report
    }

    /// Opens the file.
    mutating func open() {
        try? attempt { _ in }
        // The ids in the file may become known too late, so new ones start where they cannot
        // collide.
        if file == nil, path != nil, peek == nil {
            memory.itemStore.setReader(nil, lastNumber: .random(in: 1 << 30..<1 << 31))
            replacesUnknown = true
        }
    }

    /// Runs jobs until the store is closed.
    mutating func run() {
        while true {
            let jobs = memory.mailbox.take(until: retry?.time, by: clock)
            if jobs.isEmpty { saveAll() }
            for job in jobs {
                if case .close = job { return close() }
                perform(job)
            }
            while memory.mailbox.isEmpty, maintain() {}
        }
    }

    mutating func perform(_ job: Job) {
        switch job {
        case .keep(let record): keep(record)
        case .keepPosition(let position, let item):
            guard var record = wanted, record.order.current == item else { return }
            record.position = position
            keep(record, isDurable: isSyncDue())
        case .commit(let record, let kind, let reply): reply(commit(record, as: kind))
        case .stage(let items, let done):
            try? attempt { try $0.stage(items) }
            done()
        case .saveItems: saveWanted()
        case .saveListening: saveListening()
        case .discard(let ids): file?.discard(ids)
        case .orderBeforeLastEdit(let reply): reply(orderBeforeLastEdit())
        case .replaceFile(let opening): if opening == openings { replaceFile() }
        case .flush(let done): done()
        case .close: break
        }
    }

    // MARK: Jobs

    private mutating func keep(_ record: PlayerRecord, isDurable: Bool = true) {
        wanted = record
        dropRefused(but: record.order)
        saveWanted(isDurable: isDurable)
        if file?.durable.record.order.ids == record.order.ids { replacesUnknown = false }
    }

    /// Nanoseconds of the position that a power loss may cost, plus a second until the next one.
    private static var syncInterval: Int64 { 8_000_000_000 }

    /// Whether a position, which is kept every second, must be synced to the disk now, with those
    /// before it.
    private mutating func isSyncDue() -> Bool {
        let now = clock.now
        let isDue = syncTime.map { now >= $0 } ?? false
        syncTime = isDue ? nil : syncTime ?? now + Self.syncInterval
        return isDue
    }

    private mutating func commit(
        _ record: PlayerRecord, as kind: QueueCommit
    ) -> Result<Void, QueueError> {
        dropRefused(but: record.order)
        do throws(StoreTrouble) {
            try openFile()
            let earlier = wanted
            let replaces = replacesUnknown
            try attempt { file in
                if let earlier { try file.save(earlier, as: replaces ? .edit : .keep) }
                try file.save(record, as: kind == .undo ? .undo : .edit)
            }
            replacesUnknown = false
            wanted = record
            memory.findings.record = nil
            return .success(())
        } catch {
            let known = file?.durable.record.order ?? wanted?.order ?? QueueOrder()
            var brought = ItemSet(record.order.ids)
            brought.remove(known.ids)
            refused += brought.lowest(.max)
            let operation = if case .edit(let name) = kind { name } else { Self.undo }
            return .failure(
                QueueError(.notDurable, operation: operation, reason: error.reason))
        }
    }

    /// Discards the items of refused edits unless the next order names them.
    private mutating func dropRefused(but order: QueueOrder) {
        guard !refused.isEmpty else { return }
        var dropped = ItemSet(refused)
        dropped.remove(order.ids)
        refused = []
        file?.discard(memory.itemStore.forget(dropped.lowest(.max)))
    }

    private static var undo: String { "undo the last edit" }

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

    private mutating func saveAll() {
        saveWanted()
        saveListening()
    }

    private mutating func saveWanted(isDurable: Bool = true) {
        guard wanted != nil else { return }
        do throws(StoreTrouble) {
            try openFile()
            guard let wanted else { return }
            let replaces = replacesUnknown
            try attempt {
                try $0.save(wanted, as: replaces ? .edit : .keep, isDurable: isDurable)
            }
        } catch {}
    }

    private mutating func saveListening() {
        let listening = memory.listening
        guard !listening.unsaved.isEmpty else { return }
        try? attempt { try $0.save(listening) }
    }

    /// Does a slice of the maintenance. Returns whether there is more.
    private mutating func maintain() -> Bool {
        guard let file, canMaintain else { return false }
        do {
            return try file.maintain()
        } catch {
            // Not urgent: it waits until something can be written again.
            canMaintain = false
            return false
        }
    }

    private mutating func close() {
        saveAll()
        file?.close()
        file = nil
        endPeek()
    }

    // MARK: Trouble

    /// Runs an operation on the file, and opens that first if necessary.
    private mutating func attempt<T>(
        _ body: (StateFile) throws -> T
    ) throws(StoreTrouble) -> T {
        do {
            guard let path else { throw StoreTrouble.noFolder }
            let wasOpen = self.file != nil
            let file = try self.file ?? openFile(in: path)
            let writes = file.writes
            let result = try body(file)
            // If nothing was written, it is unknown whether it could have been.
            if !wasOpen || file.writes > writes { endTrouble() }
            return result
        } catch {
            let trouble = StoreTrouble(error, in: path, since: clock.secondsSinceEpoch)
            if trouble.code == .damaged { abandonFile() }
            if file == nil { startPeek(trouble) }
            begin(trouble)
            throw trouble
        }
    }

    /// Publishes the contents of the file although it cannot be opened for writing.
    private mutating func startPeek(_ trouble: StoreTrouble) {
        guard [.diskFull, .readOnly, .inputOutput].contains(trouble.code), let path,
            let peek = try? FilePeek(in: path)
        else { return }
        self.peek = peek
        memory.itemStore.setReader(peek.connection, lastNumber: peek.durable.state.lastNumber)
        didFind(peek.durable)
    }

    private mutating func endPeek() {
        peek?.close()
        peek = nil
    }

    private mutating func didFind(_ durable: DurableState) {
        guard !durable.isNew else { return }
        memory.findings.record = memory.findings.record ?? durable.record
        if wanted?.order.ids.isEmpty ?? true { wanted = durable.record }
    }

    /// Opens the file before an edit, since what it contains may be what is wanted.
    private mutating func openFile() throws(StoreTrouble) {
        if file == nil { try attempt { _ in } }
    }

    private mutating func openFile(in path: String) throws -> StateFile {
        let mailbox = memory.mailbox
        openings += 1
        let opening = openings
        endPeek()
        let file = try StateFile(
            in: path, itemStore: memory.itemStore, isSuspect: isSuspect,
            onDamage: { _ = mailbox.post(.replaceFile(opening)) }, report: report)
        self.file = file
        isSuspect = false
        didFind(file.durable)
        return file
    }

    /// When the file is opened again, it is checked as a whole, and set aside if damaged.
    private mutating func abandonFile() {
        file?.abandon()
        file = nil
        isSuspect = true
    }

    private mutating func replaceFile() {
        abandonFile()
        saveAll()
    }

    private mutating func begin(_ trouble: StoreTrouble) {
        var told = trouble
        if let earlier = memory.findings.trouble { told.since = earlier.since }
        let isNew = memory.findings.trouble == nil
        memory.findings.trouble = told
        if isNew { report(.troubleBegan(trouble)) }
        guard path != nil, isUnsaved || !memory.listening.unsaved.isEmpty else {
            retry = nil
            return
        }
        let now = clock.now
        // Jobs that arrive meanwhile are tried at once, and do not postpone the next attempt.
        if let retry, retry.time > now { return }
        let delay = min((retry?.delay ?? 500_000_000) * 2, 30_000_000_000)
        retry = (now + delay, delay)
    }

    private var isUnsaved: Bool { wanted != nil && wanted != file?.durable.record }

    private mutating func endTrouble() {
        canMaintain = true
        retry = nil
        guard memory.findings.trouble != nil else { return }
        memory.findings.trouble = nil
        report(.troubleEnded)
    }
}
