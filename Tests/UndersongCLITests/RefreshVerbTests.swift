import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongControl

@testable import UndersongCLI

/// The verbs for background tasks, as programs, against a scripted service.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `A verb for background tasks` {
    private static let now = 1_780_272_000.0

    private static var reply: RefreshStatus {
        var status = RefreshStatus.untouched
        status.interval = .seconds(3600)
        status.pending = [
            RefreshForecast(
                identifier: "net.undersong.refresh", kind: .fetch, due: now + 30_600,
                obstacles: [
                    RefreshForecast.Obstacle(
                        reason: .known(.betterTime),
                        text: "the player is often opened within an hour of 08:30")
                ])
        ]
        status.runs = [run(1, .newData, new: 3)]
        status.apps = [
            RefreshForecast(
                identifier: "net.example.refresh", kind: .refresh,
                request: RefreshRequest("net.example.refresh"), due: now + 43_200, obstacles: [])
        ]
        status.apps[0].app = "net.example"
        (status.badge, status.now, status.promised) = (3, now, true)
        return status
    }

    private static func run(
        _ task: Int, _ result: RefreshResult? = nil, new: Int = 0
    ) -> RefreshRun {
        RefreshRun(
            number: task, identifier: "net.undersong.refresh", kind: .fetch, cause: .schedule,
            began: now - 60, beganBoot: 0, seconds: 1, result: result, new: new,
            processorTime: result.map { _ in 0.254 })
    }

    @Test(
        arguments: [
            ("never", .never), ("minimum", .minimum), ("1h", .seconds(3600)), ("90", .seconds(90)),
            ("15m", .seconds(900)), ("2d", .seconds(172_800)),
        ] as [(String, FetchInterval)])
    func `The verb fetch sets the interval`(word: String, sent: FetchInterval) throws {
        let service = try FakeService { _, _ in ControlReply(Self.reply) }
        defer { service.end() }

        let program = try Program(["fetch", "interval", word], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(try service.calls(SetFetchInterval.self).map(\.interval) == [sent])
    }

    @Test(arguments: ["soon", "-1h", "h", ""])
    func `The verb fetch refuses what is not an interval`(word: String) throws {
        let service = try FakeService { _, _ in ControlReply(Self.reply) }
        defer { service.end() }

        let program = try Program(
            ["fetch", "interval", "--", word], environment: service.environment)

        #expect(try program.wait() == 64)
        #expect(program.errorText.contains("'\(word)' is not an interval"))
        #expect(service.methods.isEmpty)
    }

    @Test func `The verb fetch shows what is due next, and why`() throws {
        let service = try FakeService { _, _ in ControlReply(Self.reply) }
        defer { service.end() }

        let program = try Program(["fetch", "status"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(
            program.text == """
                interval   1 h 0 min at least
                due        2026-06-01 08:30: net.undersong.refresh (fetch)
                because    the player is often opened within an hour of 08:30
                due        2026-06-01 12:00: net.example.refresh (refresh) of net.example
                new        3
                last       2026-05-31 23:59: net.undersong.refresh, because it was due: 3 new, \
                0.25 s of processor time

                """)
    }

    @Test(
        arguments: [
            (.command, .noData, "at your request: nothing new"),
            (.push, .failed, "because of a push: failed"),
            (.simulate, .overran, "as a test: failed: it ran out of time"),
            (.foreground, nil, "because the player was opened: running"),
        ] as [(RefreshCause, RefreshResult?, String)])
    func `The verb fetch shows why a task ran and how it ended`(
        cause: RefreshCause, result: RefreshResult?, text: String
    ) {
        var reply = Self.reply
        (reply.runs[0].cause, reply.runs[0].result, reply.runs[0].new) = (cause, result, 0)
        reply.runs[0].processorTime = nil

        #expect(RefreshText.status(reply).hasSuffix("net.undersong.refresh, \(text)"))
    }

    @Test func `The verb fetch shows that nobody can switch background refresh on`() throws {
        let service = try FakeService { _, _ in
            var reply = Self.reply
            reply.availability = .restricted
            return ControlReply(reply)
        }
        defer { service.end() }

        let program = try Program(["fetch", "status"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text.contains("refresh    restricted: it cannot be switched on\n"))
    }

    @Test func `The verb fetch shows what the user has switched off, and what is assumed`() throws {
        let service = try FakeService { _, _ in
            var reply = Self.reply
            (reply.availability, reply.runs) = (.denied, [])
            reply.fallbacks = ["UPower does not answer: x", "NetworkManager does not answer: y"]
            return ControlReply(reply)
        }
        defer { service.end() }

        let program = try Program(["fetch", "deny"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(service.methods == [DenyRefresh.method])
        #expect(
            program.text == """
                interval   1 h 0 min at least
                refresh    denied; permit it with: undersong fetch allow
                due        2026-06-01 08:30: net.undersong.refresh (fetch)
                because    the player is often opened within an hour of 08:30
                due        2026-06-01 12:00: net.example.refresh (refresh) of net.example
                note       UPower does not answer: x
                note       NetworkManager does not answer: y
                new        3

                """)
    }

    @Test func `A verb switches background refresh on`() throws {
        let service = try FakeService { _, _ in ControlReply(Self.reply) }
        defer { service.end() }

        let program = try Program(["fetch", "allow"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(service.methods == [AllowRefresh.method])
        #expect(!program.text.contains("denied"))
    }

    @Test(
        arguments: [(.newData, 0), (.noData, 1), (.failed, 2), (.overran, 2)]
            as [(RefreshResult, Int32)])
    func `The verb fetch waits for the end of a fetch`(result: RefreshResult, status: Int32) throws
    {
        let service = try FakeService { _, connection in
            connection.notify(RefreshEnded(Self.run(6, .newData, new: 1)))
            connection.notify(RefreshEnded(Self.run(7, result)))
            return ControlReply(RefreshBegun(task: 7))
        }
        defer { service.end() }

        let program = try Program(["fetch", "now"], environment: service.environment)

        #expect(try program.wait() == status)
        #expect(service.methods == [RunRefresh.method])
    }

    @Test(
        arguments: [("true", .newData, 0), ("false", .noData, 1)]
            as [(String, RefreshResult, Int32)])
    func `A task's verb runs a command, whose exit status is the result`(
        command: String, result: RefreshResult, status: Int32
    ) throws {
        let service = try FakeService { request, connection in
            if request.method == RegisterRefresh.method { connection.notify(Self.launch(4)) }
            return ControlReply(Self.reply)
        }
        defer { service.end() }

        let program = try Program(
            ["fetch", "run", "--once", "--", command], environment: service.environment)

        #expect(try program.wait() == status)
        #expect(service.methods == [RegisterRefresh.method, CompleteRefresh.method])
        let completion = try service.calls(CompleteRefresh.self).last
        #expect(completion?.task == 4 && completion?.completion.result == result)
    }

    @Test(arguments: ["expiring", "overran"])
    func `A task's verb ends a command with all that it has started when its time is over`(
        notice: String
    ) throws {
        let service = try FakeService { request, connection in
            if request.method == RegisterRefresh.method { connection.notify(Self.launch(4)) }
            return ControlReply(Self.reply)
        }
        defer { service.end() }
        // What the shell starts has the program's output open, whose end is awaited.
        let program = try Program(
            [
                "fetch", "run", "--once", "--", "sh", "-c",
                "(trap '' TERM; echo x; exec sleep 100000) & wait",
            ], environment: service.environment)
        try program.waitForOutput { $0.text == "x\n" }

        if notice == "expiring" {
            service.send(RefreshExpiring(task: 5, timeRemaining: 0))
            service.send(RefreshExpiring(task: 4, timeRemaining: 5))
        } else {
            service.send(RefreshEnded(Self.run(4, .overran)))
        }

        #expect(try program.wait() == 128 + (notice == "expiring" ? SIGTERM : SIGKILL))
        #expect(service.methods == [RegisterRefresh.method, CompleteRefresh.method])
        let completion = try service.calls(CompleteRefresh.self).last?.completion
        #expect(completion?.result == .failed)
    }

    @Test func `A task's verb registers again after a loss, and runs what comes then`() throws {
        let registrations = Mutex(0)
        let service = try FakeService { request, connection in
            if request.method == RegisterRefresh.method,
                registrations.withLock({ count in
                    count += 1
                    return count == 2
                })
            {
                connection.notify(Self.launch(4))
            }
            return ControlReply(Self.reply)
        }
        defer { service.end() }

        let program = try Program(
            ["fetch", "run", "--once", "--", "true"], environment: service.environment)
        try service.wait { !$0.methods.isEmpty }
        service.disconnect()

        #expect(try program.wait() == 0)
        #expect(program.errorText == "undersong: the service has gone away, waiting for it\n")
        #expect(
            service.methods == [
                RegisterRefresh.method, RegisterRefresh.method, CompleteRefresh.method,
            ])
        #expect(try service.calls(CompleteRefresh.self).map(\.task) == [4])
    }

    @Test func `A task's verb requests processing again after a loss, but not while it is running`()
        throws
    {
        let registrations = Mutex(0)
        let service = try FakeService { request, connection in
            let number = registrations.withLock { count in
                if request.method == RegisterRefresh.method { count += 1 }
                return count
            }
            if request.method == SubmitRefresh.method, number == 2 {
                connection.notify(Self.launch(4))
            }
            return ControlReply(Self.reply)
        }
        defer { service.end() }
        let pipe = service.runtimeFolder + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let start = Date().timeIntervalSince1970

        let program = try Program(
            ["processing", "run", "--", "sh", "-c", "echo x; read line < \"$0\"", pipe],
            environment: service.environment)
        try service.wait { $0.methods.count == 2 }
        service.disconnect()
        try program.waitForOutput { $0.text == "x\n" }
        service.disconnect()
        try service.wait { _ in registrations.withLock(\.self) == 3 }
        try Data("\n".utf8).write(to: URL(filePath: pipe))
        try service.wait {
            (try? $0.calls(SubmitRefresh.self).last?.request.earliestBeginDate) ?? nil != nil
        }
        program.signal(SIGTERM)

        #expect(try program.wait() == 128 + SIGTERM)
        // A connection that is lost before its last answer is made once more.
        #expect(service.methods.suffix(2) == [RegisterRefresh.method, SubmitRefresh.method])
        let dates = try service.calls(SubmitRefresh.self).map(\.request.earliestBeginDate)
        #expect(dates.count >= 3 && dates.dropLast().allSatisfy { $0 == nil })
        // The service has not heard of the end of the task, so the time is the program's.
        #expect(try #require(dates.last ?? nil) >= start + 43200)
        #expect(program.text == "x\n")
    }

    @Test(arguments: ["fetch", "processing"])
    func `A task's verb waits for a service that has ended`(verb: String) throws {
        let service = try FakeService { _, _ in ControlReply(Self.reply) }
        let program = try Program(
            [verb, "run", "--", "true"], environment: service.environment)
        try service.wait { $0.methods.count == (verb == "fetch" ? 1 : 2) }

        service.end()
        try program.waitForOutput {
            $0.errorText == "undersong: the service has gone away, waiting for it\n"
        }
        program.signal(SIGTERM)

        #expect(try program.wait() == 128 + SIGTERM)
    }

    private static func launch(_ task: Int) -> RefreshLaunch {
        RefreshLaunch(run(task), timeRemaining: 30)
    }

    @Test func `A verb permits an identifier, and withdraws it`() throws {
        let service = try FakeService { _, _ in
            var status = CapabilityStatus(
                Capabilities(permittedIdentifiers: ["a.b"]), source: "/x")
            status.modes = []
            return ControlReply(status)
        }
        defer { service.end() }

        let permit = try Program(["capability", "permit", "a.b"], environment: service.environment)
        #expect(try permit.wait() == 0)
        let withdraw = try Program(
            ["capability", "withdraw", "a.b"], environment: service.environment)
        #expect(try withdraw.wait() == 0)
        let neither = try Program(["capability", "permit"], environment: service.environment)
        #expect(try neither.wait() == 64)

        let calls = try service.calls(PermitIdentifier.self)
        #expect(calls.map(\.identifier) == ["a.b", "a.b"])
        #expect(calls.map(\.on) == [true, false])
        #expect(permit.text == "permitted: a.b\ndeclared in: /x\n")
    }
}
