import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongControl
import UndersongPlayback

@testable import UndersongBackground

extension EndToEnd {
    @Suite struct `Pushes from an ntfy topic` {
        @Test(arguments: NtfyServer.Kind.all)
        func `Pushes of ntfy reach a program through both services, also after kills`(
            kind: NtfyServer.Kind
        ) throws {
            let stage = try NtfyStage(kind)
            try stage.connect()

            try stage.publish("one")
            try stage.handler.wait(for: ["one"])
            try stage.killTransfers()
            stage.killService()
            try stage.publish("two")
            try stage.start()
            try stage.handler.wait(for: ["one", "two"])

            let state = try stage.state
            #expect(state.provider == .known(.ntfy) && state.url == stage.server.url())
            #expect(stage.handler.numbers.mapValues(\.count) == ["one": 1, "two": 1])
            #expect(state.counts.received == 2)
        }

        @Test(.rule("PU19"), arguments: NtfyServer.Kind.all)
        func `Pushes that are sent to a topic of ntfy reach a program that listens`(
            kind: NtfyServer.Kind
        ) throws {
            let stage = try NtfyStage(kind)
            try stage.connect()

            try stage.undersong(
                "push", "send", "--to", "ntfy", stage.server.url(), "-m", "Füße", "-n", "-d",
                "Simulator Target Bundle=one")
            try stage.handler.wait(for: ["one"])

            #expect(stage.handler.numbers.mapValues(\.count) == ["one": 1])
        }

        @Test func `Pushes of ntfy reach a program after only the networked program was killed`()
            throws
        {
            let stage = try NtfyStage()
            try stage.connect()
            try stage.publish("one")
            try stage.handler.wait(for: ["one"])

            try stage.killTransfers()
            try stage.publish("two")
            try stage.handler.wait(for: ["two"])
            try stage.killTransfers()
            try stage.publish("three")
            try stage.handler.wait(for: ["three"])

            #expect(stage.handler.numbers.mapValues(\.count) == ["one": 1, "two": 1, "three": 1])
            #expect(try stage.state.counts.received == 3)
        }

        @Test func `A push of ntfy has its feed read and queued, and the service suspended again`()
            throws
        {
            let stage = try NtfyStage()
            let episodes = Mutex(1)
            let song = try Data(contentsOf: URL(filePath: Self.song))
            let web = try ScriptedHTTPServer { request in
                guard request.path == "/feed" else {
                    return ScriptedHTTPServer.Response(file: Array(song), to: request)
                }
                return Self.feed(episodes.withLock(\.self), to: request)
            }
            defer { web.stop() }
            try stage.undersong("capability", "remote-notification", "on")
            try stage.undersong("feed", "add", web.url("/feed"), "--queue", "end")
            try stage.undersong("push", "provider", "ntfy", stage.server.url())
            try waitUntil { try stage.queue() == ["Episode 1.mp3"] }
            let client = try stage.daemon.client()
            try waitUntil { try client.call(GetStatus()).suspended && stage.place != nil }

            episodes.withLock { $0 = 2 }
            try stage.server.push("\"feed\":\"\(web.url("/feed"))\"")
            try waitUntil { try stage.queue() == ["Episode 1.mp3", "Episode 2.mp3"] }

            try waitUntil { try client.call(GetStatus()).suspended }
            #expect(
                try stage.state.counts
                    == PushStatus.Counts(received: 1, handled: 1))
            let file = stage.folder.path + "/Podcasts/The Podcast/Episode 2.mp3"
            #expect(try Data(contentsOf: URL(filePath: file)) == song)
        }

        @Test(.rule("PU12")) func `Pushes that may be missing are replaced by reading all feeds`()
            throws
        {
            let stage = try NtfyStage()
            let web = try ScriptedHTTPServer { Self.feed(1, to: $0) }
            defer { web.stop() }
            try stage.undersong("capability", "remote-notification", "on")
            try stage.undersong("feed", "add", web.url("/feed"), "--auto", "none")
            try stage.connect(withHandler: false)
            let first = try stage.server.push("\"undersong\":{\"command\":\"pause\"}")
            try waitUntil { try stage.state.counts.handled == 1 }
            try waitUntil { stage.place?.contains(first) == true }
            try stage.killTransfers()
            stage.killService()

            // Four hours later the server has lost its cache.
            try stage.server.send("forget")
            try stage.server.send("clock 14400")
            let count = web.requests.count
            // It answers once the events are followed.
            stage.server.freeze()
            try stage.daemon.start()
            let events = try PushEvents(stage.daemon)
            stage.server.freeze(false)
            try stage.server.push("\"undersong\":{\"command\":\"pause\"}")
            try waitUntil { try stage.state.counts.handled == 3 }
            try waitUntil { events.phases.contains(.missing) }

            #expect(web.requests.count == count + 1)
            #expect(events.phases.filter { $0 == .missing }.count == 1)
        }

