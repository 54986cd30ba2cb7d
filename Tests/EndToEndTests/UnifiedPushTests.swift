import Foundation
import Glibc
import TestSupport
import Testing
import UndersongBackground
import UndersongControl

extension EndToEnd {
    @Suite struct `Pushes from a UnifiedPush distributor` {
        @Test
        func `Pushes of UnifiedPush reach a program decrypted, and are acknowledged once kept`()
            throws
        {
            let stage = try UnifiedPushStage()
            let handler = PushHandler()
            try handler.connect(to: stage.daemon)

            let subscription = try stage.register()
            try stage.send("one")
            try stage.awaitAcknowledgement(of: "one")
            try handler.wait(for: ["one"])
            let counts = try stage.status().counts
            let token = try stage.daemon.client().call(GetPushToken())

            #expect(subscription.state == .registered && subscription.reason == nil)
            #expect(subscription.endpoint == "https://push.example/1")
            #expect(subscription.distributor == "org.unifiedpush.Distributor.a")
            #expect(WebPushSender.bytes(ofBase64URL: subscription.p256dh ?? "").count == 65)
            #expect(WebPushSender.bytes(ofBase64URL: subscription.auth ?? "").count == 16)
            #expect(counts.received == 1)
            #expect(token.subscription == subscription && token.token.count == 64)
        }

        @Test(.rule("PU18"))
        func `Pushes that are sent to an endpoint reach a program of its owner decrypted`() throws {
            let stage = try UnifiedPushStage()
            let handler = PushHandler()
            try handler.connect(to: stage.daemon)
            let subscription = try stage.register()
            let server = try ScriptedHTTPServer { _ in
                var response = ScriptedHTTPServer.Response()
                response.status = 201
                return response
            }

            try stage.undersong(
                "push", "send", "--to", server.url("/1?token=x"), "--p256dh",
                subscription.p256dh ?? "", "--auth", subscription.auth ?? "", "-n", "-d",
                "Simulator Target Bundle=one")
            let request = try #require(server.requests.first)
            try stage.deliver(request.body, as: "one")
            try stage.awaitAcknowledgement(of: "one")
            try handler.wait(for: ["one"])

            #expect(request.path == "/1?token=x" && server.requests.count == 1)
            #expect(request.fields["ttl"] == "2419200" && request.fields["urgency"] == "low")
            #expect(try stage.status().subscription?.refused == 0)
        }

        @Test func `Keys of UnifiedPush are closed to others, and replaced after another provider`()
            throws
        {
            let stage = try UnifiedPushStage()
            let first = try stage.register()
            let file = stage.folder.path + "/state/undersong/default/transfers/unifiedpush"
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]

            let local = try stage.daemon.client().call(SetPushProvider(.local))
            let isKept = FileManager.default.fileExists(atPath: file)
            let second = try stage.register()

            #expect(mode as? Int == 0o600)
            #expect(local.provider == .known(.local) && local.subscription == nil)
            #expect(!isKept)
            #expect(try stage.line("unregister").hasPrefix("unregister 2 "))
            #expect(first.p256dh != second.p256dh && first.auth != second.auth)
        }

