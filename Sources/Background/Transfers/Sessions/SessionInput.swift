extension TransferPolicy {
    /// The events of a background session's tasks.
    package enum SessionInput: Sendable {
        /// A task is asked for, with `nextID`. It is suspended (J3), and continues what is in the
        /// part.
        case add(TransferRequest, SessionTask, TransferPart)
        /// It is resumed. One that begins in the background is discretionary, whatever the request
        /// says, and waits for its turn (J7, J17).
        case resume(Int, isBackground: Bool)
        case describe(Int, String?)
        /// From 0 to 1.
        case prioritize(Int, Double)
        /// It does not begin before this time, in seconds since 1970.
        case delay(Int, Double)
        /// It is ended; for `reason` if that was not the host. With `resumeData` its part is kept
        /// elsewhere.
        case cancel(Int, reason: CancelReason?, resumeData: String?)
        case fail(Int, TransferFailure)
        /// More bytes of the body have been sent.
        case sent(Int, Int64)
        /// The user has come to the session's host (J17).
        case foreground(String)
        /// Tasks that ended before this process began have had orders up to this one.
        case countOrders(after: Int)
        /// The host has answered the task's question of this number, which is a challenge.
        case answer(Int, question: Int, ChallengeAnswer)
        /// The host has answered the other question: the task begins, with another request unless
        /// that is nil.
        case begin(Int, question: Int, SessionTask.Request?)
        /// The host has got the file.
        case fileReceived(Int)
        /// The host has got the end, the last event of a task.
        case acknowledged(Int)
    }

    mutating func handle(
        _ input: SessionInput, _ now: Moment, _ effects: inout [Effect]
    ) {
        switch input {
        case .add(let request, let session, let part):
            var task = TransferTask(id: nextID, request, at: now)
            nextID += 1
            task.isResumed = false
            task.session = session
            task.part = part
            tasks[task.id] = task
            effects += [.keep(task), .publish(task.id)]
        case .resume(let id, let isBackground): begin(id, isBackground, now, &effects)
        case .describe(let id, let label):
            guard tasks[id]?.request.label != label else { return }
            change(id, now, &effects) { $0.request.label = label }
        case .prioritize(let id, let priority):
            guard tasks[id]?.request.priority != priority else { return }
            change(id, now, &effects) { $0.request.priority = min(max(priority, 0), 1) }
        case .delay(let id, let time):
            guard tasks[id]?.request.earliestBegin != time else { return }
            change(id, now, &effects) { $0.request.earliestBegin = time }
        case .cancel(let id, let reason, let resumeData):
            guard tasks[id]?.stage == .pending else { return }
            change(id, now, &effects) { task in
                task.session?.cancelReason = reason
                task.session?.resumeData = resumeData
            }
            cancel(id, now, &effects)
        case .fail(let id, let failure):
            guard tasks[id]?.isUnfinished == true else { return }
            fail(id, failure, now, &effects)
        case .sent(let id, let count):
            guard tasks[id]?.session?.sent != count else { return }
            tasks[id]?.session?.sent = count
            effects.append(.publish(id))
        case .foreground(let session):
            limiters[session] = nil
            for id in tasks.keys where tasks[id]?.session?.session == session { starts[id] = nil }
        case .countOrders(let order): nextOrder = max(nextOrder, order + 1)
        case .answer(let id, let number, let answer): apply(answer, id, number, now, &effects)
        case .begin(let id, let number, let request): begin(id, number, request, now, &effects)
        case .fileReceived(let id):
            guard let task = tasks[id], task.session?.isFileTaken == false else { return }
            change(id, now, &effects) { $0.session?.isFileTaken = true }
        case .acknowledged(let id):
            guard let task = tasks[id], task.session != nil, !task.isUnfinished else { return }
            forget(id, &effects)
        }
    }

    private mutating func begin(
        _ id: Int, _ isBackground: Bool, _ now: Moment, _ effects: inout [Effect]
    ) {
        guard let task = tasks[id], task.isUnfinished, let session = task.session else { return }
        if isBackground, !session.isBegun {
            starts[id] = limiters[session.session, default: StartLimiter()].start(at: now.boot)
        }
        if !session.isBegun {
            change(id, now, &effects) { task in
                task.session?.isBegun = true
                if isBackground { task.request.isDiscretionary = true }
            }
        }
        setResumed(id, true, now, &effects)
    }

    /// The tasks of a session whose end was not acknowledged, in the order in which they ended.
    package func ended(in session: String) -> [TransferTask] {
        tasks.values.filter { $0.session?.session == session && $0.session?.order != nil }
            .sorted { ($0.session?.order ?? 0) < ($1.session?.order ?? 0) }
    }

    /// Returns the offset in its file at which the body being received begins; nil for the start.
    package func origin(of id: Int) -> Int64? {
        guard let origin = origins[id], origin > 0, activities[id] == .receiving else { return nil }
        return origin
    }

    /// Returns true if a session has tasks that continue by themselves.
    package func isBusy(session: String) -> Bool {
        tasks.values.contains {
            $0.session?.session == session && $0.isUnfinished && $0.isResumed
                && $0.session?.question == nil
        }
    }

    /// The tasks of a session whose question was not answered.
    package func asking(in session: String) -> [TransferTask] {
        tasks.values.filter { $0.session?.session == session && $0.session?.question != nil }
    }
}

