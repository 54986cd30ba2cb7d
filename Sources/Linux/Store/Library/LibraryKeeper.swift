import Synchronization
import UndersongBase
import UndersongLibrary

/// A job for the library's own thread.
enum LibraryJob: ThreadJob {
    case run(@Sendable (LibraryKeeper) -> Void)
    case close

    var closes: Bool { if case .close = self { true } else { false } }
    func merged(with later: LibraryJob) -> LibraryJob? { nil }
}

/// The state that the library's own thread shares with all others.
final class LibraryMemory: Sendable {
    /// The findings that the library's thread publishes.
    struct Findings {
        var trackCount = 0
        var trouble: StoreTrouble?
        /// Increases when the order of names may have changed.
        var version = 0
        /// Increases when the file is opened.
        var opening = 0
    }

    /// The folder; nil if there is none.
    let folder: String?
    let clock: any HostClock
    let mailbox = Mailbox<LibraryJob>()
    let findings = Mutex(Findings())
    private let zone: LocalZone
    /// Nil while the file is not open for queries.
    private let reader = Mutex<LibraryReader?>(nil)
    /// Nil while the file is not open for scans.
    private let scanReader = Mutex<ScanReader?>(nil)
    /// Has a permit from the first attempt to open the file on.
    private let opened = Semaphore()

    init(folder: String?, clock: any HostClock, zone: LocalZone) {
        (self.folder, self.clock, self.zone) = (folder, clock, zone)
    }

    func didOpen() { opened.post() }

    /// Calls `body` while nobody reads. The next one who does opens the file again.
    func withoutReaders(_ body: () -> Void) {
        reader.withLock { reader in
            scanReader.withLock { scanReader in
                (reader, scanReader) = (nil, nil)
                body()
            }
        }
    }

    /// Reads for a query on the calling thread; nil if the file cannot be read.
    func read<Result: Sendable>(
        _ body: @Sendable (inout LibraryReader) throws -> Result
    ) -> Result? {
        attempt { path in
            let version = findings.withLock(\.version)
            return try reader.withLock { current in
                var reader =
                    try current ?? LibraryReader(try Database(path, for: .reading), zone: zone)
                current = nil
                let result = try reader.read(version: version, body)
                current = reader
                return result
            }
        }
    }

    /// Reads for a scan on the calling thread; nil if the file cannot be read.
    func readForScan<Result: Sendable>(_ body: (ScanReader) throws -> Result) -> Result? {
        attempt { path in
            try scanReader.withLock { current in
                let reader = try current ?? ScanReader(db: try Database(path, for: .reading))
                current = nil
                let result = try body(reader)
                current = reader
                return result
            }
        }
    }

    /// Calls `body` with the path of the file once that was opened. A damaged file is replaced, and
    /// read again.
    private func attempt<Result: Sendable>(_ body: (String) throws -> Result) -> Result? {
        guard let folder else { return nil }
        let path = folder + "/library.sqlite"
        opened.wait()
        opened.post()
        let opening = findings.withLock(\.opening)
        do {
            return try body(path)
        } catch {
            guard (error as? SQLiteError)?.isDamage == true else { return nil }
            let done = Semaphore()
            let isPosted = mailbox.post(
                .run { keeper in
                    keeper.replaceFile(opening)
                    done.post()
                })
            guard isPosted else { return nil }
            done.wait()
            return try? body(path)
        }
    }

    func trouble(_ reason: String) -> StoreTrouble {
        var trouble = StoreTrouble(
            code: .inputOutput, folder: folder, reason: reason, since: clock.secondsSinceEpoch)
        trouble.subject = "the library"
        return trouble
    }
}

/// Runs the library's jobs one after the other, and holds counts until they can be written. It belongs
/// to the library's own thread.
final class LibraryKeeper {
    /// A track that was played or skipped.
    private struct Count {
        let id: Int
        let change: @Sendable (inout Track) -> Void
        let whenCounted: @Sendable () -> Void
    }

    private let memory: LibraryMemory
    private let report: @Sendable (StoreNotice) -> Void
    /// Nil while the file cannot be opened.
    private(set) var file: LibraryFile?
    private var isDamaged = false
    private var counts: [Count] = []
    /// The time at which the counts are tried again; nil while none waits.
    private var retryTime: Int64?
    private var retryDelays = Backoff(seconds: 1...30)