        @Test(.rule("PU14"))
        func `Pushes that cannot be read are counted, and the next one comes all the same`()
            throws
        {
            let stage = try UnifiedPushStage()
            let handler = PushHandler()
            try handler.connect(to: stage.daemon)
            let events = try PushEvents(stage.daemon)
            _ = try stage.register()
            var message = try stage.message("one")
            message[message.count - 20] ^= 1

            try stage.deliver(message, as: "broken")
            try stage.awaitAcknowledgement(of: "broken")
            try stage.deliver(try stage.message("", payload: "no object"), as: "wrong")
            try stage.awaitAcknowledgement(of: "wrong")
            try stage.send("two")
            try handler.wait(for: ["two"])
            try waitUntil { events.refusals.count >= 2 }
            let state = try stage.status()

            #expect(state.subscription?.refused == 1)
            #expect(
                state.subscription?.refusal
                    == "it is not encrypted with the keys of this service, or was changed")
            // A payload that is none is refused by the service.
            #expect(state.counts.received == 1 && state.counts.refused == 2)
            #expect(
                events.refusals.first
                    == "it is not encrypted with the keys of this service, or was changed")
            #expect(events.refusals.last?.hasPrefix("the payload is not JSON") == true)
            #expect(events.refusals.count == 2)
        }

        @Test(.rule("PU12"))
        func `Pushes are replaced by reading all feeds when there is another endpoint`() throws {
            let web = try ScriptedHTTPServer { _ in
                var response = ScriptedHTTPServer.Response()
                response.body = Array(
                    "<rss version=\"2.0\"><channel><title>A</title></channel></rss>".utf8)
                return response
            }
            defer { web.stop() }
            let stage = try UnifiedPushStage()
            try stage.undersong("capability", "remote-notification", "on")
            try stage.undersong("feed", "add", web.url("/feed"), "--auto", "none")
            _ = try stage.register()
            let events = try PushEvents(stage.daemon)
            let count = web.requests.count

            try stage.announce("https://push.example/2")
            try waitUntil { try stage.status().counts.handled == 1 }
            // The other program starts again. If it reports the same once more, that is a repetition.
            try stage.endTransfers()
            try waitUntil {
                try stage.status().subscription?.endpoint == "https://push.example/2"
            }
            try stage.announce("https://push.example/3")
            try waitUntil { try stage.status().counts.handled == 2 }
            try waitUntil { events.phases.count { $0 == .missing } >= 2 }

            #expect(web.requests.count == count + 2)
            #expect(events.phases.filter { $0 == .missing }.count == 2)
        }

        @Test(.rule("PU9")) func `Pushes of UnifiedPush come once each, whatever is killed`() throws
        {
            let stage = try UnifiedPushStage()
            let handler = PushHandler()
            try handler.connect(to: stage.daemon)
            let subscription = try stage.register()
            var dice = Dice()
            var names: Set<String> = []

            for _ in 0..<Dice.rounds(12) {
                for _ in 0..<dice.number(in: 1..<5) {
                    let name = "push \(names.count)"
                    names.insert(name)
                    try stage.send(name)
                }
                usleep(UInt32(dice.number(in: 0..<15_000)))
                let kills = dice.number(in: 0..<3)
                if kills != 1 { try stage.endTransfers() }
                if kills != 0 {
                    stage.daemon.end(by: SIGKILL)
                    handler.disconnect()
                    try stage.daemon.startUnlessRunning()
                    try handler.connect(to: stage.daemon)
                }
                // It asks the other program, which is started for that, but not for long.
                try waitUntil {
                    try stage.status().subscription?.endpoint == subscription.endpoint
                }
            }
            try handler.wait(for: names)
            for name in names { try stage.awaitAcknowledgement(of: name) }
            let counts = try stage.status().counts

            #expect(handler.numbers.values.allSatisfy { $0.count == 1 })
            #expect(Set(handler.numbers.values.joined()).count == names.count)
            #expect(counts.received == names.count)
            #expect(try stage.status().subscription?.p256dh == subscription.p256dh)
        }

        @Test(.rule("PU13"))
        func `Pushes of UnifiedPush start both programs where the bus knows the service file`()
            throws
        {
            let stage = try UnifiedPushStage()
            _ = try stage.register()
            try stage.install()
            try stage.send("one")
            try stage.awaitAcknowledgement(of: "one")
            stage.daemon.end(by: SIGKILL)
            try stage.endTransfers()

            try stage.send("two")
            try stage.awaitAcknowledgement(of: "two")
            let state = try stage.status()

            #expect(state.provider == .known(.unifiedpush))
            #expect(state.counts.received == 2)
            #expect(state.waiting.map(\.topic) == ["one", "two"])
        }

        @Test func `Pushes do not come from a distributor with an invalid name`() throws {
            let stage = try UnifiedPushStage()
            let client = try stage.daemon.client()
            #expect(
                throws: ControlError(
                    .invalidParams,
                    "cannot listen for pushes: No distributor can have the name a b")
            ) {
                try client.call(SetPushProvider(.unifiedpush(distributor: "a b", vapid: nil)))
            }
            #expect(
                throws: ControlError(
                    .invalidParams,
                    "cannot listen for pushes: A VAPID key has 87 characters of base64url")
            ) {
                try client.call(SetPushProvider(.unifiedpush(distributor: nil, vapid: "x")))
            }
        }
    }
}

