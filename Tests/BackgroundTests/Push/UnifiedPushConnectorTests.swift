import TestSupport
import Testing

@testable import UndersongBackground

/// A connector with a clock by hand, whose disk and keys work at once.
private struct SteppedConnector {
    var connector: UnifiedPushConnector
    var now = 1000.0
    /// The number of registrations made.
    var made = 0
    /// The trouble of the disk; nil if there is none.
    var diskTrouble: String?
    var hasKeys = true
    /// The effects since the last call of `take`, other than those that it performs itself.
    private(set) var effects: [UnifiedPushConnector.Effect] = []
    /// The registrations that the disk has got.
    private(set) var kept: [UnifiedPushRegistration] = []

    init(
        _ registration: UnifiedPushRegistration? = nil, distributor: String? = nil,
        vapid: String? = nil
    ) {
        connector = UnifiedPushConnector(registration, distributor: distributor, vapid: vapid)
    }

    mutating func handle(_ input: UnifiedPushConnector.Input) {
        for effect in connector.handle(input, at: now) {
            switch effect {
            case .renew:
                made += 1
                handle(.renewed(hasKeys ? Self.registration(made) : nil))
            case .keep(let registration):
                if diskTrouble == nil { kept.append(registration) }
                handle(.kept(diskTrouble))
            default: effects.append(effect)
            }
        }
    }

    /// The effects since the last call.
    mutating func drain() -> [UnifiedPushConnector.Effect] {
        defer { effects = [] }
        return effects
    }

    mutating func pass(_ seconds: Double) {
        now += seconds
        handle(.timePassed)
    }

    /// The connector finds the bus and these distributors.
    mutating func begin(_ running: [String] = ["a"], startable: [String] = []) {
        handle(.busCame)
        handle(.named(true))
        handle(
            .distributors(
                running: running.map(Self.name), startable: startable.map(Self.name)))
    }

    /// The connector is registered at `a`.
    mutating func register(_ url: String = "https://push.example/1") {
        begin()
        handle(.answered(1, .accepted))
        handle(.endpoint(url, token: "token \(max(made, 1))", call: nil))
        _ = drain()
    }

    var status: UnifiedPushStatus { connector.status(at: now) }
    var due: Double? { connector.nextDue(at: now).boot }

    static func name(_ word: String) -> String { UnifiedPush.distributorPrefix + word }

    static func registration(_ number: Int) -> UnifiedPushRegistration {
        UnifiedPushRegistration(
            token: "token \(number)",
            keys: UnifiedPushRegistration.Keys(
                privateKey: "private \(number)", publicKey: "public \(number)",
                authSecret: "auth \(number)"))
    }
}

@Suite struct `A UnifiedPush connector` {
    private typealias Effect = UnifiedPushConnector.Effect

    /// The distributors, versions and numbers of the requests among these effects.
    private func requests(_ effects: [Effect]) -> [String] {
        effects.compactMap { effect in
            guard case .register(let registration, let version, let number) = effect else {
                return nil
            }
            let name = registration.distributor?.dropFirst(UnifiedPush.distributorPrefix.count)
            return "\(name ?? "nowhere") \(version) \(number) \(registration.token)"
        }
    }

    @Test func `UnifiedPush registers with the first distributor once that is on the disk`() {
        var stepped = SteppedConnector()

        stepped.handle(.busCame)
        let first = stepped.drain()
        stepped.handle(.named(true))
        let second = stepped.drain()
        let before = stepped.kept
        stepped.handle(
            .distributors(
                running: ["c", "b"].map(SteppedConnector.name),
                startable: [SteppedConnector.name("a")]))

        #expect(first == [.requestName])
        #expect(second == [.findDistributors])
        #expect(before.isEmpty)
        #expect(stepped.kept.map(\.token) == ["token 1"])
        #expect(stepped.kept.first?.distributor == SteppedConnector.name("b"))
        #expect(requests(stepped.drain()) == ["b two 1 token 1"])
        #expect(stepped.status.state != .registered && stepped.status.reason?.known == nil)
    }

