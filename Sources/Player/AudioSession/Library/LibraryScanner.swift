import Dispatch
import Glibc
import Synchronization
package import UndersongBase
package import UndersongLibrary
import UndersongPlayback

/// One scan of a library: walks through folders, reads the files that are new or have changed, and
/// stores what it finds, on a thread that runs only when nothing else wants the processor or the disk.
///
/// A folder that can be reached by several links is scanned once, by its own path if that is in the
/// library. What cannot be read keeps what is known about it; only what is not there is missing.
package final class LibraryScanner: Sendable {
    private let request: ScanRequest
    private let records: any ScanRecords
    private let watch: FolderTreeWatch?
    private let clock: any HostClock
    private let isStopped = Atomic(false)
    /// Runs what the scan asks of the store: nothing wakes up while nothing happens.
    private let executor = SessionExecutor(label: "undersong.library", qos: .background)

    /// Creates a scan. The folders that it finds are watched by `watch`.
    package init(
        _ request: ScanRequest, _ records: any ScanRecords, watch: FolderTreeWatch?,
        clock: any HostClock
    ) {
        self.request = request
        self.records = records
        self.watch = watch
        self.clock = clock
    }

    /// True if a file or folder of this name is part of a library.
    package static func isRelevant(_ name: [UInt8]) -> Bool { FolderListing.isRelevant(name) }

    /// Makes the scan end soon, if it has begun, and otherwise at its beginning.
    package func stop() { isStopped.store(true, ordering: .relaxed) }

    /// Scans, once. `now` is the time in seconds since 1970; `report` is called on the scan's thread.
    package func scan(
        now: Double, report: @escaping @Sendable (LibraryScan) -> Void
    ) async -> ScanOutcome {
        await withCheckedContinuation { continuation in
            startThread(named: "library scan") { [self] in
                becomeIdle()
                let walk = FolderWalk(
                    request, records, watch, clock, now: now, on: executor,
                    isStopped: { self.isStopped.load(ordering: .relaxed) }, report: report)
                continuation.resume(returning: walk.run())
            }
        }
    }
}

/// The walk of a scan through its folders. Owned by the scan's thread.
private final class FolderWalk {
    /// The files that are stored together, and the most seconds until they are.
    private static let (batchSize, batchSeconds) = (250, 2.0)
    private static let problemLimit = 100

    /// The reason why a walk ends before it is complete.
    private struct End: Error {
        var end: ScanOutcome.End
    }

    private let request: ScanRequest
    private let records: any ScanRecords
    private let watch: FolderTreeWatch?
    private let clock: any HostClock
    private let now: Double
    private let executor: SessionExecutor
    private let isStopped: () -> Bool
    private let report: (LibraryScan) -> Void

    private var outcome = ScanOutcome(.complete)
    /// True once no more folders can be watched.
    private var isWatchFull = false
    private var seen: Set<FileIdentity> = []
    /// The folders with known files that were not seen yet.
    private var unseen: Set<FilePath> = []
    /// The folders that are there and cannot be read.
    private var unreadable: [FilePath] = []
    /// The folders to walk, last first, and links, which come after all folders.
    private var open: [FilePath] = []
    private var links: [FilePath] = []
    private var batch: [ScannedFile] = []
    /// The time at which the last batch was stored, in nanoseconds of the clock.
    private var batchStart: Int64

    init(
        _ request: ScanRequest, _ records: any ScanRecords, _ watch: FolderTreeWatch?,
        _ clock: any HostClock, now: Double, on executor: SessionExecutor,
        isStopped: @escaping () -> Bool, report: @escaping (LibraryScan) -> Void
    ) {
        (self.request, self.records, self.watch, self.clock) = (request, records, watch, clock)
        batchStart = clock.now
        (self.now, self.executor) = (now, executor)
        (self.isStopped, self.report) = (isStopped, report)
    }

    func run() -> ScanOutcome {
        do throws(End) {
            try walk()
        } catch {
            outcome.end = error.end
        }
        report(outcome.progress)
        let silence = FolderTreeWatch.silence(of: request.root)
        outcome.watchProblem = outcome.watchProblem ?? silence
        return outcome
    }

