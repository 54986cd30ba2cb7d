import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongLinuxPlatform

/// A client of UnifiedPush on a bus with distributors, whose messages are not encrypted.
private final class PushStage: Sendable {
    static let name = "net.undersong.test"

    private struct State {
        var kept: [UnifiedPushRegistration] = []
        var made = 0
        var taken: [String] = []
        /// True if pushes are taken; otherwise their answers wait.
        var takes = true
        var waiting: [@Sendable (Bool) -> Void] = []
        var gaps: [String] = []
        var refusals: [String] = []
        var logs: [String] = []
    }

    let mock: MockProgram
    private let state = Mutex(State())

    init(_ commands: String...) throws {
        mock = try MockProgram("mock-distributor")
        for command in commands { try mock.send(command) }
    }

    var kept: [UnifiedPushRegistration] { state.withLock { $0.kept } }
    /// The delivered pushes, as texts.
    var taken: [String] { state.withLock { $0.taken } }
    /// The identifiers of the reports that messages may be missing.
    var gaps: [String] { state.withLock { $0.gaps } }
    /// Why messages were refused.
    var refusals: [String] { state.withLock { $0.refusals } }
    var logs: [String] { state.withLock { $0.logs } }

    /// Has pushes wait for `release`.
    func hold() { state.withLock { $0.takes = false } }

    /// Says of the pushes that wait whether they were taken; takes all others from now on.
    func release(_ isTaken: Bool = true) {
        let waiting = state.withLock { state in
            state.takes = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for answer in waiting { answer(isTaken) }
    }

    func client(
        _ registration: UnifiedPushRegistration? = nil, distributor: String? = nil,
        vapid: String? = nil, clock: ManualClock? = nil
    ) -> UnifiedPushClient {
        var configuration = UnifiedPushClient.Configuration(
            name: Self.name, description: "a test")
        configuration.distributor = distributor.map { UnifiedPush.distributorPrefix + $0 }
        configuration.vapid = vapid
        let client = UnifiedPushClient(
            registration, configuration, services: services,
            bus: BusService(.at(mock.address), clock: SystemClock()), clock: clock ?? SystemClock())
        client.start()
        return client
    }

    private var services: UnifiedPushClient.Services {
        UnifiedPushClient.Services(
            renew: { [self] in
                let number = state.withLock { state in
                    state.made += 1
                    return state.made
                }
                return UnifiedPushRegistration(
                    token: "token\(number)",
                    keys: UnifiedPushRegistration.Keys(
                        privateKey: "private", publicKey: "public", authSecret: "auth"))
            },
            keep: { [self] registration in
                state.withLock { $0.kept.append(registration) }
                return nil
            }, identify: { "\($0)" },
            open: { bytes, _ in
                bytes.first == UInt8(ascii: "!") ? .failure(.init("a test")) : .success(bytes)
            },
            deliver: { [self] identifier, content, answer in
                let takes = state.withLock { state in
                    switch content {
                    case .payload(let payload):
                        state.taken.append(String(decoding: payload, as: UTF8.self))
                    case .missing: state.gaps.append(identifier)
                    case .refused(let reason): state.refusals.append(reason)
                    }
                    if !state.takes { state.waiting.append(answer) }
                    return state.takes
                }
                if takes { answer(true) }
            },
            log: { [self] text in state.withLock { $0.logs.append(text) } })
    }

    /// The next line of the distributor's that begins with this word.
    func line(_ word: String) throws -> String {
        while true {
            let line = try mock.lines.next()
            if line.hasPrefix(word) { return line }
        }
    }
}

/// Connectors and distributors on a private bus.
@Suite(.blockingThreads, .serialized, .timeLimit(.minutes(2)))
struct `A client of UnifiedPush` {
    private static let hello = "68656c6c6f"

    @Test func `A UnifiedPush client registers, and gets messages at its endpoint`() throws {
        let stage = try PushStage("start a")
        let client = stage.client()

        let request = try stage.line("register")
        try waitUntil { client.status.state == .registered }
        try stage.mock.send("message \(Self.hello) 7")
        let answer = try stage.line("answered")
        client.stop()

        #expect(request == "register 2 net.undersong.test token1 'a test' -")
        #expect(client.status.endpoint == "https://push.example/1")
        #expect(client.status.distributor == "org.unifiedpush.Distributor.a")
        #expect(stage.kept.last?.endpoint == "https://push.example/1")
        #expect(stage.taken == ["hello"])
        #expect(answer.contains("dbus.String('id'): dbus.String('7'"))
    }

    @Test func `A UnifiedPush client acknowledges a message only when it was accepted`() throws {
        let stage = try PushStage("start a")
        stage.hold()
        let client = stage.client()
        _ = try stage.line("register")
        try waitUntil { client.status.state == .registered }

        try stage.mock.send("message \(Self.hello) 7")
        try waitUntil { stage.taken == ["hello"] }
        try stage.mock.send("introspect")
        let first = try stage.mock.lines.next()
        stage.release()
        let second = try stage.mock.lines.next()
        client.stop()

        #expect(first.hasPrefix("introspection"))
        #expect(second.hasPrefix("answered Message"))
    }

