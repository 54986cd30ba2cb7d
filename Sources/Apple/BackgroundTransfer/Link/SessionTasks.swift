import Foundation
import UndersongBase
import UndersongTransfers

extension SessionCore {
    // MARK: Tasks

    /// Makes a task and adds it to the session. Waits until the session is open.
    func add<Task: URLSessionTask>(
        _ request: URLRequest, resume: ResumedRequest? = nil, body: String? = nil,
        _ make: (Int, URLRequest) -> Task
    ) -> Task {
        opening.wait()
        let number = state.withLock { state in
            if state.isFinishing, state.ending == nil {
                fatalError("A task was made in a session that has been invalidated")
            }
            defer { state.nextTask += 1 }
            return state.nextTask
        }
        let task = make(number, request)
        var entry = Entry(task: task)
        entry.failure = state.withLock(\.ending) ?? TransferErrors.problem(request, resume, options)
        entry.call = AddSessionTask(
            number, request, resume: resume, body: body, of: identifier, options)
        queue.sync {
            state.withLock { $0.entries[number] = entry }
            if entry.failure == nil { sendAdd(entry) }
        }
        return task
    }

    /// Makes a task that continues another one.
    func add(
        _ resumed: ResumedRequest, _ make: (Int, URLRequest) -> URLSessionDownloadTask
    ) -> URLSessionDownloadTask {
        add(resumed.request ?? URLRequest(url: URL(fileURLWithPath: "/")), resume: resumed, make)
    }

    /// Calls `body` with the tasks that are not over, once the session is open.
    func withTasks(_ body: @escaping @Sendable ([URLSessionTask]) -> Void) {
        opening.notify(queue: queue) {
            body(
                self.state.withLock { $0.entries.values.sorted { $0.number < $1.number } }.map(
                    \.task))
        }
    }

    func resume(_ task: URLSessionTask) {
        queue.sync {
            let isBegun = task.values.withLock { values in
                guard values.state == .suspended else { return false }
                values.state = .running
                return true
            }
            guard isBegun else { return }
            let isBackground = isInBackground.withLock(\.self)
            let entry = state.withLock { state in
                state.entries[task.taskIdentifier]?.isBackground = isBackground
                return state.entries[task.taskIdentifier]
            }
            guard let entry else { return }
            if let failure = entry.failure {
                end(task, failure)
            } else {
                sendResume(entry)
            }
        }
    }

    func suspend(_ task: URLSessionTask) {
        queue.sync {
            let isSuspended = task.values.withLock { values in
                guard values.state == .running else { return false }
                values.state = .suspended
                return true
            }
            if isSuspended { sendSuspend(task.taskIdentifier) }
        }
    }

    func cancel(
        _ task: URLSessionTask, isKeeping: Bool, _ completion: @escaping @Sendable (Data?) -> Void
    ) {
        queue.sync {
            let isCancelled = task.values.withLock { values in
                guard values.state == .running || values.state == .suspended else { return false }
                values.state = .canceling
                return true
            }
            let failure = state.withLock { $0.entries[task.taskIdentifier]?.failure }
            guard isCancelled, failure == nil else {
                delegateQueue.addOperation { completion(nil) }
                if isCancelled { end(task, TransferErrors.cancelled(task)) }
                return
            }
            state.withLock { state in
                state.entries[task.taskIdentifier]?.isKeeping = isKeeping
                state.entries[task.taskIdentifier]?.keepers.append(completion)
            }
            sendCancel(task.taskIdentifier)
        }
    }

    /// The task's label, priority or date was changed.
    func describe(_ task: URLSessionTask) {
        queue.sync {
            guard let entry = state.withLock({ $0.entries[task.taskIdentifier] }),
                entry.failure == nil
            else { return }
            client?.send(
                DescribeSessionTask(
                    session: identifier, task: task.taskIdentifier, details: details(of: task)))
        }
    }

    func invalidate(isCancelling: Bool) {
        queue.sync {
            let tasks = state.withLock { state in
                state.isFinishing = true
                return state.entries.values.map(\.task)
            }
            if isCancelling {
                for task in tasks {
                    let isPending = task.values.withLock { values in
                        guard values.state == .running || values.state == .suspended else {
                            return false
                        }
                        values.state = .canceling
                        return true
                    }
                    guard isPending else { continue }
                    if state.withLock({ $0.entries[task.taskIdentifier]?.failure != nil }) {
                        end(task, TransferErrors.cancelled(task))
                    } else {
                        sendCancel(task.taskIdentifier)
                    }
                }
            }
            pump()
        }
        opening.notify(queue: queue) { self.finishIfDone() }
    }

    // MARK: Calls

    func sendAdd(_ entry: Entry) {
        guard var call = entry.call else { return }
        call.details = details(of: entry.task)
        client?.send(call) { result in
            guard case .failure(let error) = result, error.code != .unavailable else { return }
            self.queue.async { self.end(entry.task, TransferErrors.error(for: error)) }
        }
    }

    func sendResume(_ entry: Entry) {
        let isBackground = state.withLock { $0.entries[entry.number]?.isBackground }
        guard let isBackground else { return }
        client?.send(
            ResumeSessionTask(
                session: identifier, task: entry.number, details: details(of: entry.task),
                isBackground: isBackground))
    }

    func sendSuspend(_ number: Int) {
        guard let task = state.withLock({ $0.entries[number]?.task }) else { return }
        client?.send(
            SuspendSessionTask(session: identifier, task: number, details: details(of: task)))
    }

    func sendCancel(_ number: Int) {
        guard let entry = state.withLock({ $0.entries[number] }) else { return }
        let call = CancelSessionTask(
            session: identifier, task: number, details: details(of: entry.task),
            isKept: entry.isKeeping)
        client?.send(call) { result in
            // If the connection is lost, it is sent again.
            if case .failure(let error) = result, error.code == .unavailable { return }
            let data = (try? result.get())?.resume.map { Data($0.utf8) }
            let keepers = self.state.withLock { state in
                let keepers = state.entries[number]?.keepers ?? []
                state.entries[number]?.keepers = []
                return keepers
            }
            self.delegateQueue.addOperation { for keeper in keepers { keeper(data) } }
        }
    }

    private func details(of task: URLSessionTask) -> SessionTask.Details {
        task.values.withLock { values in
            var details = SessionTask.Details()
            details.description = values.label ?? ""
            details.priority = Double(values.priority)
            details.earliestBegin = values.earliestBegin?.timeIntervalSince1970
            return details
        }
    }
}

extension AddSessionTask {
    /// The call that adds a task to the session of `options`.
    init(
        _ number: Int, _ request: URLRequest, resume: ResumedRequest?, body: String?,
        of session: String, _ options: SessionOptions
    ) {
        self.init(
            session: session, task: number,
            request: SessionTask.Request(
                url: request.url?.absoluteString ?? "", method: request.httpMethod ?? "GET",
                fields: request.fields(with: options), body: body))
        discretionary = options.isDiscretionary
        metered = options.usesMetered && request.usesMetered
        within = max(1, options.timeoutIntervalForResource)
        let own = request.timeoutInterval
        stall = max(1, own == 60 ? options.timeoutIntervalForRequest : own)
        perHost = min(max(1, options.httpMaximumConnectionsPerHost), 6)
        self.resume = resume?.text
    }
}
