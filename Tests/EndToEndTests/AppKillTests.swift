import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongControl

extension EndToEnd {
    @Suite struct `Programs that are killed with their service` {
        /// `UNDERSONG_ROUNDS` sets the number of rounds; the project's own check is 200.
        @Test(.rule("AP6", "PU9"), .timeLimit(.minutes(30)))
        func `Programs that are stopped, woken and killed at random lose nothing and sleep`() throws
        {
            let stage = try AppKillStage()

            for round in 1...Dice.rounds(8) {
                try stage.round()
                try stage.settle()
                try stage.check("round \(round)")
            }

            #expect(stage.kills > 0)
        }
    }
}

/// A client of the service in a terminal and an app without one, which get pushes while they are
/// stopped, woken and killed.
private final class AppKillStage {
    private let stage: AppStage
    private let app: MockApp
    /// The numbers of the pushes that the client's command was given, one on each line.
    private let log: TextFile
    private let handler: String
    /// The client; nothing of it runs before the first start.
    private var runner = ObservedProcess(0)
    private var dice = Dice()
    /// The identifiers of all pushes, and of those that the service has acknowledged.
    private var sent: [String: String] = [:]
    private let acknowledged = Acknowledged()
    private(set) var kills = 0
    /// The events of programs and pushes of all services, and the client that listens to this one.
    private let events = Events()
    private var listener: ControlClient?

    private final class Acknowledged: Sendable {
        let identifiers = Mutex<Set<String>>([])
    }

    private final class Events: Sendable {
        private let lines = Mutex<[String]>([])

        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var last: String { lines.withLock { $0.suffix(40).joined(separator: "\n") } }
    }

    /// The topic of the client.
    private static let topic = "org.example.client"

    init() throws {
        stage = try AppStage()
        app = try MockApp(stage)
        log = TextFile(stage.jobs.folder.path + "/handled")
        handler = try stage.jobs.script("handle", "echo $UNDERSONG_PUSH >> \(log.path)\n")
        try stage.undersong("app", "wake", app.identifier, "--location")
        try app.wait(for: "ready")
        try listen()
        try startRunner()
    }

    /// An event, of which only one part is read.
    private struct EventOf<Value: Codable & Sendable>: ControlNotice {
        static var method: String { EventNotice.method }
        var data: Value
    }

    /// Notes the events of the service that runs now.
    private func listen() throws {
        let client = try stage.daemon.client { [events] notice in
            if let app = try? notice.decode(EventOf<AppEvent>.self) {
                events.add("\(app.data)")
            } else if let push = try? notice.decode(EventOf<PushReport>.self) {
                events.add("\(push.data)")
            }
        }
        _ = try client.call(Subscribe(interval: nil, kinds: ["app", "push"]))
        listener = client
        events.add("a service with a listener")
    }

    /// Does some of everything, and ends with a kill of the service, the app or the client.
    func round() throws {
        try stopRunner()
        let sender = try stage.daemon.client()
        for _ in 0..<dice.number(in: 1..<6) {
            switch dice.number(in: 0..<5) {
            case 0, 1: send(to: app.identifier, by: sender)
            case 2, 3: send(to: Self.topic, by: sender)
            default: sender.send(WakeApp(app.identifier, .transfers("session")))
            }
            if dice.once(in: 3) { usleep(UInt32(dice.number(in: 0..<30_000))) }
        }
        usleep(UInt32(dice.number(in: 0..<60_000)))
        switch dice.number(in: 0..<4) {
        case 0, 1: try killService()
        case 2: try killApp()
        default:
            try killService()
            try killApp()
        }
        sender.close()
        if dice.once(in: 4) { try killRunner() }
    }

    /// Sends what was not acknowledged again, and waits until nothing is left to do.
    func settle() throws {
        if !runner.isAlive { try startRunner() }
        let client = try stage.daemon.client()
        for (id, topic) in sent where !acknowledged.identifiers.withLock({ $0.contains(id) }) {
            _ = try client.call(push(to: topic, id))
            acknowledged.identifiers.withLock { _ = $0.insert(id) }
        }
        do {
            // An app that was killed as it was launched is not launched again for a minute (AP13).
            try waitUntil(within: patience + 60) {
                let status = try client.call(GetPushStatus())
                return status.waiting.isEmpty && status.counts.handling == 0
            }
        } catch { throw Overdue("pushes wait: \(try client.call(GetPushStatus()))") }
        do {
            try waitUntil { try stage.status(app.identifier).state != .known(.background) }
        } catch { throw Overdue("an app is not suspended: \(try stage.report(app.identifier))") }
    }

