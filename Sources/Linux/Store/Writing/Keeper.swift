import UndersongBase
import UndersongPlayback

/// Runs the store's jobs one after the other, and holds unwritten changes until they can be
/// written. It belongs to the store's own thread.
struct Keeper: ~Copyable {
    private let path: String?
    private let memory: StoreMemory
    private let clock: any HostClock
    private let report: @Sendable (StoreNotice) -> Void
    /// The file; nil while it cannot be opened.
    private(set) var file: StateFile?
    /// The lock on the folder; nil while another process has it.
    private var lock: StateLock?
    /// True if the file can only be read.
    private var isPeeking = false
    /// The contents that the file should have; nil while it stays as it was found.
    private var wanted: PlayerRecord? {
        didSet { memory.findings.withLock { $0.order = wanted?.order ?? QueueOrder() } }
    }
    /// True if the player has begun without the contents of the file, which is not written then.
    private var isUnread = false
    /// True if the file may be damaged somewhere.
    private var isSuspect = false
    private var canMaintain = true
    /// The time at which the next sync is due: until then a power loss costs that much of the
    /// position. Nil if nothing waits to be synced.
    private var syncTime: Int64?
    /// The time at which the file is tried again; nil while nothing waits to be saved.
    private var retryTime: Int64?
    private var retryDelays = Backoff(seconds: 1...30)

    /// Creates a keeper of the file in the folder `path`, of which the caller may have the lock.
    init(
        path: String?, lock: StateLock? = nil, memory: StoreMemory, clock: any HostClock,
        report: @escaping @Sendable (StoreNotice) -> Void
    ) {
        self.path = path
        self.lock = lock
        self.memory = memory
        self.clock = clock
        self.report = report
    }

    /// Opens the file.
    mutating func open() {
        try? attempt { _ in }
        // The ids in the file may become known too late, so new ones start where they cannot
        // collide.
        if file == nil, path != nil, !isPeeking {
            memory.itemStore.setReader(nil, lastNumber: .random(in: 1 << 30..<1 << 31))
            isUnread = true
        }
    }

    /// Runs jobs until the store is closed.
    mutating func run() {
        while true {
            while memory.mailbox.isEmpty, maintain() {}
            let jobs = memory.mailbox.waitForJobs(until: retryTime, by: clock)
            if jobs.isEmpty { saveAll() }
            for job in jobs {
                if case .close = job { return close() }
                perform(job)
            }
        }
    }

    mutating func perform(_ job: Job) {
        switch job {
        case .keep(let record): keep(record, isDurable: true)
        case .keepPosition(let position, let item):
            guard var record = wanted, record.order.current == item else { return }
            record.position = position
            keep(record, isDurable: isSyncDue())
        case .run(let body): body(&self)
        case .close: break
        }
    }

    // MARK: Jobs

    private mutating func keep(_ record: PlayerRecord, isDurable: Bool) {
        wanted = record
        saveWanted(isDurable: isDurable)
    }

    /// Nanoseconds of the position that a power loss may cost, plus a second until the next one.
    private static var syncInterval: Int64 { 8_000_000_000 }

    /// Returns true if a position, which is kept every second, must be synced to the disk now, with
    /// those before it.
    private mutating func isSyncDue() -> Bool {
        let now = clock.now
        let isDue = syncTime.map { now >= $0 } ?? false
        syncTime = isDue ? nil : syncTime ?? now + Self.syncInterval
        return isDue
    }

    /// Makes an edit durable, after all earlier changes it. Returns false, and changes nothing, if
    /// an edit with this key was made before.
    mutating func commit(
        _ record: PlayerRecord, as change: DurableState.Change, key: String?
    ) throws(StoreTrouble) -> Bool {
        if let key, try attempt({ try $0.hasMade(key) }) { return false }
        try attempt { _ in }
        let earlier = wanted
        try attempt { file in
            if let earlier { try file.save(earlier, as: .keep) }
            try file.save(record, as: change, key: key)
        }
        wanted = record
        memory.findings.withLock { $0.record = nil }
        return true
    }

    mutating func saveAll() {
        saveWanted()
        saveListening()
    }

