import Foundation
import Glibc
import TestSupport
import Testing
import UndersongBackground
import UndersongControl

extension EndToEnd {
    /// A program under Apple's names, which has no line about the terminal or the service.
    @Suite struct `An app under Apple's names` {
        private let identifier = ExampleApp.identifier

        @Test(.rule("AP10", "AP5", "AP7", "A6", "A7", "G3"), arguments: ["app home", "Ctrl-Z"])
        func `An app finishes its task, is suspended, and is woken for a refresh`(home: String)
            throws
        {
            let stage = try AppStage()
            let app = try ExampleApp(stage)
            stage.terminal.type("\(app.path) 1\n")
            try stage.terminal.waitFor("\r\nactive")
            let process = try stage.process(identifier)
            #expect(try stage.status(identifier).state == .known(.active))

            stage.terminal.type(home == "Ctrl-Z" ? "\u{1A}" : "")
            if home == "app home" { try stage.undersong("app", "home", identifier) }
            try stage.terminal.waitFor("background\r\n")
            try stage.terminal.waitFor("task begins")
            try stage.terminal.waitFor("task done")
            try stage.terminal.waitFor("ready> ")
            try stage.waitForSuspension(identifier)
            #expect(process.wakeUps() == 0)
            #expect(try stage.jobs.jobs().contains("Stopped"))

            stage.terminal.type("")
            try stage.undersong("fetch", "simulate", ExampleApp.refresh)
            try stage.terminal.waitFor("refresh ")
            try stage.events.wait(for: .woken, of: identifier)
            try stage.waitForSuspension(identifier)
            #expect(process.wakeUps() == 0)
            #expect(!stage.terminal.text.contains("foreground"))

            stage.terminal.type("fg\n")
            try stage.terminal.waitFor("\r\nforeground")
            try stage.terminal.waitFor("\r\nactive")
            #expect(try stage.status(identifier).process == process.id)
            stage.terminal.type("\u{3}")
            try stage.terminal.waitFor("terminates")
            try stage.terminal.waitFor("ready> ")
            #expect(try stage.waitForEnd(identifier).cause == .known(.exited))
        }

        @Test(.rule("AP5", "E2", "E4"))
        func `An app's task expires without bg, and the app is suspended, not ended`() throws {
            let stage = try AppStage(budget: 16)
            let app = try ExampleApp(stage)
            stage.terminal.type("\(app.path) 600\n")
            try stage.terminal.waitFor("\r\nactive")

            let process = try stage.jobs.stopJob()
            // It leaves the foreground, stops, and is continued.
            try waitUntil { try stage.jobs.jobs().contains("Running") }
            // Its time begins when it says that it has a task.
            try waitUntil {
                let running = try stage.status(identifier)
                return running.state == .known(.background) && (running.timeRemaining ?? 0) > 0
            }
            try stage.terminal.waitFor("expired")

            try stage.waitForSuspension(identifier)
            #expect(process.wakeUps() == 0)
            #expect(try stage.status(identifier).lastEnd == nil)
            stage.terminal.type("fg\n")
            try stage.terminal.waitFor("\r\nactive")
        }

        @Test(.rule("AP7", "H1", "H2"))
        func `A suspended app handles a push once, and is suspended again`() throws {
            let stage = try AppStage()
            let app = try ExampleApp(stage)
            stage.terminal.type("\(app.path) 0\n")
            try stage.terminal.waitFor("token")
            let process = try stage.jobs.stopJob()
            try stage.waitForSuspension(identifier)

            stage.terminal.type("")
            try stage.push(to: identifier)
            try stage.terminal.waitFor("push ")
            let counts = try stage.jobs.settledPushes()
            try stage.waitForSuspension(identifier)

            #expect(counts.handled == 1 && counts.received == 1)
            #expect(process.wakeUps() == 0)
        }

        @Test(.rule("AP12", "AP14", "A11", "K2"))
        func `An app that does not run is launched for a refresh, suspended, opened and closed`()
            throws
        {
            let stage = try AppStage()
            let app = try ExampleApp(stage)
            stage.terminal.type("\(app.path) 0\n")
            try stage.terminal.waitFor("\r\nactive")
            // It requests the refresh when it leaves the foreground.
            try stage.jobs.stopJob()
            try stage.waitForSuspension(identifier)
            try stage.terminal.run("fg", untilPrompt: false)
            try stage.terminal.waitFor("\r\nactive")
            stage.terminal.type("\u{3}")
            try stage.terminal.waitFor("ready> ")
            let first = try stage.waitForEnd(identifier)

            try stage.undersong("fetch", "simulate", ExampleApp.refresh)
            try stage.events.wait(for: .launched, of: identifier)
            let process = try stage.waitForSuspension(identifier)
            #expect(process.wakeUps() == 0)
            let launched = try stage.undersong("app", "log", identifier)
            #expect(launched.contains("refresh "))
            #expect(!launched.contains("\nactive"))

            try stage.undersong("app", "open", identifier)
            try waitUntil { try stage.status(identifier).state == .known(.active) }
            // It is continued, and learns its state, after that.
            try waitUntil { try stage.undersong("app", "log", identifier).contains("\nactive") }
            #expect(process.runs)
            try stage.undersong("app", "kill", identifier)
            let end = try stage.waitForEnd(identifier, after: first)
            #expect(end.cause == .known(.killed), "\(end)")
            let closed = try stage.status(identifier)
            #expect(closed.isClosed && closed.state == .known(.notRunning))
            #expect(try stage.undersong("app", "log", identifier).contains("terminates"))
        }