/// Questions to the hosts of sessions.
extension TransferPolicy {
    /// Seconds after which a request whose date has come is sent as it is.
    package static let delayLimit = 60.0

    /// Asks the host about the challenges of a response.
    mutating func ask(
        _ id: Int, _ head: ResponseHead, _ now: Moment, _ effects: inout [Effect]
    ) {
        let wasRefused = attempts[id]?.credential != nil
        stop(id, &effects)
        let failures = (tasks[id]?.session?.refusals ?? 0) + (wasRefused ? 1 : 0)
        ask(id, head.challenges(failures: failures), now, &effects) {
            $0.refusals = failures
            $0.credential = nil
        }
    }

    /// Asks the host about a task whose earliest date has come.
    mutating func askAboutDelay(_ id: Int, _ now: Moment, _ effects: inout [Effect]) {
        delayDues[id] = now.boot + Self.delayLimit
        ask(id, [], now, &effects)
    }

    private mutating func ask(
        _ id: Int, _ challenges: [ServerChallenge], _ now: Moment, _ effects: inout [Effect],
        _ body: (inout SessionTask) -> Void = { _ in }
    ) {
        let question = SessionQuestion(number: nextOrder, challenges: challenges)
        nextOrder += 1
        change(id, now, &effects) { task in
            guard var session = task.session else { return }
            session.question = question
            body(&session)
            task.session = session
        }
        effects.append(.publish(id))
    }

    private func question(_ number: Int, of id: Int) -> SessionQuestion? {
        guard let question = tasks[id]?.session?.question, question.number == number else {
            return nil
        }
        return question
    }

    private mutating func apply(
        _ answer: ChallengeAnswer, _ id: Int, _ number: Int, _ now: Moment,
        _ effects: inout [Effect]
    ) {
        guard let challenges = question(number, of: id)?.challenges, let first = challenges.first
        else { return }
        if answer.action == .cancel { return cancel(id, now, &effects) }
        let rest = Array(challenges.dropFirst())
        if answer.action == .other, !rest.isEmpty { return ask(id, rest, now, &effects) }
        change(id, now, &effects) { task in
            task.session?.question = nil
            task.session?.credential = ServerCredential(answer, to: first)
            if task.session?.credential == nil { task.session?.acceptsRefusal = true }
        }
        effects.append(.publish(id))
    }

    private mutating func begin(
        _ id: Int, _ number: Int, _ request: SessionTask.Request?, _ now: Moment,
        _ effects: inout [Effect]
    ) {
        guard question(number, of: id)?.challenges.isEmpty == true else { return }
        beginAfterDelay(id, request, now, &effects)
    }

    mutating func beginAfterDelay(
        _ id: Int, _ request: SessionTask.Request?, _ now: Moment, _ effects: inout [Effect]
    ) {
        delayDues[id] = nil
        hosts[id] = nil
        if request != nil { effects.append(.discard(id)) }
        change(id, now, &effects) { task in
            task.session?.question = nil
            task.session?.isDelayAnswered = true
            guard let request else { return }
            task.part = TransferPart()
            task.request.url = request.url
            task.session?.method = request.method
            task.session?.fields = request.fields
        }
        effects.append(.publish(id))
    }
}