    /// Compares what the service has counted with what programs were given, and looks for programs
    /// that are stopped although nobody will continue them.
    func check(_ round: Comment) throws {
        let client = try stage.daemon.client()
        let counts = try client.call(GetPushStatus()).counts
        #expect(counts.received == sent.count, round)
        #expect(counts.received == counts.handled + counts.superseded, round)
        #expect(counts.abandoned == 0, round)
        // A push may come twice if it was answered when the service was killed, but each has come.
        let given = try Set(
            log.text.split(separator: "\n").map(String.init)
                + app.lines.text.split(separator: "\n").filter { $0.hasPrefix("push ") }
                .map { String($0.dropFirst(5)) })
        #expect(given.count >= counts.handled, round)
        #expect(given.count <= sent.count, round)
        #expect(try client.call(GetApps()).problems == [], round)
        // A wake that was sent before the kill may have been read only now.
        var status = try stage.status(app.identifier)
        try waitUntil {
            status = try stage.status(app.identifier)
            return status.state == .known(.suspended) || status.state == .known(.notRunning)
        }
        if status.state == .known(.suspended) {
            let process = ObservedProcess(try #require(status.process))
            try process.waitUntilStopped()
            try waitUntil { process.wakeUps(in: 0.2) == 0 }
        } else {
            #expect(status.process == nil, round)
        }
        #expect(runner.isAlive, round)
        // After the end of its service the next one has continued it, and it may run, or be about to
        // stop.
        do {
            try waitUntil {
                runner.runs || runner.isStopped && runner.wakeUps(in: 0.2) == 0
            }
        } catch { throw Overdue("\(round): \(runner) neither runs nor stays stopped") }
    }

    private func send(to topic: String, by sender: ControlClient) {
        let id = "push \(sent.count)"
        sent[id] = topic
        sender.send(push(to: topic, id)) { [acknowledged] result in
            if case .success = result {
                acknowledged.identifiers.withLock { _ = $0.insert(id) }
            }
        }
    }

    private func push(to topic: String, _ id: String) -> SendPush {
        var push = SendPush("{\"aps\":{\"content-available\":1}}", topic: topic, id: id)
        push.now = true
        return push
    }

    private func killService() throws {
        kills += 1
        stage.daemon.killAnyone()
        // A client that has lost it may have started the next one.
        try stage.daemon.startUnlessRunning()
        try listen()
    }

    private func killApp() throws {
        guard let process = try stage.status(app.identifier).process else { return }
        kills += 1
        kill(process, SIGKILL)
        try ObservedProcess(process).waitUntilEnded()
    }

    /// Stops the client by Ctrl-Z if it runs.
    private func stopRunner() throws {
        guard runner.runs else { return }
        // One that stops while it has no service cannot announce it.
        try givePush()
        do {
            // The service may stop the client as the shell continues it.
            try type("fg\n") { stage.terminal.foregroundGroup == runner.id }
            // The kernel discards a Ctrl-Z that comes as the service continues the client.
            try type("\u{1A}") { stage.terminal.text.contains("ready> ") }
        } catch { throw Overdue("\(runner) does not stop: \(error) \(stage.terminal.text)") }
    }

    /// Types keys until that has an effect.
    private func type(_ keys: String, until isDone: () -> Bool) throws {
        try waitUntil {
            stage.terminal.type(keys)
            return (try? waitUntil(within: 5, isDone)) != nil
        }
    }

    /// Kills the client, which the next `settle` replaces.
    private func killRunner() throws {
        kills += 1
        kill(runner.id, SIGKILL)
        try runner.waitUntilEnded()
    }

    /// Starts the client in the terminal, and stops it by Ctrl-Z when it has handled a push.
    private func startRunner() throws {
        // The shell notices the end of the last one.
        try stage.terminal.run("")
        stage.jobs.start("push run --topic \(Self.topic) -- \(handler)")
        try givePush()
        runner = try stage.jobs.stopJob()
    }

    /// Sends a push to the client, and waits until its command has got it, or a later one.
    private func givePush() throws {
        let id = "push \(sent.count)"
        sent[id] = Self.topic
        let number = try stage.daemon.client().call(push(to: Self.topic, id)).push
        acknowledged.identifiers.withLock { _ = $0.insert(id) }
        do {
            // A push of the round that is read only now supersedes it.
            try log.wait { $0.split(separator: "\n").contains { Int($0) ?? 0 >= number } }
        } catch {
            let client = try stage.daemon.client()
            let pushes = try client.call(GetPushStatus())
            throw Overdue(
                "push \(number) does not come to process \(runner), which runs: \(runner.runs): "
                    + "\(pushes.waiting) \(pushes.counts) \(try client.call(GetApps()).problems) "
                    + stage.terminal.text.suffix(300) + events.last)
        }
    }
}
