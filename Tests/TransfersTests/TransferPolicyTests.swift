import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongTransfers

/// A policy, and the time by hand.
private struct Bench {
    var policy: TransferPolicy
    var now = Moment(boot: 1000, epoch: 1_700_000_000)

    init(_ limits: TransferPolicy.Limits = TransferPolicy.Limits()) {
        policy = TransferPolicy(limits: limits, seed: 7)
    }

    mutating func handle(_ input: TransferPolicy.Input) -> [TransferPolicy.Effect] {
        policy.handle(input, at: now)
    }

    mutating func pass(_ seconds: Double) -> [TransferPolicy.Effect] {
        now.boot += seconds
        now.epoch += seconds
        return handle(.timePassed)
    }

    @discardableResult
    mutating func add(
        _ url: String = "http://host/file", isBackground: Bool = false,
        _ body: (inout TransferRequest) -> Void = { _ in }
    ) -> [TransferPolicy.Effect] {
        var request = TransferRequest(url: url, destination: "/tmp/\(policy.nextID)")
        body(&request)
        return handle(.add(request, isResumed: true, isBackground: isBackground))
    }

    func state(_ id: Int = 1) -> TransferPolicy.State? { policy.state(of: id, at: now) }

    /// Accepts a response to transfer 1, of 1,000,000 bytes.
    @discardableResult
    mutating func receive(
        _ status: Int = 200, tag: String? = "\"a\"", range: String? = nil
    ) -> [TransferPolicy.Effect] {
        var fields = ["Content-Length": "1000000"]
        fields["ETag"] = tag
        if let range {
            fields["Content-Range"] = range
            fields["Content-Length"] = nil
        }
        return handle(
            .response(1, ResponseHead(status: status, url: "http://host/file", fields)))
    }
}

extension [TransferPolicy.Effect] {
    fileprivate var attempts: [TransferAttempt] {
        compactMap { if case .start(_, let attempt) = $0 { attempt } else { nil } }
    }

    fileprivate var started: [Int] {
        compactMap { if case .start(let id, _) = $0 { id } else { nil } }
    }

    fileprivate var stopped: [Int] {
        compactMap { if case .stop(let id) = $0 { id } else { nil } }
    }

    fileprivate var kept: [TransferTask] {
        compactMap { if case .keep(let task) = $0 { task } else { nil } }
    }

    fileprivate var noted: [TransferTask] {
        compactMap { if case .note(let task) = $0 { task } else { nil } }
    }

    fileprivate var verifies: Bool {
        contains { if case .verify = $0 { true } else { false } }
    }
}

@Suite struct `A transfer` {
    @Test func `A transfer is kept before it starts, and starts at once`() {
        var bench = Bench()

        let effects = bench.add()

        guard case .keep? = effects.first else {
            Issue.record("it is not kept first")
            return
        }
        #expect(effects.started == [1])
        #expect(effects.attempts.first?.offset == 0)
        #expect(bench.state() == .active(.connecting))
    }

    @Test(.rule("J3")) func `A transfer does nothing before it is resumed`() {
        var bench = Bench()
        let request = TransferRequest(url: "http://host/file", destination: "/tmp/file")

        let added = bench.handle(.add(request, isResumed: false, isBackground: false))
        let resumed = bench.handle(.resume(1))

        #expect(added.started == [])
        #expect(resumed.started == [1])
    }

    @Test func `A transfer has its record written before the first byte of a response`() {
        var bench = Bench()
        bench.add()

        let effects = bench.receive()

        let record = effects.firstIndex { effect in
            guard case .keep(let task) = effect else { return false }
            return task.part.validator == .entityTag("\"a\"") && task.part.offset == 0
        }
        let write = effects.firstIndex(of: .write(1, 0))
        #expect(record != nil && write != nil)
        #expect((record ?? 0) < (write ?? 0))
        #expect(bench.state() == .active(.receiving))
    }

    @Test func `A transfer counts what has reached the disk, and continues there`() {
        var bench = Bench()
        bench.add()
        bench.receive()

        let stored = bench.handle(.stored(1, 300_000))
        let lost = bench.handle(.ended(1, .lost("cut", 500_000)))

        #expect(stored.noted.map(\.part.offset) == [300_000])
        #expect(lost.kept.last?.part.offset == 500_000)
        #expect(lost.attempts.first?.offset == 500_000)
        #expect(lost.attempts.first?.ifRange == "\"a\"")
    }