        @Test(.rule("AP18"))
        func `An app whose terminal is closed still handles what comes`() throws {
            let stage = try AppStage()
            let app = try ExampleApp(stage)
            stage.terminal.type("\(app.path) 0\n")
            try stage.terminal.waitFor("token")
            try stage.jobs.stopJob()
            try stage.waitForSuspension(identifier)

            stage.terminal.hangUp()
            // As it ends, it continues its job, which would be a wake-up.
            try ObservedProcess(stage.terminal.shell).waitUntilEnded()
            try stage.push(to: identifier)

            let client = try stage.daemon.client()
            try waitUntil { try client.call(GetPushStatus()).counts.handled == 1 }
            let process = try stage.waitForSuspension(identifier)
            #expect(process.wakeUps() == 0)
        }
    }

    /// The service and apps of all kinds.
    @Suite struct `The service and its apps` {
        @Test(.rule("AP7", "AP12", "A11"))
        func `A push launches an app that was never in front, and wakes it the next time`() throws {
            let stage = try AppStage()
            let app = try MockApp(stage)
            try stage.undersong("app", "wake", app.identifier, "--location")
            try app.wait(for: "ready")
            let process = try stage.waitForSuspension(app.identifier)
            #expect(try app.lines.text.contains("launched background [{\"location\""))

            let number = try stage.push(to: app.identifier)
            try app.wait(for: "answered \(number)")
            try stage.waitForSuspension(app.identifier)
            kill(process.id, SIGKILL)
            #expect(try stage.waitForEnd(app.identifier).cause == .known(.signalled))
            let next = try stage.push(to: app.identifier)
            try app.wait(for: "answered \(next)")
            try app.wait(for: "started", 2)

            let last = try stage.waitForSuspension(app.identifier)
            #expect(last.id != process.id && last.wakeUps() == 0)
            let counts = try stage.jobs.settledPushes()
            #expect(counts.handled == 2 && counts.abandoned == 0)
            #expect(try app.count(of: "push") == 2)
        }

        @Test(.rule("AP7", "J14"))
        func `Events of a background session wake a suspended app, which answers and is suspended`()
            throws
        {
            let stage = try AppStage()
            let app = try MockApp(stage)
            try stage.undersong("app", "wake", app.identifier, "--events", "downloads")
            try app.wait(for: "ready")
            let process = try stage.waitForSuspension(app.identifier)

            for wake in 1...3 {
                try stage.undersong("app", "wake", app.identifier, "--events", "downloads")
                try app.wait(for: "woken", wake)
                try stage.waitForSuspension(app.identifier)
            }

            #expect(process.wakeUps() == 0)
            #expect(try app.count(of: "started") == 1)
            let wakes = try app.lines.text.split(separator: "\n").filter { $0.hasPrefix("woken ") }
            #expect(wakes.count { $0.contains("downloads") } == 3)
        }

        @Test(.rule("AP8", "E5"))
        func `An app that overstays is ended with an event, and launched again for its next push`()
            throws
        {
            let stage = try AppStage(budget: 2)
            let app = try MockApp(stage, "org.example.overstays", "overstays")
            try stage.undersong("app", "wake", app.identifier, "--location")
            try app.wait(for: "ready")

            let event = try stage.events.wait(for: .ended, of: app.identifier)
            let end = try #require(event.end)
            try ObservedProcess(try #require(event.process)).waitUntilEnded()

            #expect(end.cause == .known(.overstayed))
            let status = try stage.status(app.identifier)
            #expect(status.lastEnd?.cause == .known(.overstayed))
            #expect(status.state == .known(.notRunning) && !status.isClosed)
            try waitUntil { try stage.status(app.identifier).lastEnd?.status == 137 }
            #expect(
                try stage.undersong("app", "list").contains("its time in the background was over"))
            #expect(try !stage.undersong("app", "log", app.identifier).isEmpty)
            let number = try stage.push(to: app.identifier)
            try app.wait(for: "answered \(number)")
            #expect(try app.count(of: "started") == 2)
        }

