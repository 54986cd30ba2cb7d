import TestSupport
import Testing
import UndersongBase

@testable import UndersongBackground

extension PushMailbox.Record {
    /// Nothing is left of an earlier mailbox.
    init() { self.init(PushRegistration(token: "00ff")) }
}

extension PushMailbox {
    /// A mailbox without an earlier one.
    init(handlesFeeds: Bool = false) { self.init(Record(), handlesFeeds: handlesFeeds) }
}

/// A mailbox whose pushes reach the disk at once, or not at all.
struct PushStage {
    var mailbox: PushMailbox
    var now: Double
    var diskTrouble: String?
    /// The programs that somebody has stopped.
    var stopped: Set<Int> = []
    /// The pushes given, each with its program.
    var deliveries: [(push: Int, to: Int?)] = []
    var reports: [PushReport] = []
    var finished: [Int] = []
    var forgotten: [Int] = []
    /// The numbers of handled pushes, as written with the end of each.
    var handledCounts: [Int] = []
    var refusals: [String] = []
    /// The number of times that each push was given, as written before it was given.
    var attempts: [String] = []
    /// The number of times that what is counted was written by itself.
    var recordSaves = 0
    /// The topics whose apps were summoned.
    var summons: [String] = []
    /// Whose time for which push was over.
    var expired: [(push: Int, of: Int?)] = []
    var receipts: [PushReceipt] = []
    private var ticket = 0

    /// A mailbox in the background with the mode declared, and program 7 for all topics.
    init(_ record: PushMailbox.Record = PushMailbox.Record(), at now: Double = 0) {
        self.now = now
        mailbox = PushMailbox(record, at: now)
        handle(.declared(true))
        handle(.joined(7, topics: nil))
    }

    mutating func handle(_ input: PushMailbox.Input) {
        for effect in mailbox.handle(input, at: now) {
            switch effect {
            case .keep(let push):
                if let diskTrouble {
                    handle(.notKept(push.identifier, reason: diskTrouble))
                } else {
                    handle(.kept(push.identifier))
                }
            case .accept(_, let receipt): receipts.append(receipt)
            case .refuse(_, let reason): refusals.append(reason)
            case .deliver(let push, let program):
                if let program, stopped.contains(program) {
                    handle(.unavailable(program, push: push.number))
                } else {
                    reports.append(PushReport(.delivered, push.number, topic: push.topic))
                    deliveries.append((push.number, program))
                }
            case .summon(let topic): summons.append(topic)
            case .finish(let push, let other, let counts):
                finished.append(push.number)
                if let other { forgotten.append(other.number) }
                handledCounts.append(counts.handled)
            case .report(let report): reports.append(report)
            case .expire(let number, let program): expired.append((number, program))
            case .saveAttempt(let push):
                attempts.append("\(push.number): \(push.attempts)")
            case .saveRecord: recordSaves += 1
            }
        }
    }

    /// A push arrives; by default it asks for a wake and has an identifier of its own.
    mutating func arrive(
        _ identifier: String? = nil, topic: String = "t", payload: String = silentPayload,
        isUrgent: Bool = false
    ) throws {
        ticket += 1
        let push = Push(
            identifier: identifier ?? "id \(ticket)", topic: topic,
            payload: try PushPayload(Array(payload.utf8)), isUrgent: isUrgent)
        handle(.arrived(push, ticket: ticket))
    }

    /// Moves time to `time`, stopping wherever something is due.
    mutating func advance(to time: Double) {
        while let due = mailbox.nextDue(at: now).boot, due <= time {
            now = max(now, due)
            handle(.timePassed)
        }
        now = time
    }

    mutating func answer(_ number: Int, by program: Int? = 7, _ result: PushResult = .newData) {
        handle(.answered(number, by: program, result))
    }

    /// The programs' answers to everything that they have.
    mutating func answerAll() {
        for (push, program) in deliveries.suffix(60) where !finished.suffix(200).contains(push) {
            answer(push, by: program)
        }
    }

    var delivered: [Int] { deliveries.map(\.push) }
    var phases: [PushReport.Phase] { reports.map(\.phase) }
    var reasons: [String?] { reports.filter { $0.phase == .held }.map(\.reason) }

    /// True if each push that was taken is somewhere.
    var addsUp: Bool {
        let counts = mailbox.counts
        return reports.count(where: { $0.phase == .received }) == mailbox.counts.received
            && counts.handled == reports.count(where: { $0.phase == .handled })
            && counts.superseded == reports.count(where: { $0.reason == "superseded" })
            && counts.abandoned == reports.count(where: { $0.reason == "abandoned" })
    }
}

let silentPayload = "{\"aps\":{\"content-available\":1}}"

@Suite struct `The push mailbox` {
    @Test func `PushMailbox gives a push to the program, which answers`() throws {
        var stage = PushStage()

        try stage.arrive()
        stage.answer(1, .noData)

        #expect(stage.delivered == [1])
        #expect(stage.phases == [.received, .delivered, .handled])
        #expect(stage.reports.last?.result == .noData)
        #expect(stage.receipts == [PushReceipt(push: 1)])
        #expect(!stage.mailbox.isAwake)
        #expect(stage.addsUp)
    }