    init(_ memory: LibraryMemory, report: @escaping @Sendable (StoreNotice) -> Void) {
        self.memory = memory
        self.report = report
    }

    /// Opens the file, and runs jobs until the store is closed.
    func run() {
        if memory.folder != nil { _ = try? write(isDurable: false) { _ in } }
        memory.didOpen()
        while true {
            let jobs = memory.mailbox.waitForJobs(until: retryTime, by: memory.clock)
            if jobs.isEmpty { saveCounts() }
            for job in jobs {
                switch job {
                case .run(let body): body(self)
                case .close:
                    saveCounts()
                    memory.withoutReaders {}
                    file?.close()
                    return file = nil
                }
            }
        }
    }

    /// Makes changes, all or none, after all earlier ones.
    func write<Result>(
        isDurable: Bool, _ body: (inout LibraryWriter) throws -> Result
    ) throws(StoreTrouble) -> Result {
        do {
            guard let folder = memory.folder else { throw StoreTrouble.noFolder }
            let file = try self.file ?? open(in: folder)
            do {
                return try write(isDurable: isDurable, to: file, body)
            } catch let error as SQLiteError where error.isDamage {
                replaceFile(memory.findings.withLock(\.opening))
                return try write(isDurable: isDurable, to: try self.file ?? open(in: folder), body)
            }
        } catch {
            throw begin(error)
        }
    }

    private func write<Result>(
        isDurable: Bool, to file: LibraryFile, _ body: (inout LibraryWriter) throws -> Result
    ) throws -> Result {
        let (result, count, hasNewNames) = try { () throws in
            let (written, hasNewNames) = try file.write(isDurable: isDurable) { writer in
                let result = try body(&writer)
                return (result, writer.trackChange)
            }
            return (written.0, written.1, hasNewNames)
        }()
        memory.findings.withLock { findings in
            findings.trackCount += count
            if hasNewNames { findings.version += 1 }
        }
        endTrouble()
        return result
    }

    private func open(in folder: String) throws -> LibraryFile {
        let file = try LibraryFile(in: folder, isDamaged: isDamaged, report: report)
        isDamaged = false
        self.file = file
        let count = try TrackTable(db: file.database).count()
        memory.findings.withLock { findings in
            findings.trackCount = count
            findings.version += 1
            findings.opening += 1
        }
        return file
    }

    /// Builds a new file because the one that was opened then is damaged, unless it was replaced since.
    func replaceFile(_ opening: Int) {
        guard memory.findings.withLock(\.opening) == opening else { return }
        memory.withoutReaders {
            file?.close()
            file = nil
            isDamaged = true
            _ = try? write(isDurable: false) { _ in }
        }
    }

    // MARK: Counts

    /// Keeps what a listener has done with a track, and calls `whenCounted` once it is found so.
    func count(
        _ id: Int, _ change: @escaping @Sendable (inout Track) -> Void,
        whenCounted: @escaping @Sendable () -> Void
    ) {
        counts.append(Count(id: id, change: change, whenCounted: whenCounted))
        saveCounts()
    }

    private func saveCounts() {
        guard !counts.isEmpty else { return retryTime = nil }
        let counts = counts
        do throws(StoreTrouble) {
            try write(isDurable: false) { writer in
                for count in counts { _ = try writer.change([count.id], count.change) }
            }
            self.counts = []
            retryTime = nil
            retryDelays.reset()
            for count in counts { count.whenCounted() }
        } catch {
            retryTime = memory.clock.now + retryDelays.nextNanoseconds()
        }
    }

    // MARK: Trouble

    private func begin(_ error: any Error) -> StoreTrouble {
        var trouble = StoreTrouble(
            error, in: memory.folder, since: memory.clock.secondsSinceEpoch)
        trouble.subject = "the library"
        let isNew = memory.findings.withLock { findings in
            defer { findings.trouble = trouble }
            if let earlier = findings.trouble { trouble.since = earlier.since }
            return findings.trouble == nil
        }
        if isNew { report(.troubleBegan(trouble)) }
        return trouble
    }

    private func endTrouble() {
        let hadTrouble = memory.findings.withLock { findings in
            defer { findings.trouble = nil }
            return findings.trouble != nil
        }
        if hadTrouble { report(.troubleEnded) }
    }
}