    @Test func `A transfer asks for the whole file where nothing proves what continues it`() {
        var bench = Bench()
        bench.add()
        bench.receive(tag: nil)

        let lost = bench.handle(.ended(1, .lost("cut", 500_000)))

        #expect(lost.attempts.first?.offset == 0)
        #expect(lost.attempts.first?.ifRange == nil)
    }

    @Test func `A transfer that brings nothing waits ever longer, up to half an hour`() {
        var bench = Bench()
        bench.add()
        var waits: [Double] = []
        for _ in 0..<12 {
            _ = bench.handle(.ended(1, .lost("refused", 0)))
            #expect(bench.state() == .waiting([.retry]))
            let due = bench.policy.nextDue(at: bench.now).boot ?? 0
            waits.append(due - bench.now.boot)
            #expect(bench.pass(due - bench.now.boot - 0.01).started == [])
            #expect(bench.pass(0.02).started == [1])
        }

        for (wait, base) in zip(waits, [5, 10, 20, 40, 80, 160, 320, 640, 1280, 1800, 1800, 1800]) {
            #expect(abs(wait - Double(base)) <= Double(base) / 10)
        }
    }

    @Test func `A transfer that has brought something is tried again at once`() {
        var bench = Bench()
        bench.add()
        _ = bench.handle(.ended(1, .lost("refused", 0)))
        _ = bench.pass(6)
        bench.receive()

        let much = bench.handle(.ended(1, .lost("cut", 70_000)))
        bench.receive(206, range: "bytes 70000-999999/1000000")
        let little = bench.handle(.ended(1, .lost("cut", 70_100)))

        #expect(much.started == [1])
        #expect(little.started == [])
        #expect(bench.state() == .waiting([.retry]))
    }

    @Test func `A transfer waits as long as the server says`() {
        var bench = Bench()
        bench.add()

        _ = bench.handle(
            .response(1, ResponseHead(status: 503, url: "", ["Retry-After": "120"])))

        #expect(bench.state() == .waiting([.server]))
        #expect(bench.pass(119).started == [])
        #expect(bench.pass(2).started == [1])
    }

