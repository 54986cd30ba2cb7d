import Foundation
import Glibc
import TestSupport
import Testing
import UndersongBackground
import UndersongControl

extension EndToEnd {
    /// The service's clients in a terminal: Ctrl-Z is the home button.
    @Suite struct `A program that Ctrl-Z has stopped` {
        @Test(.rule("AP1", "AP2", "K3"), arguments: [Terminal.bash, Terminal.dash])
        func `A stopped fetch run is woken for a refresh, and stopped again after it`(
            shell: [String]
        ) throws {
            let stage = try JobStage(shell: shell)
            let task = try HandledTask(stage, "echo refresh occurred")
            let runner = try stage.stopJob()
            try runner.waitUntilStopped()

            for _ in 1...2 {
                try task.submit()
                stage.terminal.type("")
                // Its exit status is 0 for new data only.
                try stage.undersong("fetch", "simulate", HandledTask.identifier)
                try stage.terminal.waitFor("refresh occurred")
                try runner.waitUntilStopped()
                #expect(runner.wakeUps() == 0)
            }

            #expect(try stage.jobs().contains("Stopped"))
            stage.terminal.type("fg\n")
            try waitUntil { runner.runs }
            try task.submit()
            try stage.undersong("fetch", "simulate", HandledTask.identifier)
            try stage.terminal.waitFor("refresh occurred")
            #expect(runner.runs)
            stage.terminal.type("\u{3}")
            try stage.terminal.waitFor("ready> ")
            let status = try stage.daemon.client().call(GetRefreshStatus())
            #expect(status.runs.map(\.result) == Array(repeating: .newData, count: 3))
        }

        @Test(.rule("AP1", "AP2", "H1"), arguments: [Terminal.bash, Terminal.dash])
        func `A stopped push run handles a push once, with the output of its command`(
            shell: [String]
        ) throws {
            let stage = try JobStage(shell: shell)
            stage.start("push run -- cat")
            try stage.waitForPushHandler()
            let runner = try stage.stopJob()
            try runner.waitUntilStopped()

            stage.terminal.type("")
            let sent = try stage.undersong("push", "send", "--now", "-n", "-d", "content-id=42")
            try stage.terminal.waitFor("content-id")
            let counts = try stage.settledPushes()
            try runner.waitUntilStopped()

            #expect(sent == "push 1 was delivered\n")
            #expect(counts.received == 1 && counts.handled == 1 && counts.abandoned == 0)
            #expect(runner.wakeUps() == 0)
            #expect(try stage.jobs().contains("Stopped"))
            stage.terminal.type("fg\n")
            try waitUntil { runner.runs }
            try stage.undersong("push", "send", "--now", "-n", "-d", "content-id=43")
            try stage.terminal.waitFor("43")
            #expect(try stage.settledPushes().handled == 2)
            #expect(runner.runs)
        }

        @Test(.rule("AP1", "AP2"))
        func `A stopped fetch run works as a running job of the shell, and is stopped again`()
            throws
        {
            let stage = try JobStage()
            let work = try HeldWork(stage)
            let client = try stage.daemon.client()
            _ = try HandledTask(stage, work.script)
            let runner = try stage.stopJob()
            try runner.waitUntilStopped()
            #expect(try stage.jobs().contains("Stopped"))

            let fetch = try Program(
                Program.undersong, ["fetch", "simulate", HandledTask.identifier],
                environment: stage.daemon.environment)
            try work.waitForBegin()
            #expect(runner.runs)
            #expect(try stage.jobs().contains("Running"))
            try work.end(0)

            #expect(try fetch.wait() == 0, "\(fetch.errorText)")
            try runner.waitUntilStopped()
            #expect(runner.wakeUps() == 0)
            #expect(try stage.jobs().contains("Stopped"))
            #expect(try client.call(GetRefreshStatus()).runs.map(\.result) == [.newData])
        }

