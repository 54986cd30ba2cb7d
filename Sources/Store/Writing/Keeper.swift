import Playback

/// Does what the store is asked for, one job after the other, and holds on to what it cannot write
/// until it can. It belongs to the store's own thread.
struct Keeper: ~Copyable {
    private let path: String?
    private let memory: StoreMemory
    private let clock: any HostClock
    private let report: @Sendable (StoreNotice) -> Void
    /// Nil while it cannot be opened.
    private(set) var file: StateFile?
    /// What it is read by as long as it cannot be opened.
    private var peek: FilePeek?
    /// What the file should hold; nil while it is to stay as it was found.
    private var wanted: PlayerRecord? {
        didSet { memory.findings.order = wanted?.order ?? QueueOrder() }
    }
    /// Whether the file has an order that nobody was told of when there was trouble from the start:
    /// what takes its place is an edit, which can be taken back.
    private var replacesUnknown = false
    /// Items that refused edits have brought.
    private var refused: [ItemID] = []
    /// Whether the file may be damaged somewhere.
    private var isSuspect = false
    /// How often it was opened.
    private var openings = 0
    private var canMaintain = true
    /// Until when the disk is not waited for, since a loss of power may cost that much of the position;
    /// nil when nothing waits for it.
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
        // What is in the file may not be known before it is too late: no id of it is given.
        if file == nil, path != nil, peek == nil {
            memory.itemStore.setReader(nil, lastNumber: .random(in: 1 << 30..<1 << 31))
            replacesUnknown = true
        }
    }

    /// Does jobs until it is closed.
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

    /// Nanoseconds of the position that a loss of power may cost, and a second until the next one.
    private static var syncInterval: Int64 { 8_000_000_000 }

    /// Whether a position that comes every second has to be on the disk now, with those before it.
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

    /// What a refused edit has brought is of no more use when what comes next does not name it.
    private mutating func dropRefused(but order: QueueOrder) {
        guard !refused.isEmpty else { return }
        var dropped = ItemSet(refused)
        dropped.remove(order.ids)
        refused = []
        file?.discard(memory.itemStore.forget(dropped.lowest(.max)))
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

    /// Does some of what can wait. Returns whether there is more of it.
    private mutating func maintain() -> Bool {
        guard let file, canMaintain else { return false }
        do {
            return try file.maintain()
        } catch {
            // It is no harm when it is not done: it waits until something could be written again.
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

    /// Does something with the file, which is opened first when it is not.
    private mutating func attempt<T>(
        _ body: (StateFile) throws -> T
    ) throws(StoreTrouble) -> T {
        do {
            guard let path else { throw StoreTrouble.noFolder }
            let wasOpen = self.file != nil
            let file = try self.file ?? openFile(in: path)
            let writes = file.writes
            let result = try body(file)
            // Where there was nothing to write it is not known whether it could have been.
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

    /// Makes it known what the file holds, though it cannot be opened for writing.
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

    /// What is found in it may be what the file should hold.
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

    /// When it is opened again it is looked at as a whole, and set aside if need be.
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
        // Jobs on the way there are tried at once, and put nothing off.
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
