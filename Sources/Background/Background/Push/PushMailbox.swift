package import UndersongBase

/// The mailbox of pushes: decides which are taken, which wait and why, and which program handles each
/// (H1-H7).
///
/// A push is kept on the disk before its provider gets an answer, and given to one
/// program at a time, which answers within 30 s. It is given again after the program or the service
/// was killed before the answer, so its number says whether it was seen before. Of the pushes of a
/// topic that wait, only the newest stays. A push for an app that has registered once, and does not
/// run, summons it. Times are in seconds of any clock that never goes backward.
package struct PushMailbox: Machine {
    /// Seconds that a program has for a push (H3).
    package static let handlingTime = 30.0
    /// The most pushes that are handled at the same time.
    static let flightLimit = 16
    /// The most topics with a push that waits.
    static let topicLimit = 100
    /// The most times that a push is given to programs that end without an answer.
    static let attemptLimit = 3
    /// The number of identifiers of pushes that are over and remembered.
    package static let memory = 1000

    /// A push that is being handled.
    struct Flight: Sendable {
        var push: Push
        /// The program that has it; nil for the service itself.
        var recipient: Int?
        var deadline: Double
    }

    /// The summons of an app for a push.
    private struct Summons {
        var count = 0
        /// True until the app has ended.
        var isPending = false
    }

    /// A push that is being written, and the deliveries of it that wait for that.
    private struct Arrival {
        var push: Push
        var tickets: [Int]
    }

    /// The pushes that wait, in the order of their numbers; one of each topic.
    package private(set) var held: [Push] = []
    private(set) var flights: [Int: Flight] = [:]
    /// The numbers of pushes, without those that wait or are being handled.
    private var ended: PushStatus.Counts
    /// The limit of how often pushes wake the host.
    package private(set) var throttle: PushThrottle
    /// True if the service was shut down and not opened since.
    package private(set) var isShutDown: Bool

    private var arrivals: [String: Arrival] = [:]
    /// The pushes that are over, oldest first.
    private var known: [Known]
    private var numbers: [String: Int] = [:]
    private var lastNumber: Int
    /// The programs and apps that handle pushes.
    package private(set) var recipients: PushRecipients
    /// The summons of apps for the pushes that wait, by number.
    private var summons: [Int: Summons] = [:]
    /// The waiting pushes that have had a wake of the throttle, by number.
    private var woken: Set<Int> = []

    /// A push that is over.
    package struct Known: Codable, Hashable, Sendable {
        /// The service's number.
        package var number: Int
        /// The provider's identifier.
        package var identifier: String
    }

    /// The remains of an earlier mailbox.
    package struct Record: Sendable {
        /// The registration, the throttle and the counts.
        package var registration: PushRegistration
        /// The pushes that wait, or were being handled.
        package var waiting: [Push]
        /// The others, oldest first.
        package var known: [Known]

        package init(
            _ registration: PushRegistration, waiting: [Push] = [], known: [Known] = []
        ) {
            self.registration = registration
            self.waiting = waiting
            self.known = known
        }
    }

    /// Creates a mailbox that continues from `record`, at `now` and the time `date` since 1970.
    /// `handlesFeeds` says whether the service can refresh feeds itself.
    package init(
        _ record: Record, handlesFeeds: Bool = false, at now: Double = 0, date: Double = 0
    ) {
        throttle = PushThrottle(debt: record.registration.debt(at: date), at: now)
        ended = record.registration.counts
        isShutDown = record.registration.isShutDown
        recipients = PushRecipients(
            appTopics: record.registration.appTopics, handlesFeeds: handlesFeeds)
        known = record.known
        lastNumber = record.waiting.map(\.number).max() ?? 0
        for known in record.known {
            numbers[known.identifier] = known.number
            lastNumber = max(lastNumber, known.number)
        }
        for push in record.waiting.sorted(by: { $0.number < $1.number }) {
            numbers[push.identifier] = push.number
            held.append(push)
        }
    }

    /// The numbers of pushes.
    package var counts: PushStatus.Counts {
        var counts = ended
        counts.handling = flights.count
        counts.received =
            counts.handled + counts.superseded + counts.abandoned + held.count + flights.count
        return counts
    }

    /// True if the host is awake for a push.
    package var isAwake: Bool { !flights.isEmpty }

    /// Returns true if time alone will release a push.
    package func waitsForTime(at now: Double) -> Bool {
        held.contains { obstacle($0, at: now) == .throttled }
    }

    package func nextDue(at now: Double) -> Due {
        let deadline = flights.values.map(\.deadline).min()
        let wake = waitsForTime(at: now) ? throttle.nextTime(at: now) : nil
        return Due(boot: [deadline, wake].compactMap(\.self).min())
    }

    // MARK: Inputs

    package mutating func handle(_ input: Input, at now: Double) -> [Effect] {
        var effects: [Effect] = []
        switch input {
        case .arrived(let push, let ticket): arrived(push, ticket, at: now, &effects)
        case .malformed(let topic, let reason):
            ended.refused += 1
            effects.append(.report(PushReport(.refused, nil, topic: topic, reason: reason)))
        case .kept(let identifier): kept(identifier, at: now, &effects)
        case .notKept(let identifier, let reason): notKept(identifier, reason, &effects)
        case .answered(let number, let recipient, let result):
            guard let flight = flights[number], flight.recipient == recipient else { return [] }
            end(number, with: result, &effects)
        case .unavailable(let recipient, let number):
            recipients.stop(recipient)
            if let number { takeBack(number, from: recipient, at: now, &effects) }
        case .continued(let recipient): recipients.resume(recipient)
        case .joined(let recipient, let topics): recipients.add(recipient, for: topics)
        case .appRegistered(let topic):
            if recipients.addApp(topic) { effects.append(.saveRecord) }
        case .appUnregistered(let topic):
            if recipients.removeApp(topic) { effects.append(.saveRecord) }
        case .appEnded(let topic):
            for push in held where push.topic == topic { summons[push.number]?.isPending = false }
        case .left(let recipient):
            recipients.remove(recipient)
            for (number, flight) in flights.sorted(by: { $0.key < $1.key })
            where flight.recipient == recipient {
                flights[number] = nil
                giveAgain(flight.push, &effects)
            }
        case .host(let isActive):
            recipients.isHostActive = isActive
            if isActive, isShutDown {
                isShutDown = false
                effects.append(.saveRecord)
            }
        case .declared(let isDeclared): recipients.isHostDeclared = isDeclared
        case .apps(let declaring, let active):
            (recipients.declaringApps, recipients.activeApps) = (declaring, active)
        case .shutDown:
            isShutDown = true
            effects.append(.saveRecord)
        case .timePassed: expire(at: now, &effects)
        }
        release(at: now, &effects)
        return effects
    }

    // MARK: Arrival

    private mutating func arrived(
        _ push: Push, _ ticket: Int, at now: Double, _ effects: inout [Effect]
    ) {
        if let number = numbers[push.identifier] {
            ended.duplicates += 1
            effects.append(.accept(ticket, receipt(number, isDuplicate: true, at: now)))
        } else if arrivals[push.identifier] != nil {
            ended.duplicates += 1
            arrivals[push.identifier]?.tickets.append(ticket)
        } else if held.count >= Self.topicLimit, !held.contains(where: { $0.topic == push.topic }) {
            refuse(push, ticket, "pushes of \(Self.topicLimit) topics are waiting", &effects)
        } else {
            lastNumber += 1
            var push = push
            push.number = lastNumber
            arrivals[push.identifier] = Arrival(push: push, tickets: [ticket])
            effects.append(.keep(push))
        }
    }

    private mutating func kept(
        _ identifier: String, at now: Double, _ effects: inout [Effect]
    ) {
        guard let arrival = arrivals.removeValue(forKey: identifier) else { return }
        let push = arrival.push
        numbers[identifier] = push.number
        effects.append(.report(PushReport(.received, push.number, topic: push.topic)))
        hold(push, &effects)
        release(at: now, &effects)
        reportHeld(push, at: now, &effects)
        for (index, ticket) in arrival.tickets.enumerated() {
            effects.append(.accept(ticket, receipt(push.number, isDuplicate: index > 0, at: now)))
        }
    }

    /// Reports why a push waits, if it does.
    private func reportHeld(_ push: Push, at now: Double, _ effects: inout [Effect]) {
        guard held.contains(where: { $0.number == push.number }) else { return }
        let reason = obstacle(push, at: now)?.rawValue
        effects.append(
            .report(PushReport(.held, push.number, topic: push.topic, reason: reason)))
    }

    private mutating func notKept(
        _ identifier: String, _ reason: String, _ effects: inout [Effect]
    ) {
        guard let arrival = arrivals.removeValue(forKey: identifier) else { return }
        for ticket in arrival.tickets { refuse(arrival.push, ticket, reason, &effects) }
    }

    private mutating func refuse(
        _ push: Push, _ ticket: Int, _ reason: String, _ effects: inout [Effect]
    ) {
        ended.refused += 1
        effects.append(.report(PushReport(.refused, nil, topic: push.topic, reason: reason)))
        effects.append(.refuse(ticket, reason))
    }

    private func receipt(_ number: Int, isDuplicate: Bool, at now: Double) -> PushReceipt {
        let waiting = held.first { $0.number == number }
        return PushReceipt(
            push: number, reason: waiting.flatMap { obstacle($0, at: now) }.map(Open.known),
            duplicate: isDuplicate)
    }

    /// Lets a push wait. The older one of its topic counts no more.
    private mutating func hold(_ push: Push, _ effects: inout [Effect]) {
        if let index = held.firstIndex(where: { $0.topic == push.topic }) {
            let older = held[index].number < push.number ? held.remove(at: index) : push
            ended.superseded += 1
            finish(older, &effects)
            effects.append(
                .report(
                    PushReport(.refused, older.number, topic: older.topic, reason: "superseded")))
            if older == push { return }
        }
        let index = held.firstIndex { $0.number > push.number } ?? held.endIndex
        held.insert(push, at: index)
    }

    // MARK: Release

    /// The reason a push waits; nil if it need not.
    package func obstacle(_ push: Push, at now: Double) -> PushObstacle? {
        if isShutDown { return .shutDown }
        let isActive = recipients.isActive(for: push)
        if !isActive {
            if !recipients.isDeclared(for: push) { return .notDeclared }
            if !push.wakes { return .noWake }
        }
        let recipient = recipients.recipient(of: push)
        if recipient == nil, !recipients.hasApp(of: push) {
            return recipients.isStopped(for: push) ? .programStopped : .noProgram
        }
        if flights.count >= Self.flightLimit { return .busy }
        guard isActive || !needsWake(push) || throttle.available(at: now) > 0 else {
            return .throttled
        }
        if recipient != nil { return nil }
        return recipients.isStopped(for: push) ? .programStopped : .noProgram
    }

    /// Returns true if it takes a wake of the throttle. One that is given again has had its own.
    private func needsWake(_ push: Push) -> Bool {
        !push.isUrgent && push.attempts == 0 && !woken.contains(push.number)
    }

    private mutating func release(at now: Double, _ effects: inout [Effect]) {
        for push in held {
            let obstacle = obstacle(push, at: now)
            if obstacle == nil {
                deliver(push, at: now, &effects)
            } else if obstacle == .noProgram, recipients.hasApp(of: push) {
                summon(push, at: now, &effects)
            }
        }
    }

    /// Has the app of a push launched or woken, once for each push, and again if it ends before it has
    /// registered. It gets the push then.
    private mutating func summon(_ push: Push, at now: Double, _ effects: inout [Effect]) {
        var summons = summons[push.number] ?? Summons()
        guard !summons.isPending, summons.count < Self.attemptLimit else { return }
        summons.count += 1
        summons.isPending = true
        self.summons[push.number] = summons
        useWake(of: push, at: now)
        effects.append(.summon(push.topic))
    }

    private mutating func useWake(of push: Push, at now: Double) {
        if !recipients.isActive(for: push), needsWake(push), throttle.useWake(at: now) {
            woken.insert(push.number)
        }
    }

    private mutating func deliver(_ push: Push, at now: Double, _ effects: inout [Effect]) {
        held.removeAll { $0.number == push.number }
        useWake(of: push, at: now)
        var push = push
        push.attempts += 1
        var id: Int?
        if case .program(let program) = recipients.recipient(of: push) { id = program }
        flights[push.number] = Flight(
            push: push, recipient: id, deadline: now + Self.handlingTime)
        effects.append(.saveAttempt(push))
        effects.append(.deliver(push, to: id))
    }

    /// Lets a push go to another program, or wait, that was not given to a stopped one.
    private mutating func takeBack(
        _ number: Int, from recipient: Int, at now: Double, _ effects: inout [Effect]
    ) {
        guard let flight = flights[number], flight.recipient == recipient else { return }
        flights[number] = nil
        var push = flight.push
        push.attempts -= 1
        effects.append(.saveAttempt(push))
        hold(push, &effects)
        release(at: now, &effects)
        reportHeld(push, at: now, &effects)
    }

    // MARK: End

    private mutating func giveAgain(_ push: Push, _ effects: inout [Effect]) {
        summons[push.number] = nil
        guard push.attempts >= Self.attemptLimit else { return hold(push, &effects) }
        ended.abandoned += 1
        finish(push, &effects)
        effects.append(
            .report(PushReport(.refused, push.number, topic: push.topic, reason: "abandoned")))
    }

    private mutating func expire(at now: Double, _ effects: inout [Effect]) {
        for (number, flight) in flights.sorted(by: { $0.key < $1.key }) where flight.deadline <= now
        {
            effects.append(.expire(number, of: flight.recipient))
            end(number, with: .failed, reason: "timeOver", &effects)
        }
    }

    private mutating func end(
        _ number: Int, with result: PushResult, reason: String? = nil, _ effects: inout [Effect]
    ) {
        guard let push = flights.removeValue(forKey: number)?.push else { return }
        ended.handled += 1
        finish(push, &effects)
        effects.append(
            .report(
                PushReport(
                    .handled, number, topic: push.topic, reason: reason, result: result)))
    }

    /// Keeps the identifier of a push that is over, and forgets the oldest one.
    private mutating func finish(_ push: Push, _ effects: inout [Effect]) {
        let over = Known(number: push.number, identifier: push.identifier)
        known.append(over)
        summons[push.number] = nil
        woken.remove(push.number)
        let forgotten = known.count > Self.memory ? known.removeFirst() : nil
        if let forgotten { numbers[forgotten.identifier] = nil }
        effects.append(.finish(over, forgetting: forgotten, ended))
    }
}