    @Test(.rule("PU15"))
    func `PushMailbox awaits no time without a push, or while one has no program`() throws {
        var stage = PushStage()
        let before = stage.mailbox.nextDue(at: stage.now)

        try stage.arrive()
        let during = stage.mailbox.nextDue(at: stage.now)
        stage.answer(1)
        let after = stage.mailbox.nextDue(at: stage.now)
        stage.handle(.left(7))
        try stage.arrive()

        #expect(before == .never && after == .never)
        #expect(during.boot == PushMailbox.handlingTime)
        #expect(stage.reasons == ["noProgram"])
        #expect(stage.mailbox.nextDue(at: stage.now) == .never)
    }

    @Test(.rule("H4"), arguments: [0, 1000, 5634.308976490, 0.1 + 0.2, 12345678.123456789])
    func `PushMailbox gives three of ten pushes in a second, and the newest other one later`(
        start: Double
    ) throws {
        var stage = PushStage(at: start)

        for _ in 1...10 {
            try stage.arrive()
            stage.answerAll()
            if start == 1000 { stage.now += 0.01 }
        }
        let atOnce = stage.delivered
        stage.advance(to: start + 1199.9)
        let before = stage.delivered
        stage.advance(to: start + 1200.1)

        #expect(atOnce == [1, 2, 3])
        #expect(before == [1, 2, 3])
        #expect(stage.delivered == [1, 2, 3, 10])
        #expect(stage.mailbox.counts.superseded == 6)
        #expect(stage.reasons == Array(repeating: "throttled", count: 7))
        #expect(stage.addsUp)
    }

    @Test(.rule("H4"))
    func `PushMailbox wakes three times and then three times an hour, whatever comes`() throws {
        var stage = PushStage()

        for second in 0..<86400 where second % 7 == 0 {
            stage.advance(to: Double(second))
            try stage.arrive()
            stage.answerAll()
        }

        // One every 1200 s after the first three, at 1200, 2400 and so on to 85200.
        #expect(stage.delivered.count == 3 + 71)
        #expect(stage.addsUp)
    }

    @Test(.rule("H4"))
    func `PushMailbox wakes three times at once after a quiet day, too, and no more`() throws {
        var stage = PushStage()
        stage.advance(to: 86400)

        for _ in 1...10 {
            try stage.arrive()
            stage.answerAll()
        }

        #expect(stage.delivered == [1, 2, 3])
    }

    @Test(.rule("H4"))
    func `PushMailbox gives all pushes at once while the host is active, and uses no wake`() throws
    {
        var stage = PushStage()
        stage.handle(.host(isActive: true))

        for _ in 1...10 { try stage.arrive() }

        #expect(stage.delivered == Array(1...10))
        #expect(stage.mailbox.throttle.available(at: stage.now) == 3)
    }

    @Test func `PushMailbox gives a push with --now without using a wake`() throws {
        var stage = PushStage()
        for _ in 1...2 { try stage.arrive() }

        for _ in 1...5 { try stage.arrive(isUrgent: true) }
        let left = stage.mailbox.throttle.available(at: stage.now)
        try stage.arrive()
        try stage.arrive(isUrgent: true)

        #expect(left == 1)
        #expect(stage.delivered == Array(1...9))
    }

    @Test(.rule("PU6"))
    func `PushMailbox keeps a push until the host is opened if the mode is not declared`() throws {
        var stage = PushStage()
        stage.handle(.declared(false))

        try stage.arrive()
        stage.advance(to: 1e6)
        let before = stage.delivered
        stage.handle(.host(isActive: true))

        #expect(before == [])
        #expect(stage.delivered == [1])
        #expect(stage.reasons == ["notDeclared"])
        #expect(stage.receipts.map(\.reason) == [.known(.notDeclared)])
    }

    @Test func `PushMailbox keeps a push that asks for no wake until the host is opened`() throws {
        var stage = PushStage()

        try stage.arrive(payload: "{\"aps\":{\"alert\":\"Hello\"}}")
        stage.advance(to: 1e6)
        let before = stage.delivered
        stage.handle(.host(isActive: true))

        #expect(before == [])
        #expect(stage.reasons == ["noWake"])
        #expect(stage.delivered == [1])
    }

    @Test func `PushMailbox keeps pushes after the user's shutdown until the service is opened`()
        throws
    {
        var stage = PushStage()
        stage.handle(.shutDown)

        try stage.arrive(isUrgent: true)
        stage.advance(to: 1e6)
        var record = PushMailbox.Record()
        record.registration.isShutDown = stage.mailbox.isShutDown
        record.waiting = stage.mailbox.held
        var later = PushStage(record)
        let before = stage.delivered + later.delivered
        later.handle(.host(isActive: true))
        later.handle(.host(isActive: false))

        #expect(before == [])
        #expect(stage.reasons == ["shutDown"])
        #expect(later.delivered == [1])
        #expect(!later.mailbox.isShutDown)
    }

