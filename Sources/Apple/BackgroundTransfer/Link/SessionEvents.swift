import Foundation
import Synchronization
import UndersongControl
import UndersongTransfers

extension SessionCore {
    func handle(_ message: ControlNoticeMessage) {
        guard let notice = try? message.decode(SessionChanged.self), notice.session == identifier
        else { return }
        for status in notice.tasks {
            guard let entry = state.withLock({ $0.entries[status.task] }) else { continue }
            update(entry.task, status)
            if !isHeld { reportProgress(entry.number) }
        }
        pump()
    }

    /// Asks for the next event, unless one is on its way or has to wait.
    func pump() {
        guard !isHeld else { return requestAnnouncement() }
        guard let client else { return }
        askQuestions()
        let isNext = state.withLock { state in
            guard state.hasOpened, !state.isInvalid else { return false }
            guard !state.isDelivering else {
                state.hasMore = true
                return false
            }
            state.isDelivering = true
            state.hasMore = false
            return true
        }
        guard isNext else { return }
        client.send(NextSessionEvent(session: identifier)) { result in
            self.queue.async {
                guard let event = try? result.get().event else { return self.settle() }
                self.deliver(event)
            }
        }
    }

    /// Ends the delivery: there is no event now.
    func settle() {
        let hasMore = state.withLock { state in
            state.isDelivering = false
            return state.hasMore
        }
        if hasMore { return pump() }
        guard client != nil else { return }
        if board.isNotified(identifier), state.withLock({ $0.questions == 0 }) {
            board.finish(identifier)
            callDelegate { session, delegate in
                delegate.urlSessionDidFinishEvents(forBackgroundURLSession: session)
            }
        }
        finishIfDone()
    }

    /// The application is notified once all tasks are done, and of a question at once.
    func requestAnnouncement() {
        let isDone = state.withLock { state in
            if state.entries.values.contains(where: { $0.question != nil && $0.answer == nil }) {
                return true
            }
            let states = state.entries.values.filter { $0.failure == nil }.map(\.remote)
            return !states.contains(.running)
                && states.contains { $0 != .suspended }
        }
        if isDone { board.request(identifier) }
    }

    // MARK: Questions

    /// Asks the delegate what only that can answer.
    private func askQuestions() {
        for entry in state.withLock({ $0.entries.values.sorted { $0.number < $1.number } }) {
            guard let question = entry.question, question.number != entry.askedQuestion else {
                continue
            }
            state.withLock { state in
                state.entries[entry.number]?.askedQuestion = question.number
                state.entries[entry.number]?.answer = nil
                state.questions += 1
            }
            if let challenge = question.challenges.first {
                ask(challenge, question, entry.task)
            } else {
                askAboutDelay(question, entry.task)
            }
        }
    }

    private func ask(
        _ challenge: ServerChallenge, _ question: SessionQuestion, _ task: URLSessionTask
    ) {
        let (session, delegate) = state.withLock { ($0.session, $0.delegate) }
        guard let session else { return }
        credentials.ask(challenge, of: task, delegate, in: session, delegateQueue) {
            [self] answer in
            if answer.action == .cancel { task.cancel() }
            var call = AnswerSessionTask(
                session: identifier, task: task.taskIdentifier, question: question.number)
            call.challenge = answer
            send(call)
        }
    }

    private func askAboutDelay(_ question: SessionQuestion, _ task: URLSessionTask) {
        let isAnswered = Mutex(false)
        callDelegate { [self] session, delegate in
            let answer = {
                @Sendable
                (
                    disposition: URLSession.DelayedRequestDisposition, request: URLRequest?
                ) in
                let isFirst = isAnswered.withLock { isAnswered in
                    defer { isAnswered = true }
                    return !isAnswered
                }
                guard isFirst else { return }
                self.answerDelay(question, task, disposition, request)
            }
            guard let delegate = delegate as? any URLSessionTaskDelegate,
                let request = task.originalRequest
            else {
                task.ignoreDelays()
                return answer(.continueLoading, nil)
            }
            delegate.urlSession(
                session, task: task, willBeginDelayedRequest: request, completionHandler: answer)
        }
    }

