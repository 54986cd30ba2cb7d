import Glibc
import Synchronization
import UndersongBase
import UndersongCommandOptions

/// Runs the command of a task, and ends it when the task's time is over.
final class CommandRunner: Sendable {
    private let name: String
    /// This program's part in job control, if the command shares it; nil if the command has a
    /// process group of its own, which ends as a whole when its time is over. It then gets no signals
    /// from keys, and cannot read the terminal.
    private let jobControl: JobControl?
    private var hasOwnGroup: Bool { jobControl == nil }
    /// The command's process while it is running, and whether it was asked to end.
    private let process = Mutex<(child: ChildProcess, isEnding: Bool)?>(nil)
    /// The signal that has asked this program to end.
    private let request = Mutex<Int32?>(nil)
    /// The signals that the main thread waits for, and no other thread.
    private let awaited: sigset_t

    /// `name` is the name of the task. With `jobControl` the command is in this program's process
    /// group, and stopped and continued with it; without it, the command has a group of its own, and
    /// runs while this program is stopped. Create this before any other thread: it blocks the signals
    /// that control the command, and later threads inherit that.
    init(name: String, jobControl: JobControl? = nil) {
        self.name = name
        self.jobControl = jobControl
        var awaited = sigset_t()
        unsafe sigemptyset(&awaited)
        for number in [SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT] {
            unsafe sigaddset(&awaited, number)
        }
        for number in jobControl == nil ? [] : JobControl.signals where !Signals.isIgnored(number) {
            unsafe sigaddset(&awaited, number)
        }
        unsafe pthread_sigmask(SIG_BLOCK, &awaited, nil)
        self.awaited = awaited
    }

    /// Handles a notice of the service.
    func handle(_ notice: Notice) {
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
        var mayStopLate = false
        while true {
            if let status = ended(child) { return status }
            if mayStopLate, child.stopSignal == SIGTSTP {
                mayStopLate = false
                kill(child.id, SIGCONT)
            }
            var signal = unsafe siginfo_t()
            let number = unsafe sigwaitinfo(&awaited, &signal)
            // A signal from a key has reached the command too, which is in the same process group.
            let isFromKey = unsafe signal.si_code == SI_KERNEL
            switch number {
            case ...0, SIGCHLD: break
            case SIGTSTP:
                // A command that stops itself at the key may do so after both were continued.
                mayStopLate = isFromKey && child.stopSignal == nil
                jobControl?.stop()
            case SIGCONT: jobControl?.reportContinuation()
            default:
                request.withLock { $0 = number }
                if hasOwnGroup || !isFromKey { process.withLock { send(number, to: &$0) } }
            }
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

    private func send(_ number: Int32, to process: inout (child: ChildProcess, isEnding: Bool)?) {
        guard let id = process?.child.id else { return }
        process?.isEnding = true
        kill(hasOwnGroup ? -id : id, number)
    }

    /// The status of the command if it has ended; from then on its process is not signalled any
    /// more.
    private func ended(_ child: ChildProcess) -> Int32? {
        process.withLock { process in
            guard child.hasEnded else { return nil }
            // Until it is reaped, no other group can have its number.
            if hasOwnGroup, process?.isEnding == true { kill(-child.id, SIGKILL) }
            process = nil
            return child.reap().shellStatus
        }
    }

    private func start(_ command: [String]) throws -> ChildProcess {
        var process = NewProcess(command: command)
        process.closesOthers = false
        process.group = hasOwnGroup ? .own : .inherited
        process.signals = .unblocked(reset: [])
        // A process of another group that reads the terminal is stopped.
        if hasOwnGroup, isatty(0) == 1 { process.descriptors[0] = .null }
        do throws(NewProcess.StartError) {
            return try process.start()
        } catch {
            throw Failure(error)
        }
    }
}

extension NewProcess {
    /// The command of a user, whose program is looked for in PATH.
    init(command: [String]) {
        self.init(
            FilePath(argument: command[0]),
            bytes: command.dropFirst().map { ProcessArguments.bytes(of: $0) })
        isSearched = true
    }
}

extension Failure {
    /// A command that cannot be started, with the status that a shell reports.
    init(_ error: NewProcess.StartError) {
        self.init(
            "cannot run \(error.path): \(error.cause.reason)",
            status: error.cause.code == ENOENT ? 127 : 126)
    }
}