    @Test func `PushMailbox keeps a push until a program registers for its topic`() throws {
        var stage = PushStage()
        stage.handle(.left(7))

        try stage.arrive(topic: "a")
        stage.handle(.joined(8, topics: ["b"]))
        let before = stage.delivered
        stage.handle(.joined(9, topics: ["a"]))

        #expect(before == [])
        #expect(stage.reasons == ["noProgram"])
        #expect(stage.deliveries.map(\.to) == [9])
    }

    @Test func `PushMailbox prefers the program that named the topic, and then the latest`() throws
    {
        var stage = PushStage()
        stage.handle(.joined(8, topics: ["a"]))
        stage.handle(.joined(9, topics: nil))
        stage.handle(.host(isActive: true))

        try stage.arrive(topic: "a")
        try stage.arrive(topic: "b")

        #expect(stage.deliveries.map(\.to) == [8, 9])
    }

    @Test func `PushMailbox performs the service's own verbs without a program`() throws {
        var stage = PushStage()

        try stage.arrive(
            payload: """
                {"aps":{"content-available":1},"undersong":{"command":"pause"}}
                """)

        #expect(stage.deliveries.map(\.to) == [nil])
    }

    @Test(.rule("J20"))
    func `PushMailbox leaves a feed to a program, or to the service if that reads feeds`()
        throws
    {
        let text = "{\"aps\":{\"content-available\":1},\"feed\":\"https://a.example/\"}"
        let push = Push(identifier: "a", payload: try PushPayload(Array(text.utf8)))
        func recipient(handlesFeeds: Bool) -> [Int??] {
            var mailbox = PushMailbox(handlesFeeds: handlesFeeds)
            _ = mailbox.handle(.declared(true), at: 0)
            _ = mailbox.handle(.arrived(push, ticket: 1), at: 0)
            return mailbox.handle(.kept("a"), at: 0).compactMap { effect in
                if case .deliver(_, let program) = effect { .some(program) } else { nil }
            }
        }

        #expect(recipient(handlesFeeds: true) == [.some(nil)])
        #expect(recipient(handlesFeeds: false) == [])
    }

    // MARK: Repetitions and kills

    @Test(.rule("PU9")) func `PushMailbox recognizes a push that is sent again`() throws {
        var stage = PushStage()

        try stage.arrive("same")
        try stage.arrive("same")
        stage.answer(1)
        try stage.arrive("same")

        #expect(stage.delivered == [1])
        #expect(stage.receipts.map(\.duplicate) == [false, true, true])
        #expect(stage.receipts.map(\.push) == [1, 1, 1])
        #expect(stage.mailbox.counts.duplicates == 2)
        #expect(stage.addsUp)
    }