    private func answerDelay(
        _ question: SessionQuestion, _ task: URLSessionTask,
        _ disposition: URLSession.DelayedRequestDisposition, _ request: URLRequest?
    ) {
        var call = AnswerSessionTask(
            session: identifier, task: task.taskIdentifier, question: question.number)
        switch disposition {
        case .continueLoading: break
        case .cancel: task.cancel()
        case .useNewRequest:
            guard let request else { break }
            guard TransferErrors.problem(request, nil, options) == nil else {
                task.cancel()
                break
            }
            task.values.withLock { $0.newRequest = request }
            call.request = SessionTask.Request(
                url: request.url?.absoluteString ?? "", method: request.httpMethod ?? "GET",
                fields: request.fields(with: options))
        }
        call.ignoresDelays = task.values.withLock(\.ignoresDelays)
        send(call)
    }

    private func send(_ answer: AnswerSessionTask) {
        queue.async { [self] in
            state.withLock { $0.entries[answer.task]?.answer = answer }
            guard let client else { return settleQuestion() }
            client.send(answer) { _ in self.queue.async { self.settleQuestion() } }
        }
    }

    private func settleQuestion() {
        state.withLock { $0.questions -= 1 }
        pump()
    }

    // MARK: Events

    func deliver(_ event: SessionTaskEvent) {
        let key = DeliveredEvent(task: event.task.task, phase: event.phase)
        guard !state.withLock({ $0.delivered.contains(key) }) else { return acknowledge(key) }
        let task = adopt(event.task)
        if event.phase == .file, event.path != nil { reportProgress(key.task) }
        if event.phase == .end {
            let entry = state.withLock { $0.entries.removeValue(forKey: key.task) }
            // Of a task that was over before it could be cancelled.
            let data = event.task.resume.map { Data($0.utf8) }
            for keeper in entry?.keepers ?? [] { delegateQueue.addOperation { keeper(data) } }
        }
        callDelegate(then: {
            self.queue.async {
                self.state.withLock { _ = $0.delivered.insert(key) }
                self.acknowledge(key)
            }
        }) { session, delegate in
            task.report(event, to: delegate, in: session)
        }
    }

    func acknowledge(_ event: DeliveredEvent) {
        let call = AcknowledgeSessionEvent(
            session: identifier, task: event.task, phase: event.phase)
        guard let client else { return settle() }
        client.send(call) { result in
            self.queue.async {
                self.state.withLock { state in
                    if case .success = result { state.delivered.remove(event) }
                    state.isDelivering = false
                }
                self.pump()
            }
        }
    }

    /// Reports bytes that have come or gone since the last time.
    func reportProgress(_ number: Int) {
        guard let entry = state.withLock({ $0.entries[number] }) else { return }
        let task = entry.task
        let (received, total) = (task.countOfBytesReceived, task.countOfBytesExpectedToReceive)
        let (sent, toSend) = (task.countOfBytesSent, task.countOfBytesExpectedToSend)
        let origin = task.values.withLock(\.origin)
        let isResumed = origin != nil && origin != entry.origin
        let start = isResumed ? origin ?? 0 : received < entry.received ? 0 : entry.received
        state.withLock { state in
            state.entries[number]?.received = received
            state.entries[number]?.sent = sent
            state.entries[number]?.origin = origin
        }
        let sentBefore = sent < entry.sent ? 0 : entry.sent
        callDelegate { session, delegate in
            if let download = task as? URLSessionDownloadTask {
                guard let delegate = delegate as? any URLSessionDownloadDelegate else { return }
                if isResumed, let origin {
                    delegate.urlSession(
                        session, downloadTask: download, didResumeAtOffset: origin,
                        expectedTotalBytes: total)
                }
                guard received > start else { return }
                delegate.urlSession(
                    session, downloadTask: download, didWriteData: received - start,
                    totalBytesWritten: received, totalBytesExpectedToWrite: total)
            } else if sent > sentBefore, let delegate = delegate as? any URLSessionTaskDelegate {
                delegate.urlSession(
                    session, task: task, didSendBodyData: sent - sentBefore, totalBytesSent: sent,
                    totalBytesExpectedToSend: toSend)
            }
        }
    }

    /// Ends a task without the process.
    func end(_ task: URLSessionTask, _ error: URLError) {
        let isKnown = state.withLock { $0.entries.removeValue(forKey: task.taskIdentifier) != nil }
        guard isKnown else { return }
        callDelegate(then: { self.queue.async { self.finishIfDone() } }) { session, delegate in
            task.end(error, to: delegate, in: session)
        }
    }

    func callDelegate(
        then done: @escaping @Sendable () -> Void = {},
        _ body: @escaping @Sendable (URLSession, any URLSessionDelegate) -> Void
    ) {
        delegateQueue.addOperation {
            let (session, delegate) = self.state.withLock { ($0.session, $0.delegate) }
            if let session, let delegate { body(session, delegate) }
            done()
        }
    }
}
