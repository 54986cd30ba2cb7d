import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongControl

@testable import UndersongCLI

/// The verbs for background tasks, as programs, against a scripted service.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `A verb for background tasks` {
    private static let now = 1_780_272_000.0

    private static var reply: Refresh.Reply {
        var wish = Refresh.Wish(
            identifier: "net.undersong.refresh", kind: "fetch", reasons: ["betterTime"],
            because: ["the player is often opened within an hour of 08:30"])
        wish.due = now + 30_600
        var reply = Refresh.Reply(
            interval: "3600", pending: [wish], runs: [], missing: [], promised: true,
            shutDown: false, badge: 3, availability: "available", fallbacks: [], now: now,
            utcOffset: 0)
        reply.runs = [
            Refresh.Run(
                task: 1, identifier: "net.undersong.refresh", kind: "fetch", cause: "schedule",
                began: now - 60, seconds: 1, result: "newData", new: 3)
        ]
        return reply
    }

    @Test(arguments: [
        ("never", "never"), ("minimum", "minimum"), ("1h", "3600.0"), ("90", "90.0"),
        ("15m", "900.0"), ("2d", "172800.0"),
    ])
    func `sets the interval`(word: String, sent: String) throws {
        let service = try FakeService { _, _ in ControlReply(Self.reply) }
        defer { service.end() }

        let program = try Program(["fetch", "interval", word], environment: service.environment)

        #expect(try program.wait() == 0)
        let call = try #require(service.calls(Refresh.self).first)
        #expect(call.action == .interval && call.interval == sent)
    }

    @Test(arguments: ["soon", "-1h", "h", ""])
    func `refuses what is not an interval`(word: String) throws {
        let service = try FakeService { _, _ in ControlReply(Self.reply) }
        defer { service.end() }

        let program = try Program(
            ["fetch", "interval", "--", word], environment: service.environment)

        #expect(try program.wait() == 64)
        #expect(program.errorText.contains("'\(word)' is not an interval"))
        #expect(service.methods.isEmpty)
    }

    @Test func `shows what is due next, and why`() throws {
        let service = try FakeService { _, _ in ControlReply(Self.reply) }
        defer { service.end() }

        let program = try Program(["fetch", "status"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(
            program.text == """
                interval   1 h 0 min at least
                due        2026-06-01 08:30: net.undersong.refresh (fetch)
                because    the player is often opened within an hour of 08:30
                new        3
                last       2026-05-31 23:59: net.undersong.refresh, because it was due: 3 new

                """)
    }

    @Test(arguments: [
        ("command", "noData", "at your request: nothing new"),
        ("push", "failed", "because of a push: failed"),
        ("simulate", "overran", "as a test: failed: it ran out of time"),
        ("foreground", nil, "because the player was opened: running"),
    ])
    func `shows why a task ran and how it ended`(
        cause: String, result: String?, text: String
    ) {
        var reply = Self.reply
        (reply.runs[0].cause, reply.runs[0].result, reply.runs[0].new) = (cause, result, 0)

        #expect(RefreshText.status(reply).hasSuffix("net.undersong.refresh, \(text)"))
    }

    @Test func `shows that nobody can switch it on`() throws {
        let service = try FakeService { _, _ in
            var reply = Self.reply
            reply.availability = "restricted"
            return ControlReply(reply)
        }
        defer { service.end() }

        let program = try Program(["fetch", "status"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text.contains("refresh    restricted: it cannot be switched on\n"))
    }

    @Test func `shows what the user has switched off, and what is assumed`() throws {
        let service = try FakeService { _, _ in
            var reply = Self.reply
            (reply.availability, reply.runs) = ("denied", [])
            reply.fallbacks = ["UPower does not answer: x", "NetworkManager does not answer: y"]
            return ControlReply(reply)
        }
        defer { service.end() }

        let program = try Program(["fetch", "deny"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(try service.calls(Refresh.self).map(\.action) == [.deny])
        #expect(
            program.text == """
                interval   1 h 0 min at least
                refresh    denied; permit it with: undersong fetch allow
                due        2026-06-01 08:30: net.undersong.refresh (fetch)
                because    the player is often opened within an hour of 08:30
                note       UPower does not answer: x
                note       NetworkManager does not answer: y
                new        3

                """)
    }

    @Test func `switches background refresh on`() throws {
        let service = try FakeService { _, _ in ControlReply(Self.reply) }
        defer { service.end() }

        let program = try Program(["fetch", "allow"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(try service.calls(Refresh.self).map(\.action) == [.allow])
        #expect(!program.text.contains("denied"))
    }

    @Test(arguments: [("newData", 0 as Int32), ("noData", 1), ("failed", 2), ("overran", 2)])
    func `waits for the end of a fetch`(result: String, status: Int32) throws {
        let service = try FakeService { _, connection in
            connection.notify(RefreshEnded(task: 6, result: "newData", new: 1, seconds: 1))
            connection.notify(RefreshEnded(task: 7, result: result, new: 0, seconds: 1))
            var reply = Self.reply
            reply.task = 7
            return ControlReply(reply)
        }
        defer { service.end() }

        let program = try Program(["fetch", "now"], environment: service.environment)

        #expect(try program.wait() == status)
        #expect(try service.calls(Refresh.self).map(\.action) == [.run])
    }

    @Test(arguments: [("true", "newData", 0 as Int32), ("false", "noData", 1)])
    func `runs a command, whose exit status is the result`(
        command: String, result: String, status: Int32
    ) throws {
        let service = try FakeService { request, connection in
            if try request.decode(Refresh.self).action == .register {
                connection.notify(
                    RefreshLaunch(
                        task: 4, identifier: "a", kind: "fetch", cause: "schedule",
                        timeRemaining: 30))
            }
            return ControlReply(Self.reply)
        }
        defer { service.end() }

        let program = try Program(
            ["fetch", "run", "--once", "--", command], environment: service.environment)

        #expect(try program.wait() == status)
        let calls = try service.calls(Refresh.self)
        #expect(calls.map(\.action) == [.register, .complete])
        #expect(calls.last?.task == 4 && calls.last?.result == result)
    }

    @Test(arguments: ["expiring", "overran"])
    func `ends a command with all that it has started when its time is over`(
        notice: String
    ) throws {
        let service = try FakeService { request, connection in
            if try request.decode(Refresh.self).action == .register {
                connection.notify(Self.launch(4))
            }
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
            service.send(RefreshEnded(task: 4, result: notice, new: 0, seconds: 30))
        }

        #expect(try program.wait() == 128 + (notice == "expiring" ? SIGTERM : SIGKILL))
        let calls = try service.calls(Refresh.self)
        #expect(calls.map(\.action) == [.register, .complete])
        #expect(calls.last?.result == "failed")
    }

    @Test func `registers again after a loss, and runs what comes by the new connection`() throws {
        let registrations = Mutex(0)
        let service = try FakeService { request, connection in
            if try request.decode(Refresh.self).action == .register,
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
        let calls = try service.calls(Refresh.self)
        #expect(calls.map(\.action) == [.register, .register, .complete])
        #expect(calls.last?.task == 4)
    }

    @Test func `requests processing again after a loss, but not while it is running`() throws {
        let registrations = Mutex(0)
        let service = try FakeService { request, connection in
            let action = try request.decode(Refresh.self).action
            let number = registrations.withLock { count in
                if action == .register { count += 1 }
                return count
            }
            if action == .submit, number == 2 { connection.notify(Self.launch(4)) }
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
            (try? $0.calls(Refresh.self).last?.earliestBeginDate) ?? nil != nil
        }
        program.signal(SIGTERM)

        #expect(try program.wait() == 128 + SIGTERM)
        // A connection that is lost before its last answer is made once more.
        let calls = try service.calls(Refresh.self)
        #expect(calls.suffix(2).map(\.action) == [.register, .submit])
        #expect(calls.dropLast().allSatisfy { $0.earliestBeginDate == nil })
        #expect(calls.dropLast().count { $0.action == .submit } >= 2)
        // The service has not heard of the end of the task, so the time is the program's.
        #expect(try #require(calls.last?.earliestBeginDate) >= start + 43200)
        #expect(program.text == "x\n")
    }

    @Test(arguments: ["fetch", "processing"])
    func `waits for a service that has ended`(verb: String) throws {
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
        RefreshLaunch(
            task: task, identifier: "a", kind: "fetch", cause: "schedule", timeRemaining: 30)
    }

    @Test func `of the demo writes its lines in the tutorials' order`() throws {
        let service = try FakeService { request, connection in
            if try request.decode(Refresh.self).action == .simulate {
                connection.notify(
                    RefreshLaunch(
                        task: 4, identifier: "a", kind: "refresh", cause: "simulate",
                        timeRemaining: 30))
            }
            return ControlReply(Self.reply)
        }
        defer { service.end() }

        let program = try Program(
            ["demo", "fetch", "--simulate", "--times", "2"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(
            program.text == """
                Last refresh: Not yet updated
                background refresh scheduled
                refresh occurred
                background refresh scheduled
                Last refresh: 2026-06-01 00:00:00
                refresh occurred

                """)
    }

    @Test func `permits an identifier, and withdraws it`() throws {
        let service = try FakeService { _, _ in
            ControlReply(Capability.Reply(modes: [], source: "/x", permitted: ["a.b"]))
        }
        defer { service.end() }

        let permit = try Program(["capability", "permit", "a.b"], environment: service.environment)
        #expect(try permit.wait() == 0)
        let withdraw = try Program(
            ["capability", "withdraw", "a.b"], environment: service.environment)
        #expect(try withdraw.wait() == 0)
        let neither = try Program(["capability", "permit"], environment: service.environment)
        #expect(try neither.wait() == 64)

        let calls = try service.calls(Capability.self)
        #expect(calls.map(\.identifier) == ["a.b", "a.b"])
        #expect(calls.map(\.on) == [true, false])
        #expect(permit.text == "permitted: a.b\ndeclared in: /x\n")
    }
}
