import Foundation
import TestSupport
import Testing
import UndersongBase
import UndersongControl

@testable import UndersongBackground
@testable import UndersongService

/// Remote notifications, over the socket.
@Suite(.blockingThreads, .timeLimit(.minutes(2))) struct `A service that gets pushes` {
    private static let silent = "{\"aps\":{\"content-available\":1}, \"a\": 9007199254740993}"

    /// A program that has registered for `topics`.
    private func program(_ stage: Stage, _ topics: [String]? = nil) throws -> Client {
        let client = try stage.client()
        _ = try client.call(RegisterForPushes(topics: topics))
        return client
    }

    private func counts(_ client: Client) throws -> PushStatus.Counts {
        try client.call(GetPushStatus()).counts
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

        let reply = try client.call(SendPush(Self.silent))
        await client.wait { !received($0).isEmpty }
        let during = try client.call(GetStatus()).suspended
        _ = try client.call(AnswerPush(1, .newData))
        let after = try client.call(GetStatus()).suspended

        #expect(reply == PushReceipt(push: 1))
        #expect(received(client).map(\.userInfo) == [Self.silent])
        #expect(received(client).map(\.topic) == ["net.undersong.undersong"])
        #expect(received(client).map(\.timeRemaining) == [30])
        #expect([before, during, after] == [true, false, true])
        #expect(try counts(client) == PushStatus.Counts(received: 1, handled: 1))
    }

    @Test func `PU6 keeps one until the mode is declared, and says so in events`() async throws {
        let stage = try Stage()
        let client = try program(stage)
        _ = try client.call(Subscribe(interval: nil, kinds: ["push"]))

        let reply = try client.call(SendPush(Self.silent))
        let kept = received(client).isEmpty
        _ = try client.call(DeclareMode(.remoteNotification, on: true))
        await client.wait { !received($0).isEmpty }
        _ = try client.call(AnswerPush(1, .failed))
        await client.wait { $0.events.count == 4 }

        #expect(reply.reason == .known(.notDeclared))
        #expect(kept)
        #expect(why?.waiting.map(\.reason) == [.known(.notDeclared)])
        let steps = client.events.compactMap { event -> PushReport? in
            if case .push(let push) = event.kind { push } else { nil }
        }
        #expect(steps.map(\.phase) == [.received, .held, .delivered, .handled])
        #expect(steps.map(\.because) == [nil, "notDeclared", nil, nil])
        #expect(steps.map(\.result) == [nil, nil, nil, .failed])
    }

    @Test func `PU8 ends one after 30 s, and notifies its program`() async throws {
        let stage = try Stage(modes: ["remote-notification"])
        let client = try program(stage)
        _ = try client.call(SendPush(Self.silent))
        await client.wait { !received($0).isEmpty }

        stage.clock.advance(by: 31)
        await client.wait { !$0.notices(PushExpired.self).isEmpty }
        _ = try client.call(AnswerPush(1, .newData))
        _ = try client.call(SendPush(Self.silent))
        await client.wait { received($0).count == 2 }

        #expect(client.notices(PushExpired.self).map(\.push) == [1])
        #expect(try counts(client).handled == 1)
    }

    @Test func `gives one to the next program if the first one ends`() async throws {
        let stage = try Stage(modes: ["remote-notification"])
        let first = try program(stage, ["a"])
        let second = try program(stage)
        _ = try second.call(SendPush(Self.silent, topic: "a"))
        await first.wait { !received($0).isEmpty }
        let before = received(second).isEmpty

        first.close()
        await second.wait { !received($0).isEmpty }

        #expect(before)
        #expect(received(second).map(\.push) == [1])
        #expect(received(second).map(\.attempt) == [2])
    }

    @Test func `refuses a wrong payload, token, topic and provider`() throws {
        let stage = try Stage()
        let client = try stage.client()
        let token = try client.call(GetPushToken()).token
        var (sent, other) = (SendPush(Self.silent), SendPush(Self.silent))
        (sent.token, other.token) = (token.uppercased(), "00ff")
        let topic = String(repeating: "x", count: 256)

        #expect(token.count == 64)
        _ = try client.call(sent)
        #expect(
            throws: ControlError(
                .invalidParams, "cannot send the push: The payload is not a JSON object")
        ) { try client.call(SendPush("[]")) }
        #expect(throws: ControlError.self) { try client.call(other) }
        #expect(throws: ControlError.self) { try client.call(SendPush(Self.silent, topic: topic)) }
        #expect(throws: ControlError.self) {
            try client.call(SetPushProvider(.ntfy(url: "https://ntfy.example/t")))
        }
    }

    @Test func `PU14: counts and reports what a provider has refused, with the reason`()
        async throws
    {
        let stage = try Stage()
        let client = try stage.client()
        _ = try client.call(Subscribe(interval: nil, kinds: ["push"]))

        _ = try client.call(ReportRefusedPush(reason: "it was changed"))
        await client.wait { !$0.events.isEmpty }

        #expect(try counts(client) == PushStatus.Counts(refused: 1))
        let steps = client.events.compactMap { event -> PushReport? in
            if case .push(let push) = event.kind { push } else { nil }
        }
        #expect(steps.map(\.phase) == [.refused])
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
                _ = try watcher.call(DeclareMode(.remoteNotification, on: dice.below(4) > 0))
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
        let reply = try client.call(SendPush(Self.silent))
        let kept = received(client).isEmpty
        try client.attach(.active)
        await client.wait { !received($0).isEmpty }

        #expect(reply.reason == .known(.shutDown))
        #expect(kept)
    }
}
