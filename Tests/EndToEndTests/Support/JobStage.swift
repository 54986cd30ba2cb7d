import Foundation
import Glibc
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongControl

/// A service of its own, and a shell with job control from which a test starts the programs that the
/// service has work for.
final class JobStage {
    let folder: RuntimeFolder
    let daemon: Daemon
    let terminal: Terminal

    /// Starts both. The service's `arguments` are those of `undersongd serve`.
    init(shell: [String] = Terminal.bash, arguments: [String] = []) throws {
        folder = try RuntimeFolder()
        daemon = try Daemon(in: folder.path, arguments)
        terminal = try Terminal(environment: daemon.environment, shell: shell)
        try undersong("capability", "fetch", "on")
        try undersong("capability", "permit", Self.refresh)
        try undersong("capability", "remote-notification", "on")
    }

    deinit {
        // Jobs may outlive their shell.
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        for process in processes.compactMap({ pid_t($0) })
        where process != terminal.shell && getsid(process) == terminal.shell {
            kill(process, SIGKILL)
        }
    }

    /// The identifier of the task that `fetch run` registers.
    static let refresh = "net.undersong.refresh"

    /// The output of the client in another session than the terminal's. It has to succeed.
    @discardableResult
    func undersong(_ words: String...) throws -> String {
        let program = try Program(Program.undersong, words, environment: daemon.environment)
        #expect(try program.wait() == 0, "\(words): \(program.errorText)")
        return program.text
    }

    /// Starts a command of the client in the terminal's foreground.
    func start(_ command: String) { terminal.type("\(Program.undersong) \(command)\n") }

    /// Types Ctrl-Z, and returns the job's process when the shell has the terminal again.
    @discardableResult
    func stopJob() throws -> ObservedProcess {
        try terminal.stopJob()
        return try job()
    }

    /// The process that leads the shell's only job.
    func job() throws -> ObservedProcess {
        let text = try terminal.output(of: "jobs -p")
        let number = text.split(separator: "\n").compactMap { Int32($0) }.last
        return ObservedProcess(try #require(number, "\(text)"))
    }

    /// The shell's list of its jobs: one line each.
    func jobs() throws -> String { try terminal.output(of: "jobs") }

    /// Waits until a program handles pushes.
    func waitForPushHandler() throws {
        let client = try daemon.client()
        try waitUntil { try client.call(GetPushStatus()).programs == 1 }
    }

    /// The counts of pushes, once none is being handled.
    func settledPushes() throws -> PushStatus.Counts {
        let client = try daemon.client()
        try waitUntil { try client.call(GetPushStatus()).counts.handling == 0 }
        return try client.call(GetPushStatus()).counts
    }

    /// Path of an executable in the stage's folder.
    func script(_ name: String, _ text: String) throws -> String {
        let path = "\(folder.path)/\(name)"
        try makeExecutable("#!/bin/sh\n" + text, at: path)
        return path
    }
}

/// A process as the kernel shows it.
struct ObservedProcess {
    let id: pid_t

    init(_ id: pid_t) { self.id = id }

    /// True if it exists, and has not ended.
    var isAlive: Bool { states.contains { $0 != "Z" && $0 != "X" } }

    /// True if all its threads are stopped by a signal.
    var isStopped: Bool {
        let states = states
        return !states.isEmpty && states.allSatisfy { $0 == "T" }
    }

    /// True if its threads run, or wait.
    var runs: Bool { isAlive && !states.contains("T") }

    /// Waits until it is stopped.
    func waitUntilStopped() throws {
        do { try waitUntil { isStopped } } catch {
            throw Overdue("process \(id) is not stopped: \(states)")
        }
    }

    /// Waits until it has ended.
    func waitUntilEnded() throws {
        do { try waitUntil { !isAlive } } catch {
            throw Overdue("process \(id) does not end: \(states)")
        }
    }

    /// The number of times that its threads got a processor in the next `seconds`.
    func wakeUps(in seconds: Double = 1) -> Int {
        let before = switches
        let clock = SystemClock()
        clock.sleep(until: clock.now + Int64(seconds * 1e9))
        let after = switches
        // A thread that has come, or gone, has run.
        guard Set(before.keys) == Set(after.keys) else { return 1 }
        return after.values.reduce(0, +) - before.values.reduce(0, +)
    }

    /// True if it is stopped at no moment of the next `seconds`, looked at every 10 ms.
    func keepsRunning(for seconds: Double) -> Bool {
        (try? waitUntil(within: seconds) { !runs }) == nil
    }

    /// The letters of its threads' states in `/proc`.
    private var states: [Character] {
        threads.compactMap { thread in
            guard let stat = Self.text("/proc/\(id)/task/\(thread)/stat"),
                let name = stat.lastIndex(of: ")")
            else { return nil }
            return stat[name...].dropFirst(2).first
        }
    }

    /// The number of times that each thread has left a processor.
    private var switches: [String: Int] {
        Dictionary(
            uniqueKeysWithValues: threads.compactMap { thread in
                Self.text("/proc/\(id)/task/\(thread)/status").map { status in
                    let counts = status.split(separator: "\n").filter {
                        $0.contains("voluntary_ctxt_switches:")
                    }
                    let sum = counts.compactMap { Int($0.split(separator: "\t")[1]) }
                    return (thread, sum.reduce(0, +))
                }
            })
    }

    private var threads: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/task")) ?? []
    }

    private static func text(_ path: String) -> String? {
        try? String(contentsOfFile: path, encoding: .utf8)
    }
}

/// Work that lasts until a test ends it: a script that waits at a pipe with a name.
struct HeldWork {
    /// The script, which gets the test's word as its exit status.
    let script: String
    private let gate: String
    private let log: String

    /// Creates it in a stage's folder. The script writes its standard input to a log first.
    init(_ stage: JobStage) throws {
        gate = stage.folder.path + "/gate"
        log = stage.folder.path + "/work.log"
        guard mkfifo(gate, 0o600) == 0 else { throw POSIXError(.EIO) }
        script = try stage.script(
            "work",
            "echo \"given $(cat)\" >> \(log)\nread status < \(gate)\nexit $status\n")
    }

    /// A line for each time that it has begun, with what it was given.
    var lines: [String] {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// Waits until it has begun this often.
    func waitForBegin(_ count: Int = 1) throws { try waitUntil { lines.count == count } }

    /// Lets it end with a status.
    func end(_ status: Int = 0) throws {
        // Without a reader this would block: it has not begun.
        var descriptor: Int32 = -1
        try waitUntil {
            descriptor = open(gate, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            return descriptor >= 0
        }
        defer { close(descriptor) }
        let text = "\(status)\n"
        guard write(descriptor, text, text.utf8.count) == text.utf8.count else {
            throw POSIXError(.EIO)
        }
    }
}
