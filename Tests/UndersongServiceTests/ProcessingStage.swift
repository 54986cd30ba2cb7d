import Foundation
import Glibc
import Synchronization
import TestSupport
import UndersongBackground
import UndersongBase
import UndersongPlayback
import UndersongStore

@testable import UndersongService

/// Files, a store and a worker for background processing, in a folder of their own.
final class ProcessingStage: Sendable {
    typealias Notice = AnalysisNotice

    let folder: URL
    private let notices = Mutex<[Notice]>([])

    init() throws {
        folder = URL(filePath: "/tmp/processing-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "music"), withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// The worker that ships with the service.
    static let real = WorkerProgram(
        path: URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "undersongd").path,
        arguments: ["process", "--parent", String(getpid())])

    /// The real worker, which leaves its process id in the file `worker`.
    func observedWorker() throws -> WorkerProgram {
        try script(
            """
            echo $$ >'\(path("worker"))'
            exec '\(Self.real.path)' process --parent \(getpid())
            """)
    }

    /// A worker that knows the result of every file made by `makeFiles`, and does `special` first,
    /// where `$path` is the file.
    func scriptedWorker(_ special: String = "") throws -> WorkerProgram {
        try script(
            """
            echo $$ >'\(path("worker"))'
            echo "$*" >'\(path("arguments"))'
            echo '{"ready":{}}'
            while IFS= read -r -d '' path; do
            echo "$path" >>'\(path("begun"))'
            \(special)
            echo '\(Self.result)'
            done
            """)
    }

    private func script(_ text: String) throws -> WorkerProgram {
        let name = path("worker-\(UUID().uuidString.prefix(8))")
        try makeExecutable("#!/bin/bash\n" + text + "\n", at: name)
        return WorkerProgram(path: name, arguments: [])
    }

    private static let modified = 1_600_000_000_000_000_000

    /// The scripted worker's line for a file.
    private static let result = String(
        decoding: WorkerLine.finished(
            record: AnalysisRecord(
                stamp: FileStamp(size: 0, modified: modified), date: 0,
                outcome: .analyzed(
                    FileAnalysis(
                        loudness: MeasuredLoudness(
                            integrated: -20, truePeak: 0.5, samplePeak: 0.5),
                        seconds: 1)))
        ).text.dropLast(), as: UTF8.self)

    /// Makes empty files with these names, which the scripted worker knows.
    func makeFiles(_ names: [String]) throws -> [FilePath] {
        let first = path("music/first")
        try Data().write(to: URL(filePath: first))
        var times = [timespec(tv_sec: 1_600_000_000, tv_nsec: 0)]
        times.append(times[0])
        utimensat(AT_FDCWD, first, &times, 0)
        return try names.map { name in
            // They differ in nothing but the name.
            guard link(first, path("music/\(name)")) == 0 else {
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            }
            return FilePath(path("music/\(name)"))
        }
    }

    func openStore(in folder: String? = nil) -> StateStore {
        StateStore(folder: folder ?? path("state"), clock: SystemClock()) { _ in }
    }

    /// The names of the files that the scripted worker has begun, in order.
    var begun: [String] {
        let text = (try? String(contentsOfFile: path("begun"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map { String($0.split(separator: "/").last ?? "") }
    }

    /// The process id of the last worker; nil before it has begun.
    var worker: pid_t? {
        (try? String(contentsOfFile: path("worker"), encoding: .utf8))
            .flatMap { pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    }

    /// The arguments of the last scripted worker.
    var arguments: String? {
        (try? String(contentsOfFile: path("arguments"), encoding: .utf8))?
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Runs a task to its end; `react` is called with each notice.
    func run(
        _ files: [FilePath]?, in store: StateStore, _ worker: WorkerProgram,
        stallSeconds: Double = ProcessingScheduler.stallLimit,
        react: @escaping @Sendable (Notice) -> Void = { _ in }
    ) async -> AnalysisReport {
        let clock = ImpatientClock(stallSeconds: stallSeconds)
        let processor = FileProcessor(store: store, worker: worker, clock: clock) { _ in }
        return await processor.run(files) { [self] notice in
            notices.withLock { $0.append(notice) }
            react(notice)
        }
    }

    var allNotices: [Notice] { notices.withLock { $0 } }
}

/// The machine's clock, except that the time of each timer comes a moment after it was set; that of
/// the longest time without progress after `stallSeconds`.
private final class ImpatientClock: HostClock {
    private let stallSeconds: Double
    private let clock = SystemClock()
    /// The nanoseconds that were left out.
    private let skipped = Atomic<Int64>(0)

    init(stallSeconds: Double) { self.stallSeconds = stallSeconds }

    var now: Int64 { clock.now + skipped.load(ordering: .relaxed) }
    var sinceBoot: Int64 { clock.sinceBoot + skipped.load(ordering: .relaxed) }
    var sinceEpoch: Int64 { clock.sinceEpoch }

    func sleep(until time: Int64) {
        clock.sleep(until: time - skipped.load(ordering: .relaxed))
    }

    func wake(
        at time: Int64, leeway: Int64, _ body: @escaping @Sendable () -> Void
    ) -> HostTimer {
        let isStall = time - now > Int64(ProcessingScheduler.stallLimit * 0.9e9)
        return clock.wake(after: isStall ? stallSeconds : 0.01, leeway: 0) { [self] in
            skipped.add(max(0, time - now), ordering: .relaxed)
            body()
        }
    }
}