extension PushMailbox {
    /// Something that has happened.
    package enum Input: MachineInput {
        /// A sender has brought a push; the ticket stands for the sender's call.
        case arrived(Push, ticket: Int)
        /// A message for this topic was refused: it is not a push, for this reason.
        case malformed(topic: String, reason: String)
        /// The push with this identifier is on the disk.
        case kept(String)
        /// The push with this identifier could not be kept, for this reason.
        case notKept(String, reason: String)
        /// A program, or the service itself, has handled a push.
        case answered(Int, by: Int?, PushResult)
        /// A program is stopped and may not be continued, so that it was not given this push, if there
        /// was one. It gets none until it is `continued`, or has `joined` again.
        case unavailable(Int, push: Int?)
        /// A program that was stopped runs again.
        case continued(Int)
        /// A program has registered for pushes of these topics; nil for all.
        case joined(Int, topics: Set<String>?)
        /// An app has registered: from now on it is summoned for pushes to its topic.
        case appRegistered(String)
        /// An app wants no pushes any more, or was removed.
        case appUnregistered(String)
        /// The process of an app has ended, or could not be launched.
        case appEnded(String)
        /// A program is no longer registered, or has ended.
        case left(Int)
        /// The host's state, now and whenever it changes.
        case host(isActive: Bool)
        /// The mode `remote-notification` is declared or not, now and whenever that changes.
        case declared(Bool)
        /// The apps that declare the mode, and those in the foreground, now and whenever that changes.
        case apps(declaring: Set<String>, active: Set<String>)
        /// The service is shut down by the user.
        case shutDown
        /// `nextDue` is reached.
        case timePassed
    }

    /// Something to do.
    package enum Effect: Hashable, Sendable {
        /// Write the push to the disk, and report `kept` or `notKept`.
        case keep(Push)
        /// Answer the sender's call: the push is accepted.
        case accept(Int, PushReceipt)
        /// Answer the sender's call: the push is refused, for this reason.
        case refuse(Int, String)
        /// Wake the host, report the push as delivered, and give it to this program, or to the service
        /// itself. Report `unavailable` instead if the program can do nothing.
        case deliver(Push, to: Int?)
        /// Launch the app of this topic, or wake it.
        case summon(String)
        /// The program's time for this push is over.
        case expire(Int, of: Int?)
        /// Write that the push was given once more.
        case saveAttempt(Push)
        /// Write that the push is over, with the counts up to then; only its identifier stays, and
        /// that of the other one, if there is one, is forgotten.
        case finish(Known, forgetting: Known?, PushStatus.Counts)
        /// Write the counts and the state of the throttle.
        case saveRecord
        /// Publish the step.
        case report(PushReport)
    }
}