    @Test func `PushMailbox answers a repetition only when the first push is on the disk`() throws {
        var mailbox = PushMailbox()
        let push = Push(identifier: "a", payload: try PushPayload(Array(silentPayload.utf8)))

        let first = mailbox.handle(.arrived(push, ticket: 1), at: 0)
        let second = mailbox.handle(.arrived(push, ticket: 2), at: 0)
        let kept = mailbox.handle(.kept("a"), at: 0)

        #expect(first.count == 1)
        #expect(second == [])
        #expect(
            kept.compactMap { if case .accept(let ticket, _) = $0 { ticket } else { nil } }
                == [1, 2])
    }

    @Test(.rule("PU9"))
    func `PushMailbox gives a push again after the service was killed, and knows the others`()
        throws
    {
        var first = PushStage()
        try first.arrive("a")
        first.answer(1)
        try first.arrive("b")

        var record = PushMailbox.Record()
        record.waiting = first.mailbox.held
        var given = Push(
            number: 2, identifier: "b", topic: "t",
            payload: try PushPayload(Array(silentPayload.utf8)))
        given.attempts = 1
        record.waiting.append(given)
        record.known = [PushMailbox.Known(number: 1, identifier: "a")]
        record.registration.counts = first.mailbox.counts
        var second = PushStage(record)
        try second.arrive("a")
        try second.arrive("b")
        try second.arrive("c")

        #expect(second.delivered == [2, 3])
        #expect(second.receipts.map(\.duplicate) == [true, true, false])
        #expect(second.mailbox.counts.received == 3)
    }

    @Test(.rule("PU9")) func `The end of a push counts those before it, and not those after it`()
        throws
    {
        var stage = PushStage()
        try stage.arrive(topic: "a")
        try stage.arrive(topic: "b")
        try stage.arrive(topic: "c")

        stage.advance(to: 30)

        #expect(stage.finished == [1, 2, 3])
        #expect(stage.handledCounts == [1, 2, 3])
    }

    @Test(.rule("PU9"))
    func `PushMailbox gives pushes again in their order, before later ones that wait`() throws {
        var stage = PushStage()
        for topic in ["a", "b", "c", "d"] { try stage.arrive(topic: topic) }
        stage.answer(1)
        stage.answer(3)

        stage.handle(.left(7))
        let waiting = stage.mailbox.held.map(\.number)
        stage.handle(.host(isActive: true))
        stage.handle(.joined(8, topics: nil))

        #expect(waiting == [2, 4])
        #expect(stage.delivered == [1, 2, 3, 2, 4])
    }

    @Test(.rule("PU9")) func `PushMailbox uses no second wake for a push that is given again`()
        throws
    {
        var record = PushMailbox.Record()
        record.registration.debt = 2400
        record.waiting = try (1...3).map { number in
            var push = Push(
                number: number, identifier: "\(number)", topic: "\(number)",
                payload: try PushPayload(Array(silentPayload.utf8)))
            push.attempts = 1
            return push
        }
        var stage = PushStage(record)

        stage.answerAll()
        try stage.arrive()
        stage.answerAll()
        try stage.arrive()

        // One wake was left.
        #expect(stage.delivered == [1, 2, 3, 4])
        #expect(stage.mailbox.held.map(\.number) == [5])
    }

    @Test(arguments: [3600, 1e9])
    func `PushMailbox remembers its wakes of the host, those of an hour at most`(
        debt: Double
    ) throws {
        var record = PushMailbox.Record()
        record.registration.debt = debt
        var stage = PushStage(record, at: 50)

        try stage.arrive()
        let before = stage.delivered
        stage.advance(to: 1250)

        #expect(before == [])
        #expect(stage.delivered == [1])
    }

    @Test(arguments: [(0.0, 0), (99, 0), (1301, 1), (1e9, 1)])
    func `PushMailbox forgets wakes between two services, unless the clock was set back`(
        date: Double, count: Int
    ) throws {
        var record = PushMailbox.Record()
        (record.registration.debt, record.registration.time) = (3600, 100)
        var mailbox = PushMailbox(record, at: 50, date: date)
        for input in [PushMailbox.Input.declared(true), .joined(7, topics: nil)] {
            _ = mailbox.handle(input, at: 50)
        }
        let push = Push(identifier: "a", payload: try PushPayload(Array(silentPayload.utf8)))
        _ = mailbox.handle(.arrived(push, ticket: 1), at: 50)

        let effects = mailbox.handle(.kept("a"), at: 50)

        #expect(effects.count { if case .deliver = $0 { true } else { false } } == count)
    }

    @Test func `PushMailbox refuses a push that cannot be kept, and accepts it the next time`()
        throws
    {
        var stage = PushStage()
        stage.diskTrouble = "the disk is full"

        try stage.arrive("a")
        stage.diskTrouble = nil
        try stage.arrive("a")

        #expect(stage.refusals == ["the disk is full"])
        #expect(stage.reports.first?.reason == "the disk is full")
        #expect(stage.delivered == [2])
        #expect(stage.mailbox.counts.refused == 1)
        #expect(stage.addsUp)
    }

    @Test func `PushMailbox gives a push to the next program if one ends unanswered, three times`()
        throws
    {
        var stage = PushStage()
        stage.handle(.host(isActive: true))
        try stage.arrive()

        for program in 8...12 {
            stage.handle(.left(program - 1))
            stage.handle(.joined(program, topics: nil))
        }

        #expect(stage.deliveries.map(\.to) == [7, 8, 9])
        #expect(stage.mailbox.counts.abandoned == 1)
        #expect(stage.finished == [1])
        #expect(stage.addsUp)
    }

    @Test func `PushMailbox does not put an older push in the place of a newer one`() throws {
        var stage = PushStage()
        try stage.arrive(isUrgent: true)
        stage.handle(.declared(false))
        try stage.arrive()

        stage.handle(.left(7))

        #expect(stage.mailbox.held.map(\.number) == [2])
        #expect(stage.mailbox.counts.superseded == 1)
        #expect(stage.addsUp)
    }

    @Test(.rule("H3"))
    func `PushMailbox ends a push after 30 s without an answer, and gives the next one`() throws {
        var stage = PushStage()

        try stage.arrive()
        stage.advance(to: 29.99)
        let before = stage.mailbox.isAwake
        stage.advance(to: 30)
        stage.answer(1)
        try stage.arrive()

        #expect(before)
        #expect(stage.finished == [1])
        #expect(stage.reports.filter { $0.phase == .handled }.map(\.reason) == ["timeOver"])
        #expect(stage.reports.filter { $0.phase == .handled }.map(\.result) == [.failed])
        #expect(stage.delivered == [1, 2])
        #expect(stage.addsUp)
    }

    @Test func `PushMailbox accepts an answer only from the program that has the push`() throws {
        var stage = PushStage()
        try stage.arrive()

        stage.answer(1, by: 8)
        stage.answer(1, by: nil)
        stage.answer(99)

        #expect(stage.mailbox.isAwake)
        #expect(stage.finished == [])
    }

    @Test func `PushMailbox continues the numbers, the counts and the order of an earlier one`()
        throws
    {
        var record = PushMailbox.Record()
        for (number, topic) in [(5, "b"), (3, "a")] {
            record.waiting.append(
                Push(
                    number: number, identifier: "\(number)", topic: topic,
                    payload: try PushPayload(Array(silentPayload.utf8))))
        }
        record.known = [PushMailbox.Known(number: 9, identifier: "9")]
        record.registration.counts.handled = 4
        record.registration.counts.superseded = 2
        record.registration.counts.abandoned = 1
        record.registration.counts.duplicates = 7
        record.registration.counts.refused = 8
        var stage = PushStage(record)

        try stage.arrive("9")
        try stage.arrive("3")
        try stage.arrive("new", topic: "c")

        #expect(stage.delivered == [3, 5, 10])
        #expect(stage.receipts.map(\.duplicate) == [true, true, false])
        let counts = stage.mailbox.counts
        #expect([counts.handled, counts.superseded, counts.abandoned] == [4, 2, 1])
        #expect([counts.duplicates, counts.refused] == [9, 8])
        #expect(stage.mailbox.counts.received == 4 + 2 + 1 + 3)
    }

    @Test func `PushMailbox numbers pushes one by one`() throws {
        var stage = PushStage()
        stage.handle(.host(isActive: true))

        for _ in 1...3 { try stage.arrive() }

        #expect(stage.delivered == [1, 2, 3])
    }

    @Test func `PushMailbox writes how often a push was given before it gives it`() throws {
        var stage = PushStage()
        stage.handle(.host(isActive: true))
        try stage.arrive()
        stage.handle(.left(7))
        stage.handle(.joined(8, topics: nil))

        var mailbox = PushMailbox()
        for input in [
            PushMailbox.Input.declared(true), .joined(7, topics: nil),
            .arrived(
                Push(identifier: "a", payload: try PushPayload(Array(silentPayload.utf8))),
                ticket: 1),
        ] {
            _ = mailbox.handle(input, at: 0)
        }
        let order = mailbox.handle(.kept("a"), at: 0).compactMap { effect in
            switch effect {
            case .saveAttempt: "write"
            case .deliver: "give"
            default: nil
            }
        }

        #expect(stage.attempts == ["1: 1", "1: 2"])
        #expect(order == ["write", "give"])
    }

    @Test func `PushMailbox writes that the service was shut down, and that it was opened`() {
        var stage = PushStage()

        stage.handle(.host(isActive: true))
        let before = stage.recordSaves
        stage.handle(.shutDown)
        let after = stage.recordSaves
        stage.handle(.host(isActive: true))
        stage.handle(.host(isActive: true))

        #expect([before, after, stage.recordSaves] == [0, 1, 2])
    }

    @Test func `PushMailbox remembers the identifiers of a thousand pushes that are over`() throws {
        var stage = PushStage()
        stage.handle(.host(isActive: true))
        for number in 1...1001 {
            try stage.arrive("\(number)")
            stage.answer(number)
        }

        try stage.arrive("2")
        let duplicates = stage.mailbox.counts.duplicates
        try stage.arrive("1")

        #expect(duplicates == 1)
        #expect(stage.mailbox.counts.duplicates == 1)
        #expect(stage.delivered.last == 1002)
        #expect(stage.forgotten == [1])
    }

    @Test func `PushMailbox forgets the oldest of a thousand pushes that newer ones replaced`()
        throws
    {
        var stage = PushStage()
        stage.handle(.left(7))
        for number in 1...PushMailbox.memory + 2 { try stage.arrive("\(number)") }

        try stage.arrive("2")
        try stage.arrive("1")

        #expect(stage.mailbox.counts.duplicates == 1)
        #expect(stage.receipts.suffix(2).map(\.duplicate) == [true, false])
    }

    @Test func `PushMailbox forgets the oldest of a thousand pushes that were abandoned`() throws {
        var stage = PushStage()
        stage.handle(.host(isActive: true))
        var program = 7
        for number in 1...PushMailbox.memory + 1 {
            try stage.arrive("\(number)")
            for _ in 1...3 {
                stage.handle(.left(program))
                program += 1
                stage.handle(.joined(program, topics: nil))
            }
        }
        let abandoned = stage.mailbox.counts.abandoned

        try stage.arrive("2")
        try stage.arrive("1")

        #expect(abandoned == PushMailbox.memory + 1)
        #expect(stage.mailbox.counts.duplicates == 1)
        #expect(stage.receipts.suffix(2).map(\.duplicate) == [true, false])
    }

    @Test func `PushMailbox recognizes pushes that were superseded or abandoned`() throws {
        var stage = PushStage()
        stage.handle(.declared(false))
        try stage.arrive("old")
        try stage.arrive("new")
        stage.handle(.host(isActive: true))
        for program in 8...10 {
            stage.handle(.left(program - 1))
            stage.handle(.joined(program, topics: nil))
        }

        try stage.arrive("old")
        try stage.arrive("new")

        #expect(stage.mailbox.counts.abandoned == 1)
        #expect(stage.mailbox.counts.duplicates == 2)
        #expect(stage.finished == [1, 2])
        #expect(stage.addsUp)
    }

    @Test func `PushMailbox counts what is not a push, and reports the reason`() {
        var stage = PushStage()

        stage.handle(.malformed(topic: "t", reason: "the payload is empty"))

        #expect(stage.mailbox.counts.refused == 1)
        #expect(stage.reports.map(\.reason) == ["the payload is empty"])
        #expect(stage.addsUp)
    }

    @Test func `PushMailbox refuses each delivery of a push that cannot be kept`() throws {
        var mailbox = PushMailbox()
        let push = Push(identifier: "a", payload: try PushPayload(Array(silentPayload.utf8)))
        for ticket in 1...2 { _ = mailbox.handle(.arrived(push, ticket: ticket), at: 0) }

        let effects = mailbox.handle(.notKept("a", reason: "full"), at: 0)

        #expect(
            effects.compactMap { if case .refuse(let ticket, _) = $0 { ticket } else { nil } }
                == [1, 2])
        #expect(mailbox.counts.refused == 2 && mailbox.counts.duplicates == 1)
    }

    @Test func `PushMailbox says for each delivery of one push if it was the first`() throws {
        var mailbox = PushMailbox()
        let push = Push(identifier: "a", payload: try PushPayload(Array(silentPayload.utf8)))
        for ticket in 1...2 { _ = mailbox.handle(.arrived(push, ticket: ticket), at: 0) }

        let receipts = mailbox.handle(.kept("a"), at: 0).compactMap { effect in
            if case .accept(_, let receipt) = effect { receipt } else { nil }
        }

        #expect(receipts.map(\.duplicate) == [false, true])
        #expect(receipts.map(\.reason) == [.known(.notDeclared), .known(.notDeclared)])
    }

    // MARK: Status

    @Test func `PushMailbox shows which pushes wait and why, and how many there were`() throws {
        var stage = PushStage()
        for _ in 1...5 { try stage.arrive() }
        stage.answer(1)
        stage.answer(2)

        let status = stage.mailbox.status(of: .local, at: 60)

        #expect(status.provider == .known(.local) && status.url == nil)
        #expect(status.declared && status.programs == 1)
        #expect(status.wakes == 0 && status.nextWake == 1140)
        #expect(
            status.waiting == [
                PushStatus.Waiting(
                    push: 5, topic: "t", reason: .known(.throttled), received: 0, wait: 1140)
            ])
        #expect(
            status.counts
                == PushStatus.Counts(received: 5, handled: 2, superseded: 1, handling: 1))
        #expect(status.hasTrouble)
        #expect(!PushMailbox().status(of: .local, at: 0).hasTrouble)
    }

    @Test func `PushMailbox shows where pushes come from without what proves who listens`() {
        let source = PushSource.ntfy(url: "https://me:secret@n.example/t?auth=also")

        #expect(PushMailbox().status(of: source, at: 0).url == "https://n.example/t")
    }

    // MARK: Programs

    @Test func `PushMailbox gives pushes of the topics that a program has named last`() throws {
        var stage = PushStage()
        stage.handle(.host(isActive: true))
        stage.handle(.joined(8, topics: ["a"]))
        stage.handle(.joined(8, topics: ["b"]))

        try stage.arrive(topic: "a")
        try stage.arrive(topic: "b")

        #expect(stage.deliveries.map(\.to) == [7, 8])
    }

    @Test func `PushMailbox gives a push to the last of the programs that have named its topic`()
        throws
    {
        var stage = PushStage()
        stage.handle(.joined(8, topics: ["a"]))
        stage.handle(.joined(9, topics: ["a"]))

        try stage.arrive(topic: "a")

        #expect(stage.deliveries.map(\.to) == [9])
    }

    @Test func `PushMailbox leaves a push with its program when another one ends`() throws {
        var stage = PushStage()
        stage.handle(.joined(8, topics: ["a"]))
        try stage.arrive(topic: "t")

        stage.handle(.left(8))
        stage.answer(1)

        #expect(stage.deliveries.map(\.to) == [7])
        #expect(stage.finished == [1])
    }

    @Test func `PushMailbox performs its own verbs although a program handles pushes`() throws {
        var stage = PushStage()

        for command in ["pause", "resume", "refresh"] {
            try stage.arrive(
                topic: command,
                payload: """
                    {"aps":{"content-available":1},"undersong":{"command":"\(command)"}}
                    """)
        }

        #expect(stage.deliveries.map(\.to) == [nil, nil, nil])
    }

    @Test func `PushMailbox has nothing to do for a push that names nothing`() throws {
        let push = Push(identifier: "a", payload: try PushPayload(Array(silentPayload.utf8)))
        var mailbox = PushMailbox(handlesFeeds: true)
        _ = mailbox.handle(.declared(true), at: 0)
        _ = mailbox.handle(.arrived(push, ticket: 1), at: 0)
        _ = mailbox.handle(.kept("a"), at: 0)

        #expect(mailbox.obstacle(push, at: 0) == .noProgram)
    }

    @Test func `PushMailbox says whose time is over`() throws {
        var stage = PushStage()
        try stage.arrive()

        stage.advance(to: 30)

        #expect(stage.expired.map(\.push) == [1])
        #expect(stage.expired.map(\.of) == [7])
    }

    @Test func `PushMailbox names what has to change first before a push can be given`() throws {
        var stage = PushStage()
        stage.handle(.declared(false))
        stage.handle(.shutDown)
        stage.handle(.left(7))
        let alert = "{\"aps\":{\"alert\":\"Hello\"}}"

        try stage.arrive(topic: "1", payload: alert)
        stage.handle(.host(isActive: true))
        stage.handle(.host(isActive: false))
        try stage.arrive(topic: "2", payload: alert)
        stage.handle(.declared(true))
        try stage.arrive(topic: "3", payload: alert)
        try stage.arrive(topic: "4")

        #expect(stage.reasons == ["shutDown", "notDeclared", "noWake", "noProgram"])
    }

    // MARK: Floods

    @Test func `PushMailbox refuses pushes of more than a hundred topics while none can be given`()
        throws
    {
        var stage = PushStage()
        stage.handle(.declared(false))

        for topic in 1...150 { try stage.arrive(topic: "topic \(topic)") }
        try stage.arrive(topic: "topic 1")

        #expect(stage.mailbox.held.count == 100)
        #expect(stage.refusals.count == 50)
        #expect(stage.refusals.last == "pushes of 100 topics are waiting")
        #expect(stage.mailbox.counts.superseded == 1)
        #expect(stage.addsUp)
    }

    @Test func `PushMailbox gives 16 pushes at the same time, and the next one after an answer`()
        throws
    {
        var stage = PushStage()
        stage.handle(.host(isActive: true))

        for topic in 1...20 { try stage.arrive(topic: "topic \(topic)") }
        let before = stage.delivered
        stage.answer(5)

        #expect(before == Array(1...16))
        #expect(stage.delivered == Array(1...17))
        #expect(stage.reasons == Array(repeating: "busy", count: 4))
    }

    @Test(arguments: 1...5)
    func `PushMailbox loses none of a thousand pushes in a random mix over a day`(seed: UInt64)
        throws
    {
        var random = SeededNumbers(seed)
        var stage = PushStage()
        var sent = 0
        for step in 1...1000 {
            stage.advance(to: stage.now + Double(random.below(172)))
            let old = random.below(5) == 0 && sent > 0
            if !old { sent += 1 }
            try stage.arrive(
                "\(old ? 1 + random.below(sent) : sent)", topic: "\(random.below(4))",
                payload: random.below(9) == 0 ? "{\"aps\":{\"alert\":\"x\"}}" : silentPayload,
                isUrgent: random.below(20) == 0)
            switch random.below(12) {
            case 0: stage.handle(.host(isActive: random.below(2) == 0))
            case 1: stage.handle(.declared(random.below(3) > 0))
            case 2:
                stage.handle(.left(7))
                stage.handle(.joined(7, topics: nil))
            case 3: stage.diskTrouble = random.below(4) == 0 ? "full" : nil
            case 4...8: stage.answerAll()
            case 9: stage.handle(.joined(8, topics: ["\(random.below(4))"]))
            case 10: stage.handle(.left(8))
            default: break
            }
            if step % 50 == 0 { #expect(stage.addsUp, "seed \(seed), step \(step)") }
        }
        stage.handle(.declared(true))
        stage.handle(.host(isActive: true))
        for _ in 1...3 {
            stage.answerAll()
            stage.advance(to: stage.now + 31)
        }

        #expect(stage.addsUp)
        #expect(stage.mailbox.held == [])
        #expect(Set(stage.finished).count == stage.finished.count)
        #expect(stage.finished.count == stage.mailbox.counts.received)
    }

    // MARK: Programs that are stopped

    @Test(.rule("PU16")) func `PushMailbox gives a push for a stopped program to another one`()
        throws
    {
        var stage = PushStage()
        stage.handle(.joined(8, topics: ["t"]))
        stage.stopped = [8]

        try stage.arrive()
        stage.answer(1)

        #expect(stage.deliveries.map(\.to) == [7])
        #expect(stage.attempts == ["1: 1", "1: 0", "1: 1"])
        #expect(stage.phases == [.received, .delivered, .handled])
        #expect(stage.mailbox.throttle.available(at: stage.now) == 2)
        #expect(stage.addsUp)
    }

    @Test(
        .rule("PU16"),
        arguments: [
            PushMailbox.Input.continued(7), .joined(7, topics: nil), .joined(8, topics: ["t"]),
        ])
    func `PushMailbox keeps a push for a stopped program until it or another one runs`(
        input: PushMailbox.Input
    ) throws {
        var stage = PushStage()
        stage.stopped = [7]

        try stage.arrive()
        stage.advance(to: 1e5)
        let (before, reasons) = (stage.delivered, stage.reasons)
        let status = stage.mailbox.status(of: .local, at: stage.now)
        stage.stopped = []
        stage.handle(input)

        #expect(before == [])
        #expect(reasons == ["programStopped"])
        #expect(status.waiting.map(\.reason) == [.known(.programStopped)])
        #expect(stage.delivered == [1])
        // It has had its wake, which is available again by now.
        #expect(stage.mailbox.throttle.available(at: stage.now) == 3)
        #expect(stage.addsUp)
    }

    @Test(.rule("PU16"))
    func `PushMailbox does not answer that a push for a stopped program was delivered`()
        throws
    {
        var stage = PushStage()
        stage.handle(.unavailable(7, push: nil))

        try stage.arrive()

        #expect(stage.receipts.map(\.reason) == [.known(.programStopped)])
        #expect(stage.delivered == [] && stage.attempts == [])
    }

    @Test func `PushMailbox leaves a push with the program that was given it before it stopped`()
        throws
    {
        var stage = PushStage()
        try stage.arrive()

        stage.handle(.unavailable(7, push: nil))
        stage.answer(1)

        #expect(stage.phases == [.received, .delivered, .handled])
    }

    // MARK: Apps

    /// A mailbox without programs, in which the app of the topic `app` has registered once.
    private func stageOfApp() -> PushStage {
        var stage = PushStage()
        stage.handle(.left(7))
        stage.handle(.joined(8, topics: nil))
        stage.handle(.apps(declaring: ["app", "b", "c", "d"], active: []))
        stage.handle(.appRegistered("app"))
        stage.handle(.left(8))
        return stage
    }

    @Test(.rule("PU17"))
    func `PushMailbox summons an app once for its push, and gives it when it registers`()
        throws
    {
        var stage = stageOfApp()

        try stage.arrive(topic: "app")
        stage.advance(to: 5)
        let (summons, before) = (stage.summons, stage.delivered)
        stage.handle(.joined(9, topics: nil))

        #expect(summons == ["app"])
        #expect(before == [])
        #expect(stage.reasons == ["noProgram"])
        #expect(stage.deliveries.map(\.to) == [9])
        #expect(stage.summons == ["app"])
        #expect(stage.mailbox.throttle.available(at: stage.now) == 2)
        #expect(stage.addsUp)
    }

    @Test(.rule("PU17")) func `PushMailbox summons an app that ended before it answered once more`()
        throws
    {
        var stage = stageOfApp()
        try stage.arrive(topic: "app")
        stage.handle(.joined(9, topics: nil))

        stage.handle(.left(9))

        #expect(stage.summons == ["app", "app"])
        #expect(stage.mailbox.throttle.available(at: stage.now) == 2)
    }

    @Test(.rule("PU17"))
    func `PushMailbox summons no app that has not registered, or wants no pushes any more`()
        throws
    {
        var stage = stageOfApp()
        stage.handle(.appUnregistered("app"))

        try stage.arrive(topic: "app")
        try stage.arrive(topic: "other")

        #expect(stage.summons == [])
        #expect(stage.reasons == ["noProgram", "noProgram"])
        #expect(stage.mailbox.throttle.available(at: stage.now) == 3)
    }

    @Test(.rule("H4")) func `PushMailbox summons apps as often as pushes may wake the host`() throws
    {
        var stage = stageOfApp()
        for topic in ["b", "c", "d"] { stage.handle(.appRegistered(topic)) }

        for topic in ["app", "b", "c", "d"] { try stage.arrive(topic: topic) }
        let atOnce = stage.summons
        stage.advance(to: 1199)
        let before = stage.summons
        stage.advance(to: 1201)

        #expect(atOnce == ["app", "b", "c"])
        #expect(before == atOnce)
        #expect(stage.summons == ["app", "b", "c", "d"])
        #expect(stage.reasons == ["noProgram", "noProgram", "noProgram", "throttled"])
    }

    @Test(.rule("PU17"))
    func `PushMailbox summons an app again that has ended without its push, three times at most`()
        throws
    {
        var stage = stageOfApp()
        try stage.arrive(topic: "app")
        let wakes = stage.mailbox.throttle.available(at: stage.now)

        for _ in 1...5 { stage.handle(.appEnded("app")) }
        let summons = stage.summons
        stage.handle(.joined(9, topics: ["app"]))

        #expect(summons == ["app", "app", "app"])
        #expect(stage.mailbox.throttle.available(at: stage.now) == wakes)
        #expect(stage.delivered == [1])
    }

    @Test(.rule("PU17"))
    func `PushMailbox asks an app's own modes and state, not the host's`() throws {
        var stage = stageOfApp()
        stage.handle(.declared(false))
        try stage.arrive(topic: "app")
        let declared = stage.summons
        stage.handle(.apps(declaring: [], active: []))
        try stage.arrive(topic: "b")
        stage.handle(.appRegistered("c"))
        stage.handle(.declared(true))
        try stage.arrive(topic: "c")
        let undeclared = stage.summons
        stage.handle(.apps(declaring: [], active: ["c"]))

        #expect(declared == ["app"])
        #expect(undeclared == declared)
        #expect(stage.reasons.last == "notDeclared")
        #expect(stage.summons == ["app", "c"])
    }

    @Test(.rule("PU17"))
    func `PushMailbox knows the apps that have registered after a restart, and summons them`()
        throws
    {
        var stage = stageOfApp()
        let saves = stage.recordSaves
        stage.handle(.appRegistered("app"))
        var record = PushMailbox.Record()
        record.registration.appTopics = stage.mailbox.recipients.appTopics
        try stage.arrive(topic: "app")
        record.waiting = stage.mailbox.held

        var later = PushStage(record)
        later.handle(.apps(declaring: ["app"], active: []))
        later.handle(.left(7))
        let given = later.delivered
        var alone = PushMailbox(record)
        let effects = alone.handle(.apps(declaring: ["app"], active: []), at: 0)

        #expect(saves == 1 && stage.recordSaves == 1)
        #expect(given == [1])
        #expect(later.summons == ["app"])
        #expect(effects == [.summon("app")])
    }
}