/// A service on a bus with a distributor, and a sender of encrypted pushes.
private final class UnifiedPushStage {
    let folder: RuntimeFolder
    let daemon: Daemon
    private let mock: MockProgram
    private var subscription: UnifiedPushStatus?
    private var acknowledged: Set<String> = []

    init() throws {
        folder = try RuntimeFolder()
        let path = folder.path
        mock = try MockProgram(
            "mock-distributor",
            environment: [
                "HOME": path, "XDG_RUNTIME_DIR": path, "XDG_CONFIG_HOME": path + "/config",
                "XDG_STATE_HOME": path + "/state", "XDG_CACHE_HOME": path + "/cache",
                "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere",
            ])
        try mock.send("start a")
        daemon = try Daemon(
            in: path, ["--no-mpris"],
            environment: ["DBUS_SESSION_BUS_ADDRESS": mock.address, "HOME": path])
    }

    deinit {
        RuntimeFolder.endService(in: folder.path)
        try? endTransfers()
    }

    /// Has the service register with the distributor.
    func register() throws -> UnifiedPushStatus {
        var status = try daemon.client().call(
            SetPushProvider(.unifiedpush(distributor: "a", vapid: nil)))
        try waitUntil {
            if status.subscription?.state != .registered { status = try self.status() }
            return status.subscription?.state == .registered
        }
        let subscription = try #require(status.subscription)
        self.subscription = subscription
        return subscription
    }

    /// An encrypted push with that topic.
    func message(_ topic: String, payload: String? = nil) throws -> [UInt8] {
        let subscription = try #require(subscription)
        let sender = WebPushSender(
            p256dh: subscription.p256dh ?? "", auth: subscription.auth ?? "")
        let text =
            payload
            ?? "{\"aps\":{\"content-available\":1},\"Simulator Target Bundle\":\"\(topic)\"}"
        return sender.message(Array(text.utf8))
    }

    /// Sends a push with that topic until it is acknowledged.
    func send(_ topic: String) throws { try deliver(try message(topic), as: topic) }

    /// Sends a message until it is acknowledged.
    func deliver(_ message: [UInt8], as name: String) throws {
        let digits = message.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        try mock.send("keep \(digits) '\(name)'")
    }

    /// Has the distributor give the service another endpoint.
    func announce(_ endpoint: String) throws { try mock.send("endpoint \(endpoint)") }

    func undersong(_ arguments: String...) throws {
        let program = try Program(Program.undersong, arguments, environment: daemon.environment)
        guard try program.wait() == 0 else { throw Overdue(program.errorText) }
    }

    func awaitAcknowledgement(of name: String) throws {
        while !acknowledged.contains(name) { _ = try line("acknowledged") }
    }

    /// The next line of the distributor's that begins with this word.
    func line(_ word: String) throws -> String {
        while true {
            let line = try mock.lines.next()
            if line.hasPrefix("acknowledged ") {
                acknowledged.insert(String(line.dropFirst("acknowledged ".count)))
            }
            if line.hasPrefix(word) { return line }
        }
    }

    func status() throws -> PushStatus { try daemon.client().call(GetPushStatus()) }

    /// Installs the service file for the bus, and the program where that has it.
    func install() throws {
        let programs = folder.path + "/.local/bin"
        try FileManager.default.createDirectory(
            atPath: programs, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: programs + "/undersong-transferd",
            withDestinationPath: Program.path(of: "undersong-transferd"))
        let name = "net.undersong.undersong.service"
        try FileManager.default.copyItem(
            at: URL(filePath: #filePath).appending(path: "../../../Resources/dbus/\(name)")
                .standardizedFileURL,
            to: mock.folder.appending(path: "services/\(name)"))
        try mock.send("reload")
    }

    /// Kills the program that listens, and waits until it has gone.
    func endTransfers() throws {
        let process = try transfers()
        kill(process, SIGKILL)
        try waitUntil { (try? transfers()) != process }
    }

    private func transfers() throws -> pid_t {
        let path = ControlSocket(
            session: ControlSocket.transfers(of: "default"), runtimeFolder: folder.path
        ).path
        let client = try ControlClient(socket: path, name: "test")
        return try client.call(Hello(client: "test")).process
    }
}
