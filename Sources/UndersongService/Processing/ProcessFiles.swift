import Analysis
import ArgumentParser
import AudioIO
import CLinux
import CommandOptions
import Glibc
import Playback
import Synchronization
import Threads

/// `undersongd process`: the worker of the service, which analyzes files for it in a process of its
/// own. All others go first, and a file that crashes a decoder crashes nothing else.
struct ProcessFiles: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "process",
        abstract: "Analyze files for the service.",
        discussion: """
            Reads paths, each with a zero byte after it, from standard input, and writes a line of \
            JSON for each: whether it can be played, how loud it is (EBU R 128), how long, and what \
            is wrong with it. The files stay as they are. The indexes of long ones are saved, so \
            that seeks in them are fast. Runs when nothing else wants the processor or the disk.
            """,
        shouldDisplay: false)

    @Option(help: "The process with which to end.")
    var parent: Int32?

    func run() {
        makeWay()
        let indexer = MediaIndexer(folder: CacheFolder.index)
        let progress = Progress { _ = Self.write(AnalysisLine(.progress)) }
        guard Self.write(AnalysisLine(.ready)) else { return }
        var paths = PathReader()
        while let path = paths.next() {
            guard Self.write(line(for: path, indexer, progress)) else { return }
        }
    }

    /// Lowers the priority of all threads to come, and ends if the parent has ended already.
    private func makeWay() {
        var parameter = sched_param()
        unsafe sched_setscheduler(0, Int32(SCHED_IDLE), &parameter)
        clinux_set_idle_io()
        clinux_leave_no_core()
        // Where memory runs out, this process is the first to go.
        let score = unsafe open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
        if score >= 0 {
            _ = unsafe Glibc.write(score, "1000", 4)
            close(score)
        }
        guard let parent else { return }
        clinux_end_with_parent()
        if getppid() != parent { _exit(0) }
    }

    private func line(
        for path: FilePath, _ indexer: MediaIndexer, _ progress: Progress
    ) -> AnalysisLine {
        guard let stamp = FileStamp(of: path) else {
            return AnalysisLine(.unavailable, path: path, reason: "there is no such file")
        }
        let line: AnalysisLine
        do throws(MediaError) {
            let analysis = try FileAnalysis(of: path, clock: progress.clock) { progress.note() }
            indexer.makeNow(for: .file(path: path)) { [progress] in
                progress.note()
                return false
            }
            line = AnalysisLine(analysis, of: path, stamp)
        } catch {
            let isTemporary = [.notFound, .notPermitted, .readFailed].contains(error.code)
            line =
                isTemporary
                ? AnalysisLine(.unavailable, path: path, reason: error.reason)
                : AnalysisLine(unplayable: path, stamp, reason: error.reason)
        }
        guard FileStamp(of: path) == stamp else {
            return AnalysisLine(.unavailable, path: path, reason: "it was changed meanwhile")
        }
        return line
    }

    private static func write(_ line: AnalysisLine) -> Bool {
        writeAll(line.text, to: STDOUT_FILENO) == 0
    }
}

/// Reports now and then that the work gets on, so that a decoder that hangs is noticed.
private final class Progress: Sendable {
    /// Nanoseconds between reports.
    private static let interval: Int64 = 10_000_000_000

    let clock = SystemClock()
    private let last: Atomic<Int64>
    private let report: @Sendable () -> Void

    init(_ report: @escaping @Sendable () -> Void) {
        last = Atomic(clock.now)
        self.report = report
    }

    /// The file was read or decoded further.
    func note() {
        let now = clock.now
        guard now - last.load(ordering: .relaxed) >= Self.interval else { return }
        last.store(now, ordering: .relaxed)
        report()
    }
}

/// Reads paths, each with a zero byte after it, from the standard input.
private struct PathReader {
    private var bytes: [UInt8] = []

    /// The next path; nil at the end.
    mutating func next() -> FilePath? {
        while true {
            if let end = bytes.firstIndex(of: 0) {
                defer { bytes.removeFirst(end + 1) }
                return FilePath(bytes: Array(bytes[..<end]))
            }
            var block = [UInt8](repeating: 0, count: 4096)
            let count = unsafe read(STDIN_FILENO, &block, block.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return nil }
            bytes += block.prefix(count)
        }
    }
}
