import Foundation
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
        if board.isNotified(identifier) {
            board.finish(identifier)
            callDelegate { session, delegate in
                delegate.urlSessionDidFinishEvents(forBackgroundURLSession: session)
            }
        }
        finishIfDone()
    }

    /// The application is notified once all tasks are done.
    func requestAnnouncement() {
        let isDone = state.withLock { state in
            let states = state.entries.values.filter { $0.failure == nil }.map(\.remote)
            return !states.contains(.running)
                && states.contains { $0 != .suspended }
        }
        if isDone { board.request(identifier) }
    }

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
