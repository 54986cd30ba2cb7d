import Foundation
import Glibc
import TestSupport
import Testing

@testable import UndersongBase

/// A process that waits for ever, in a session of its own.
private final class Sleeper: Sendable {
    let child: ChildProcess

    init() throws { child = try NewProcess("/bin/sleep", ["infinity"]).start() }

    deinit {
        kill(child.id, SIGKILL)
        child.reap()
    }

    var condition: ProcessCondition? { ProcessCondition(of: child.id) }
    var activity: ProcessCondition.Activity? { condition?.activity }

    func identity() throws -> ProcessIdentity { try #require(condition).identity }
}

@Suite(.blockingThreads, .timeLimit(.minutes(2))) struct `The condition of a process` {
    @Test func `A process is found running, stopped, and ended until it is reaped`() throws {
        let sleeper = try Sleeper()

        let running = sleeper.activity
        kill(sleeper.child.id, SIGSTOP)
        try waitUntil { sleeper.activity == .stopped }
        let ended = try NewProcess("/bin/true").start()
        ended.waitForEnd()
        let zombie = ProcessCondition(of: ended.id)
        ended.reap()

        #expect(running == .running)
        #expect(zombie?.activity == .ended)
        #expect(ProcessCondition(of: ended.id)?.identity != zombie?.identity)
    }

    @Test func `A process leads the group and has no terminal in a session of its own`() throws {
        let condition = try #require(try Sleeper().condition)

        #expect(condition.leadsGroup)
        #expect(condition.group == condition.identity.id)
        #expect(condition.foregroundGroup == nil)
        #expect(!condition.isForeground)
        #expect(condition.tracer == nil)
    }

    @Test func `A process has the start that the kernel reports, whatever its name is`() throws {
        let stat = "42 (a) b (c) S 1 40 39 34817 41 4194304 1 0 0 0 0 0 0 0 20 0 1 0 98765 1 2"

        let condition = try #require(
            ProcessCondition(stat: stat, status: "Name:\ta\nTracerPid:\t7\n", isFrozen: false))

        #expect(condition.identity == ProcessIdentity(id: 42, start: 98765))
        #expect(condition.activity == .running)
        #expect(condition.group == 40)
        #expect(condition.foregroundGroup == 41)
        #expect(condition.tracer == 7)
        #expect(!condition.leadsGroup && !condition.isForeground)
    }

    @Test func `A text that is cut has no condition`() {
        let stat = "42 (a) S 1 40 39 34817 41 4194304 1 0 0 0 0 0 0 0 20 0 1 0 "

        #expect(ProcessCondition(stat: stat, status: "", isFrozen: false) == nil)
        #expect(ProcessCondition(stat: "", status: "", isFrozen: false) == nil)
        #expect(ProcessCondition(stat: "42 ) S (", status: "", isFrozen: false) == nil)
    }

    @Test(arguments: [
        ("R", false, ProcessCondition.Activity.running), ("S", true, .stopped),
        ("D", true, .stopped), ("T", false, .stopped), ("t", true, .traced), ("Z", true, .ended),
    ])
    func `A process is stopped by a signal or a frozen group, not while it is traced`(
        letter: String, isFrozen: Bool, activity: ProcessCondition.Activity
    ) throws {
        let stat = "42 (a) \(letter) 1 40 39 0 -1 0 1 0 0 0 0 0 0 0 20 0 1 0 98765"

        let condition = ProcessCondition(stat: stat, status: "", isFrozen: isFrozen)

        #expect(condition?.activity == activity)
        #expect(condition?.foregroundGroup == nil)
    }