    private func walk() throws(End) {
        watch?.watchMounts(of: request.root)
        if watch == nil {
            outcome.watchProblem = "Changes are not noticed: there is no means to watch folders"
        }
        unseen = Set(try read { try records.knownFolders(in: request.folder) })
        if request.isRecursive {
            open = [request.folder]
            try walkOpen()
            try store()
            try markUnseen()
        } else {
            try walkAlone()
            try store()
        }
    }

    /// Walks through the folders in `open`, and then through those that links lead to.
    private func walkOpen() throws(End) {
        while true {
            while let path = open.popLast() {
                guard let listing = try enter(path) else { continue }
                for name in listing.folders.reversed() { open.append(path.appending(name)) }
                links += listing.links.map { path.appending($0) }
                try scanFiles(of: listing)
            }
            guard !links.isEmpty else { return }
            let path = links.removeFirst()
            if !leadsIntoRoot(path), !isWatchedElsewhere(path) { open.append(path) }
        }
    }

    /// Looks at one folder, and at those in it that are new or not there any more.
    private func walkAlone() throws(End) {
        let folder = request.folder
        guard let listing = try enter(folder) else {
            try store()
            return try markUnseen()
        }
        try scanFiles(of: listing)
        let names = Set(listing.folders + listing.links)
        let prefix = folder.appending([]).bytes.count
        var known: Set<[UInt8]> = []
        for path in unseen where path != folder {
            known.insert(Array(path.bytes.dropFirst(prefix).prefix { $0 != UInt8(ascii: "/") }))
        }
        for name in known.subtracting(names) {
            let path = folder.appending(name)
            try wait { [records, now] in try await records.markMissing(below: path, since: now) }
        }
        unseen = []
        open = listing.folders.map { folder.appending($0) }
        links = listing.links.map { folder.appending($0) }
        let isOld = { (path: FilePath) in
            self.watch?.isWatched(path) ?? known.contains(Array(path.bytes.dropFirst(prefix)))
                || self.isWatchFull && known.contains(Array(path.bytes.dropFirst(prefix)))
        }
        open.removeAll(where: isOld)
        links.removeAll(where: isOld)
        try walkOpen()
    }

    /// Lists a folder, and begins to watch it; nil if it was seen, is not there, or cannot be read.
    private func enter(_ path: FilePath) throws(End) -> FolderListing? {
        guard !isStopped() else { throw End(end: .stopped) }
        // Watched before it is listed, so that no change is missed.
        beginWatching(path)
        do throws(SystemError) {
            let listing = try FolderListing(path)
            guard seen.insert(listing.identity).inserted else { return nil }
            unseen.remove(path)
            return listing
        } catch {
            switch error.code {
            case ENOENT, ENOTDIR, ELOOP:
                guard path == request.root else { return nil }
                watch?.awaitArrival(of: path)
                try wait { [records, now] in
                    try await records.markMissing(below: path, since: now)
                }
                throw End(end: .rootIsMissing)
            default:
                unreadable.append(path)
                add("\(path): \(error.reason)")
                return nil
            }
        }
    }

    private func beginWatching(_ path: FilePath) {
        guard let watch, !isWatchFull else { return }
        do throws(FolderTreeWatch.Problem) {
            try watch.watch(path)
        } catch {
            switch error {
            case .limit(let reason):
                isWatchFull = true
                outcome.watchProblem = reason
            case .folder: break
            }
        }
    }

    /// True if the folder to which a link leads is watched, and so was scanned, by another path.
    private func isWatchedElsewhere(_ link: FilePath) -> Bool {
        guard let watch, !isWatchFull,
            let path = try? watch.watch(link, keepsPath: true), path != link,
            let identity = FileIdentity(path: path)
        else { return false }
        return identity == FileIdentity(path: link)
    }

    /// True if the folder to which a link leads is scanned by its own path.
    private func leadsIntoRoot(_ link: FilePath) -> Bool {
        func resolved(_ path: FilePath) -> FilePath? {
            unsafe path.withPlatformString { path in
                guard let real = unsafe realpath(path, nil) else { return nil }
                defer { unsafe free(real) }
                return unsafe FilePath(String(cString: real))
            }
        }
        guard let target = resolved(link), let root = resolved(request.root) else { return true }
        return target.isWithin(root)
    }

    // MARK: Files