    @Test func `A UnifiedPush client talks version 1 to a distributor that has no other`() throws {
        let stage = try PushStage("start old 1")
        let client = stage.client()

        let request = try stage.line("register")
        try waitUntil { client.status.state == .registered }
        try stage.mock.send("message \(Self.hello)")
        try waitUntil { stage.taken == ["hello"] }
        try stage.mock.send("endpoint https://push.example/2")
        try waitUntil { client.status.endpoint == "https://push.example/2" }
        try stage.mock.send("confirm")
        try stage.mock.send("end")
        try waitUntil { client.status.reason?.known == .unregistered }
        client.stop()

        #expect(request == "register 1 net.undersong.test token1 'a test' -")
        #expect(stage.kept.contains { $0.version == .one })
        #expect(stage.gaps == ["unifiedpush missing token1 1", "unifiedpush missing token1 2"])
    }

    @Test(.rule("PU13")) func `A UnifiedPush client keeps its token over restarts of both`() throws
    {
        let stage = try PushStage("start a")
        let first = stage.client()
        try waitUntil { first.status.state == .registered }
        first.stop()
        let kept = stage.kept.last

        let second = stage.client(kept)
        try waitUntil { second.status.state == .registered }
        try stage.mock.send("stop a")
        try waitUntil { second.status.reason?.known == .noDistributor }
        try stage.mock.send("start a")
        try waitUntil { second.status.state == .registered }
        // The bus's reports may be ahead of the mock's, but not its answer to this.
        try stage.mock.send("answer accept")
        second.stop()

        let requests = stage.mock.lines.rest.filter { $0.hasPrefix("register") }
        #expect(requests.map { $0.split(separator: " ")[3] } == ["token1", "token1", "token1"])
        #expect(second.status.endpoint == "https://push.example/1")
    }

    @Test(.rule("PU13")) func `A UnifiedPush client shows why a registration fails`() throws {
        let stage = try PushStage("start a", "answer refuse ACTION_REQUIRED")
        let client = stage.client()
        var problems: [UnifiedPushProblem?] = []

        for mode in [
            "refuse NETWORK", "refuse VAPID_REQUIRED", "refuse UNAUTHORIZED",
            "refuse INTERNAL_ERROR", "nonsense", "error org.example.Error", "accept",
        ] {
            try waitUntil { ![nil, .noBus].contains(client.status.reason?.known) }
            problems.append(client.status.reason?.known)
            try stage.mock.send("answer \(mode)")
            try stage.mock.send("stop a")
            try waitUntil { client.status.reason?.known == .noDistributor }
            try stage.mock.send("start a")
            try waitUntil { client.status.reason?.known != .noDistributor }
        }
        try waitUntil { client.status.state == .registered }
        client.stop()

        #expect(
            problems == [
                .actionRequired, .network, .vapidRequired, .unauthorized, .internalError,
                .invalidAnswer, .invalidAnswer,
            ])
        #expect(stage.logs.contains { $0.contains("org.example.Error: for a test") })
    }

    @Test func `A UnifiedPush client waits for a bus and a distributor that come late, or again`()
        throws
    {
        let stage = try PushStage("kill_bus")
        let client = stage.client()
        let first = client.status.reason?.known

        try stage.mock.send("start_bus")
        try waitUntil { client.status.reason?.known == .noDistributor }
        try stage.mock.send("start a")
        try waitUntil { client.status.state == .registered }
        try stage.mock.send("kill_bus")
        try waitUntil { client.status.reason?.known == .noBus }
        try stage.mock.send("start_bus")
        try stage.mock.send("start a")
        try waitUntil { client.status.state == .registered }
        client.stop()

        #expect(first == .noBus)
        #expect(stage.kept.allSatisfy { $0.token == "token1" })
    }

    @Test(.rule("PU13")) func `A UnifiedPush client ignores wrong tokens and endpoints`() throws {
        let stage = try PushStage("start a")
        let client = stage.client()
        try waitUntil { client.status.state == .registered }

        try stage.mock.send("message \(Self.hello) 7 other")
        let message = try stage.line("error")
        try stage.mock.send("endpoint https://push.example/9 other")
        let endpoint = try stage.line("error")
        try stage.mock.send("endpoint not_an_url")
        let url = try stage.line("error")
        try stage.mock.send("end other")
        let end = try stage.line("error")
        client.stop()

        let failed = "org.freedesktop.DBus.Error.Failed"
        #expect(message == "error Message \(failed)" && end == "error Unregistered \(failed)")
        #expect(endpoint == "error NewEndpoint \(failed)" && url == endpoint)
        #expect(stage.taken == [])
        #expect(stage.kept.last?.endpoint == "https://push.example/1")
    }