    @Test(.rule("PU13"))
    func `UnifiedPush keeps its token over restarts, and a new endpoint replaces the old`() {
        var first = SteppedConnector()
        first.register()
        var second = SteppedConnector(first.kept.last)

        second.begin()
        let request = requests(second.drain())
        second.handle(.answered(1, .accepted))
        second.handle(.endpoint("https://push.example/1", token: "token 1", call: 4))
        let same = second.drain()
        second.handle(.endpoint("https://push.example/2", token: "token 1", call: 5))
        let other = second.drain()

        #expect(first.status.state == .registered)
        #expect(first.status.endpoint == "https://push.example/1")
        #expect(first.status.p256dh == "public 1" && first.status.auth == "auth 1")
        #expect(request == ["a two 1 token 1"])
        #expect(second.made == 0)
        #expect(same == [.accept(4)])
        #expect(
            other == [
                .log(
                    "messages of UnifiedPush may be missing: The distributor has named another "
                        + "endpoint"),
                .deliver("unifiedpush missing token 1 1", .missing), .accept(5),
            ])
        #expect(second.kept.map(\.endpoint) == ["https://push.example/2"])
        #expect(second.status.endpoint == "https://push.example/2")
    }

    @Test func `UnifiedPush accepts an endpoint that comes before the answer`() {
        var stepped = SteppedConnector()
        stepped.begin()

        stepped.handle(.endpoint("https://push.example/1", token: "token 1", call: nil))
        let isRegistered = stepped.status.state == .registered
        stepped.handle(.answered(1, .accepted))

        #expect(isRegistered && stepped.status.state == .registered)
        #expect(stepped.kept.last?.version == .two)
    }

    @Test(arguments: [
        "", "not_an_url", "ftp://a/b", "https://", "https:///x", "https://a b", "https://a/\u{e9}",
        "https://a/" + String(repeating: "x", count: 991),
    ])
    func `UnifiedPush ignores an endpoint that is not valid`(url: String) {
        var stepped = SteppedConnector()
        stepped.register()

        stepped.handle(.endpoint(url, token: "token 1", call: 3))

        #expect(
            stepped.drain() == [.refuse(3, "The endpoint is not a URL of HTTP or HTTPS")])
        #expect(stepped.status.endpoint == "https://push.example/1")
    }

    @Test func `UnifiedPush ignores what is for another token`() {
        var stepped = SteppedConnector()
        stepped.register()

        stepped.handle(.endpoint("https://push.example/x", token: "token 2", call: 1))
        stepped.handle(.unregistered(token: "token 2", call: 2))
        stepped.handle(.unregistered(token: "", call: nil))
        stepped.handle(
            .message(.init(token: "token 2", bytes: [1], identifier: "m", call: 3)))

        #expect(
            stepped.drain() == [1, 2, 3].map { .refuse($0, "The token is not known") })
        #expect(stepped.status.state == .registered)
        #expect(stepped.status.endpoint == "https://push.example/1")
    }

    @Test func `UnifiedPush falls back to version 1, and remembers that`() {
        var stepped = SteppedConnector()
        stepped.begin()
        _ = stepped.drain()
        stepped.handle(.answered(1, .unknownInterface))
        let requests = requests(stepped.drain())
        stepped.handle(.answered(2, .accepted))
        stepped.handle(.endpoint("https://push.example/1", token: "token 1", call: nil))
        var next = SteppedConnector(stepped.kept.last)
        next.begin()

        #expect(requests == ["a one 2 token 1"])
        #expect(self.requests(next.drain()) == ["a one 1 token 1"])
    }

    @Test func `UnifiedPush asks another distributor for version 2 first`() {
        var stepped = SteppedConnector()
        stepped.begin()
        stepped.handle(.answered(1, .unknownInterface))
        stepped.handle(.answered(2, .accepted))
        stepped.handle(.endpoint("https://push.example/1", token: "token 1", call: nil))
        var next = SteppedConnector(stepped.kept.last, distributor: SteppedConnector.name("b"))

        next.begin(["a", "b"])

        #expect(requests(next.drain()) == ["b two 1 token 1"])
    }

    @Test func `UnifiedPush does not mistake a late answer for that of the next request`() {
        var stepped = SteppedConnector()
        stepped.begin()
        stepped.pass(UnifiedPushConnector.answerTime)
        stepped.pass(30)
        let requests = requests(stepped.drain())
        stepped.handle(.answered(1, .refused("NETWORK")))

        #expect(requests == ["a two 1 token 1", "a two 2 token 1"])
        #expect(stepped.status.reason?.known == nil)
        #expect(!stepped.connector.isSettled)
    }

    @Test func `UnifiedPush gives up a distributor that has neither version`() {
        var stepped = SteppedConnector()
        stepped.begin()
        stepped.handle(.answered(1, .unknownInterface))
        stepped.handle(.answered(2, .unknownInterface))

        #expect(stepped.status.reason?.known == .invalidAnswer)
        #expect(stepped.status.retry == 30)
    }

    @Test(
        .rule("PU13"),
        arguments: [
            ("INTERNAL_ERROR", .internalError), ("NETWORK", .network),
            ("ACTION_REQUIRED", .actionRequired), ("VAPID_REQUIRED", .vapidRequired),
            ("UNAUTHORIZED", .unauthorized), ("", .internalError), ("SOMETHING", .internalError),
        ] as [(String, UnifiedPushProblem)])
    func `UnifiedPush shows each reason of a failure, and tries again later and later`(
        reason: String, problem: UnifiedPushProblem
    ) {
        var stepped = SteppedConnector()
        stepped.begin()
        _ = stepped.drain()
        var delays: [Double] = []

        for number in 1...9 {
            stepped.handle(.answered(number, .refused(reason)))
            delays.append((stepped.status.retry ?? 0).rounded())
            #expect(stepped.status.reason?.known == problem)
            stepped.pass((stepped.status.retry ?? 0) - 0.1)
            let early = requests(stepped.drain())
            stepped.pass(0.2)
            #expect(early.isEmpty && requests(stepped.drain()) == ["a two \(number + 1) token 1"])
        }
        #expect(delays == [30, 60, 120, 240, 480, 960, 1920, 3600, 3600])
    }

    @Test func `UnifiedPush retries at once with another network, and when the distributor starts`()
    {
        var stepped = SteppedConnector()
        stepped.begin()
        _ = stepped.drain()
        stepped.handle(.answered(1, .refused("NETWORK")))
        stepped.handle(.awoke)
        let awoken = requests(stepped.drain())
        stepped.handle(.answered(2, .refused("ACTION_REQUIRED")))
        stepped.handle(.distributor(SteppedConnector.name("b"), isRunning: true))
        let other = requests(stepped.drain())
        stepped.handle(.distributor(SteppedConnector.name("a"), isRunning: true))

        #expect(awoken == ["a two 2 token 1"])
        #expect(other.isEmpty)
        #expect(requests(stepped.drain()) == ["a two 3 token 1"])
    }

    @Test func `UnifiedPush does not wait for ever for an answer or an endpoint`() {
        var stepped = SteppedConnector()
        stepped.begin()
        stepped.pass(59)
        let early = stepped.status.reason?.known
        stepped.pass(1)
        let noAnswer = stepped.status.reason?.known
        stepped.pass(30)
        stepped.handle(.answered(1, .accepted))
        let late = stepped.status
        stepped.handle(.answered(2, .accepted))
        stepped.pass(60)

        #expect(early == nil && noAnswer == .noAnswer)
        // The answer to the first request says nothing about the second one.
        #expect(late.reason?.known == nil && late.state != .registered)
        #expect(stepped.status.reason?.known == .noEndpoint)
    }

    @Test func `UnifiedPush waits for a distributor that comes late`() {
        var stepped = SteppedConnector()
        stepped.begin([])
        let problem = stepped.status.reason?.known
        let due = stepped.due
        stepped.handle(.distributor(SteppedConnector.name("z"), isRunning: true))

        #expect(problem == .noDistributor)
        #expect(due == nil)
        #expect(requests(stepped.drain()) == ["z two 1 token 1"])
    }

    @Test func `UnifiedPush waits for the distributor whose endpoint was given away, and no other`()
    {
        var stepped = SteppedConnector()
        stepped.register()

        stepped.handle(.distributor(SteppedConnector.name("a"), isRunning: false))
        let gone = stepped.status
        stepped.handle(.distributor(SteppedConnector.name("b"), isRunning: true))
        let other = stepped.drain()
        stepped.handle(.distributor(SteppedConnector.name("a"), isRunning: true))

        #expect(gone.reason?.known == .noDistributor && gone.state != .registered)
        #expect(gone.endpoint == "https://push.example/1")
        #expect(other == [])
        #expect(requests(stepped.drain()) == ["a two 2 token 1"])
    }

    @Test func `UnifiedPush starts a distributor that only the bus can start`() {
        var stepped = SteppedConnector()
        stepped.begin([], startable: ["s"])
        let request = requests(stepped.drain())
        stepped.handle(.answered(1, .noService))

        #expect(request == ["s two 1 token 1"])
        #expect(stepped.status.reason?.known == .noDistributor)
    }

    @Test func `UnifiedPush uses the distributor that was named, and no other`() {
        var stepped = SteppedConnector(distributor: SteppedConnector.name("named"))
        stepped.begin(["a", "b"])
        let problem = stepped.status.reason?.known
        stepped.handle(.distributor(SteppedConnector.name("named"), isRunning: true))

        #expect(problem == .noDistributor)
        #expect(stepped.status.distributor == SteppedConnector.name("named"))
        #expect(requests(stepped.drain()) == ["named two 1 token 1"])
    }

    @Test func `UnifiedPush registers again when the bus has gone and come back`() {
        var stepped = SteppedConnector()
        stepped.register()

        stepped.handle(.busWent)
        let problem = stepped.status.reason?.known
        stepped.begin()

        #expect(problem == .noBus)
        #expect(requests(stepped.drain()) == ["a two 2 token 1"])
        #expect(stepped.made == 1)
    }

    @Test func `UnifiedPush claims its bus name when another program gives it back`() {
        var stepped = SteppedConnector()
        stepped.handle(.busCame)
        stepped.handle(.named(false))
        stepped.handle(
            .distributors(running: [SteppedConnector.name("a")], startable: []))
        let problem = stepped.status.reason?.known
        let before = requests(stepped.drain())
        stepped.handle(.nameIsFree)
        let effects = stepped.drain()
        stepped.begin()

        #expect(problem == .nameTaken)
        #expect(before.isEmpty && effects == [.requestName])
        #expect(requests(stepped.drain()).count == 1)
    }

    @Test
    func `UnifiedPush makes a new token and new keys when the distributor ends a registration`() {
        var stepped = SteppedConnector()
        stepped.register()

        stepped.handle(.unregistered(token: "token 1", call: 8))
        let effects = stepped.drain()
        let status = stepped.status
        stepped.pass(30)

        #expect(
            effects == [
                .log(
                    "messages of UnifiedPush may be missing: The distributor has ended the "
                        + "registration"),
                .deliver("unifiedpush missing token 1 1", .missing), .accept(8),
            ])
        #expect(status.reason?.known == .unregistered && status.retry == 30)
        #expect(status.endpoint == nil && status.p256dh == "public 2")
        #expect(stepped.kept.last?.keys.privateKey == "private 2")
        #expect(requests(stepped.drain()) == ["a two 2 token 2"])
        // A process that ends before that does not use the old ones either.
        var next = SteppedConnector(stepped.kept.last)
        next.begin()
        #expect(requests(next.drain()) == ["a two 1 token 2"])
    }

    /// The identifiers of the reports that messages may be missing among these effects.
    private func gaps(_ effects: [Effect]) -> [String] {
        effects.compactMap { effect in
            guard case .deliver(let identifier, .missing) = effect else { return nil }
            return identifier
        }
    }

    @Test(.rule("PU12"))
    func `UnifiedPush reports a possible gap until that is accepted, in later processes too`() {
        var first = SteppedConnector()
        first.register()
        first.handle(.endpoint("https://push.example/2", token: "token 1", call: nil))
        let kept = first.kept.last
        let once = gaps(first.drain())
        first.handle(.notTaken("unifiedpush missing token 1 1"))
        first.pass(2)
        let again = gaps(first.drain())

        var second = SteppedConnector(kept)
        second.begin()
        let later = gaps(second.drain())
        second.handle(.endpoint("https://push.example/2", token: "token 1", call: nil))
        second.handle(.taken("unifiedpush missing token 1 1"))
        var third = SteppedConnector(second.kept.last)
        third.begin()

        let report = ["unifiedpush missing token 1 1"]
        #expect(kept?.missing == report.first && kept?.endpoint == "https://push.example/2")
        #expect(once == report && again == report && later == report)
        #expect(second.kept.last?.missing == nil && second.kept.count == 1)
        #expect(gaps(second.drain()) == [] && gaps(third.drain()) == [])
    }

    @Test(.rule("PU12"))
    func `UnifiedPush reports each gap by its own name, but one for all while it waits`() {
        var stepped = SteppedConnector()
        stepped.register()

        stepped.handle(.endpoint("https://push.example/2", token: "token 1", call: nil))
        stepped.handle(.endpoint("https://push.example/3", token: "token 1", call: nil))
        let first = gaps(stepped.drain())
        stepped.handle(.taken("unifiedpush missing token 1 1"))
        stepped.handle(.endpoint("https://push.example/2", token: "token 1", call: nil))
        let second = gaps(stepped.drain())
        // The registration with new keys still has it to report.
        stepped.handle(.unregistered(token: "token 1", call: nil))
        let third = gaps(stepped.drain())
        let renewed = stepped.kept.last
        stepped.handle(.taken("unifiedpush missing token 1 2"))

        #expect(first == ["unifiedpush missing token 1 1"])
        #expect(second == ["unifiedpush missing token 1 2"])
        #expect(third == [])
        #expect(renewed?.token == "token 2")
        #expect(renewed?.missing == "unifiedpush missing token 1 2" && renewed?.gaps == 2)
        #expect(stepped.kept.last?.token == "token 2" && stepped.kept.last?.missing == nil)
    }

    @Test(.rule("PU12"))
    func `UnifiedPush keeps a gap before it is acknowledged, though there are no new keys`() {
        var stepped = SteppedConnector()
        stepped.register()
        stepped.hasKeys = false

        let effects = stepped.connector.handle(
            .unregistered(token: "token 1", call: 8), at: stepped.now)
        let keeps = effects.firstIndex { effect in
            guard case .keep(let registration) = effect else { return false }
            return registration.missing == "unifiedpush missing token 1 1"
        }

        #expect(keeps != nil)
        #expect(keeps ?? 0 < effects.firstIndex(of: .accept(8)) ?? 0)
    }

    @Test(.rule("PU12")) func `UnifiedPush misses nothing at an endpoint that it never had`() {
        var stepped = SteppedConnector()
        stepped.begin()
        stepped.handle(.answered(1, .accepted))
        stepped.handle(.unregistered(token: "token 1", call: nil))
        stepped.pass(30)
        stepped.handle(.endpoint("https://push.example/1", token: "token 2", call: nil))

        #expect(stepped.status.state == .registered)
        #expect(gaps(stepped.drain()) == [])
    }

    @Test func `UnifiedPush does not hurry for a distributor that ends each registration at once`()
    {
        var stepped = SteppedConnector()
        stepped.register()
        var delays: [Double] = []

        for number in 1...5 {
            stepped.handle(.unregistered(token: "token \(number)", call: nil))
            delays.append(stepped.status.retry ?? 0)
            stepped.pass(stepped.status.retry ?? 0)
            stepped.handle(.answered(number + 1, .accepted))
            stepped.handle(
                .endpoint("https://push.example/x", token: "token \(number + 1)", call: nil))
        }
        stepped.now += 600
        stepped.handle(.unregistered(token: "token 6", call: nil))

        #expect(delays == [30, 60, 120, 240, 480])
        #expect(stepped.status.retry == 30)
    }

    @Test func `UnifiedPush registers nothing that is not on the disk`() {
        var stepped = SteppedConnector()
        stepped.diskTrouble = "No space left on device"
        stepped.begin()
        let effects = stepped.drain()
        let problem = stepped.status.reason?.known
        stepped.pass(30)
        let again = requests(stepped.drain())
        stepped.diskTrouble = nil
        stepped.pass(60)

        #expect(
            effects == [
                .requestName, .findDistributors,
                .log("cannot keep the registration with UnifiedPush: No space left on device"),
            ])
        #expect(problem == .notKept)
        #expect(again.isEmpty)
        #expect(requests(stepped.drain()) == ["a two 1 token 1"])
    }

    @Test func `UnifiedPush waits where there are no keys to be had`() {
        var stepped = SteppedConnector()
        stepped.hasKeys = false
        stepped.begin()
        let problem = stepped.status.reason?.known
        stepped.hasKeys = true
        stepped.pass(30)

        #expect(problem == .noKeys)
        #expect(requests(stepped.drain()) == ["a two 1 token 2"])
    }

    @Test func `UnifiedPush settles when nothing more comes of an attempt`() {
        var stepped = SteppedConnector()
        let before = stepped.connector.isSettled
        stepped.begin([])
        let nobody = stepped.connector.isSettled
        stepped.handle(.distributor(SteppedConnector.name("a"), isRunning: true))
        let asked = stepped.connector.isSettled
        stepped.handle(.answered(1, .accepted))
        let accepted = stepped.connector.isSettled
        stepped.handle(.endpoint("https://push.example/1", token: "token 1", call: nil))

        #expect([before, nobody, asked, accepted] == [false, true, false, false])
        #expect(stepped.connector.isSettled)
    }

    @Test func `UnifiedPush sends the sender's key, and registers again with another one`() {
        let key = "B" + String(repeating: "x", count: 86)
        var stepped = SteppedConnector(vapid: key)
        stepped.register()
        var other = SteppedConnector(stepped.kept.last, vapid: nil)
        other.begin()

        #expect(stepped.kept.last?.vapid == key)
        #expect(other.kept.map(\.vapid) == [nil])
        #expect(UnifiedPush.isVAPIDKey(key))
        for wrong in ["", key + "x", "A" + key.dropFirst(), key.dropLast() + "="] {
            #expect(!UnifiedPush.isVAPIDKey(wrong), "\(wrong)")
        }
    }
}