        @Test(.rule("AP14"))
        func `An app that the user has closed is not launched until it is opened`() throws {
            let stage = try AppStage()
            let app = try MockApp(stage, "org.example.deaf", "deaf")
            try stage.undersong("app", "open", app.identifier)
            try app.wait(for: "ready")
            let process = try stage.process(app.identifier)

            try stage.undersong("app", "kill", app.identifier)
            try app.wait(for: "terminating")
            try process.waitUntilEnded()
            #expect(try stage.waitForEnd(app.identifier).cause == .known(.killed))
            let number = try stage.push(to: app.identifier)
            let client = try stage.daemon.client()
            let waiting = try client.call(GetPushStatus()).waiting.map(\.push)
            #expect(waiting == [number])
            #expect(try app.count(of: "started") == 1)

            try stage.undersong("app", "open", app.identifier)
            try app.wait(for: "answered \(number)")
            #expect(try !stage.status(app.identifier).isClosed)
            #expect(try app.lines.text.contains("launched active"))
        }

        @Test func `An app that forks away when it is launched is suspended as its child`() throws {
            let stage = try AppStage()
            let app = try MockApp(stage, "org.example.forks", "forks")
            try stage.undersong("app", "wake", app.identifier, "--location")
            try app.wait(for: "ready")

            let process = try stage.waitForSuspension(app.identifier)

            #expect(try app.lines.text.contains("started \(process.id)\n"))
            // The kernel continues it once if its parent ends after it was stopped.
            try waitUntil { process.wakeUps() == 0 }
            let number = try stage.push(to: app.identifier)
            try app.wait(for: "answered \(number)")
            try stage.undersong("app", "kill", app.identifier)
            try process.waitUntilEnded()
        }

        @Test func `An app that connects twice is one app`() throws {
            let stage = try AppStage()
            let app = try MockApp(stage, "org.example.twice", "twice")
            try stage.undersong("app", "wake", app.identifier, "--location")
            try app.wait(for: "ready")

            let process = try stage.waitForSuspension(app.identifier)
            let number = try stage.push(to: app.identifier)
            try app.wait(for: "answered \(number)")

            #expect(try stage.daemon.client().call(GetApps()).apps.count == 1)
            #expect(try stage.waitForSuspension(app.identifier).id == process.id)
            #expect(try app.count(of: "push") == 1)
        }

        @Test(arguments: ["removed", "not executable"])
        func `An app whose program cannot be run says so, and gets its push when it can`(
            trouble: String
        ) throws {
            let stage = try AppStage()
            let app = try MockApp(stage)
            try stage.undersong("app", "wake", app.identifier, "--location")
            try app.wait(for: "ready")
            try stage.undersong("app", "kill", app.identifier)
            _ = try stage.waitForEnd(app.identifier)
            let hidden = app.path + ".hidden"
            if trouble == "removed" { rename(app.path, hidden) } else { chmod(app.path, 0o600) }

            let opened = try Program(
                Program.undersong, ["app", "open", app.identifier],
                environment: stage.daemon.environment)
            _ = try opened.wait()
            try waitUntil { try stage.status(app.identifier).lastEnd?.cause == .known(.notStarted) }
            let status = try stage.status(app.identifier)
            let doctor = try Program(
                Program.undersong, ["doctor"], environment: stage.daemon.environment)
            _ = try doctor.wait()
            let number = try stage.push(to: app.identifier)

            #expect(status.lastEnd?.reason != nil)
            #expect(doctor.text.contains(app.identifier))
            #expect(try stage.daemon.client().call(GetPushStatus()).counts.handled == 0)
            if trouble == "removed" { rename(hidden, app.path) } else { chmod(app.path, 0o755) }
            try stage.undersong("app", "open", app.identifier)
            try app.wait(for: "answered \(number)")
        }

        @Test(.rule("AP6"))
        func `The next service continues an app that a killed one has suspended`() throws {
            let stage = try AppStage()
            let app = try MockApp(stage)
            try stage.undersong("app", "wake", app.identifier, "--location")
            try app.wait(for: "ready")
            let process = try stage.waitForSuspension(app.identifier)

            stage.daemon.end(by: SIGKILL)
            #expect(process.isStopped)
            try stage.daemon.start()
            try app.wait(for: "ready", 2)

            #expect(try stage.waitForSuspension(app.identifier).id == process.id)
            #expect(process.wakeUps() == 0)
            let number = try stage.push(to: app.identifier)
            try app.wait(for: "answered \(number)")
            #expect(try app.count(of: "started") == 1)
            #expect(try app.count(of: "push") == 1)
        }

        @Test func `A removed app runs on as any other program, and is launched no more`() throws {
            let stage = try AppStage()
            let app = try MockApp(stage)
            try stage.undersong("app", "wake", app.identifier, "--location")
            try app.wait(for: "ready")
            let process = try stage.waitForSuspension(app.identifier)

            try stage.undersong("app", "remove", app.identifier)
            try waitUntil { process.runs }

            #expect(try stage.daemon.client().call(GetApps()).apps.isEmpty)
            #expect(process.keepsRunning(for: 0.5))
            kill(process.id, SIGKILL)
        }
    }
}