    @Test(.rule("PU13")) func `A UnifiedPush client ignores malformed arguments`() throws {
        let stage = try PushStage("start a")
        let client = stage.client()
        _ = try stage.line("register")
        try waitUntil { client.status.state == .registered }

        for method in ["Message", "NewEndpoint", "Unregistered", "Other"] {
            for kind in ["none", "string", "other", "empty", "number", "text", "long", "two"] {
                // An end needs no more than a token.
                if method == "Unregistered", kind == "text" { continue }
                try stage.mock.send("malformed \(method) \(kind)")
                let name = method == "Other" ? "UnknownMethod" : "InvalidArgs"
                #expect(
                    try stage.mock.lines.next()
                        == "error \(method) org.freedesktop.DBus.Error.\(name)",
                    "\(method) \(kind)")
            }
        }
        try stage.mock.send("malformed Message huge")
        let huge = try stage.line("error")
        client.stop()

        #expect(huge == "error Message org.freedesktop.DBus.Error.InvalidArgs")
        #expect(client.status.endpoint == "https://push.example/1")
        #expect(stage.taken == [] && stage.gaps == [])
    }

    @Test func `A UnifiedPush client refuses most of a flood, and accepts what comes after it`()
        throws
    {
        let stage = try PushStage("start a")
        stage.hold()
        let client = stage.client()
        try waitUntil { client.status.state == .registered }

        try stage.mock.send("flood 66 500")
        for _ in 0..<436 { _ = try stage.line("error Message") }
        stage.release()
        for _ in 0..<64 { _ = try stage.line("answered Message") }
        try stage.mock.send("message \(Self.hello) 7")
        _ = try stage.line("answered Message")
        client.stop()

        #expect(stage.taken.count == 65)
        #expect(stage.taken.last == "hello")
    }

    @Test func `A UnifiedPush client acknowledges what it cannot read, and says so`() throws {
        let stage = try PushStage("start a")
        let client = stage.client()
        try waitUntil { client.status.state == .registered }

        try stage.mock.send("message 21 7")
        _ = try stage.line("answered Message")
        client.stop()

        #expect(client.status.refused == 1 && client.status.refusal == "a test")
        #expect(stage.logs == ["cannot accept a message of UnifiedPush: a test"])
        #expect(stage.refusals == ["a test"])
    }

    @Test func `A UnifiedPush client gets another token when the distributor has ended the first`()
        throws
    {
        let stage = try PushStage("start a")
        let clock = ManualClock()
        let client = stage.client(clock: clock)
        _ = try stage.line("register")
        try waitUntil { client.status.state == .registered }

        try stage.mock.send("end")
        _ = try stage.line("answered Unregistered")
        let status = client.status
        clock.advance(by: 31)
        let request = try stage.line("register")
        try waitUntil { client.status.state == .registered }
        client.stop()

        #expect(status.reason?.known == .unregistered && status.retry ?? 0 > 29)
        #expect(request.contains(" token2 "))
        #expect(stage.gaps == ["unifiedpush missing token1 1"])
    }

    @Test func `A UnifiedPush client ends its registration when it is to leave`() throws {
        let stage = try PushStage("start a", "start old 1")
        let client = stage.client(distributor: "a")
        try waitUntil { client.status.state == .registered }

        client.leave()

        #expect(try stage.line("unregister") == "unregister 2 token1")
    }

    @Test func `A UnifiedPush client leaves a distributor that does not answer, or is gone`() throws
    {
        let stage = try PushStage("start a")
        let client = stage.client()
        try waitUntil { client.status.state == .registered }
        try stage.mock.send("stop a")

        client.leave()
        let nowhere = stage.client()
        nowhere.leave()

        #expect(stage.mock.lines.rest.filter { $0.hasPrefix("unregister") } == [])
    }

    @Test func `A UnifiedPush client waits for its name, and believes only the bus about its end`()
        throws
    {
        let stage = try PushStage("start a", "take \(PushStage.name)")
        let client = stage.client()
        try waitUntil { client.status.reason?.known == .nameTaken }
        try stage.mock.send("give \(PushStage.name)")
        try waitUntil { client.status.state == .registered }

        try stage.mock.send("forge a")
        try stage.mock.send("introspect")
        let introspection = try stage.line("introspection")
        client.stop()

        #expect(client.status.reason?.known != .noDistributor)
        #expect(
            introspection == "introspection org.unifiedpush.Connector2 Message NewEndpoint "
                + "Unregistered org.unifiedpush.Connector1 Message NewEndpoint Unregistered")
    }

    @Test func `A UnifiedPush client says when the attempt to register is over, or the time`()
        throws
    {
        let stage = try PushStage("start a", "answer silence")
        let clock = ManualClock()
        let client = stage.client(clock: clock)
        let first = Inbox<UnifiedPushStatus>()
        let second = Inbox<UnifiedPushStatus>()

        client.whenSettled(within: 3) { first.put($0) }
        _ = try stage.line("register")
        clock.advance(by: 4)
        let late = try first.next()
        client.whenSettled(within: 1000) { second.put($0) }
        clock.advance(by: 100)
        let settled = try second.next()
        client.stop()

        #expect(late.state != .registered && late.reason?.known == nil)
        #expect(settled.reason?.known == .noAnswer && settled.retry == 30)
    }
}