@Suite struct `The messages of a UnifiedPush connector` {
    private typealias Effect = UnifiedPushConnector.Effect

    private func registered() -> SteppedConnector {
        var stepped = SteppedConnector()
        stepped.register()
        return stepped
    }

    private func message(
        _ name: String, _ bytes: [UInt8] = [1], call: Int? = nil
    ) -> UnifiedPushConnector.Message {
        UnifiedPushConnector.Message(
            token: "token 1", bytes: bytes, identifier: name, call: call)
    }

    private let keys = SteppedConnector.registration(1).keys

    @Test func `UnifiedPush messages are acknowledged once accepted, one after the other`() {
        var stepped = registered()

        stepped.handle(.message(message("m", call: 1)))
        stepped.handle(.message(message("n", call: 2)))
        let opening = stepped.drain()
        stepped.handle(.opened("m", .success([9])))
        let handing = stepped.drain()
        stepped.handle(.taken("m"))

        #expect(opening == [.open(message("m", call: 1), keys)])
        #expect(handing == [.deliver("m", .payload([9]))])
        #expect(stepped.drain() == [.accept(1), .open(message("n", call: 2), keys)])
    }

    @Test func `UnifiedPush messages are handed on until they are accepted, later and later`() {
        var stepped = registered()
        stepped.handle(.message(message("m", call: 1)))
        stepped.handle(.opened("m", .success([9])))
        _ = stepped.drain()
        var delays: [Double] = []

        for _ in 1...10 {
            stepped.handle(.notTaken("m"))
            let delay = (stepped.due ?? .infinity) - stepped.now
            delays.append(delay)
            stepped.pass(delay - 0.1)
            let early = stepped.drain()
            stepped.pass(0.2)
            #expect(early == [] && stepped.drain() == [.deliver("m", .payload([9]))])
        }
        stepped.handle(.taken("m"))
        let answers = stepped.drain()
        let due = stepped.due
        stepped.handle(.message(message("n", call: 2)))
        stepped.handle(.opened("n", .success([9])))
        stepped.handle(.notTaken("n"))

        #expect(delays.map { $0.rounded() } == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
        #expect(answers == [.accept(1)])
        #expect(due == nil)
        #expect(stepped.due == stepped.now + 2)
    }