    @Test(arguments: [false, true])
    func `A transfer is tried when the network is back, but not before the server wants`(
        hasSlept: Bool
    ) {
        var bench = Bench()
        bench.add("http://one/file")
        bench.add("http://two/file")
        _ = bench.handle(.ended(1, .lost("no route", 0)))
        _ = bench.handle(
            .response(2, ResponseHead(status: 503, url: "", ["Retry-After": "120"])))
        let full = MachineState(network: NetworkState(connectivity: .full))

        var asleep = MachineState()
        asleep.isSleeping = true
        if hasSlept { #expect(bench.handle(.conditions(asleep)).started == []) }

        let effects = bench.handle(.conditions(hasSlept ? MachineState() : full))

        #expect(effects.started == [1])
        #expect(bench.state(2) == .waiting([.server]))
    }

    @Test(.rule("J15"))
    func `A transfer is given up when its time is over, however often it was tried`() {
        var bench = Bench()
        bench.add { $0.timeout = 100 }
        bench.receive()
        _ = bench.handle(.stored(1, 100_000))
        _ = bench.pass(60)
        // The calendar is set back by a year, which is nothing to the clock.
        bench.now.epoch -= 31_536_000
        _ = bench.handle(.ended(1, .lost("cut", 200_000)))

        let before = bench.pass(39.9)
        let after = bench.pass(0.2)

        #expect(before.stopped == [])
        #expect(after.stopped == [1])
        guard case .failed(let failure)? = bench.state() else {
            Issue.record("it has not failed")
            return
        }
        #expect(failure.code == .timedOut)
    }

    @Test func `A transfer keeps counting its time after the process, and after the machine`() {
        for isSameBoot in [true, false] {
            var first = Bench()
            first.add { $0.timeout = 100 }
            _ = first.pass(30)
            let tasks = first.handle(.pause(1)).kept
            var second = Bench()
            // Another start of the machine has another clock.
            second.now.boot = isSameBoot ? first.now.boot + 20 : 5
            second.now.epoch = isSameBoot ? 0 : first.now.epoch + 20

            _ = second.handle(.restored(tasks, isSameBoot: isSameBoot))

            let age = second.policy.tasks[1].map { second.policy.age(of: $0, at: second.now) }
            #expect(abs((age ?? 0) - 50) < 0.001)
        }
    }

    @Test func `A transfer is checked, named and finished, each after the other`() {
        var bench = Bench()
        bench.add()
        bench.receive()
        let file = PreparedFile(path: "/part", device: 1, inode: 2)

        let complete = bench.handle(.ended(1, .complete(1_000_000)))
        let prepared = bench.handle(.verified(1, .prepared(file)))
        let placed = bench.handle(.placed(1, .success("/tmp/1")))

        #expect(complete.verifies)
        #expect(complete.noted.last?.part.offset == 1_000_000)
        guard case .keep(let record)? = prepared.first, case .place? = prepared.dropFirst().first
        else {
            Issue.record("it is named before that is recorded")
            return
        }
        #expect(record.stage == .placing(file))
        #expect(placed.kept.last?.stage == .finished(path: "/tmp/1"))
        #expect(bench.state() == .finished(path: "/tmp/1"))
        #expect(!bench.policy.hasWork)
    }

    @Test func `A transfer that is too short continues, and one that is too long begins again`() {
        var bench = Bench()
        bench.add()
        bench.receive()
        let short = bench.handle(.ended(1, .complete(600_000)))
        bench.receive(206, range: "bytes 600000-999999/1000000")
        let long = bench.handle(.ended(1, .complete(1_000_001)))

        #expect(short.attempts.first?.offset == 600_000)
        #expect(!short.verifies)
        #expect(long.attempts.first?.offset == 0)
        #expect(!long.verifies)
    }

    @Test func `A transfer of unknown length is complete when its body is`() {
        var bench = Bench()
        bench.add()
        _ = bench.handle(.response(1, ResponseHead(status: 200, url: "http://host/file")))

        let effects = bench.handle(.ended(1, .complete(123)))

        #expect(effects.verifies)
        #expect(effects.kept.last?.part.total == 123)
    }

    @Test func `A transfer whose file has changed begins again, and the record says so first`() {
        var bench = Bench()
        bench.add()
        bench.receive()
        _ = bench.handle(.ended(1, .lost("cut", 500_000)))

        let effects = bench.receive(206, tag: "\"b\"", range: "bytes 500000-999999/1000000")

        #expect(effects.stopped == [1])
        #expect(effects.kept.last?.part == TransferPart())
        #expect(effects.attempts.first?.offset == 0)
    }

    @Test func `A transfer that has begun again twice is fetched in one piece`() {
        var bench = Bench()
        bench.add()
        for tag in ["\"a\"", "\"b\"", "\"c\""] {
            bench.receive(tag: tag)
            _ = bench.handle(.ended(1, .lost("cut", 500_000)))
        }

        let last = bench.policy.tasks[1]
        #expect(last?.restarts == 2)
        bench.receive(tag: "\"d\"")
        let effects = bench.handle(.ended(1, .lost("cut", 900_000)))
        #expect(effects.attempts.first?.offset == 0)
    }

    @Test func `A transfer resumes at the URL that answered, and at the first when that expires`() {
        var bench = Bench()
        bench.add()
        _ = bench.handle(
            .response(
                1,
                ResponseHead(
                    status: 200, url: "http://cdn/x",
                    ["ETag": "\"a\"", "Content-Length": "1000000"])))

        let lost = bench.handle(.ended(1, .lost("cut", 500_000)))
        let expired = bench.handle(.response(1, ResponseHead(status: 403, url: "http://cdn/x")))

        #expect(lost.attempts.first?.url == "http://cdn/x")
        #expect(expired.attempts.first?.url == "http://host/file")
        #expect(expired.attempts.first?.offset == 500_000)
        #expect(expired.attempts.first?.ifRange == "\"a\"")
    }

    @Test func `A transfer avoids HTTP 2 once that has failed`() {
        var bench = Bench()
        bench.add()
        bench.receive()

        let effects = bench.handle(.ended(1, .lostHTTP2("protocol error", 100_000)))

        #expect(effects.attempts.first?.avoidsHTTP2 == true)
    }

    @Test func `A transfer waits for room on a full disk, and looks every few seconds`() {
        var bench = Bench()
        bench.add()
        bench.receive()

        _ = bench.handle(.ended(1, .diskFull(300_000)))

        #expect(bench.state() == .waiting([.diskFull]))
        #expect(bench.policy.tasks[1]?.part.offset == 300_000)
        #expect(bench.pass(3.9).started == [])
        #expect(bench.pass(0.2).attempts.first?.offset == 300_000)
    }

    @Test func `A paused transfer keeps what came last, and continues there`() {
        var bench = Bench()
        bench.add()
        bench.receive()

        let paused = bench.handle(.pause(1))
        let stored = bench.handle(.stored(1, 420_000))
        let stale = bench.handle(.stored(1, 430_000))
        let resumed = bench.handle(.resume(1))

        #expect(paused.stopped == [1])
        #expect(stored.noted.last?.part.offset == 420_000)
        #expect(stale.isEmpty)
        #expect(resumed.attempts.first?.offset == 420_000)
    }

    @Test func `A cancelled transfer loses its part, whatever is stored late`() {
        var bench = Bench()
        bench.add()
        bench.receive()

        let effects = bench.handle(.cancel(1))
        _ = bench.handle(.stored(1, 420_000))
        let again = bench.handle(.retry(1))

        #expect(effects.stopped == [1])
        #expect(effects.contains(.discard(1)))
        #expect(again.attempts.first?.offset == 0)
    }

    @Test func `A failed transfer keeps its part, and can be tried again`() {
        var bench = Bench()
        bench.add()
        bench.receive()
        _ = bench.handle(.ended(1, .lost("cut", 500_000)))
        _ = bench.handle(.response(1, ResponseHead(status: 404, url: "http://host/file")))
        guard case .failed? = bench.state() else {
            Issue.record("it has not failed")
            return
        }

        let effects = bench.handle(.retry(1))

        #expect(effects.attempts.first?.offset == 500_000)
    }

    @Test func `A transfer whose sum is wrong begins from nothing when it is tried again`() {
        var bench = Bench()
        bench.add()
        bench.receive()
        _ = bench.handle(.ended(1, .complete(1_000_000)))
        _ = bench.handle(.verified(1, .failed(TransferFailure(.checksum, "wrong"))))

        let effects = bench.handle(.retry(1))

        #expect(effects.attempts.first?.offset == 0)
    }

    @Test func `A transfer that was being named is named after a restart`() {
        var first = Bench()
        first.add()
        first.receive()
        _ = first.handle(.ended(1, .complete(1_000_000)))
        let file = PreparedFile(path: "/part", device: 1, inode: 2)
        let tasks = first.handle(.verified(1, .prepared(file))).kept
        var second = Bench()

        let effects = second.handle(.restored(tasks, isSameBoot: true))

        #expect(effects.contains { if case .place(_, file) = $0 { true } else { false } })
        #expect(effects.started == [])
        #expect(second.policy.nextID == 2)
    }
}

@Suite struct `Transfers` {
    @Test func `Transfers run eight at a time, and two for each host, the urgent ones first`() {
        var bench = Bench()
        for number in 0..<6 { bench.add("http://host\(number)/a") }
        for _ in 0..<3 { bench.add("http://host0/b") }
        for number in 6..<9 { bench.add("http://host\(number)/a") { $0.priority = 0.9 } }

        let running = (1...12).filter { bench.state($0) == .active(.connecting) }
        #expect(running == [1, 2, 3, 4, 5, 6, 7, 10])
        #expect(bench.state(8) == .waiting([.limit]))

        let freed = bench.handle(
            .ended(2, .failed(TransferFailure(.certificate, "not valid"))))
        #expect(freed.started == [11])
    }

