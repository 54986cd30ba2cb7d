import Foundation
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongControl

@testable import UndersongPlayerService
@testable import UndersongService

/// Remote notifications, over the socket.
@Suite(.blockingThreads, .timeLimit(.minutes(2))) struct `A service that gets pushes` {
    private static let silent = "{\"aps\":{\"content-available\":1}, \"a\": 9007199254740993}"

    /// A program that has registered for `topics`.
    private func program(_ stage: Stage, _ topics: [String]? = nil) throws -> Client {
        let client = try stage.client()
        var call = PushCall(.register)
        call.topics = topics
        _ = try client.call(call)
        return client
    }

    private func state(_ client: Client) throws -> PushState {
        try #require(try client.call(PushCall(.status)).state)
    }

    @Test func `shows where they come from without what proves who listens`() {
        let source = PushSource.ntfy(url: "https://me:secret@n.example/t?auth=also")
        let reports = PushReports(
            source: source, isDeclared: true, programCount: 0, wakes: 3, waiting: [],
            receivedCount: 0, handlingCount: 0, counts: PushMailbox.Counts())

        #expect(PushState(reports).url == "https://n.example/t")
    }

    private func received(_ client: Client) -> [PushReceived] {
        client.notices(PushReceived.self)
    }

    @Test func `A12 wakes for one, gives it to the program, and is suspended after the answer`()
        async throws
    {
        let stage = try Stage(modes: ["remote-notification"])
        let client = try program(stage)
        let before = try client.call(GetStatus()).suspended

        let reply = try client.call(PushCall.send(Self.silent))
        await client.wait { !received($0).isEmpty }
        let during = try client.call(GetStatus()).suspended
        _ = try client.call(PushCall.answer(1, "newData"))
        let after = try client.call(GetStatus()).suspended

        #expect(reply.push == 1 && reply.phase == "delivered" && reply.because == nil)
        #expect(received(client).map(\.userInfo) == [Self.silent])
        #expect(received(client).map(\.topic) == ["net.undersong.undersong"])
        #expect(received(client).map(\.timeRemaining) == [30])
        #expect([before, during, after] == [true, false, true])
        #expect(try state(client).counts == PushState.Counts(received: 1, handled: 1))
    }

    @Test func `H4 wakes three times, and then for the newest one after twenty minutes`()
        async throws
    {
        let stage = try Stage(modes: ["remote-notification"])
        let client = try program(stage)

        var replies: [PushCall.Reply] = []
        for _ in 1...6 { replies.append(try client.call(PushCall.send(Self.silent))) }
        await client.wait { received($0).count == 3 }
        for push in 1...3 { _ = try client.call(PushCall.answer(push, "noData")) }
        let waiting = try state(client)
        let why = try client.call(GetWhy()).pushes
        stage.clock.advance(by: 1201)
        await client.wait { received($0).count == 4 }

        #expect(
            replies.map(\.phase) == Array(repeating: "delivered", count: 3)
                + Array(repeating: "held", count: 3))
        #expect(replies.map(\.because).suffix(3) == ["throttled", "throttled", "throttled"])
        #expect(received(client).map(\.push) == [1, 2, 3, 6])
        #expect(waiting.waiting.map(\.push) == [6])
        #expect(waiting.waiting.first?.wait ?? 0 > 1000)
        #expect(waiting.wakes == 0)
        #expect(waiting.counts == PushState.Counts(received: 6, handled: 3, superseded: 2))
        #expect(why?.waiting.map(\.because) == ["throttled"])
    }

    @Test func `PU5 gives all at once while the host is active`() async throws {
        let stage = try Stage()
        let client = try program(stage)
        try client.attach("active")

        for _ in 1...10 { _ = try client.call(PushCall.send(Self.silent)) }
        await client.wait { received($0).count == 10 }

        #expect(received(client).map(\.push) == Array(1...10))
        #expect(try state(client).wakes == 3)
    }

    @Test func `PU6 keeps one until the mode is declared, and says so in events`() async throws {
        let stage = try Stage()
        let client = try program(stage)
        _ = try client.call(Subscribe(interval: nil, kinds: ["push"]))

        let reply = try client.call(PushCall.send(Self.silent))
        let kept = received(client).isEmpty
        _ = try client.call(Capability("remote-notification", on: true))
        await client.wait { !received($0).isEmpty }
        _ = try client.call(PushCall.answer(1, "failed"))
        await client.wait { $0.events.count == 4 }

        #expect(reply.because == "notDeclared")
        #expect(kept)
        let steps = client.events.compactMap { event -> PlayerEvent.Push? in
            if case .push(let push) = event.kind { push } else { nil }
        }
        #expect(steps.map(\.phase) == ["received", "held", "delivered", "handled"])
        #expect(steps.map(\.because) == [nil, "notDeclared", nil, nil])
        #expect(steps.map(\.result) == [nil, nil, nil, "failed"])
    }

    @Test func `PU8 ends one after 30 s, and notifies its program`() async throws {
        let stage = try Stage(modes: ["remote-notification"])
        let client = try program(stage)
        _ = try client.call(PushCall.send(Self.silent))
        await client.wait { !received($0).isEmpty }

        stage.clock.advance(by: 31)
        await client.wait { !$0.notices(PushExpired.self).isEmpty }
        _ = try client.call(PushCall.answer(1, "newData"))
        _ = try client.call(PushCall.send(Self.silent))
        await client.wait { received($0).count == 2 }

        #expect(client.notices(PushExpired.self).map(\.push) == [1])
        #expect(try state(client).counts.handled == 1)
    }

    @Test func `gives one to the next program if the first one ends`() async throws {
        let stage = try Stage(modes: ["remote-notification"])
        let first = try program(stage, ["a"])
        let second = try program(stage)
        _ = try second.call(PushCall.send(Self.silent, topic: "a"))
        await first.wait { !received($0).isEmpty }
        let before = received(second).isEmpty

        first.close()
        await second.wait { !received($0).isEmpty }

        #expect(before)
        #expect(received(second).map(\.push) == [1])
        #expect(received(second).map(\.attempt) == [2])
    }

    @Test func `performs verbs of a fixed list itself`() async throws {
        let stage = try Stage(modes: ["audio", "remote-notification"])
        let client = try stage.client()
        try client.attach("active")
        try client.play()

        let payload = "{\"aps\":{\"content-available\":1},\"undersong\":{\"command\":\"pause\"}}"
        _ = try client.call(Subscribe(interval: nil, kinds: ["push"]))
        _ = try client.call(PushCall.send(payload))
        await client.wait {
            $0.events.contains {
                if case .push(let push) = $0.kind { push.phase == "handled" } else { false }
            }
        }

        #expect(try client.call(GetStatus()).wantsPlayback == false)
    }

    @Test func `fails a verb that cannot be done`() async throws {
        let stage = try Stage(modes: ["remote-notification"])
        let client = try stage.client()
        _ = try client.call(Subscribe(interval: nil, kinds: ["push", "error"]))

        let payload = """
            {"aps":{"content-available":1},"undersong":{"command":"play","name":"Nothing"}}
            """
        _ = try client.call(PushCall.send(payload))
        await client.wait { $0.events.count == 4 }

        #expect(
            client.events.compactMap(\.failure).map(\.message)
                == ["cannot play Nothing: No queue is saved by that name"])
        #expect(try state(client).counts.handled == 1)
    }

    @Test(arguments: [
        ("[]", "cannot send the push: The payload is not a JSON object"),
        ("{}", "cannot send the push: The payload has no aps object"),
        (
            "{\"aps\":{},\"x\":\"" + String(repeating: "é", count: 2041) + "\"}",
            "cannot send the push: The payload has 4099 bytes, and 4096 are allowed"
        ),
    ])
    func `PU2 refuses a wrong payload with the reason`(payload: String, reason: String) throws {
        let stage = try Stage()
        let client = try stage.client()

        #expect(throws: ControlError(.invalidParams, reason)) {
            try client.call(PushCall.send(payload))
        }
    }

    @Test func `refuses another token, topic, type, provider and result`() throws {
        let stage = try Stage()
        let client = try stage.client()
        let token = try #require(try client.call(PushCall(.token)).token)
        var typed = PushCall.send(Self.silent)
        typed.type = "voip"
        var provider = PushCall(.provider)
        provider.provider = "apns"
        var ntfy = PushCall(.provider)
        (ntfy.provider, ntfy.url) = ("ntfy", "https://ntfy.example/t")

        #expect(token.count == 64)
        _ = try client.call(PushCall.send(Self.silent, token: token.uppercased()))
        for call in [
            PushCall.send(Self.silent, token: "00ff"), PushCall(.send), typed, provider, ntfy,
            PushCall.send(Self.silent, topic: String(repeating: "x", count: 256)),
            PushCall.answer(1, "done"), PushCall(.answer), PushCall(.missing), PushCall(.refused),
        ] {
            #expect(throws: ControlError.self) { try client.call(call) }
        }
    }

    @Test func `PU14: counts and reports what a provider has refused, with the reason`()
        async throws
    {
        let stage = try Stage()
        let client = try stage.client()
        _ = try client.call(Subscribe(interval: nil, kinds: ["push"]))

        _ = try client.call(PushCall.refused(because: "it was changed"))
        await client.wait { !$0.events.isEmpty }

        #expect(try state(client).counts == PushState.Counts(refused: 1))
        let steps = client.events.compactMap { event -> PlayerEvent.Push? in
            if case .push(let push) = event.kind { push } else { nil }
        }
        #expect(steps.map(\.phase) == ["refused"])
        #expect(steps.map(\.because) == ["it was changed"])
    }

    @Test func `takes one with the same identifier once`() throws {
        let stage = try Stage()
        let client = try stage.client()

        let first = try client.call(PushCall.send(Self.silent, id: "x"))
        let second = try client.call(PushCall.send(Self.silent, id: "x"))

        #expect(first.push == 1 && first.duplicate == nil)
        #expect(second.push == 1 && second.duplicate == true)
        #expect(try state(client).counts == PushState.Counts(received: 1, duplicates: 1))
    }

    /// Programs come and go, the host is opened and closed, the mode is declared and not, and pushes
    /// are repeated, wrong and urgent. PUSH_DAY in the environment is how many there are.
    @Test func `accounts for each push of a random mix over a day`() async throws {
        let count = ProcessInfo.processInfo.environment["PUSH_DAY"].flatMap { Int($0) } ?? 150
        var dice = SeededNumbers(7)
        let stage = try Stage(modes: ["remote-notification"])
        let watcher = try stage.client()
        _ = try watcher.call(Subscribe(interval: nil, kinds: ["push"]))
        var programs = [try program(stage)]
        var sent: [String] = []
        var (wrong, again) = (0, 0)
        for _ in 1...count {
            stage.clock.advance(by: Double(dice.below(2 * 86_400 / count)))
            switch dice.below(8) {
            case 0: programs.append(try program(stage, ["\(dice.below(5))"]))
            case 1: if programs.count > 1 { programs.remove(at: 0).close() }
            case 2: try watcher.attach(dice.below(2) == 0 ? "active" : "background")
            case 3:
                _ = try watcher.call(Capability("remote-notification", on: dice.below(4) > 0))
            default: break
            }
            for program in programs where dice.below(3) > 0 {
                for push in received(program) {
                    _ = try program.call(PushCall.answer(push.push, "noData"))
                }
            }
            let isOld = dice.below(8) == 0 && !sent.isEmpty
            let id = isOld ? sent[dice.below(sent.count)] : "\(sent.count)"
            let text =
                switch dice.below(10) {
                case 0: "{\"aps\":{\"alert\":\"x\"}}"
                case 1: "{\"aps\":{\"content-available\":1},\"undersong\":{\"command\":\"pause\"}}"
                case 2: "{\"aps\":[]}"
                default: Self.silent
                }
            var call = PushCall.send(text, topic: "\(dice.below(5))", id: id)
            call.now = dice.below(20) == 0
            do {
                let reply = try watcher.call(call)
                if reply.duplicate == true { again += 1 } else { sent.append(id) }
            } catch {
                wrong += 1
            }
        }
        let end = try state(watcher)
        await watcher.wait { Self.steps($0)["handled", default: 0] == end.counts.handled }

        let steps = Self.steps(watcher)
        let counts = end.counts
        #expect(counts.received == sent.count)
        #expect(counts.duplicates == again)
        #expect(counts.refused == wrong && wrong > 0 && again > 0)
        #expect(
            counts.received == counts.handled + counts.superseded + counts.abandoned
                + counts.handling + end.waiting.count)
        #expect(steps["received"] == counts.received)
        #expect(steps["refused", default: 0] == wrong + counts.superseded + counts.abandoned)
        #expect(counts.handled > 0 && counts.superseded > 0)
    }

    /// How many events there were of each phase.
    private static func steps(_ client: Client) -> [String: Int] {
        client.events.reduce(into: [:]) { steps, event in
            if case .push(let push) = event.kind { steps[push.phase, default: 0] += 1 }
        }
    }

    @Test func `keeps pushes after a shutdown until it is opened`() async throws {
        let stage = try Stage(modes: ["remote-notification"])
        let client = try program(stage)

        // The process of this service stays.
        _ = try client.call(Shutdown())
        let reply = try client.call(PushCall.send(Self.silent))
        let kept = received(client).isEmpty
        try client.attach("active")
        await client.wait { !received($0).isEmpty }

        #expect(reply.because == "shutDown")
        #expect(kept)
    }
}