        @Test func `Pushes are not listened for at an invalid URL`() throws {
            let stage = try NtfyStage()

            #expect(
                throws: ControlError(
                    .invalidParams,
                    "cannot listen for pushes: Only HTTP and HTTPS URLs are possible")
            ) {
                try stage.listen(at: "file:///etc/passwd")
            }
        }

        @Test
        func `Pushes of ntfy are handled by a command once each, although the service is killed`()
            throws
        {
            let stage = try NtfyStage()
            let log = stage.folder.path + "/handled"
            let runner = try Program(
                Program.undersong,
                [
                    "push", "run", "--", "sh", "-c",
                    "echo $UNDERSONG_PUSH >> \(log); cat > /dev/null",
                ],
                environment: stage.daemon.environment)
            try waitUntil { try stage.state.programs == 1 }
            try stage.undersong("capability", "remote-notification", "on")
            try stage.connect(withHandler: false)

            var lines: [Int] = []
            for round in 1...3 {
                try stage.server.push("\"n\":\(round)")
                try waitUntil {
                    let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
                    lines = text.split(separator: "\n").compactMap { Int($0) }
                    return lines.count >= round
                }
                stage.killService()
            }
            try waitUntil { (try? stage.state.programs) == 1 }
            kill(runner.processIdentifier, SIGTERM)

            #expect(try runner.wait() == 0)
            #expect(lines == [1, 2, 3])
            #expect(runner.errorText.contains("the service has gone away, waiting for it"))
        }

        // MARK: The web

        private static func feed(
            _ count: Int, to request: ScriptedHTTPServer.Request
        ) -> ScriptedHTTPServer.Response {
            let host = request.fields["host"] ?? ""
            let items = (1...count).reversed().map { number in
                """
                <item><guid>\(number)</guid><title>Episode \(number)</title>
                <enclosure url="http://\(host)/\(number).mp3" type="audio/mpeg" length="1"/></item>
                """
            }
            var response = ScriptedHTTPServer.Response()
            response.body = Array(
                """
                <rss version="2.0"><channel><title>The Podcast</title>\(items.joined())
                </channel></rss>
                """.utf8)
            return response
        }

        private static let song =
            URL(filePath: #filePath)
            .appending(path: "../../../Resources/Demo/01 Slack Water.mp3").standardizedFileURL.path
    }
}

/// A topic of ntfy, both programs, and a program that handles pushes.
final class NtfyStage {
    let server: NtfyServer
    let folder: RuntimeFolder
    let daemon: Daemon
    let handler = PushHandler()

    init(_ kind: NtfyServer.Kind = .mock) throws {
        server = try NtfyServer(kind)
        folder = try RuntimeFolder()
        daemon = try Daemon(in: folder.path, environment: ["HOME": folder.path])
    }

    deinit {
        daemon.end(by: SIGKILL)
        try? killTransfers()
    }

    /// Listens at the topic, with or without a program that handles pushes.
    func connect(withHandler: Bool = true) throws {
        if withHandler { try handler.connect(to: daemon) }
        try listen(at: server.url())
        try waitUntil { place != nil }
    }

    func listen(at url: String) throws {
        _ = try daemon.client().call(SetPushProvider(.ntfy(url: url)))
    }

    /// Publishes a push of this topic of pushes.
    func publish(_ name: String) throws {
        try server.push("\"Simulator Target Bundle\":\"\(name)\"")
    }

    /// The record of the program with the network about its place in the topic; nil before the
    /// first connection.
    var place: String? {
        let file = folder.path + "/state/undersong/default/transfers/pushes"
        let text = try? String(contentsOfFile: file, encoding: .utf8)
        return text?.contains("\"time\"") == true ? text : nil
    }

    var state: PushStatus { get throws { try daemon.client().call(GetPushStatus()) } }

    func queue() throws -> [String] {
        let queue = try daemon.client().call(ListQueue())
        return queue.items.map { URL(filePath: $0.path).lastPathComponent }
    }

    func undersong(_ arguments: String...) throws {
        let program = try Program(Program.undersong, arguments, environment: daemon.environment)
        guard try program.wait() == 0 else { throw Overdue(program.errorText) }
    }

    // MARK: Kills

    /// The process of the program with the network.
    ///
    /// - Throws: There is none.
    var transferProcess: pid_t {
        get throws {
            let path = ControlSocket(
                session: ControlSocket.transfers(of: "default"), runtimeFolder: folder.path
            ).path
            return try ControlClient(socket: path, name: "test").call(Hello(client: "test")).process
        }
    }

    func killTransfers() throws { kill(try transferProcess, SIGKILL) }

    func killService() {
        daemon.killAnyone()
        handler.disconnect()
    }

    /// Starts the service again, and the handler with it.
    func start() throws {
        try daemon.startUnlessRunning()
        try handler.connect(to: daemon)
    }

}

/// The events of pushes of a service.
final class PushEvents: Sendable {
    private let seen = Mutex<[PushReport]>([])
    private let client = Mutex<ControlClient?>(nil)

    init(_ daemon: Daemon) throws {
        let new = try daemon.client { [weak self] notice in
            guard notice.method == EventNotice.method,
                let event = try? notice.decode(EventNotice.self).data,
                case .push(let push) = event.kind
            else { return }
            self?.seen.withLock { $0.append(push) }
        }
        _ = try new.call(Subscribe(interval: nil, kinds: ["push"]))
        client.withLock { $0 = new }
    }

    /// Their phases, in order.
    var phases: [PushReport.Phase] { seen.withLock { $0.map(\.phase) } }
    /// Why pushes were refused, in order.
    var refusals: [String] {
        seen.withLock { $0.filter { $0.phase == .refused }.map { $0.reason ?? "" } }
    }
}
