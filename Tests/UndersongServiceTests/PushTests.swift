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

    @Test(.rule("A12"))
    func `A push wakes the service, goes to the program, and is followed by suspension`()
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

    @Test(.rule("PU6"))
    func `The service keeps a push until the mode is declared, and says so in events`() async throws
    {
        let stage = try Stage()
        let client = try program(stage)
        _ = try client.call(Subscribe(interval: nil, kinds: ["push"]))

        let reply = try client.call(SendPush(Self.silent))
        let kept = received(client).isEmpty
        let why = try client.call(GetWhy()).pushes
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
        #expect(steps.map(\.reason) == [nil, "notDeclared", nil, nil])
        #expect(steps.map(\.result) == [nil, nil, nil, .failed])
    }

    @Test(.rule("H3")) func `The service ends a push after 30 s, and notifies its program`()
        async throws
    {
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

    @Test func `The service gives a push to the next program if the first one ends`() async throws {
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

    @Test func `The service refuses a push with a wrong payload, token, topic or provider`() throws
    {
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

    @Test(.rule("PU14"))
    func `The service counts and reports what a push provider has refused, with the reason`()
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
        #expect(steps.map(\.reason) == ["it was changed"])
    }

    @Test func `The service keeps pushes after a shutdown until it is opened`() async throws {
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