    @Test func `A traced process names its tracer, and is traced while that has stopped it`() throws
    {
        let output = Pipe()
        var script = NewProcess(
            "/usr/bin/python3",
            [
                "-c",
                """
                import ctypes, os, subprocess, sys, time
                libc = ctypes.CDLL(None, use_errno=True)
                child = subprocess.Popen(["/bin/sleep", "infinity"])
                seize, interrupt = 0x4206, 0x4207
                def trace(request):
                    if libc.ptrace(request, child.pid, None, None) != 0:
                        print(0, flush=True)
                        child.kill()
                        sys.exit(0)
                trace(seize)
                trace(interrupt)
                os.waitpid(child.pid, 0)
                print(child.pid, flush=True)
                sys.stdin.read()
                child.kill()
                """,
            ])
        let input = Pipe()
        script.descriptors = [
            .duplicate(of: input.fileHandleForReading.fileDescriptor),
            .duplicate(of: output.fileHandleForWriting.fileDescriptor), .inherited,
        ]
        let tracer = try script.start()
        try output.fileHandleForWriting.close()
        defer {
            try? input.fileHandleForWriting.close()
            tracer.reap()
        }
        let text = String(decoding: output.fileHandleForReading.nextData, as: UTF8.self)
        let process = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        // A kernel that forbids tracing of one's own children.
        guard process != 0 else { return }

        let condition = try #require(ProcessCondition(of: process))

        #expect(condition.activity == .traced)
        #expect(condition.tracer == tracer.id)
    }
}

