import ArgumentParser
import CUndersongLinux
import Glibc
import Synchronization
import UndersongAudioIO
import UndersongBase
import UndersongCommandOptions
import UndersongLinuxPlatform
import UndersongPlayback

/// `undersongd process`: the worker of the service, which analyzes files for it in a process of its
/// own. All others go first, and a file that crashes a decoder crashes nothing else.
struct ProcessFiles: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "process",
        abstract: "Analyze files for the service.",
        discussion: """
            Read paths, each with a zero byte after it, from standard input, and write a line of \
            JSON for each: whether it can be played, how loud it is (EBU R 128), how long, and what \
            is wrong with it. The files stay as they are. The indexes of long ones are saved, so \
            that seeks in them are fast. This runs when nothing else wants the processor or the disk.
            """,
        shouldDisplay: false)

    @Option(help: ArgumentHelp("End when this process ends.", valueName: "process"))
    var parent: Int32?

    @Flag(help: "Pause while other programs need the processors.")
    var yield = false

    func run() {
        makeWay()
        let indexer = MediaIndexer(folder: CacheFolder.index)
        let progress = Progress(yields: yield) { _ = Self.write(.progress) }
        guard Self.write(.ready) else { return }
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
        // The kernel shares the processors among sessions first, so that one whose only process is
        // idle would get as much as a build in another.
        if getsid(0) == getpid() { Self.set("autogroup", to: "19") }
        // Where memory runs out, this process is the first to go.
        Self.set("oom_score_adj", to: "1000")
        guard let parent else { return }
        clinux_end_with_parent()
        if getppid() != parent { _exit(0) }
    }

    /// Changes a setting of this process, if the kernel has it.
    private static func set(_ name: String, to value: String) {
        let file = unsafe open("/proc/self/\(name)", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = unsafe Glibc.write(file, value, value.utf8.count)
        close(file)
    }

    private func line(
        for path: FilePath, _ indexer: MediaIndexer, _ progress: Progress
    ) -> WorkerLine {
        guard let stamp = FileStamp(of: path) else {
            return .unavailable(reason: "there is no such file")
        }
        let outcome: AnalysisRecord.Outcome
        do throws(MediaError) {
            let analysis = try FileAnalysis(of: path, clock: progress.clock) { progress.note() }
            indexer.makeNow(for: .file(path: path)) { [progress] in
                progress.note()
                return false
            }
            outcome = .analyzed(analysis)
        } catch {
            if [.notFound, .notPermitted, .readFailed].contains(error.code) {
                return .unavailable(reason: error.reason)
            }
            outcome = .unplayable(error.reason)
        }
        guard FileStamp(of: path) == stamp else {
            return .unavailable(reason: "it was changed meanwhile")
        }
        return .finished(
            record: AnalysisRecord(
                stamp: stamp, date: progress.clock.secondsSinceEpoch, outcome: outcome))
    }

    private static func write(_ line: WorkerLine) -> Bool {
        writeAll(line.text, to: STDOUT_FILENO) == 0
    }
}

/// Accompanies the work: reports now and then that it gets on, so that a decoder that hangs is noticed,
/// and may pause it while others want the processors.
private final class Progress: Sendable {
    private struct State {
        var reportTime: Int64
        var lookTime: Int64
        var courtesy: Courtesy?
    }

    /// Nanoseconds between reports.
    private static let interval: Int64 = 10_000_000_000

    let clock = SystemClock()
    private let state: Mutex<State>
    private let report: @Sendable () -> Void

    init(yields: Bool, _ report: @escaping @Sendable () -> Void) {
        let now = clock.now
        let times = yields ? Self.times() : nil
        state = Mutex(
            State(reportTime: now, lookTime: now, courtesy: times.map(Courtesy.init(at:))))
        self.report = report
    }

    /// The file was read or decoded further. Call it on the thread that created this.
    func note() {
        let now = clock.now
        state.withLock { state in
            if now - state.reportTime >= Self.interval {
                state.reportTime = now
                report()
            }
            guard state.courtesy != nil, now - state.lookTime >= Courtesy.interval,
                let times = Self.times(), let pause = state.courtesy?.pause(at: times)
            else { return }
            if pause > 0 { clock.sleep(until: now + pause) }
            state.lookTime = clock.now
            state.courtesy?.resume(at: Self.times() ?? times)
        }
    }

    /// The times that the kernel has counted for the calling thread; nil if it does not count.
    private static func times() -> Courtesy.Times? {
        let numbers = KernelFile.text(of: "/proc/thread-self/schedstat").split(separator: " ")
        guard numbers.count > 1, let ran = Int64(numbers[0]), let waited = Int64(numbers[1]) else {
            return nil
        }
        return Courtesy.Times(ran: ran, waited: waited)
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

extension FileAnalysis {
    /// Decodes all of the file at `path` once, as the player does; the file stays as it is.
    /// Blocks until that is done, and calls `onProgress` many times a second meanwhile.
    ///
    /// - Throws: The file cannot be played.
    init(
        of path: FilePath, clock: any HostClock, onProgress: () -> Void = {}
    ) throws(MediaError) {
        var meter = LoudnessMeter()
        let inspection = try MediaInspection(.file(path: path), clock: clock) { samples, format in
            meter.add(samples, format)
            onProgress()
        }
        guard inspection.frameCount > 0 else {
            throw MediaError(
                .noFrames, operation: "analyze \(path)", reason: "It contains no sound")
        }
        self.init(
            loudness: meter.loudness, seconds: inspection.duration.seconds,
            album: Self.album(inspection.description.tags["album"], path),
            damage: inspection.structure.damage.map(\.description))
    }

    /// Files of one album have the same tag and are in the same folder.
    private static func album(_ tag: String?, _ path: FilePath) -> String? {
        guard let tag, !tag.isEmpty else { return nil }
        let bytes = path.bytes
        let folder = bytes[..<(bytes.lastIndex(of: UInt8(ascii: "/")) ?? 0)]
        return String(decoding: folder, as: UTF8.self) + "/\n" + tag
    }
}