        @Test(.rule("AP1", "E4", "E5"))
        func `A stopped task run continues with the time that is left, and expires`() throws {
            let stage = try JobStage(arguments: ["--background-time", "12"])
            let count = try stage.script(
                "count", "trap 'echo asked' TERM\nwhile :; do echo tick; sleep 0.1; done\n")
            // The player is in front until then.
            let player = try stage.daemon.client()
            _ = try player.call(Attach(state: .active, source: "option"))
            stage.start("task run -- \(count)")
            try stage.terminal.waitFor("tick")

            let task = try stage.stopJob()
            _ = try player.call(Attach(state: .background, source: "option"))
            stage.terminal.type("")
            try stage.terminal.waitFor("tick")
            #expect(try stage.jobs().contains("Running"))
            try stage.terminal.waitFor("asked")
            try task.waitUntilEnded()

            // 128 and SIGKILL.
            let status = try stage.terminal.output(of: "wait \(task.id); echo status=$?.")
            #expect(status.contains("status=137."))
        }

        @Test(.rule("AP1", "AP2"))
        func `A program that is stopped while its work runs is stopped when the work is over`()
            throws
        {
            let stage = try JobStage()
            let work = try HeldWork(stage)
            stage.start("push run -- \(work.script)")
            try stage.waitForPushHandler()
            try stage.undersong("push", "send", "--now", "-n")
            try work.waitForBegin()

            let runner = try stage.stopJob()
            try waitUntil { runner.runs }
            #expect(try stage.jobs().contains("Running"))
            try work.end()

            #expect(try stage.settledPushes().handled == 1)
            try runner.waitUntilStopped()
            #expect(try stage.jobs().contains("Stopped"))
            #expect(work.lines.count == 1)
        }

        @Test(.rule("AP2"))
        func `A program that the user has continued by bg is not stopped after its work`() throws {
            let stage = try JobStage()
            stage.start("push run -- cat")
            try stage.waitForPushHandler()
            let runner = try stage.stopJob()
            try runner.waitUntilStopped()

            try stage.terminal.run("bg")
            try waitUntil { runner.runs }
            stage.terminal.type("")
            try stage.undersong("push", "send", "--now", "-n", "-d", "content-id=42")
            try stage.terminal.waitFor("content-id")

            #expect(try stage.settledPushes().handled == 1)
            #expect(runner.keepsRunning(for: 1))
            #expect(try stage.jobs().contains("Running"))
        }

        @Test(.rule("AP3"))
        func `A program that somebody else has stopped is left alone and named by doctor`() throws {
            let stage = try JobStage()
            stage.start("push run -- cat")
            try stage.waitForPushHandler()
            let client = try stage.daemon.client()
            let programs = try client.call(GetApps())
            stage.terminal.type("")
            let runner = try stage.stopFromElsewhere()

            let sent = try stage.undersong("push", "send", "--now", "-n", "-d", "content-id=42")
            let held = try client.call(GetApps()).problems
            let doctor = try Program(
                Program.undersong, ["doctor"], environment: stage.daemon.environment)
            _ = try doctor.wait()

            #expect(programs.problems == [])
            #expect(sent.hasPrefix("push 1 waits"))
            #expect(runner.isStopped && runner.wakeUps() == 0)
            #expect(held.count == 1)
            #expect(held.allSatisfy { doctor.text.contains($0) }, "\(held) in \(doctor.text)")
            let waiting = try client.call(GetPushStatus())
            #expect(waiting.waiting.map(\.push) == [1] && waiting.counts.handled == 0)
            stage.terminal.type("")
            kill(runner.id, SIGCONT)
            try stage.terminal.waitFor("content-id")
            #expect(try stage.settledPushes().handled == 1)
            #expect(runner.keepsRunning(for: 0.5))
            #expect(try client.call(GetApps()).problems == [])
        }

