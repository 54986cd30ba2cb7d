package import UndersongBase
package import UndersongPlayback

/// The work of a background processing task, as a value: which of the user's files to analyze, one
/// after the other, and what to do when that fails. It has no clock, process or disk: inputs go in,
/// and effects come out.
///
/// A file counts as done once its result is kept, so that an end at any moment costs the work on
/// one file at most.
package struct ProcessingDesk: Sendable {
    /// The number of times a file may crash the worker before it is left alone.
    package static let crashLimit = 3
    /// The seconds without progress after which a worker counts as hanging. At the lowest priority on
    /// busy processors it still gets on: it is given some thousandths of one.
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
        /// Its present content; nil if it does not exist.
        package var stamp: FileStamp?
        /// The findings of an earlier run.
        package var record: AnalysisRecord?

        package init(path: FilePath, stamp: FileStamp?, record: AnalysisRecord?) {
            self.path = path
            self.stamp = stamp
            self.record = record
        }
    }

    package enum Input: Equatable, Sendable {
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
        /// The seconds of `Effect.watch` with this number are over.
        case stalled(Int)
        /// The worker has ended without being asked to, for this reason.
        case workerEnded(String)
        /// The worker cannot be started, for this reason.
        case workerMissing(String)
        /// The record is on the disk.
        case kept
        /// The record could not be written, for this reason.
        case notKept(String)
        /// The wait is over.
        case waited
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
        /// Report `stalled` with this number after `stallLimit` seconds, in place of the last one.
        case watch(Int)
        /// End the worker at once, whatever it does: nothing comes from it any more.
        case stopWorker
        /// Write the record of a file to the disk.
        case keep(AnalysisRecord, of: FilePath)
        case wait(seconds: Double)
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
        case waitingToStart(File)
        case waitingToKeep(AnalysisRecord, File)
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
    /// The number of the last watch.
    private var watch = 0
    /// Attempts to keep the present record.
    private var failedAttempts = 0
    private var lastReason = ""

    /// Creates a desk. With `retriesCrashes`, files that were left alone get another chance.
    package init(retriesCrashes: Bool = false) { self.retriesCrashes = retriesCrashes }

    /// Takes an input; `date` is the time in seconds since 1970.
    package mutating func handle(_ input: Input, at date: Double) -> [Effect] {
        guard state != .ended else { return [] }
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
        case (.progressed, .analyzing): return startWatch()
        case (.stalled(watch), .starting), (.stalled(watch), .analyzing):
            return stopWorker()
                + workerEnded(
                    "stopped, since it made no progress for \(Int(Self.stallLimit)) s", at: date)
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
        case (.workerEnded(let reason), _): return workerEnded(reason, at: date)
        case (.kept, .keeping(let record, let file)): return kept(record, of: file)
        case (.notKept(let reason), .keeping(let record, let file)):
            return notKept(record, of: file, reason)
        case (.waited, .waitingToStart(let file)): return analyze(file)
        case (.waited, .waitingToKeep(let record, let file)): return keep(record, of: file)
        case (.tidied, .tidying): return end(.finished)
        default: return []
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
            return [.startWorker] + startWatch()
        }
        guard isReady else {
            state = .starting(file)
            return []
        }
        state = .analyzing(file)
        return [.analyze(file.path)] + startWatch()
    }

    private mutating func startWatch() -> [Effect] {
        watch += 1
        return [.watch(watch)]
    }

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
        return effects + wait(for: file)
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
        state = .waitingToKeep(record, file)
        return (isFirst ? [notice(.paused, nil, reason)] : [])
            + [.wait(seconds: Self.troubleDelays.delay(after: failedAttempts - 1))]
    }

    // MARK: The worker

    private mutating func workerEnded(_ reason: String, at date: Double) -> [Effect] {
        (hasWorker, isReady, lastReason) = (false, false, reason)
        switch state {
        case .starting(let file):
            failedStarts += 1
            guard failedStarts < Self.startLimit else { return end(.failed, reason) }
            crashes = max(crashes, failedStarts)
            return wait(for: file)
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
                AnalysisRecord(stamp: stamp, date: date, outcome: .crashed(count: earlier + 1)),
                of: file)
        default: return []
        }
    }

    private mutating func wait(for file: File) -> [Effect] {
        state = .waitingToStart(file)
        return [.wait(seconds: Self.crashDelays.delay(after: crashes - 1))]
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