    @Test(.rule("PU14"))
    func `An unreadable UnifiedPush message is acknowledged when that was reported`() {
        var stepped = registered()
        stepped.handle(.message(message("m", call: 1)))
        stepped.handle(.message(message("n", call: 2)))
        _ = stepped.drain()

        stepped.handle(.opened("m", .failure(.init("it is damaged"))))
        let reports = stepped.drain()
        stepped.handle(.notTaken("m"))
        stepped.pass(2)
        let again = stepped.drain()
        stepped.handle(.taken("m"))

        #expect(
            reports == [
                .log("cannot accept a message of UnifiedPush: it is damaged"),
                .deliver("m", .refused("it is damaged")),
            ])
        #expect(again == [.deliver("m", .refused("it is damaged"))])
        #expect(stepped.drain() == [.accept(1), .open(message("n", call: 2), keys)])
    }

    @Test func `Unreadable UnifiedPush messages are counted`() {
        var stepped = registered()
        for call in 1...3 {
            stepped.handle(.message(message("m\(call)", call: call)))
            stepped.handle(.opened("m\(call)", .failure(.init("it is damaged"))))
            stepped.handle(.taken("m\(call)"))
        }
        let effects = stepped.drain()

        #expect(effects.filter { $0 == .accept(2) }.count == 1)
        // Once in the log, however many there are.
        #expect(
            effects.filter {
                $0 == .log("cannot accept a message of UnifiedPush: it is damaged")
            }.count == 1)
        #expect(stepped.status.refused == 3)
        #expect(stepped.status.refusal == "it is damaged")
    }

    @Test(arguments: [0, 4097])
    func `UnifiedPush messages of a wrong size are refused`(count: Int) {
        var stepped = registered()

        stepped.handle(.message(message("m", Array(repeating: 0, count: count), call: 1)))
        let effects = stepped.drain()
        stepped.handle(.taken("m"))

        let reason = "it has \(count) bytes instead of 1 to 4096"
        #expect(
            effects == [
                .log("cannot accept a message of UnifiedPush: \(reason)"),
                .refuse(1, "cannot accept the message: \(reason)"), .deliver("m", .refused(reason)),
            ])
        #expect(stepped.drain() == [])
        #expect(stepped.status.refused == 1)
    }

    @Test func `A UnifiedPush message that comes twice is handed on once and acknowledged twice`() {
        var stepped = registered()
        stepped.handle(.message(message("m", call: 1)))
        stepped.handle(.message(message("m", call: 2)))
        stepped.handle(.opened("m", .success([9])))
        stepped.handle(.taken("m"))

        #expect(
            stepped.drain() == [
                .open(message("m", call: 1), keys), .deliver("m", .payload([9])), .accept(1),
                .accept(2),
            ])
    }

    @Test func `At most 64 UnifiedPush messages wait, and a flood is refused`() {
        var stepped = registered()
        for number in 1...1000 {
            stepped.handle(.message(message("m\(number)", call: number)))
        }
        let effects = stepped.drain()
        for number in 1...64 {
            stepped.handle(.opened("m\(number)", .success([])))
            stepped.handle(.taken("m\(number)"))
        }

        #expect(effects.filter { $0 == .refuse(65, "Too many messages are waiting") }.count == 1)
        #expect(stepped.status.refused == 936)
        #expect(stepped.drain().filter { if case .accept = $0 { true } else { false } }.count == 64)
    }

    @Test func `UnifiedPush messages of a wrong size are reported while fewer than 64 wait`() {
        var stepped = registered()
        for number in 1...100 {
            stepped.handle(.message(message("m\(number)", [], call: number)))
        }
        // The same one while it waits.
        stepped.handle(.message(message("m1", [], call: 101)))
        var reports = 0
        while let next = stepped.drain().lazy.compactMap({ effect -> String? in
            guard case .deliver(let identifier, .refused) = effect else { return nil }
            return identifier
        }).first {
            reports += 1
            stepped.handle(.taken(next))
        }

        #expect(reports == 64)
        #expect(stepped.status.refused == 101)
    }

    @Test func `UnifiedPush messages stay when the bus is lost, and nobody is answered then`() {
        var stepped = registered()
        stepped.handle(.message(message("m", call: 1)))
        stepped.handle(.opened("m", .success([9])))
        _ = stepped.drain()

        stepped.handle(.busWent)
        stepped.handle(.message(message("m", call: 7)))
        stepped.handle(.taken("m"))

        #expect(stepped.drain() == [.accept(7)])
    }

    @Test func `UnifiedPush messages are read with the keys for which they came`() {
        var stepped = registered()
        stepped.handle(.message(message("m")))
        stepped.handle(.message(message("n")))
        stepped.handle(.unregistered(token: "token 1", call: nil))
        _ = stepped.drain()

        stepped.handle(.opened("m", .success([9])))
        stepped.handle(.taken("m"))

        #expect(stepped.drain() == [.deliver("m", .payload([9])), .open(message("n"), keys)])
    }

    @Test func `UnifiedPush messages are also handed on before the distributor is found`() {
        var stepped = SteppedConnector(registered().kept.last)
        stepped.handle(.busCame)
        stepped.handle(.named(true))
        stepped.handle(.message(message("m", call: 1)))

        #expect(stepped.drain().contains(.open(message("m", call: 1), keys)))
    }
}