    @Test(.rule("J7"))
    func `Discretionary transfers wait for power and a network that costs nothing`() {
        var bench = Bench()
        bench.add("http://one/a")
        bench.add("http://two/a") { $0.isDiscretionary = true }
        var warning = PowerState(charge: 30)
        warning.warnsOfLowCharge = true
        var saving = PowerState()
        saving.isSavingPower = true
        for (conditions, reason) in [
            (MachineState(network: NetworkState(isMetered: true)), WaitReason.metered),
            (MachineState(power: PowerState(isOnBattery: true, charge: 90)), .battery),
            (MachineState(power: PowerState(charge: 19)), .lowBattery),
            (MachineState(power: warning), .lowBattery),
            (MachineState(power: saving), .savingPower),
        ] {
            let effects = bench.handle(.conditions(conditions))

            #expect(effects.stopped == [2])
            #expect(bench.state(1) == .active(.connecting))
            #expect(bench.state(2) == .waiting([reason]))
            #expect(bench.handle(.conditions(MachineState())).started == [2])
        }
    }

    @Test func `Transfers do not start without a network, and end by themselves`() {
        var bench = Bench()
        bench.add("http://one/a")

        let effects = bench.handle(
            .conditions(MachineState(network: NetworkState(connectivity: .portal))))
        bench.add("http://two/a")

        #expect(effects.stopped == [])
        #expect(bench.state(2) == .waiting([.offline]))
    }

