package import UndersongBase
package import UndersongPlayback

/// The work of a background processing task: decides which of the user's files to analyze, one after
/// the other, and what to do when that fails.
///
/// A file counts as done once its result is kept, so that an end at any moment costs the work on
/// one file at most.
package struct ProcessingScheduler: Machine {
    /// The number of times a file may crash the worker before it is left alone.
    package static let crashLimit = 3
    /// The seconds without progress after which a worker counts as hanging. Even at the lowest
    /// priority on busy processors it makes progress, with some thousandths of one.
    package static let stallLimit = 120.0
    /// The number of workers in a row that may end before taking a file until the task fails.
    private static let startLimit = 5
    /// The delays after crashes.
    private static let crashDelays = Backoff(seconds: 1...60)
    /// The delays after results that could not be kept.
    private static let troubleDelays = Backoff(seconds: 30...600)

    /// A file that may need work.
    package struct File: Equatable, Sendable {
        package var path: FilePath
        /// The present content; nil if it does not exist.
        package var stamp: FileStamp?
        /// The findings of an earlier run.
        package var record: AnalysisRecord?

        package init(path: FilePath, stamp: FileStamp?, record: AnalysisRecord?) {
            self.path = path
            self.stamp = stamp
            self.record = record
        }
    }

    package enum Input: MachineInput, Equatable {
        /// The task may begin.
        case began
        /// The next files; none at the end.
        case found([File])
        /// The worker waits for a file.
        case workerReady
        /// The worker has finished with the file.
        case finished(AnalysisRecord)
        /// The worker could not read the file this time, for this reason.
        case unavailable(String)
        /// The worker is still at the file, and gets on with it.
        case progressed
        /// The worker has ended without being asked to, for this reason.
        case workerEnded(String)
        /// The worker cannot be started, for this reason.
        case workerMissing(String)
        /// The record is on the disk.
        case kept
        /// The record could not be written, for this reason.
        case notKept(String)
        case timePassed
        /// The database is tidy, or cannot be made so now.
        case tidied
        /// The time is up, or the user has come.
        case expired
    }

    package enum Effect: Equatable, Sendable {
        /// Look for the next files.
        case find
        /// Start the worker, which reports when it is ready.
        case startWorker
        /// Have the worker analyze the file.
        case analyze(FilePath)
        /// End the worker at once, whatever it does: nothing comes from it any more.
        case stopWorker
        /// Write the record of a file to the disk.
        case keep(AnalysisRecord, of: FilePath)
        /// Look after the database.
        case tidy
        case report(AnalysisNotice)
        /// Nothing follows.
        case end(AnalysisReport.Outcome)
    }

    private enum State: Equatable {
        case finding
        case starting(File)
        case analyzing(File)
        case keeping(AnalysisRecord, File)
        case waitingToStart(File, until: Double)
        case waitingToKeep(AnalysisRecord, File, until: Double)
        case tidying
        case ended
    }

    /// The numbers of files so far, and at last how the task has ended.
    package private(set) var report = AnalysisReport()
    private let retriesCrashes: Bool
    private var state = State.finding
    /// Found files, the next one last.
    private var files: [File] = []
    private var hasWorker = false
    private var isReady = false
    /// Ends of the worker since it last finished a file.
    private var crashes = 0
    /// Ends of the worker since it was last ready.
    private var failedStarts = 0
    /// The moment at which the worker counts as hanging, in seconds of CLOCK_BOOTTIME.
    private var stall = 0.0
    /// The moment of the present input.
    private var now = ScheduleTime(boot: 0, wall: 0)
    /// Attempts to keep the present record.
    private var failedAttempts = 0
    private var lastReason = ""

    /// Creates a scheduler. With `retriesCrashes`, files that were left alone get another chance.
    package init(retriesCrashes: Bool = false) { self.retriesCrashes = retriesCrashes }

    package mutating func handle(_ input: Input, at now: ScheduleTime) -> [Effect] {
        guard state != .ended else { return [] }
        self.now = now
        switch (input, state) {
        case (.expired, _): return end(.expired)
        case (.began, .finding): return [.find]
        case (.found(let found), .finding):
            files = found.reversed()
            return found.isEmpty ? tidy() : next()
        case (.workerReady, _):
            (isReady, failedStarts) = (true, 0)
            guard case .starting(let file) = state else { return [] }
            return analyze(file)
        case (.progressed, .analyzing):
            watchWorker()
            return []
        case (.timePassed, _): return now.boot >= nextDue(at: now).boot ?? .infinity ? doDue() : []
        case (.finished(let record), .analyzing(let file)):
            crashes = 0
            return keep(record, of: file)
        case (.unavailable(let reason), .analyzing(let file)):
            crashes = 0
            report.missing += 1
            return [notice(.unavailable, file.path, reason)] + next()
        case (.workerMissing(let reason), _):
            hasWorker = false
            return end(.failed, reason)
        case (.workerEnded(let reason), _): return workerEnded(reason)
        case (.kept, .keeping(let record, let file)): return kept(record, of: file)
        case (.notKept(let reason), .keeping(let record, let file)):
            return notKept(record, of: file, reason)
        case (.tidied, .tidying): return end(.finished)
        default: return []
        }
    }

    package func nextDue(at now: ScheduleTime) -> Due {
        switch state {
        case .starting, .analyzing: Due(boot: stall)
        case .waitingToStart(_, let until), .waitingToKeep(_, _, let until): Due(boot: until)
        case .finding, .keeping, .tidying, .ended: .never
        }
    }

    private mutating func doDue() -> [Effect] {
        switch state {
        case .starting, .analyzing:
            stopWorker()
                + workerEnded("stopped, since it made no progress for \(Int(Self.stallLimit)) s")
        case .waitingToStart(let file, _): analyze(file)
        case .waitingToKeep(let record, let file, _): keep(record, of: file)
        case .finding, .keeping, .tidying, .ended: []
        }
    }

    // MARK: Files

    private mutating func next() -> [Effect] {
        var notices: [Effect] = []
        while let file = files.popLast() {
            guard file.stamp != nil else {
                report.missing += 1
                notices.append(notice(.missing, file.path))
                continue
            }
            if needsWork(file) { return notices + analyze(file) }
            report.known += 1
        }
        state = .finding
        return notices + [.find]
    }

    private func needsWork(_ file: File) -> Bool {
        guard let record = file.record, record.stamp == file.stamp else { return true }
        guard case .crashed(let count) = record.outcome else { return false }
        return retriesCrashes || count < Self.crashLimit
    }

    private mutating func analyze(_ file: File) -> [Effect] {
        guard hasWorker else {
            (hasWorker, isReady) = (true, false)
            state = .starting(file)
            watchWorker()
            return [.startWorker]
        }
        guard isReady else {
            state = .starting(file)
            return []
        }
        state = .analyzing(file)
        watchWorker()
        return [.analyze(file.path)]
    }

    private mutating func watchWorker() { stall = now.boot + Self.stallLimit }

    // MARK: Results

    private mutating func keep(_ record: AnalysisRecord, of file: File) -> [Effect] {
        state = .keeping(record, file)
        return [.keep(record, of: file.path)]
    }

    private mutating func kept(_ record: AnalysisRecord, of file: File) -> [Effect] {
        var effects: [Effect] = failedAttempts > 0 ? [notice(.resumed)] : []
        failedAttempts = 0
        guard case .crashed(let count) = record.outcome else {
            count(record)
            return effects + [.report(AnalysisNotice(file.path, record.outcome))] + next()
        }
        var crash = AnalysisNotice(.crashed, file.path, reason: lastReason)
        crash.count = count
        effects.append(.report(crash))
        if count >= Self.crashLimit {
            report.skipped += 1
            return effects + [notice(.skipped, file.path)] + next()
        }
        var file = file
        file.record = record
        wait(for: file)
        return effects
    }

    private mutating func count(_ record: AnalysisRecord) {
        switch record.outcome {
        case .analyzed(let analysis):
            report.analyzed += 1
            report.damaged += analysis.damage.isEmpty ? 0 : 1
        case .unplayable: report.unplayable += 1
        case .crashed: break
        }
    }

    private mutating func notKept(
        _ record: AnalysisRecord, of file: File, _ reason: String
    ) -> [Effect] {
        let isFirst = failedAttempts == 0
        failedAttempts += 1
        let delay = Self.troubleDelays.delay(after: failedAttempts - 1)
        state = .waitingToKeep(record, file, until: now.boot + delay)
        return isFirst ? [notice(.paused, nil, reason)] : []
    }

    // MARK: The worker

    private mutating func workerEnded(_ reason: String) -> [Effect] {
        (hasWorker, isReady, lastReason) = (false, false, reason)
        switch state {
        case .starting(let file):
            failedStarts += 1
            guard failedStarts < Self.startLimit else { return end(.failed, reason) }
            crashes = max(crashes, failedStarts)
            wait(for: file)
            return []
        case .analyzing(let file):
            guard let stamp = file.stamp else { return next() }
            crashes += 1
            var earlier = 0
            if let record = file.record, record.stamp == stamp,
                case .crashed(let count) = record.outcome, count < Self.crashLimit
            {
                earlier = count
            }
            return keep(
                AnalysisRecord(stamp: stamp, date: now.wall, outcome: .crashed(count: earlier + 1)),
                of: file)
        default: return []
        }
    }

    private mutating func wait(for file: File) {
        let delay = Self.crashDelays.delay(after: crashes - 1)
        state = .waitingToStart(file, until: now.boot + delay)
    }

    // MARK: The end

    private mutating func tidy() -> [Effect] {
        state = .tidying
        return stopWorker() + [.tidy]
    }

    private mutating func end(
        _ outcome: AnalysisReport.Outcome, _ reason: String? = nil
    ) -> [Effect] {
        state = .ended
        (report.outcome, report.reason) = (outcome, reason)
        return stopWorker() + [.end(outcome)]
    }

    private func notice(
        _ kind: AnalysisNotice.Kind, _ path: FilePath? = nil, _ reason: String? = nil
    ) -> Effect {
        .report(AnalysisNotice(kind, path, reason: reason))
    }

    private mutating func stopWorker() -> [Effect] {
        defer { hasWorker = false }
        return hasWorker ? [.stopWorker] : []
    }
}
