package import UndersongBase

/// The scans of a library: decides which one runs when, one at a time.
///
/// All folders are scanned at the beginning. After that a folder is scanned once its changes have
/// paused for two seconds, or last for half a minute; every hour if changes are not noticed, or it is
/// missing; and again, at growing intervals, if the store could not keep what was found. Files that are
/// missing are forgotten after 30 days.
package struct ScanPlan: Machine {
    package enum Input: MachineInput {
        /// The folders of the library are known.
        case began([FilePath])
        /// A folder is added to the library.
        case added(FilePath)
        /// A folder is removed from it.
        case removed(FilePath)
        /// A scan of a folder, or of all, is asked for.
        case asked(FilePath?, readsAll: Bool)
        /// Something has changed in a folder, or below it.
        case changed(FilePath, isRecursive: Bool)
        /// Changes were lost: any folder may have changed.
        case lostChanges
        /// The scan that runs has come this far.
        case progressed(LibraryScan)
        /// The scan that runs has ended.
        case ended(ScanOutcome)
        /// No scan runs until `released`.
        case held
        case released
        /// `nextDue` is reached.
        case timePassed
    }

    /// Something to do.
    package enum Effect: Hashable, Sendable {
        /// Scan, and report `ended`.
        case scan(ScanRequest)
        /// End the scan that runs, which reports `ended` all the same.
        case stopScan
        /// Notice no more changes in a folder that was removed, and mark its files as missing.
        case leave(FilePath)
        /// Note that a folder of the library is missing, or that it is there.
        case note(FilePath, isMissing: Bool)
        /// Forget the files that have been missing for `keepingSeconds`.
        case forgetMissing
    }

    /// Files that are missing are kept for so long, in seconds.
    package static let keepingSeconds = 30.0 * 86_400
    /// The seconds without a change after which a folder is scanned, and the most that it waits.
    static let (pause, longestWait) = (2.0, 30.0)
    /// The seconds between the scans of a folder whose changes are not noticed.
    static let interval = 3600.0
    /// The seconds until a scan that failed is tried again, which double each time.
    static let firstRetry = 60.0
    /// The number of changed folders from which on everything is scanned.
    static let changeLimit = 500
    /// The most problems that are kept.
    static let problemLimit = 100

    /// A scan that waits.
    private struct Waiting {
        var request: ScanRequest
        var due: Double
        /// The time at which it was wanted first.
        var since: Double
    }

    /// The state of a folder of the library.
    private struct Root {
        var path: FilePath
        /// True if its last scan did not find it; nil before the first one.
        var isMissing: Bool?
        var watchProblem: String?
        var failures = 0
        /// The time at which it is scanned in any case; nil if its changes are noticed.
        var nextScan: Double?
    }

    private var roots: [Root] = []
    private var waiting: [Waiting] = []
    /// The scan that runs.
    package private(set) var running: ScanRequest?
    /// The progress of the scan that runs.
    package private(set) var progress = LibraryScan()
    /// The problems, each with the scan that found it, latest first.
    private var found: [(text: String, request: ScanRequest)] = []
    private var isHeld = false
    /// Folders to leave when the scan that runs has ended.
    private var leaving: [FilePath] = []
    private var nextForgetting: Double?

    package init() {}

    /// The problems that the last scans have found, latest first.
    package var problems: [String] { found.map(\.text) }

    /// True if something is left to scan, which waits until it is released.
    package var isWaiting: Bool { isHeld && running == nil && !waiting.isEmpty }

    /// The folders of the library, in the order in which they were added.
    package var folders: [FilePath] { roots.map(\.path) }

    /// The reason why not all changes in a folder of the library are noticed; nil if they are.
    package func watchProblem(of folder: FilePath) -> String? {
        roots.first { $0.path == folder }?.watchProblem
    }

    package mutating func handle(_ input: Input, at now: Double) -> [Effect] {
        var effects: [Effect] = []
        switch input {
        case .began(let folders):
            nextForgetting = now
            for folder in folders where !self.folders.contains(folder) { add(folder, at: now) }
        case .added(let folder):
            leaving.removeAll { $0 == folder }
            add(folder, at: now)
        case .removed(let folder):
            remove(folder, at: now, &effects)
        case .asked(let folder, let readsAll):
            ask(folder, readsAll: readsAll, at: now)
        case .changed(let folder, let isRecursive):
            change(folder, isRecursive: isRecursive, at: now)
        case .lostChanges:
            for folder in folders { add(ScanRequest(root: folder), due: now + Self.pause, at: now) }
        case .progressed(let progress):
            if running != nil { self.progress = progress }
        case .ended(let outcome):
            end(outcome, at: now, &effects)
        case .held:
            isHeld = true
            if running != nil { effects.append(.stopScan) }
        case .released:
            isHeld = false
        case .timePassed:
            break
        }
        doDue(at: now, &effects)
        return effects
    }

    package func nextDue(at now: Double) -> Due {
        var times = nextForgetting.map { [$0] } ?? []
        if running == nil, !isHeld {
            times += waiting.map(\.due) + roots.compactMap(\.nextScan)
        }
        return Due(boot: times.min())
    }

    // MARK: What is wanted

    /// Adds a folder, and a scan of it unless one runs.
    private mutating func add(_ folder: FilePath, at now: Double) {
        if !folders.contains(folder) { roots.append(Root(path: folder)) }
        let request = ScanRequest(root: folder)
        if running != request { add(request, due: now, at: now) }
    }

    private mutating func ask(_ folder: FilePath?, readsAll: Bool, at now: Double) {
        guard let folder else {
            for root in folders {
                add(ScanRequest(root: root, readsAll: readsAll), due: now, at: now)
            }
            return
        }
        guard let root = root(of: folder) else { return }
        add(ScanRequest(root: root, folder: folder, readsAll: readsAll), due: now, at: now)
    }

    private mutating func change(_ folder: FilePath, isRecursive: Bool, at now: Double) {
        guard let root = root(of: folder) else { return }
        let isMany = waiting.count { $0.request.root == root } >= Self.changeLimit
        let request =
            isMany
            ? ScanRequest(root: root)
            : ScanRequest(root: root, folder: folder, isRecursive: isRecursive)
        add(request, due: now + Self.pause, at: now)
    }

    /// Adds a scan to those that wait, as far as they do not include it.
    private mutating func add(_ request: ScanRequest, due: Double, at now: Double) {
        var new = Waiting(request: request, due: due, since: now)
        if let index = waiting.firstIndex(where: { $0.request == request }) {
            // What changes again is waited for a little longer.
            new.since = waiting[index].since
            new.due =
                due <= now ? due : min(max(due, waiting[index].due), new.since + Self.longestWait)
            waiting[index] = new
            return
        }
        if let index = waiting.firstIndex(where: { $0.request.includes(request) }) {
            waiting[index].due = min(waiting[index].due, due)
            return
        }
        waiting.removeAll { request.includes($0.request) }
        waiting.append(new)
    }

    private mutating func remove(_ folder: FilePath, at now: Double, _ effects: inout [Effect]) {
        guard folders.contains(folder) else { return }
        roots.removeAll { $0.path == folder }
        found.removeAll { $0.request.root == folder }
        waiting.removeAll { $0.request.root == folder }
        if running?.root == folder {
            leaving.append(folder)
            effects.append(.stopScan)
        } else {
            leave(folder, at: now, &effects)
        }
    }

    /// Leaves a folder, unless it is part of another one; those that are part of it are scanned again.
    private mutating func leave(_ folder: FilePath, at now: Double, _ effects: inout [Effect]) {
        guard root(of: folder) == nil else { return }
        effects.append(.leave(folder))
        for inner in folders where inner.isWithin(folder) {
            add(ScanRequest(root: inner), due: now, at: now)
        }
    }

    /// The innermost folder of the library that contains `folder`; nil if none does.
    private func root(of folder: FilePath) -> FilePath? {
        folders.filter { folder.isWithin($0) }.max { $0.bytes.count < $1.bytes.count }
    }

    // MARK: What is due

    private mutating func doDue(at now: Double, _ effects: inout [Effect]) {
        if let time = nextForgetting, time <= now {
            nextForgetting = now + 86_400
            effects.append(.forgetMissing)
        }
        guard running == nil, !isHeld else { return }
        for index in roots.indices {
            guard let time = roots[index].nextScan, time <= now else { continue }
            roots[index].nextScan = nil
            add(ScanRequest(root: roots[index].path), due: now, at: now)
        }
        let next = waiting.indices.min { waiting[$0].due < waiting[$1].due }
        guard let next, waiting[next].due <= now else { return }
        let request = waiting.remove(at: next).request
        (running, progress) = (request, LibraryScan())
        effects.append(.scan(request))
    }

    private mutating func end(
        _ outcome: ScanOutcome, at now: Double, _ effects: inout [Effect]
    ) {
        guard let request = running else { return }
        running = nil
        note(outcome, of: request)
        for folder in leaving { leave(folder, at: now, &effects) }
        leaving = []
        guard let index = roots.firstIndex(where: { $0.path == request.root }) else { return }
        switch outcome.end {
        case .stopped:
            add(request, due: now, at: now)
        case .failed:
            let delay = Self.firstRetry * Double(1 << min(roots[index].failures, 10))
            roots[index].failures += 1
            let due = now + min(delay, Self.interval)
            waiting.append(Waiting(request: request, due: due, since: now))
        case .complete, .rootIsMissing:
            let isMissing = outcome.end == .rootIsMissing
            if isMissing != roots[index].isMissing {
                roots[index].isMissing = isMissing
                effects.append(.note(request.root, isMissing: isMissing))
            }
            roots[index].failures = 0
            roots[index].watchProblem = outcome.watchProblem
            let isSilent = isMissing || outcome.watchProblem != nil
            roots[index].nextScan = isSilent ? now + Self.interval : nil
        }
    }

    /// Notes what a scan has found, instead of what earlier ones had found there.
    private mutating func note(_ outcome: ScanOutcome, of request: ScanRequest) {
        var texts = outcome.problems
        switch outcome.end {
        case .complete, .rootIsMissing: found.removeAll { request.covers($0.request) }
        case .failed(let reason): texts.append("\(request.root): \(reason)")
        case .stopped: break
        }
        found.removeAll { texts.contains($0.text) }
        found = Array((texts.reversed().map { ($0, request) } + found).prefix(Self.problemLimit))
    }
}

extension ScanRequest {
    /// True if it finds all that `other` finds.
    fileprivate func includes(_ other: ScanRequest) -> Bool {
        covers(other) && (readsAll || !other.readsAll)
    }

    /// True if it looks at all that `other` looks at.
    fileprivate func covers(_ other: ScanRequest) -> Bool {
        root == other.root && (isRecursive || folder == other.folder && !other.isRecursive)
            && other.folder.isWithin(folder)
    }
}