    @Test(.rule("J7", "J17"))
    func `Transfers that are begun in the background are discretionary, and ever later`() {
        var bench = Bench()
        var waits: [Double] = []
        for number in 1...7 {
            let effects = bench.add("http://host\(number)/a", isBackground: true)
            #expect(bench.policy.tasks[number]?.request.isDiscretionary == true)
            let start = bench.now.boot
            if effects.started.isEmpty {
                #expect(bench.state(number) == .waiting([.rateLimit]))
                var copy = bench
                while copy.state(number) == .waiting([.rateLimit]) { _ = copy.pass(1) }
                waits.append(copy.now.boot - start)
            } else {
                waits.append(0)
            }
        }

        #expect(waits == [0, 5, 15, 60, 300, 900, 900])
    }

    @Test func `Transfers wait no longer once the user is there, or a delay has passed unused`() {
        var bench = Bench()
        for number in 1...4 { bench.add("http://host\(number)/a", isBackground: true) }

        #expect(bench.handle(.foreground).started == [2, 3, 4])
        #expect(bench.add("http://host5/a", isBackground: true).started == [5])
        _ = bench.pass(5)
        #expect(bench.add("http://host6/a", isBackground: true).started == [6])
    }

    @Test func `Transfers begin no earlier than they may`() {
        var bench = Bench()
        let begin = bench.now.epoch + 50
        bench.add { $0.earliestBegin = begin }

        #expect(bench.state() == .waiting([.earliestBegin]))
        #expect(bench.policy.nextDue(at: bench.now).wall == begin)
        #expect(bench.pass(49).started == [])
        #expect(bench.pass(1).started == [1])
    }

    @Test func `Transfers that only wait are due when their time is over, and not before`() {
        var bench = Bench()
        bench.add()
        _ = bench.handle(.pause(1))

        #expect(bench.policy.nextDue(at: bench.now) == Due(boot: bench.now.boot + 604_800))
        #expect(!bench.policy.hasWork)
    }

    @Test func `Transfers that are being checked are due for nothing, however long that takes`() {
        var bench = Bench()
        bench.add()
        bench.receive()
        _ = bench.handle(.ended(1, .complete(1_000_000)))

        #expect(bench.pass(700_000) == [])
        #expect(bench.state() == .active(.verifying))
        #expect(bench.policy.nextDue(at: bench.now) == .never)
    }

    @Test func `Transfers that are over are forgotten with all that is theirs`() {
        var bench = Bench()
        bench.add()

        #expect(bench.handle(.remove(1)).isEmpty)
        _ = bench.handle(.cancel(1))
        let effects = bench.handle(.remove(1))

        #expect(effects.contains(.forget(1)) && effects.contains(.discard(1)))
        #expect(bench.policy.tasks.isEmpty)
        #expect(bench.policy.nextID == 2)
    }
}