        @Test(.rule("AP18"))
        func `A closed terminal ends a stopped program, and its push waits for the next one`()
            throws
        {
            let stage = try JobStage()
            stage.start("push run -- cat")
            try stage.waitForPushHandler()
            let runner = try stage.stopJob()
            try runner.waitUntilStopped()

            stage.terminal.hangUp()
            try runner.waitUntilEnded()
            let sent = try stage.undersong("push", "send", "--now", "-n", "-d", "content-id=42")

            #expect(sent.hasPrefix("push 1 waits"))
            let next = try Program(
                Program.undersong, ["push", "run", "--", "cat"],
                environment: stage.daemon.environment)
            try next.waitForOutput { String(decoding: $0, as: UTF8.self).contains("content-id") }
            #expect(try stage.settledPushes().handled == 1)
        }

        @Test(.rule("AP18", "PU9"))
        func `A closed terminal ends a stopped program that works, and the push comes again`()
            throws
        {
            let stage = try JobStage()
            let work = try HeldWork(stage)
            stage.start("push run -- \(work.script)")
            try stage.waitForPushHandler()
            let runner = try stage.stopJob()
            try runner.waitUntilStopped()
            try stage.undersong("push", "send", "--now", "-n", "-d", "content-id=42")
            try work.waitForBegin()

            stage.terminal.hangUp()
            try runner.waitUntilEnded()
            let client = try stage.daemon.client()
            try waitUntil { try client.call(GetPushStatus()).waiting.map(\.push) == [1] }

            let next = try Program(
                Program.undersong, ["push", "run", "--", "cat"],
                environment: stage.daemon.environment)
            try next.waitForOutput { String(decoding: $0, as: UTF8.self).contains("content-id") }
            let counts = try stage.settledPushes()
            #expect(counts.received == 1 && counts.handled == 1)
        }

        @Test(.rule("AP6"))
        func `The next service finds a program that it has stopped, and gives it work`() throws {
            let stage = try JobStage()
            stage.start("push run -- cat")
            try stage.waitForPushHandler()
            let runner = try stage.stopJob()
            try runner.waitUntilStopped()
            // Now it is the service that has stopped it.
            try stage.undersong("push", "send", "--now", "-n", "-d", "content-id=42")
            _ = try stage.settledPushes()
            try runner.waitUntilStopped()

            stage.daemon.end(by: SIGKILL)
            stage.terminal.type("")
            try stage.daemon.start()
            try stage.undersong("push", "send", "--now", "-n", "-d", "content-id=43")

            try stage.terminal.waitFor("43")
            #expect(try stage.settledPushes().handled == 2)
        }
    }
}

/// A task that `fetch run` handles in a stage's terminal, and not the service itself.
private struct HandledTask {
    static let identifier = "net.example.refresh"

    private let stage: JobStage

    /// Starts `fetch run` with a command, and returns when the task can run.
    init(_ stage: JobStage, _ command: String) throws {
        self.stage = stage
        let client = try stage.daemon.client()
        _ = try client.call(PermitIdentifier(Self.identifier, on: true))
        try submit()
        stage.start("fetch run --identifier \(Self.identifier) -- \(command)")
        try waitUntil {
            try client.call(GetRefreshStatus()).pending.allSatisfy { forecast in
                forecast.obstacles.allSatisfy { $0.reason != .known(.noHandler) }
            }
        }
    }

    /// Submits a request, which is not due by itself during the test.
    func submit() throws {
        let client = try stage.daemon.client()
        let far = try client.call(GetRefreshStatus()).now + 1e6
        _ = try client.call(
            SubmitRefresh(RefreshRequest(Self.identifier, earliestBeginDate: far)))
    }
}

extension JobStage {
    /// Stops the shell's foreground job as another program does that has a reason of its own.
    fileprivate func stopFromElsewhere() throws -> ObservedProcess {
        let foreground = try #require(terminal.foregroundGroup)
        kill(foreground, SIGSTOP)
        try terminal.waitFor("ready> ")
        let process = ObservedProcess(foreground)
        try process.waitUntilStopped()
        return process
    }
}