@Suite(.blockingThreads, .timeLimit(.minutes(2))) struct `A known process` {
    @Test func `A known process is suspended and resumed`() throws {
        let sleeper = try Sleeper()
        let process = KnownProcess(try sleeper.identity())

        try process.suspend()
        try waitUntil { sleeper.activity == .stopped }
        try process.resume()

        try waitUntil { sleeper.activity == .running }
    }

    @Test func `A known process is suspended with its whole group, and resumed with it`() throws {
        let (shell, child) = try group()
        defer { end(shell) }
        let identity = try #require(ProcessCondition(of: shell.id)).identity
        let process = KnownProcess(identity, group: shell.id)

        try process.suspend()
        try waitUntil {
            [shell.id, child].allSatisfy { ProcessCondition(of: $0)?.activity == .stopped }
        }
        try process.resume()

        try waitUntil {
            [shell.id, child].allSatisfy { ProcessCondition(of: $0)?.activity == .running }
        }
    }

    @Test func `A known process is suspended without its group unless that is meant`() throws {
        let (shell, child) = try group()
        defer { end(shell) }
        let identity = try #require(ProcessCondition(of: shell.id)).identity

        try KnownProcess(identity).suspend()

        try waitUntil { ProcessCondition(of: shell.id)?.activity == .stopped }
        #expect(ProcessCondition(of: child)?.activity == .running)
    }

    @Test func `What is left of a group is resumed after its leader was killed`() throws {
        let (shell, child) = try group()
        defer { kill(child, SIGKILL) }
        let identity = try #require(ProcessCondition(of: shell.id)).identity
        let process = KnownProcess(identity, group: shell.id)
        try process.suspend()
        try waitUntil { ProcessCondition(of: child)?.activity == .stopped }
        kill(shell.id, SIGKILL)
        shell.reap()

        try process.resume()

        try waitUntil { ProcessCondition(of: child)?.activity == .running }
    }

    @Test func `A known process is ended`() throws {
        let child = try NewProcess("/bin/sleep", ["infinity"]).start()
        let identity = try #require(ProcessCondition(of: child.id)).identity

        try KnownProcess(identity, group: child.id).end()

        #expect(child.reap() == .killed(signal: SIGKILL))
    }

    @Test func `A process that has the number of a known one is not touched`() throws {
        let sleeper = try Sleeper()
        var identity = try sleeper.identity()
        identity.start -= 1
        let other = KnownProcess(identity, group: sleeper.child.id)

        for attempt in [other.suspend, other.resume, other.end] {
            let error = #expect(throws: SystemError.self) { try attempt() }
            #expect(error == SystemError(ESRCH))
        }

        #expect(sleeper.activity == .running)
    }

    @Test func `A known process that has ended cannot be suspended`() throws {
        let child = try NewProcess("/bin/sleep", ["infinity"]).start()
        let process = KnownProcess(try #require(ProcessCondition(of: child.id)).identity)
        kill(child.id, SIGKILL)
        child.reap()

        #expect(throws: SystemError(ESRCH)) { try process.suspend() }
        #expect(throws: SystemError(ESRCH)) { try process.resume() }
        #expect(throws: SystemError(ESRCH)) { try process.end() }
    }

    @Test func `A known process alone in its control group is frozen, and thawed`() throws {
        let sleeper = try Sleeper()
        guard let group = TestGroup() else {
            print("This user cannot make control groups here, so freezing cannot be tried.")
            return
        }
        try group.add(sleeper.child.id)
        let process = KnownProcess(try sleeper.identity())

        try process.suspend()
        try waitUntil { group.isFrozen && sleeper.activity == .stopped }
        let letter = KernelFile.text(of: "/proc/\(sleeper.child.id)/stat")
        try process.resume()

        try waitUntil { !group.isFrozen && sleeper.activity == .running }
        #expect(!letter.contains(") T "))
    }

    @Test func `A control group with other processes is not frozen`() throws {
        let (sleeper, other) = (try Sleeper(), try Sleeper())
        guard let group = TestGroup() else {
            print("This user cannot make control groups here, so freezing cannot be tried.")
            return
        }
        for process in [sleeper, other] { try group.add(process.child.id) }

        try KnownProcess(try sleeper.identity()).suspend()

        try waitUntil { sleeper.activity == .stopped }
        #expect(other.activity == .running)
        #expect(!group.isFrozen)
    }

    /// A shell that leads a session, and its child, which both wait for ever.
    private func group() throws -> (shell: ChildProcess, child: Int32) {
        let output = Pipe()
        var process = NewProcess("/bin/sh", ["-c", "sleep infinity & echo $!; wait"])
        process.descriptors[1] = .duplicate(of: output.fileHandleForWriting.fileDescriptor)
        let shell = try process.start()
        try output.fileHandleForWriting.close()
        let line = String(decoding: output.fileHandleForReading.nextData, as: UTF8.self)
        return (shell, try #require(Int32(line.trimmingCharacters(in: .whitespacesAndNewlines))))
    }

    private func end(_ shell: ChildProcess) {
        kill(-shell.id, SIGKILL)
        shell.reap()
    }
}

/// A control group of a test's own, whose processes return to the root at its end.
private final class TestGroup {
    private let folder: String

    /// Nil where this user cannot make one that can be frozen.
    init?() {
        let mounts = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]
        guard let mount = mounts.first(where: { access($0 + "/cgroup.controllers", W_OK) == 0 })
        else { return nil }
        folder = mount + "/undersong-test-\(UUID().uuidString)"
        guard mkdir(folder, 0o755) == 0 else { return nil }
        guard access(folder + "/cgroup.freeze", W_OK) == 0 else {
            rmdir(folder)
            return nil
        }
        // A process that cannot be moved there cannot be frozen.
        guard let probe = try? Sleeper(), (try? add(probe.child.id)) != nil else {
            rmdir(folder)
            return nil
        }
        kill(probe.child.id, SIGKILL)
        probe.child.waitForEnd()
        try? waitUntil { KernelFile.text(of: folder + "/cgroup.procs").isEmpty }
    }

    deinit {
        try? Data("0".utf8).write(to: URL(filePath: folder + "/cgroup.freeze"))
        for process in KernelFile.text(of: folder + "/cgroup.procs").split(separator: "\n") {
            Int32(process).map { _ = kill($0, SIGKILL) }
        }
        try? waitUntil { rmdir(folder) == 0 || errno == ENOENT }
    }

    var isFrozen: Bool {
        KernelFile.text(of: folder + "/cgroup.events").contains("frozen 1")
    }

    func add(_ process: Int32) throws {
        let file = open(folder + "/cgroup.procs", O_WRONLY | O_CLOEXEC)
        defer { close(file) }
        let code = writeAll(Array("\(process)".utf8), to: file)
        guard code == 0 else { throw SystemError(code) }
    }
}
