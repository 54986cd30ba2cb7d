import Foundation
import UndersongControl

extension SessionCore {
    // MARK: The connection

    func connect() {
        let generation = state.withLock { state -> Int? in
            guard !state.isInvalid else { return nil }
            state.generation += 1
            return state.generation
        }
        guard let generation else { return }
        do throws(ControlError) {
            let client = try options.transferService.location.connect(
                name: "background session",
                onNotice: { notice in
                    self.queue.async { self.take(notice, generation) }
                },
                onClose: { error in
                    self.queue.async { self.lose(error, generation) }
                })
            state.withLock { $0.client = client }
            client.send(OpenSession(session: identifier, launch: options.launch)) { result in
                self.queue.async { self.open(result, generation) }
            }
        } catch {
            retry(error)
        }
    }

    func lose(_ error: ControlError, _ generation: Int) {
        let isLost = state.withLock { state in
            guard state.generation == generation, state.client != nil else { return false }
            state.client = nil
            return true
        }
        if isLost { retry(error) }
    }

    /// Connects later, unless that has been tried often enough. A process that ends again and again
    /// may be of use in between, and is started for ever.
    func retry(_ error: ControlError) {
        let delay = state.withLock { state -> Double? in
            state.client = nil
            defer { state.attempts += 1 }
            if state.openGeneration == state.generation {
                return Self.delays[min(state.attempts, Self.delays.count - 1)]
            }
            let most = error.code == .inUse ? Self.attemptsInUse : Self.delays.count
            return state.attempts < most ? Self.delays[state.attempts] : nil
        }
        if let delay {
            queue.asyncAfter(deadline: .now() + delay) { self.connect() }
        } else {
            invalidate(because: TransferErrors.error(for: error))
        }
    }

    func open(_ result: Result<OpenSession.Reply, ControlError>, _ generation: Int) {
        guard state.withLock({ $0.generation == generation && $0.client != nil }) else { return }
        switch result {
        case .failure(let error) where error.code == .invalidParams:
            invalidate(because: TransferErrors.error(for: error))
        case .failure(let error): retry(error)
        case .success(let reply):
            state.withLock { $0.openGeneration = generation }
            queue.asyncAfter(deadline: .now() + 10) {
                self.state.withLock { state in
                    if state.generation == generation { state.attempts = 0 }
                }
            }
            rejoin(reply)
        }
    }

    func rejoin(_ reply: OpenSession.Reply) {
        let isFirst = state.withLock { state in
            defer { state.hasOpened = true }
            state.nextTask = max(state.nextTask, reply.nextTask)
            return !state.hasOpened
        }
        var known: Set<Int> = []
        for status in reply.tasks {
            known.insert(status.task)
            let isOver = state.withLock {
                $0.delivered.contains(DeliveredEvent(task: status.task, phase: .end))
            }
            if !isOver { adopt(status) }
        }
        let entries = state.withLock { $0.entries.values.sorted { $0.number < $1.number } }
        for entry in entries where entry.failure == nil {
            if !known.contains(entry.number) { sendAdd(entry) }
            repeatWishes(entry)
        }
        if isFirst { opening.leave() }
        pump()
    }

    /// Repeats what the process may not have got before it was lost.
    func repeatWishes(_ entry: Entry) {
        switch entry.task.state {
        case .running where entry.remote == .suspended: sendResume(entry)
        case .suspended where entry.remote == .running: send(entry.number, .suspend)
        case .canceling where entry.remote == .suspended || entry.remote == .running:
            sendCancel(entry.number)
        default: break
        }
    }

    /// Takes over a task that the session has.
    @discardableResult
    func adopt(_ status: SessionTaskStatus) -> URLSessionTask {
        if let entry = state.withLock({ $0.entries[status.task] }) {
            update(entry.task, status)
            return entry.task
        }
        var request = URLRequest(
            url: status.request.flatMap { URL(string: $0.url) } ?? URL(fileURLWithPath: "/"))
        request.httpMethod = status.request?.httpMethod
        request.fields = (status.request?.fields ?? []).map {
            RequestField(name: $0.name, value: $0.value)
        }
        let task =
            status.request?.body == nil
            ? URLSessionDownloadTask(status.task, request, core: self)
            : URLSessionUploadTask(status.task, request, core: self)
        task.values.withLock { values in
            values.label = status.description
            values.state = status.state == .suspended ? .suspended : .running
        }
        var entry = Entry(task: task)
        entry.received = status.received
        entry.sent = status.sent ?? 0
        entry.origin = status.origin
        state.withLock { $0.entries[status.task] = entry }
        update(task, status)
        return task
    }

    func update(_ task: URLSessionTask, _ status: SessionTaskStatus) {
        state.withLock { $0.entries[status.task]?.remote = status.state }
        task.update(status)
    }

    // MARK: The end

    /// Becomes invalid if that is wanted and all tasks are over.
    func finishIfDone() {
        let client = state.withLock { state -> ControlClient? in
            guard state.isFinishing, state.entries.isEmpty, !state.isDelivering, !state.isInvalid
            else { return nil }
            return state.client
        }
        guard let client else { return }
        state.withLock { $0.isInvalid = true }
        board.remove(identifier)
        client.send(CloseSession(session: identifier)) { _ in
            client.close()
            self.becomeInvalid(nil)
        }
    }

    /// The session cannot be used: all tasks fail.
    func invalidate(because error: URLError) {
        let (tasks, wasOpened) = state.withLock { state in
            defer {
                state.client = nil
                state.isInvalid = true
                state.isFinishing = true
                state.ending = error
                state.hasOpened = true
            }
            return (
                state.entries.values.sorted { $0.number < $1.number }.map(\.task), state.hasOpened
            )
        }
        board.remove(identifier)
        for task in tasks { end(task, error) }
        becomeInvalid(error)
        if !wasOpened { opening.leave() }
    }

    func becomeInvalid(_ error: URLError?) {
        callDelegate { session, delegate in
            delegate.urlSession(session, didBecomeInvalidWithError: error)
        }
        // Tasks that are made of a session that could not be used report that they fail.
        guard error == nil else { return }
        delegateQueue.addOperation {
            self.state.withLock { state in
                state.delegate = nil
                state.session = nil
                state.client = nil
            }
        }
    }
}
