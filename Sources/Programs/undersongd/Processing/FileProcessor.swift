import Glibc
import Synchronization
import UndersongAudioIO
import UndersongBackground
import UndersongBase
import UndersongPlayback
import UndersongStore

/// Does the work of background processing: runs a `ProcessingScheduler` on a thread that lasts as long as
/// the work.
final class FileProcessor: FileProcessing {
    private let store: StateStore
    private let worker: WorkerProgram
    private let clock: any HostClock
    private let log: @Sendable (String) -> Void
    private let whenDone: @Sendable () -> Void

    /// Creates a processor that keeps its results in `store`. `log` may be called on any thread, and
    /// so may `whenDone`, at the end of each run.
    init(
        store: StateStore, worker: WorkerProgram = .own, clock: any HostClock,
        log: @escaping @Sendable (String) -> Void, whenDone: @escaping @Sendable () -> Void = {}
    ) {
        self.store = store
        self.worker = worker
        self.clock = clock
        self.log = log
        self.whenDone = whenDone
    }

    func run(
        _ files: [FilePath]?, onNotice: @escaping @Sendable (AnalysisNotice) -> Void
    ) async -> AnalysisReport {
        let inputs = InputQueue()
        var worker = worker
        // Where files are named, somebody waits for the result.
        if files == nil { worker.arguments.append("--yield") }
        return await withTaskCancellationHandler { [worker] in
            await withCheckedContinuation { continuation in
                startThread(named: "processing") { [self] in
                    let run = ProcessingRun(
                        files: FileList(files, in: store), store: store, worker: worker,
                        clock: clock, inputs: inputs, retriesCrashes: files != nil
                    ) { [log] notice in
                        if let line = notice.logLine { log(line) }
                        onNotice(notice)
                    }
                    let result = run.perform()
                    whenDone()
                    continuation.resume(returning: result)
                }
            }
        } onCancel: {
            inputs.expire()
        }
    }
}

extension AnalysisNotice {
    /// The line of the service's log; nil for none.
    fileprivate var logLine: String? {
        let (path, reason) = (path ?? "", reason ?? "")
        return switch kind {
        case .analyzed, .unplayable, .missing, .unavailable, .resumed: nil
        case .crashed:
            "the worker that analyzed \(path) was \(reason) (\(count ?? 0) of "
                + "\(ProcessingScheduler.crashLimit))"
        case .skipped:
            "cannot analyze \(path): the worker has crashed or hung on it "
                + "\(ProcessingScheduler.crashLimit) times"
        case .paused: "cannot store the results of the analysis: \(reason)"
        }
    }
}

/// The inputs that wait for the scheduler. Any thread adds them, and the run's own removes them. Once
/// expired, nothing else comes.
private final class InputQueue: Sendable {
    private struct Contents {
        var inputs: [ProcessingScheduler.Input] = []
        var isExpired = false
    }

    private let contents = Mutex(Contents())
    private let arrived = Semaphore()

    func put(_ input: ProcessingScheduler.Input) {
        contents.withLock { $0.inputs.append(input) }
        arrived.post()
    }

    func expire() {
        contents.withLock { $0.isExpired = true }
        arrived.post()
    }

    /// Removes the next input, for which it waits.
    func next() -> ProcessingScheduler.Input {
        while true {
            let input = contents.withLock { contents -> ProcessingScheduler.Input? in
                if contents.isExpired { return .expired }
                return contents.inputs.isEmpty ? nil : contents.inputs.removeFirst()
            }
            if let input { return input }
            arrived.wait()
        }
    }
}

/// The files of a task, in batches.
private struct FileList {
    private static let batch = 64

    private let store: StateStore
    private var named: ArraySlice<FilePath>?
    private var last: ItemID?

    /// The named files; for nil, those of the queue.
    init(_ files: [FilePath]?, in store: StateStore) {
        self.store = store
        named = files.map { $0[...] }
    }

    /// The next files; none at the end.
    mutating func next() -> [ProcessingScheduler.File] {
        if let named {
            self.named = named.dropFirst(Self.batch)
            return named.prefix(Self.batch).map(file)
        }
        while true {
            let items = store.files(after: last, limit: Self.batch)
            guard let end = items.last else { return [] }
            last = end.id
            let paths = items.lazy.map(\.path).filter { path in
                if case .file = MediaSource(path: path) { true } else { false }
            }
            let files = paths.map(file)
            if !files.isEmpty { return Array(files) }
        }
    }

    private func file(_ path: FilePath) -> ProcessingScheduler.File {
        ProcessingScheduler.File(
            path: path, stamp: FileStamp(of: path), record: store.analysis(of: path))
    }
}

/// One task. It belongs to its thread, which also starts the workers: they end with it.
private final class ProcessingRun {
    private var files: FileList
    private let store: StateStore
    private let program: WorkerProgram
    private let clock: any HostClock
    private let inputs: InputQueue
    private let report: @Sendable (AnalysisNotice) -> Void
    private let retriesCrashes: Bool
    private var worker: WorkerProcess?
    /// The processor time of the workers before, in seconds.
    private var processorTime = 0.0
    private var isOver = false

    init(
        files: FileList, store: StateStore, worker: WorkerProgram, clock: any HostClock,
        inputs: InputQueue, retriesCrashes: Bool,
        report: @escaping @Sendable (AnalysisNotice) -> Void
    ) {
        self.files = files
        self.store = store
        program = worker
        self.clock = clock
        self.inputs = inputs
        self.retriesCrashes = retriesCrashes
        self.report = report
    }

    func perform() -> AnalysisReport {
        let (clock, inputs) = (clock, inputs)
        let shell = ThreadShell(
            ProcessingScheduler(retriesCrashes: retriesCrashes),
            now: { ScheduleTime(boot: clock.secondsSinceBoot, wall: clock.secondsSinceEpoch) },
            alarm: { HostAlarm(clock) { inputs.put(.timePassed) } },
            perform: { $0.forEach(self.perform) })
        defer { shell.stop() }
        inputs.put(.began)
        while !isOver { shell.handle(inputs.next()) }
        forgetWorker()
        var report = shell.machine.report
        report.processorTime = processorTime
        return report
    }

    private func forgetWorker() {
        processorTime += worker?.processorTime ?? 0
        worker = nil
    }

    private func perform(_ effect: ProcessingScheduler.Effect) {
        let inputs = inputs
        switch effect {
        case .find: inputs.put(.found(files.next()))
        case .startWorker: startWorker()
        case .analyze(let path): worker?.send(path)
        case .stopWorker:
            worker?.stop(by: clock)
            forgetWorker()
        case .keep(let record, let path):
            store.keep(record, of: path) { trouble in
                inputs.put(trouble.map { .notKept($0.reason) } ?? .kept)
            }
        case .tidy: store.tidy { _ in inputs.put(.tidied) }
        case .report(let notice): report(notice)
        case .end: isOver = true
        }
    }

    private func startWorker() {
        let inputs = inputs
        forgetWorker()
        do throws(SystemError) {
            worker = try WorkerProcess(program) { report in
                switch report {
                case .ended(let reason): inputs.put(.workerEnded(reason))
                case .line(let line): inputs.put(line.input)
                }
            }
        } catch {
            inputs.put(.workerMissing("cannot start the worker: \(error.reason)"))
        }
    }
}

extension WorkerLine {
    /// The input of the scheduler.
    fileprivate var input: ProcessingScheduler.Input {
        switch self {
        case .ready: .workerReady
        case .progress: .progressed
        case .finished(let record): .finished(record)
        case .unavailable(let reason): .unavailable(reason)
        }
    }
}