    private func scanFiles(of listing: FolderListing) throws(End) {
        let reader = TrackReader(listing)
        for problem in reader.problems { add(problem) }
        let folder = listing.path
        var known = try read { try records.knownFiles(in: folder) }
        var unchanged: [FilePath: ScanStamp] = [:]
        var files: [(name: [UInt8], stamp: ScanStamp)] = []
        for index in 0..<listing.fileCount {
            if index % 256 == 0, isStopped() { throw End(end: .stopped) }
            let name = listing.fileName(index)
            guard let status = listing.status(name) else { continue }
            let path = folder.appending(name)
            let stamp = reader.stamp(of: name, status)
            outcome.progress.fileCount += 1
            let file = known.removeValue(forKey: path)
            if let file, file.stamp.hasContent(of: stamp), !request.readsAll {
                if file.isMissing { unchanged[path] = stamp }
            } else {
                files.append((name, stamp))
            }
        }
        let missing = known.filter { !$0.value.isMissing }.map(\.key)
        if !missing.isEmpty {
            try wait { [records, now] in try await records.markMissing(missing, since: now) }
        }
        try read(files, of: listing, reader)
        if !unchanged.isEmpty {
            try wait { [records, unchanged] in try await records.markPresent(unchanged) }
        }
    }

    /// Reads files in the order in which most file systems have them on the disk.
    private func read(
        _ files: [(name: [UInt8], stamp: ScanStamp)], of listing: FolderListing,
        _ reader: TrackReader
    ) throws(End) {
        for (name, stamp) in files.sorted(by: { $0.stamp.inode < $1.stamp.inode }) {
            guard !isStopped() else {
                try store()
                throw End(end: .stopped)
            }
            let path = listing.path.appending(name)
            var tracks: [ScannedTrack] = []
            do throws(MediaError) {
                tracks = try reader.tracks(of: name)
            } catch {
                switch error.code {
                case .notFound: continue
                case .notPermitted, .readFailed:
                    add(error)
                    continue
                default: add(error)
                }
            }
            outcome.progress.readCount += 1
            batch.append(ScannedFile(path: path, stamp: stamp, tracks: tracks))
            let seconds = Double(clock.now - batchStart) / 1e9
            if batch.count >= Self.batchSize || seconds > Self.batchSeconds { try store() }
        }
    }

    private func store() throws(End) {
        batchStart = clock.now
        report(outcome.progress)
        guard !batch.isEmpty else { return }
        let files = batch
        batch = []
        try wait { [records] in try await records.apply(files) }
    }

    /// Marks as missing what is known in folders that are not there any more.
    private func markUnseen() throws(End) {
        for path in unseen where !unreadable.contains(where: { path.isWithin($0) }) {
            let files = try read { try records.knownFiles(in: path) }
            let missing = files.filter { !$0.value.isMissing }.map(\.key)
            guard !missing.isEmpty else { continue }
            try wait { [records, now] in try await records.markMissing(missing, since: now) }
        }
    }

    // MARK: Problems and the store

    private func add(_ error: MediaError) { add("\(error)") }

    private func add(_ problem: String) {
        if outcome.problems.count < Self.problemLimit { outcome.problems.append(problem) }
    }

    /// Reads from the store: a scan that does not know what is known would read all files again.
    private func read<Value>(_ body: () throws -> Value) throws(End) -> Value {
        do {
            return try body()
        } catch {
            throw End(end: .failed("\(error)"))
        }
    }

    /// Waits on the scan's thread for what the store does.
    private func wait<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) throws(End) -> Value {
        let result = Answer<Value>()
        Task(executorPreference: executor) {
            do {
                result.set(.success(try await body()))
            } catch {
                result.set(.failure(error))
            }
        }
        switch result.wait() {
        case .success(let value): return value
        case .failure(let error): throw End(end: .failed("\(error)"))
        }
    }
}

/// The result of a task for the thread that waits for it.
private final class Answer<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let semaphore = Semaphore()

    func set(_ value: Result<Value, any Error>) {
        result.withLock { $0 = value }
        semaphore.post()
    }

    func wait() -> Result<Value, any Error> {
        semaphore.wait()
        guard let value = result.withLock(\.self) else { preconditionFailure("there is no result") }
        return value
    }
}
