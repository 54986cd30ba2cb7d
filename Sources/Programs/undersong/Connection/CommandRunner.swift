import CUndersongLinux
import Glibc
import Synchronization
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// Runs the command of a task, and ends it when the task's time is over.
final class CommandRunner: Sendable {
    private let name: String
    /// Whether the command has a process group of its own, which ends as a whole when its time is
    /// over. It then gets no signals from keys, and cannot read the terminal.
    private let hasOwnGroup: Bool
    /// The command's process while it is running, and whether it was asked to end.
    private let process = Mutex<(id: pid_t, isEnding: Bool)?>(nil)
    /// The signal that has asked this program to end.
    private let request = Mutex<Int32?>(nil)
    /// The signals that the main thread waits for, and no other thread.
    private let awaited: sigset_t

    /// `name` is the name of the task. Create this before any other thread: it blocks the signals
    /// that control the command, and later threads inherit that.
    init(name: String, hasOwnGroup: Bool = false) {
        self.name = name
        self.hasOwnGroup = hasOwnGroup
        var awaited = sigset_t()
        unsafe sigemptyset(&awaited)
        for number in [SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT] {
            unsafe sigaddset(&awaited, number)
        }
        unsafe pthread_sigmask(SIG_BLOCK, &awaited, nil)
        self.awaited = awaited
    }

    /// Handles a notice of the service.
    func take(_ notice: Notice) {
        switch notice {
        case .taskExpiring(let task):
            let left = ClockText.span(nanoseconds: Int64(max(task.timeRemaining, 0) * 1e9))
            end(by: SIGTERM, "\(left) left in the background, asking \(name) to end (SIGTERM)")
        case .taskTerminated:
            end(by: SIGKILL, "no time left in the background, killing \(name) (SIGKILL)")
        case .lost:
            let isRunning = process.withLock { $0 != nil }
            if isRunning { complain("the service has gone away, \(name) continues without it") }
        default: break
        }
    }

    /// Runs `command` to its end, and returns the exit status that a shell would report. Main
    /// thread only.
    func run(_ command: [String]) throws -> Int32 {
        // A notice that arrives while the command starts waits for its process.
        let child = try process.withLock { process in
            let child = try start(command)
            process = (child, false)
            return child
        }
        var awaited = awaited
        while true {
            if let status = ended(child) { return status }
            var signal = unsafe siginfo_t()
            let number = unsafe sigwaitinfo(&awaited, &signal)
            // A signal from a key has reached the command too, which is in the same process group.
            let isFromKey = unsafe signal.si_code == SI_KERNEL
            guard number > 0, number != SIGCHLD else { continue }
            request.withLock { $0 = number }
            if hasOwnGroup || !isFromKey { process.withLock { send(number, to: &$0) } }
        }
    }

    /// Waits until `isReady`, which is looked at after each `wake`. Returns the signal that asks
    /// this program to end, if that comes first. Main thread only.
    func wait(until isReady: () -> Bool) -> Int32? {
        var awaited = awaited
        while true {
            if let number = request.withLock({ $0 }) { return number }
            if isReady() { return nil }
            let number = unsafe sigwaitinfo(&awaited, nil)
            if number > 0, number != SIGCHLD { return number }
        }
    }

    /// Makes `wait` look again. Any thread.
    func wake() { kill(getpid(), SIGCHLD) }

    private func end(by number: Int32, _ text: String) {
        process.withLock { process in
            guard process != nil else { return }
            complain(text)
            send(number, to: &process)
        }
    }

    private func send(_ number: Int32, to process: inout (id: pid_t, isEnding: Bool)?) {
        guard let id = process?.id else { return }
        process?.isEnding = true
        kill(hasOwnGroup ? -id : id, number)
    }

    /// The status of the command if it has ended; from then on its process is not signalled any
    /// more.
    private func ended(_ child: pid_t) -> Int32? {
        process.withLock { process in
            var information = unsafe siginfo_t()
            let options = WEXITED | WNOHANG | WNOWAIT
            guard unsafe waitid(P_PID, id_t(child), &information, options) == 0,
                unsafe information.si_signo == SIGCHLD
            else { return nil }
            // Until it is reaped, no other group can have its number.
            if hasOwnGroup, process?.isEnding == true { kill(-child, SIGKILL) }
            var word: Int32 = 0
            while unsafe waitpid(child, &word, 0) < 0, errno == EINTR {}
            process = nil
            let signal = word & 0x7F
            return signal == 0 ? word >> 8 & 0xFF : 128 + signal
        }
    }

    private func start(_ command: [String]) throws -> pid_t {
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | (hasOwnGroup ? POSIX_SPAWN_SETPGROUP : 0)))
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        // A process of another group that reads the terminal is stopped.
        if hasOwnGroup, isatty(0) == 1 {
            unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        var pointers = unsafe command.map { unsafe ServiceProgram.copy($0) } + [nil]
        defer { unsafe pointers.forEach { unsafe free($0) } }
        var child = pid_t()
        let code = unsafe FilePath(argument: command[0]).withPlatformString {
            unsafe posix_spawnp(&child, $0, &actions, &attributes, &pointers, environ)
        }
        guard code == 0 else {
            let reason = unsafe String(cString: strerror(code))
            throw Failure("cannot run \(command[0]): \(reason)", status: code == ENOENT ? 127 : 126)
        }
        return child
    }
}