    /// Writes the record that is wanted, and unsaved items.
    mutating func saveWanted(isDurable: Bool = true) {
        guard wanted != nil else { return }
        // What the file contains may be what is wanted.
        try? attempt { _ in }
        guard file != nil, let wanted else { return }
        try? attempt { try $0.save(wanted, as: .keep, isDurable: isDurable) }
    }

    mutating func saveListening() {
        let listening = memory.listening
        guard !listening.unsaved.isEmpty else { return }
        try? attempt { try $0.save(listening) }
    }

    /// Opens the file again because it is damaged.
    mutating func replaceFile() {
        abandonFile()
        saveAll()
    }

    /// Does a slice of the maintenance. Returns whether there is more.
    private mutating func maintain() -> Bool {
        guard let file, canMaintain else { return false }
        do {
            return try file.maintain()
        } catch {
            if (error as? SQLiteError)?.isDamage == true {
                replaceFile()
            } else {
                // Not urgent: it waits until something can be written again.
                canMaintain = false
            }
            return false
        }
    }

    private mutating func close() {
        saveAll()
        file?.close()
        file = nil
        endPeek()
        lock?.unlock()
        lock = nil
    }

    // MARK: Trouble

    /// Runs an operation on the file, and opens that first if necessary.
    mutating func attempt<T>(_ body: (StateFile) throws -> T) throws(StoreTrouble) -> T {
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
            if file == nil, [.diskFull, .readOnly, .inputOutput].contains(trouble.code) { peek() }
            begin(trouble)
            throw trouble
        }
    }

    private mutating func openFile(in path: String) throws -> StateFile {
        if lock == nil { lock = try StateLock(path) }
        endPeek()
        let file = try StateFile(
            in: path, itemStore: memory.itemStore, isSuspect: isSuspect,
            onDamage: { [mailbox = memory.mailbox] in mailbox.post(.run { $0.replaceFile() }) },
            report: report)
        guard !isUnread || file.durable.isNew else {
            file.close()
            throw StoreTrouble.unread
        }
        isUnread = false
        self.file = file
        isSuspect = false
        didFind(file.durable)
        return file
    }

    /// Publishes the contents of the file although it cannot be opened for writing.
    private mutating func peek() {
        guard let path, lock != nil, !isUnread,
            let (database, durable) = try? StateFile.peek(in: path)
        else { return }
        isPeeking = true
        memory.itemStore.setReader(database, lastNumber: durable.lastNumber)
        didFind(durable)
    }

    private mutating func endPeek() {
        guard isPeeking else { return }
        memory.itemStore.setReader(nil, lastNumber: 0)
        isPeeking = false
    }

    private mutating func didFind(_ durable: DurableState) {
        guard !durable.isNew else { return }
        memory.findings.withLock { $0.record = $0.record ?? durable.record }
        if wanted == nil { wanted = durable.record }
    }

    /// Closes the file. It is checked as a whole when it is opened again, and set aside if damaged.
    private mutating func abandonFile() {
        file?.abandon()
        file = nil
        isSuspect = true
    }

    private mutating func begin(_ trouble: StoreTrouble) {
        let isNew = memory.findings.withLock { findings in
            let earlier = findings.trouble
            findings.trouble = trouble
            findings.trouble?.since = earlier?.since ?? trouble.since
            return earlier == nil
        }
        if isNew { report(.troubleBegan(trouble)) }
        let isUnsaved = wanted != nil && wanted != file?.durable.record
        guard path != nil, trouble.code != .unread,
            isUnsaved || !memory.listening.unsaved.isEmpty
        else { return endRetries() }
        let now = clock.now
        // Jobs that arrive meanwhile are tried at once, and do not postpone the next attempt.
        if let retryTime, retryTime > now { return }
        retryTime = now + retryDelays.nextNanoseconds()
    }

    private mutating func endTrouble() {
        canMaintain = true
        endRetries()
        let trouble = memory.findings.withLock { findings in
            defer { findings.trouble = nil }
            return findings.trouble
        }
        if trouble != nil { report(.troubleEnded) }
    }

    private mutating func endRetries() {
        retryTime = nil
        retryDelays.reset()
    }
}
