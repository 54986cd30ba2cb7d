import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongBase
import UndersongCommandOptions
import UndersongControl

@testable import UndersongBackground
@testable import UndersongCLI

/// `undersong push`, as a program, against a scripted service.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `The verb push` {
    private func service(
        _ reply: some Codable & Sendable = PushToken("00ff")
    ) throws -> FakeService {
        try FakeService { _, _ in ControlReply(reply) }
    }

    /// A push with the number 5.
    private static func received(_ payload: String = "{\"aps\":{}}") throws -> PushReceived {
        var push = Push(
            number: 5, identifier: "a", topic: "t", payload: try PushPayload(Array(payload.utf8)))
        push.attempts = 1
        return PushReceived(push)
    }

    private func file(_ text: String, in service: FakeService) throws -> String {
        let path = service.runtimeFolder + "/payload.json"
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    @Test(.rule("H7")) func `The verb push sends what apn push sends`() throws {
        let service = try service(PushReceipt(push: 7))
        defer { service.end() }

        let program = try Program(
            ["push", "send", "00ff", "-n", "-d", "content-id=42", "-d", "name=x=y", "-d", "n=042"],
            environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text == "push 7 was delivered\n")
        let call = try #require(try service.calls(SendPush.self).first)
        #expect(call.token == "00ff")
        #expect(
            call.payload
                == "{\"aps\":{\"content-available\":1},\"content-id\":42,\"name\":\"x=y\",\"n\":\"042\"}"
        )
    }

    @Test(arguments: [
        ("1e400", "1e400"), ("-0.50", "-0.50"), ("9007199254740993", "9007199254740993"),
        ("true", "true"), ("null", "null"), ("", "\"\""), ("+1", "\"+1\""), ("1.", "\"1.\""),
        ("a\"b/c", "\"a\\\"b/c\""), ("é😀", "\"é😀\""),
    ])
    func `The verb push writes values as JSON`(word: String, json: String) throws {
        let made = try MadePayload.parse(["-d", "k=\(word)"])

        #expect(PushText.payload(made) == "{\"aps\":{},\"k\":\(json)}")
    }

    @Test func `The verb push sends a file, byte for byte`() throws {
        let service = try service(PushReceipt(push: 8, reason: .known(.notDeclared)))
        defer { service.end() }
        let text = "{\"aps\": {}, \"a\": 1e400, \"b\": \"é\"}\n"
        let path = try file(text, in: service)

        let program = try Program(
            ["push", "send", "--now", "--topic", "t", "--id", "i", "--type", "alert", path],
            environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(
            program.text == "push 8 waits: the mode is not declared: "
                + "undersong capability remote-notification on\n")
        let call = try #require(try service.calls(SendPush.self).first)
        #expect(call.payload == text)
        #expect(call.token == nil && call.now == true)
        #expect(call.topic == "t" && call.id == "i" && call.type == .alert)
    }

    @Test func `The verb push simulates with the bundle of the argument, or of the file`() throws {
        let service = try service(PushReceipt(push: 1))
        defer { service.end() }
        let path = try file(
            "{\"Simulator Target Bundle\":\"org.a\",\"aps\":{}}", in: service)

        let first = try Program(["push", "simulate", path], environment: service.environment)
        #expect(try first.wait() == 0)
        let second = try Program(
            ["push", "simulate", "org.b", path], environment: service.environment)
        #expect(try second.wait() == 0)

        #expect(try service.calls(SendPush.self).map(\.topic) == ["org.a", "org.b"])
    }

    @Test func `The verb push does not simulate without a bundle`() throws {
        let service = try service()
        defer { service.end() }
        let path = try file("{\"aps\":{}}", in: service)

        let program = try Program(["push", "simulate", path], environment: service.environment)

        #expect(try program.wait() == 64)
        #expect(
            program.errorText == "undersong: cannot simulate a push: No bundle is named, "
                + "as an argument or in the file\n")
        #expect(service.methods == [])
    }

    @Test func `The verb push reports a file that cannot be read`() throws {
        let service = try service()
        defer { service.end() }

        let program = try Program(
            ["push", "send", "/nowhere/x.json"], environment: service.environment)

        #expect(try program.wait() == 1)
        #expect(
            program.errorText
                == "undersong: cannot read /nowhere/x.json: No such file or directory\n")
    }

    @Test func `The verb push shows what waits, and what was counted`() throws {
        var status = PushStatus(from: .ntfy(url: "https://ntfy.example/t"))
        (status.declared, status.programs, status.wakes, status.nextWake) = (true, 1, 0, 600)
        status.waiting = [
            PushStatus.Waiting(
                push: 9, topic: "a", reason: .known(.throttled), received: 1, wait: 600)
        ]
        status.counts = PushStatus.Counts(
            received: 9, handled: 5, superseded: 2, abandoned: 1, duplicates: 3, refused: 4)
        let service = try service(status)
        defer { service.end() }

        let program = try Program(["push", "status"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(
            program.text == """
                provider    ntfy, https://ntfy.example/t
                mode        remote-notification is declared
                programs    1
                wakes       0 of 3, next in 10 min 0 s
                waiting     push 9 (a) waits: there were too many wakes in the last hour, next in 10 min 0 s
                counted     9 received: 5 handled, 2 superseded, 1 abandoned, 1 waiting, 0 being handled
                            3 repeated, 4 refused

                """)
    }

    @Test(arguments: [
        ("cat > \"$0\"; exit 0", PushResult.newData), ("cat > \"$0\"; exit 1", .noData),
        ("cat > \"$0\"; exit 2", .failed), ("cat > \"$0\"; kill -9 $$", .failed),
    ])
    func `The verb push runs a command with the payload, and answers with its status`(
        script: String, result: PushResult
    ) throws {
        let service = try service()
        defer { service.end() }
        let copy = service.runtimeFolder + "/copy"
        let payload = "{\"aps\":{},\"x\":\"" + String(repeating: "é", count: 2039) + "\"}"

        let program = try Program(
            ["push", "run", "--topic", "t", "--", "sh", "-c", script, copy],
            environment: service.environment)
        try service.wait { $0.methods == ["push.register"] }
        service.send(try Self.received(payload))
        try service.wait { $0.methods.count == 2 }
        program.signal(SIGTERM)

        #expect(try program.wait() == 0)
        #expect(service.methods == ["push.register", "push.answer"])
        #expect(try service.calls(RegisterForPushes.self).map(\.topics) == [["t"]])
        let answers = try service.calls(AnswerPush.self)
        #expect(answers.map(\.push) == [5] && answers.map(\.result) == [result])
        #expect(try String(contentsOfFile: copy, encoding: .utf8) == payload)
    }

    @Test func `The verb push kills a command whose time is over`() throws {
        let service = try service()
        defer { service.end() }

        let program = try Program(
            ["push", "run", "--", "sh", "-c", "echo $UNDERSONG_PUSH $UNDERSONG_TOPIC; sleep 1000"],
            environment: service.environment)
        try service.wait { $0.methods == ["push.register"] }
        service.send(try Self.received())
        try program.waitForOutput { $0.text == "5 t\n" }
        service.send(PushExpired(push: 5))
        try service.wait { $0.methods.count == 2 }
        program.signal(SIGTERM)

        #expect(try program.wait() == 0)
        #expect(
            program.errorText == "undersong: the time for push 5 is over, killing sh\n")
        #expect(try service.calls(AnswerPush.self).map(\.result) == [.failed])
    }

    @Test func `The verb push answers a later connection when that brings the push, too`() throws {
        let isBroughtAgain = Mutex(false)
        let answers = Mutex<[Bool]>([])
        let registrations = Mutex(0)
        let service = try FakeService { request, _ in
            guard request.method == AnswerPush.method else {
                registrations.withLock { $0 += 1 }
                return ControlReply(PushToken("00ff"))
            }
            answers.withLock { $0.append(isBroughtAgain.withLock(\.self)) }
            return ControlReply(Nothing())
        }
        defer { service.end() }
        let pipe = service.runtimeFolder + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let program = try Program(
            ["push", "run", "--", "sh", "-c", "echo $$; read line < \"$0\"", pipe],
            environment: service.environment)
        try service.wait { $0.methods == ["push.register"] }
        var push = try Self.received()
        service.send(push)
        try program.waitForOutput { $0.text.hasSuffix("\n") }
        let command = try #require(pid_t(program.text.dropLast()))

        service.disconnect()
        try service.wait { _ in registrations.withLock(\.self) == 2 }
        try Data("\n".utf8).write(to: URL(filePath: pipe))
        try waitUntil { kill(command, 0) != 0 }
        isBroughtAgain.withLock { $0 = true }
        push.attempt = 2
        service.send(push)
        try service.wait { _ in !answers.withLock(\.isEmpty) }
        program.signal(SIGTERM)

        #expect(try program.wait() == 0)
        #expect(answers.withLock(\.self) == [true])
        #expect(program.text == "\(command)\n")
    }

    @Test func `The verb push waits for a service that has gone away`() throws {
        let service = try service()
        let program = try Program(
            ["push", "run", "--", "true"], environment: service.environment)
        try service.wait { $0.methods == ["push.register"] }

        service.end()
        try program.waitForOutput {
            $0.errorText == "undersong: the service has gone away, waiting for it\n"
        }
        program.signal(SIGTERM)

        #expect(try program.wait() == 0)
    }

    @Test func `The verb doctor names the missing declaration for pushes`() {
        var state = PushStatus(from: .local)

        let unused = PushCheck.finding(state, session: "default")
        state.programs = 1
        let undeclared = PushCheck.finding(state, session: "work")
        state.declared = true
        let good = PushCheck.finding(state, session: "default")
        state.waiting = [
            PushStatus.Waiting(
                push: 3, topic: "t", reason: .known(.throttled), received: 1, wait: 60)
        ]
        let waiting = PushCheck.finding(state, session: "default")

        #expect(unused == nil)
        #expect(
            undeclared
                == .note(
                    "pushes of work",
                    "the mode remote-notification is not declared, so that they wake nothing",
                    "undersong capability remote-notification on --session work"))
        #expect(
            good == .good("pushes of default", "they come from local, and none is waiting"))
        #expect(waiting?.verdict == .note)
        #expect(waiting?.advice == "undersong push status")
    }

    private static var registered: PushStatus {
        var status = PushStatus(from: .unifiedpush(distributor: nil, vapid: nil))
        (status.declared, status.programs) = (true, 1)
        var subscription = UnifiedPushStatus(.registered)
        subscription.distributor = "org.unifiedpush.Distributor.kde"
        subscription.endpoint = "https://push.example/1"
        (subscription.p256dh, subscription.auth) = ("BKey", "Secret")
        status.subscription = subscription
        return status
    }

    @Test func `The verb push sets a distributor, and shows what its senders need`() throws {
        let service = try service(Self.registered)
        defer { service.end() }

        let program = try Program(
            ["push", "provider", "unifiedpush", "kde", "--vapid", "BSender"],
            environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(
            program.text == """
                provider    unifiedpush, registered with org.unifiedpush.Distributor.kde
                endpoint    https://push.example/1
                p256dh      BKey
                auth        Secret

                """)
        #expect(
            try service.calls(SetPushProvider.self).map(\.source)
                == [.unifiedpush(distributor: "kde", vapid: "BSender")])
    }

    @Test func `The verb push shows the token, and what senders by UnifiedPush need`() throws {
        let service = try service(
            PushToken("00ff", subscription: Self.registered.subscription))
        defer { service.end() }

        let program = try Program(["push", "token"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(
            program.text == """
                00ff
                endpoint    https://push.example/1
                p256dh      BKey
                auth        Secret

                """)
    }

    @Test func `The verb push accepts a VAPID key for unifiedpush only`() throws {
        let program = try Program(["push", "provider", "local", "--vapid", "B"], environment: [:])

        #expect(try program.wait() == 64)
        #expect(program.errorText.contains("--vapid is for unifiedpush only"))
    }

    @Test(arguments: [
        (UnifiedPushProblem.noBus, "there is no session bus"),
        (.noDistributor, "org.unifiedpush.Distributor.kde is not running"),
        (.unknown, "undersong-transferd does not answer"),
    ])
    func `The verbs push and doctor say why no push comes by UnifiedPush`(
        problem: UnifiedPushProblem, text: String
    ) {
        var state = Self.registered
        state.subscription?.state = .failed
        state.subscription?.reason = .known(problem)
        let plain = PushText.source(state).first
        state.subscription?.retry = 90
        let finding = PushCheck.finding(state, session: "default")

        #expect(plain?.1 == "unifiedpush: \(text)")
        // That comes first.
        state.subscription?.startable = false
        #expect(PushCheck.finding(state, session: "default") == finding)
        #expect(
            finding
                == .note(
                    "pushes of default", "\(text), next attempt in 1 min 30 s",
                    "undersong push status"))
    }

    @Test func `The verb push shows reasons of a newer service as they came`() {
        let receipt = PushReceipt(push: 3, reason: .unknown("later\u{1b}"))

        #expect(PushText.receipt(receipt) == "push 3 waits: later\(Columns.printable("\u{1b}"))")
    }

    @Test func `The verb why names a distributor that is gone, beside the pushes that wait`() {
        var why = Why.backgrounded
        why.pushes = Self.registered
        let without = WhyText(Reasons(why)).screen
        why.pushes?.subscription?.state = .failed
        why.pushes?.subscription?.reason = .known(.noDistributor)
        why.pushes?.waiting = [
            PushStatus.Waiting(
                push: 3, topic: "t", reason: .known(.noProgram), received: 1)
        ]
        let lines = WhyText(Reasons(why)).screen.split(separator: "\n").map(String.init)

        #expect(!without.contains("pushes"))
        #expect(lines.contains("pushes      org.unifiedpush.Distributor.kde is not running"))
        #expect(lines.last?.contains("push 3 (t) waits") == true)
    }

    @Test func `The verb doctor says that the bus's service file for pushes is missing`() {
        var state = Self.registered
        let unknown = PushCheck.finding(state, session: "default")
        state.subscription?.startable = true
        let good = PushCheck.finding(state, session: "default")
        state.subscription?.startable = false
        let missing = PushCheck.finding(state, session: "default")

        let place = "unifiedpush, registered with org.unifiedpush.Distributor.kde"
        #expect(
            good == .good("pushes of default", "they come from \(place), and none is waiting"))
        #expect(unknown == good)
        #expect(missing?.verdict == .note)
        #expect(missing?.advice?.contains("net.undersong.undersong.service") == true)
    }

    @Test func `The verb push shows messages it cannot read, and a registration under way`() {
        var state = Self.registered
        state.subscription?.refused = 2
        state.subscription?.refusal = "its padding has no delimiter"
        let rows = PushText.source(state)
        state.subscription = UnifiedPushStatus(.registering)
        let registering = PushText.source(state)
        state.subscription = UnifiedPushStatus(.failed, reason: .noDistributor)

        #expect(rows.last?.0 == "unreadable")
        #expect(rows.last?.1 == "2, the last because its padding has no delimiter")
        #expect(registering.map(\.1) == ["unifiedpush, registering"])
        #expect(PushText.provider(state) == "unifiedpush: no distributor is running")
    }
}
