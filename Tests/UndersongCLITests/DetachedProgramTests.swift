import Foundation
import Glibc
import TestSupport
import Testing
import UndersongBase

@testable import UndersongCommandOptions

/// `systemd-run` and `systemctl` are of the test's own: the former starts the program in the
/// background, or refuses to, and the latter reports on it.
@Suite(.blockingThreads, .timeLimit(.minutes(2))) struct `A detached program` {
    private let folder: URL
    private let events = Inbox<DetachedProgram.Event>()

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "undersong-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// A program whose output is in `log`.
    private func shell(_ line: String, isInService: Bool = false) -> DetachedProgram {
        var program = DetachedProgram(["/bin/sh", "-c", line])
        program.isInService = isInService
        program.searchPath = folder.path + ":/usr/bin:/bin"
        program.folder = folder.path
        program.log = folder.path + "/log"
        program.variables = ["UNDERSONG_LAUNCH": "42"]
        return program
    }

    private var log: String {
        (try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)) ?? ""
    }

    private func start(_ program: DetachedProgram) { program.start { events.put($0) } }

    /// Waits for the event of a begin.
    private func process() throws -> ProcessIdentity? {
        if case .began(let process) = try events.next() { process } else { nil }
    }

    /// Waits for the event of an end.
    private func end() throws -> (process: ProcessIdentity, status: Int32)? {
        if case .ended(let process, let status) = try events.next() {
            (process, status)
        } else {
            nil
        }
    }

    private func makeTools(run: String, show: String = "exit 1") throws {
        try makeExecutable(
            "#!/bin/sh\ncd \(folder.path)\necho \"$@\" >> calls\n\(run)\n",
            at: folder.appending(path: "systemd-run").path)
        try makeExecutable(
            "#!/bin/sh\ncd \(folder.path)\necho \"$@\" >> calls\n\(show)\n",
            at: folder.appending(path: "systemctl").path)
    }

    private var calls: [String] {
        let text = try? String(contentsOfFile: folder.path + "/calls", encoding: .utf8)
        return (text ?? "").split(separator: "\n").map(String.init)
    }

    @Test func `A detached program leads a session, and its output is added to its log`() throws {
        try Data("before\n".utf8).write(to: folder.appending(path: "log"))
        start(
            shell("echo $UNDERSONG_LAUNCH; pwd >&2; set -- $(cat /proc/$$/stat); echo $6; exit 3"))

        let process = try #require(try process())
        let end = try #require(try end())

        #expect(end.process == process)
        #expect(end.status == 3)
        let lines = log.split(separator: "\n").map(String.init)
        #expect(lines.count == 4)
        #expect(lines.prefix(2) == ["before", "42"])
        #expect(lines[2].hasSuffix(folder.lastPathComponent))
        #expect(lines.last == "\(process.id)")
    }

    @Test func `A detached program that a signal has ended has the status of a shell`() throws {
        start(shell("kill -KILL $$"))

        _ = try process()

        #expect(try end()?.status == 137)
    }

    @Test func `A program that is not there cannot be started`() throws {
        start(DetachedProgram(["/nowhere/program"]))

        guard case .failed(let reason) = try events.next() else {
            Issue.record("it was started")
            return
        }
        #expect(reason == "No such file or directory")
    }

    @Test func `A service has systemd start a program in a unit, and follows it to its end`() throws
    {
        try makeTools(
            run: """
                while [ "$1" != -- ]; do shift; done
                shift
                setsid "$@" > /dev/null 2>&1 &
                echo $! > process
                """,
            show: """
                case "$*" in
                *MainPID*) cat process ;;
                *ExecMainCode*) echo 1 ;;
                *ExecMainStatus*) echo 7 ;;
                esac
                """)
        var program = shell("read line < \(folder.path)/fifo", isInService: true)
        try #require(mkfifo(folder.path + "/fifo", 0o600) == 0)
        program.unit = "app-undersong-a-1.service"
        start(program)

        let process = try #require(try process())
        let hadEnded = ProcessCondition(of: process.id)?.identity != process
        let fifo = open(folder.path + "/fifo", O_WRONLY)
        #expect(writeAll([UInt8(ascii: "\n")], to: fifo) == 0)
        close(fifo)
        let end = try #require(try end())

        #expect(!hadEnded)
        #expect(end.process == process)
        #expect(end.status == 7)
        let log = folder.path + "/log"
        let words = [
            "--user --quiet --service-type=exec --unit=app-undersong-a-1.service",
            "--working-directory=\(folder.path) --property=KillMode=process",
            "--setenv=UNDERSONG_LAUNCH=42",
            "--property=StandardOutput=append:\(log)", "--property=StandardError=append:\(log)",
            "-- /bin/sh -c read line < \(folder.path)/fifo",
        ]
        #expect(calls.first == words.joined(separator: " "))
        try waitUntil { calls.last == "--user --quiet reset-failed app-undersong-a-1.service" }
    }

    @Test func `A program that has ended before systemd is asked for it was not started`() throws {
        try makeTools(run: "exit 0", show: "case \"$*\" in *Exec*) echo 2 ;; *) echo 0 ;; esac")
        var program = shell("exit 0", isInService: true)
        program.unit = "a.service"
        start(program)

        guard case .failed(let reason) = try events.next() else {
            Issue.record("it was started")
            return
        }
        #expect(reason == "It has ended at once, with status 130")
    }

    @Test func `A service starts a program by itself if systemd does not`() throws {
        try makeTools(run: "exit 1")
        var program = shell("echo here", isInService: true)
        program.unit = "a.service"
        start(program)

        guard case .trouble(let text) = try events.next() else {
            Issue.record("there was no trouble")
            return
        }
        _ = try process()

        #expect(text == "cannot start /bin/sh by systemd-run: It ends with status 1")
        #expect(try end()?.status == 0)
        #expect(log == "here\n")
    }

    @Test func `systemd leaves the dollars in a program's arguments alone`() throws {
        try makeTools(run: "exit 1")
        start(shell("echo $HOME $$", isInService: true))

        _ = try events.next()

        #expect(calls.first?.hasSuffix("-- /bin/sh -c echo $$HOME $$$$") == true)
    }
}
