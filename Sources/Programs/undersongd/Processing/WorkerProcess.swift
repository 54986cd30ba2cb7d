import CUndersongLinux
import FoundationEssentials
import Glibc
import Synchronization
import UndersongBase
import UndersongPlayback

/// The program of the worker.
struct WorkerProgram: Sendable {
    /// The path of the program.
    var path: String
    /// The arguments, without the program's name.
    var arguments: [String]

    /// This program, as its own worker. It ends with the thread that starts it.
    static var own: WorkerProgram {
        WorkerProgram(
            path: "/proc/self/exe", arguments: ["process", "--parent", String(getpid())])
    }
}

/// A line of the worker: first that it is ready, and then of each file its progress and the result.
enum WorkerLine: Codable, Equatable {
    /// The worker waits for the first path.
    case ready
    /// The worker is still at the file: it has decoded more of it.
    case progress
    /// The file was analyzed, or cannot be played.
    case finished(record: AnalysisRecord)
    /// The file could not be read this time, or was changed meanwhile.
    case unavailable(reason: String)

    /// Reads a line; nil if it is something else.
    init?(text: [UInt8]) {
        guard let line = try? JSONDecoder().decode(Self.self, from: Data(text)) else { return nil }
        self = line
    }

    /// The line, with its end.
    var text: [UInt8] {
        (try? JSONLine.bytes(of: self)).map { $0 + [UInt8(ascii: "\n")] } ?? []
    }
}

/// A running worker, in a session of its own. Any thread may call it.
final class WorkerProcess: Sendable {
    /// A report of the worker. The handler is called on a thread of its own.
    enum Report: Sendable {
        case line(WorkerLine)
        /// It has ended by itself, for this reason.
        case ended(String)
    }

    private struct State {
        var isReaped = false
        /// The processor time that it had cost when it was reaped, in seconds.
        var processorTime = 0.0
    }

    private static let longestLine = 1 << 20

    private let process: ChildProcess
    private let socket: Int32
    private let state = Mutex(State())
    private let isStopped = Atomic(false)
    private let end = Semaphore()

    /// Starts `program` on a thread that outlives it.
    init(
        _ program: WorkerProgram, report: @escaping @Sendable (Report) -> Void
    ) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw .last
        }
        socket = ends[0]
        defer { close(ends[1]) }
        do throws(NewProcess.StartError) {
            process = try Self.start(program, ends[1])
        } catch {
            close(ends[0])
            throw error.cause
        }
        startThread(named: "worker") { [self] in read(report) }
    }

    deinit { close(socket) }

    /// Has the worker analyze a file.
    func send(_ path: FilePath) {
        let bytes = path.bytes + [0]
        // If it has ended, that is reported.
        _ = unsafe clinux_send(socket, bytes, bytes.count, nil, 0)
    }

    /// Kills the worker and what it has started; its end is not reported. Returns when it is gone, with its memory; or after a
    /// second, if the kernel cannot end it before a disk has answered.
    func stop(by clock: any HostClock) {
        isStopped.store(true, ordering: .relaxed)
        kill()
        end.wait(until: clock.now + 1_000_000_000)
    }

    /// The processor time that it has cost so far, in seconds.
    var processorTime: Double {
        state.withLock { state in
            state.isReaped
                ? state.processorTime : ProcessorTime.seconds(ofProcess: process.id) ?? 0
        }
    }

    private func kill() {
        state.withLock { state in
            if !state.isReaped { Glibc.kill(-process.id, SIGKILL) }
        }
    }

    // MARK: Its reader

    private func read(_ report: (Report) -> Void) {
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 4096)
        reading: while true {
            let count = unsafe Glibc.read(socket, &block, block.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0, bytes.count < Self.longestLine else { break }
            bytes += block.prefix(count)
            while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                guard let line = WorkerLine(text: Array(bytes[..<end])) else { break reading }
                bytes.removeFirst(end + 1)
                report(.line(line))
            }
        }
        let reason = reap()
        if !isStopped.load(ordering: .relaxed) { report(.ended(reason)) }
        end.post()
    }

    /// Waits for the end of the process, and returns its reason.
    private func reap() -> String {
        // Without its socket it is of no use. If it is about to end by itself, this comes too late to
        // change the reason.
        kill()
        process.waitForEnd()
        let end = state.withLock { state in
            state.processorTime = ProcessorTime.seconds(ofProcess: process.id) ?? 0
            state.isReaped = true
            return process.reap()
        }
        switch end {
        case .exited(let status): return "ended with exit status \(status)"
        case .killed(let number):
            return "killed by signal \(number) (\(unsafe String(cString: strsignal(number))))"
        }
    }

    // MARK: Its start

    /// Starts the program with the socket as its standard input and output, and no other
    /// descriptors of this process.
    private static func start(
        _ program: WorkerProgram, _ socket: Int32
    ) throws(NewProcess.StartError) -> ChildProcess {
        var process = NewProcess(FilePath(program.path), program.arguments)
        process.descriptors = [.duplicate(of: socket), .duplicate(of: socket), .null]
        // Swift's report of a crash takes seconds.
        process.variables["SWIFT_BACKTRACE"] = Array("enable=no".utf8)
        return try process.start()
    }
}
