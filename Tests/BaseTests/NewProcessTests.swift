import Foundation
import Glibc
import TestSupport
import Testing

@testable import UndersongBase

@Suite(.blockingThreads) struct `A new process` {
    @Test func `A new process gets arguments that are any bytes`() throws {
        let process = NewProcess(
            "/bin/sh",
            bytes: ["-c", "printf %s \"$1\" | od -An -tx1", "sh"].map { Array($0.utf8) } + [
                [0xe9, 0x20]
            ])

        #expect(try output(of: process) == " e9 20\n")
    }

    @Test func `A new process is looked for in PATH on request only`() throws {
        var process = NewProcess("true")
        let error = #expect(throws: NewProcess.StartError.self) { try process.start() }
        process.isSearched = true

        #expect(error?.description == "cannot start true: No such file or directory")
        #expect(error?.cause == SystemError(ENOENT))
        #expect(try process.start().reap() == .exited(status: 0))
    }

    @Test func `A new process gets the environment with changes`() throws {
        var process = shell("echo ${HOME-none} $PATH $UNDERSONG_BYTES")
        process.removedVariables = ["HOME", "UNDERSONG_BYTES"]
        process.variables = ["PATH": Array("/replaced".utf8), "UNDERSONG_BYTES": [0xff]]

        let bytes = try outputBytes(of: process)

        #expect(bytes == Array("none /replaced ".utf8) + [0xff, 0x0a])
    }

    @Test func `A new process has its standard descriptors from null`() throws {
        var process = shell("readlink /proc/self/fd/0 /proc/self/fd/2")
        process.descriptors = [.null, .inherited, .null]

        #expect(try output(of: process) == "/dev/null\n/dev/null\n")
    }

    @Test(arguments: [(true, "closed\n"), (false, "open\n")])
    func `A new process gets only its own descriptors unless it gets all`(
        closesOthers: Bool, state: String
    ) throws {
        let descriptor = fcntl(STDERR_FILENO, F_DUPFD, 50)
        defer { close(descriptor) }
        var process = shell("[ -e /proc/$$/fd/\(descriptor) ] && echo open || echo closed")
        process.closesOthers = closesOthers

        #expect(try output(of: process) == state)
    }

    @Test func `A new process gets duplicates under the numbers that are wanted`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        var process = shell("echo sent >&3")
        process.descriptors.append(.duplicate(of: ends[1]))

        let end = try process.start().reap()
        close(ends[1])

        #expect(end == .exited(status: 0))
        #expect(try FileHandle(fileDescriptor: ends[0]).readToEnd() == Data("sent\n".utf8))
    }

    @Test func `A new process writes a log of its own`() throws {
        let log = NSTemporaryDirectory() + "/undersong-\(UUID().uuidString).log"
        defer { try? FileManager.default.removeItem(atPath: log) }
        var process = shell("echo one >&2; echo two >&2")
        process.descriptors[2] = .log(log)

        for _ in 1...2 { try process.start().reap() }

        #expect(try String(contentsOfFile: log, encoding: .utf8) == "one\ntwo\n")
        let mode = try FileManager.default.attributesOfItem(atPath: log)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test func `A new process adds to a log`() throws {
        let log = NSTemporaryDirectory() + "/undersong-\(UUID().uuidString).log"
        defer { try? FileManager.default.removeItem(atPath: log) }
        var process = shell("echo one; echo two >&2")
        process.descriptors[1...2] = [.appended(log), .appended(log)]

        for _ in 1...2 { try process.start().reap() }

        #expect(try String(contentsOfFile: log, encoding: .utf8) == "one\ntwo\none\ntwo\n")
        let mode = try FileManager.default.attributesOfItem(atPath: log)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test(arguments: [
        (NewProcess.Group.session, "1 1\n"), (.own, "0 1\n"), (.inherited, "0 0\n"),
    ])
    func `A new process leads a session, a process group or neither`(
        group: NewProcess.Group, leads: String
    ) throws {
        // The group and the session are the fifth and the sixth.
        var process = shell("set -- $(cat /proc/$$/stat); echo $(($6 == $$)) $(($5 == $$))")
        process.group = group

        #expect(try output(of: process) == leads)
    }

    @Test(arguments: [
        (NewProcess.Signals.inherited, true, true), (.unblocked(reset: []), false, true),
        (.unblocked(reset: [SIGUSR2]), false, false), (.reset, false, false),
    ])
    func `A new process has its signals as they are wanted`(
        signals: NewProcess.Signals, blocks: Bool, ignores: Bool
    ) throws {
        var (blocked, previous) = (sigset_t(), sigset_t())
        sigemptyset(&blocked)
        sigaddset(&blocked, SIGUSR1)
        pthread_sigmask(SIG_BLOCK, &blocked, &previous)
        let handler = signal(SIGUSR2, SIG_IGN)
        defer {
            signal(SIGUSR2, handler)
            pthread_sigmask(SIG_SETMASK, &previous, nil)
        }
        var process = NewProcess("/bin/grep", ["-E", "Sig(Blk|Ign)", "/proc/self/status"])
        process.signals = signals

        let masks = try output(of: process).split(separator: "\n")
            .compactMap { $0.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } }

        #expect(masks.count == 2)
        #expect(masks.first.map { $0 >> (SIGUSR1 - 1) & 1 == 1 } == blocks)
        #expect(masks.last.map { $0 >> (SIGUSR2 - 1) & 1 == 1 } == ignores)
    }

    @Test func `A new process runs in its folder`() throws {
        var process = shell("pwd")
        process.folder = "/usr"

        #expect(try output(of: process) == "/usr\n")
    }

    private func shell(_ line: String) -> NewProcess { NewProcess("/bin/sh", ["-c", line]) }

    private func output(of process: NewProcess) throws -> String {
        String(decoding: try outputBytes(of: process), as: UTF8.self)
    }

    private func outputBytes(of process: NewProcess) throws -> [UInt8] {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        var process = process
        process.descriptors[1] = .duplicate(of: ends[1])
        let child = Result { try process.start() }
        close(ends[1])
        let file = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        let bytes = try file.readToEnd() ?? Data()
        #expect(try child.get().reap() == .exited(status: 0))
        return Array(bytes)
    }
}

@Suite(.blockingThreads) struct `A child process` {
    @Test(arguments: [
        ("exit 3", ChildProcess.End.exited(status: 3), 3 as Int32),
        ("kill -TERM $$", .killed(signal: SIGTERM), 128 + SIGTERM),
    ])
    func `A child process reports its end`(line: String, end: ChildProcess.End, status: Int32)
        throws
    {
        let found = try NewProcess("/bin/sh", ["-c", line]).start().reap()

        #expect(found == end)
        #expect(found.shellStatus == status)
    }

    @Test func `A child process keeps its number until it is reaped`() throws {
        let child = try NewProcess("/bin/sleep", ["infinity"]).start()
        let hadEnded = child.hasEnded
        let endedInTime = child.waitForEnd(until: SystemClock().now)
        kill(child.id, SIGKILL)
        let ended = child.waitForEnd(until: .max)
        child.waitForEnd()

        #expect(!hadEnded)
        #expect(!endedInTime)
        #expect(ended)
        #expect(child.hasEnded)
        #expect(kill(child.id, 0) == 0)
        #expect(child.reap() == .killed(signal: SIGKILL))
        #expect(kill(child.id, 0) != 0)
    }
}
