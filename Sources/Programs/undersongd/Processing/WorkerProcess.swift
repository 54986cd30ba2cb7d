import CUndersongLinux
import Glibc
import Synchronization
import UndersongBase
import UndersongPlayback

/// How to start the worker.
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

/// A running worker, in a session of its own. Any thread may call it.
final class WorkerProcess: Sendable {
    /// What the worker does. The handler is called on a thread of its own.
    enum Report: Sendable {
        case line(AnalysisLine)
        /// It has ended by itself, for this reason.
        case ended(String)
    }

    /// It cannot be started.
    struct StartError: Error { let reason: String }

    private static let longestLine = 1 << 20

    private let process: pid_t
    private let socket: Int32
    private let isReaped = Mutex(false)
    private let isStopped = Atomic(false)
    private let end = Semaphore()

    /// Starts `program` on a thread that outlives it. Errors: `StartError`.
    init(
        _ program: WorkerProgram, report: @escaping @Sendable (Report) -> Void
    ) throws(StartError) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw StartError(reason: reasonText(errno))
        }
        socket = ends[0]
        let (code, started) = Self.spawn(program, ends[1])
        close(ends[1])
        process = started
        guard code == 0 else {
            close(ends[0])
            throw StartError(reason: reasonText(code))
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

    private func kill() {
        isReaped.withLock { isReaped in
            if !isReaped { Glibc.kill(-process, SIGKILL) }
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
                guard let line = AnalysisLine(text: Array(bytes[..<end])) else { break reading }
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
        var information = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0,
            errno == EINTR
        {}
        var status: Int32 = 0
        isReaped.withLock { isReaped in
            while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
            isReaped = true
        }
        return Self.text(of: status)
    }

    /// How a process ended: `killed by signal 11 (Segmentation fault)`.
    private static func text(of status: Int32) -> String {
        let signal = status & 0x7f
        guard signal != 0 else { return "ended with exit status \(status >> 8 & 0xff)" }
        return "killed by signal \(signal) (\(unsafe String(cString: strsignal(signal))))"
    }

    // MARK: Its start

    /// Starts the program with the socket as its standard input and output, and no other
    /// descriptors of this process.
    private static func spawn(_ program: WorkerProgram, _ socket: Int32) -> (Int32, pid_t) {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, socket, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, socket, 1)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        unsafe posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSID) | Int16(POSIX_SPAWN_SETSIGMASK)
                | Int16(POSIX_SPAWN_SETSIGDEF))
        var words = unsafe ([program.path] + program.arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var variables = unsafe environment
        defer { unsafe variables.forEach { unsafe free($0) } }
        var process = pid_t()
        let code = unsafe posix_spawn(
            &process, program.path, &actions, &attributes, &words, &variables)
        return (code, process)
    }

    /// That of this process, except that Swift writes no report of a crash, which takes seconds.
    private static var environment: [UnsafeMutablePointer<CChar>?] {
        var variables: [UnsafeMutablePointer<CChar>?] = unsafe []
        var place = unsafe environ
        while let variable = unsafe place.pointee {
            if unsafe strncmp(variable, "SWIFT_BACKTRACE=", 16) != 0 {
                unsafe variables.append(strdup(variable))
            }
            unsafe place += 1
        }
        return unsafe variables + [strdup("SWIFT_BACKTRACE=enable=no"), nil]
    }
}

private func reasonText(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
