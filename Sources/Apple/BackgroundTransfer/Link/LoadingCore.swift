import Dispatch
import Foundation
import UndersongBase
import UndersongTransferClient
import UndersongTransfers

/// The part of a session that its tasks use. Any thread may use it.
protocol TaskOwner: AnyObject, Sendable {
    func resume(_ task: URLSessionTask)
    func suspend(_ task: URLSessionTask)
    /// Ends a task, and calls `completion` with the data to resume it from, if `isKeeping` and there
    /// are any.
    func cancel(
        _ task: URLSessionTask, isKeeping: Bool, _ completion: @escaping @Sendable (Data?) -> Void)
    /// The task's label, priority or date was changed.
    func describe(_ task: URLSessionTask)
}

/// The tasks of a session that end with this process. Work is done on `queue`, in order; nothing on it
/// waits for the delegate's queue.
final class LoadingCore: TaskOwner {
    /// Nanoseconds between two reports of bytes.
    private static let reportTime: Int64 = 200_000_000

    let options: SessionOptions
    private let delegateQueue: OperationQueue
    private let queue = DispatchQueue(label: "session")
    private let loads: TransferLoads
    private let credentials = CredentialStore()
    private let entries: LoadingTasks

    init(
        _ options: SessionOptions, _ delegate: (any URLSessionDelegate)?, _ queue: OperationQueue
    ) {
        self.options = options
        delegateQueue = queue
        loads = TransferLoads(
            options.transferService.location, name: "session", clock: options.clock)
        entries = LoadingTasks(delegate)
    }

    var delegate: (any URLSessionDelegate)? { entries.delegate }

    var label: String? {
        get { entries.label }
        set { entries.label = newValue }
    }

    var tasks: [URLSessionTask] { entries.all.map(\.task) }

    // MARK: Tasks

    func add<Task: URLSessionTask>(
        _ request: URLRequest, body: LoadBody? = nil, to receiver: LoadingTasks.Receiver,
        of session: URLSession,
        _ make: (Int, URLRequest) -> Task
    ) -> Task {
        let body = body ?? request.httpBody.map { .bytes(Array($0)) }
        let failure = TransferErrors.problem(request, options)
        return entries.add(body, failure, to: receiver, of: session) { make($0, request) }
    }

    func resume(_ task: URLSessionTask) {
        task.values.withLock { if $0.state == .suspended { $0.state = .running } }
        queue.async { [self] in
            guard let entry = entries[task], !entry.isBegun else { return read(task) }
            entries.change(task) { $0.isBegun = true }
            if let failure = entry.failure { end(task, failure) } else { startSome() }
        }
    }

    func suspend(_ task: URLSessionTask) {
        task.values.withLock { if $0.state == .running { $0.state = .suspended } }
    }

    func cancel(
        _ task: URLSessionTask, isKeeping: Bool, _ completion: @escaping @Sendable (Data?) -> Void
    ) {
        let isCancelled = task.values.withLock { values in
            guard values.state == .running || values.state == .suspended else { return false }
            values.state = .canceling
            return true
        }
        if isCancelled {
            queue.async { self.end(task, TransferErrors.cancelled(task)) }
        }
        delegateQueue.addOperation { completion(nil) }
    }

    func describe(_ task: URLSessionTask) {}

    func invalidate(_ session: URLSession, isCancelling: Bool) {
        entries.finish()
        if isCancelling { for task in tasks { task.cancel() } }
        queue.async { self.finishIfDone(session) }
    }

    private func finishIfDone(_ session: URLSession) {
        guard entries.invalidateIfDone() else { return }
        delegateQueue.addOperation {
            self.delegate?.urlSession(session, didBecomeInvalidWithError: nil)
            self.entries.delegate = nil
        }
    }

    // MARK: On the queue

    /// Starts the tasks for which there is room with their hosts.
    private func startSome() {
        let all = entries.all
        let host = { (entry: LoadingTasks.Entry) in entry.task.originalRequest?.url?.host ?? "" }
        var counts = Dictionary(grouping: all.filter { $0.load != nil }, by: host)
            .mapValues(\.count)
        for entry in all where entry.isBegun && entry.load == nil {
            guard entry.task.state == .running || entry.task.state == .suspended,
                counts[host(entry), default: 0] < max(1, options.httpMaximumConnectionsPerHost)
            else { continue }
            counts[host(entry), default: 0] += 1
            start(entry)
        }
    }

    private func start(_ entry: LoadingTasks.Entry) {
        let task = entry.task
        guard let request = task.originalRequest else { return }
        let load = loads.load(
            OpenLoad(request, hasBody: entry.body != nil, options), body: entry.body, queue: queue
        ) { [weak self, number = task.taskIdentifier] load, event in
            self?.handle(event, of: load, for: number)
        }
        entries.change(task) { entry in
            entry.load = load
            entry.body = nil
        }
    }

    private func handle(
        _ event: TransferLoad.Event, of load: TransferLoad, for number: Int
    ) {
        guard let entry = entries.entry(ofLoad: number) else { return }
        let task = entry.task
        switch event {
        case .waiting:
            guard !entry.hasWaited else { return }
            entries.change(task) { $0.hasWaited = true }
            callDelegate(of: entry) { session, delegate in
                (delegate as? any URLSessionTaskDelegate)?
                    .urlSession(session, taskIsWaitingForConnectivity: task)
            }
        case .sent(let count): reportSent(count, entry)
        case .challenged(let challenge):
            credentials.ask(
                challenge, of: task, delegate(of: task), in: entry.session, delegateQueue
            ) { [self] answer in
                queue.async {
                    guard answer.action != .cancel else {
                        return self.end(task, TransferErrors.cancelled(task))
                    }
                    self.loads.answer(load, answer)
                }
            }
        case .responded(let response): receive(response, entry)
        case .body(let bytes): receive(bytes, entry)
        case .finished: finish(task)
        case .failed(let failure, let reason):
            end(task, TransferErrors.error(failure, reason, task))
        }
    }

    private func receive(_ response: SessionTask.Response, _ entry: LoadingTasks.Entry) {
        let task = entry.task
        guard let response = HTTPURLResponse(response) else {
            let reason = "The response has no URL"
            return end(task, TransferErrors.error(.badResponse, reason, task))
        }
        let length = response.expectedContentLength
        task.values.withLock { values in
            values.response = response
            values.total = length >= 0 ? length : nil
        }
        task.progress.totalUnitCount = length
        guard case .delegate = entry.receiver, let dataTask = task as? URLSessionDataTask,
            let delegate = delegate(of: task) as? any URLSessionDataDelegate
        else { return allow(task) }
        delegateQueue.addOperation {
            delegate.urlSession(entry.session, dataTask: dataTask, didReceive: response) {
                [self] disposition in queue.async { self.apply(disposition, to: dataTask) }
            }
        }
    }

    private func apply(_ disposition: URLSession.ResponseDisposition, to task: URLSessionDataTask) {
        guard let entry = entries[task], !entry.isAllowed, let load = entry.load else { return }
        switch disposition {
        case .allow: allow(task)
        case .cancel: end(task, TransferErrors.cancelled(task))
        case .becomeDownload: becomeDownload(task, entry, load)
        }
    }

    private func allow(_ task: URLSessionTask) {
        entries.change(task) { $0.isAllowed = true }
        read(task)
    }

    /// Replaces a data task by a download, which gets the body.
    private func becomeDownload(
        _ task: URLSessionDataTask, _ entry: LoadingTasks.Entry, _ load: TransferLoad
    ) {
        guard let request = task.originalRequest else { return }
        let download = entries.replace(task, of: entry.session, by: load) { number in
            URLSessionDownloadTask(number, request, core: self)
        }
        let values = task.values.withLock { values in
            defer { values.state = .completed }
            return values
        }
        download.values.withLock { $0 = values }
        guard let delegate = delegate(of: task) as? any URLSessionDataDelegate else {
            return allow(download)
        }
        delegateQueue.addOperation { [self] in
            delegate.urlSession(entry.session, dataTask: task, didBecome: download)
            queue.async { self.allow(download) }
        }
    }
}

extension LoadingCore {
    // MARK: Bodies

    /// Asks for the next piece of the body, unless the task is suspended.
    private func read(_ task: URLSessionTask) {
        guard let entry = entries[task], entry.isAllowed, !entry.isReading, task.state == .running
        else { return }
        entries.change(task) { $0.isReading = true }
        entry.load?.want()
    }

    private func receive(_ bytes: [UInt8], _ entry: LoadingTasks.Entry) {
        let task = entry.task
        let received = task.values.withLock { values in
            values.received += Int64(bytes.count)
            return values.received
        }
        task.progress.completedUnitCount = received
        entries.change(task) { $0.isReading = false }
        switch entry.receiver {
        case .data: entries.change(task) { $0.data.append(contentsOf: bytes) }
        case .file:
            let file = entry.file ?? DownloadedFile()
            guard let file, file.append(bytes) else {
                let reason = "The file cannot be written"
                return end(task, TransferErrors.error(.storage, reason, task))
            }
            entries.change(task) { $0.file = file }
            reportReceived(task)
        case .delegate:
            guard let dataTask = task as? URLSessionDataTask,
                let delegate = delegate(of: task) as? any URLSessionDataDelegate
            else { break }
            // The server waits until the delegate has handled it.
            return delegateQueue.addOperation { [self] in
                delegate.urlSession(entry.session, dataTask: dataTask, didReceive: Data(bytes))
                queue.async { self.read(task) }
            }
        }
        read(task)
    }

    private func finish(_ task: URLSessionTask) {
        if case .file = entries[task]?.receiver, entries[task]?.file == nil {
            guard let file = DownloadedFile() else {
                let reason = "The file cannot be written"
                return end(task, TransferErrors.error(.storage, reason, task))
            }
            entries.change(task) { $0.file = file }
        }
        reportReceived(task, isLast: true)
        end(task, nil)
    }

    /// Ends a task: the last that happens to it.
    private func end(_ task: URLSessionTask, _ error: URLError?) {
        guard let entry = entries.remove(task) else { return }
        entry.load?.cancel()
        let delegate = delegate(of: task)
        delegateQueue.addOperation { [self] in
            task.values.withLock { values in
                values.state = .completed
                values.error = error
            }
            switch entry.receiver {
            case .data(let handler): handler(error == nil ? entry.data : nil, task.response, error)
            case .file(let handler?, let keepsFile):
                if error == nil, keepsFile { entry.file?.keep() }
                handler(error == nil ? entry.file?.url : nil, task.response, error)
            case .file(nil, _):
                if error == nil, let file = entry.file, let task = task as? URLSessionDownloadTask {
                    (delegate as? any URLSessionDownloadDelegate)?.urlSession(
                        entry.session, downloadTask: task, didFinishDownloadingTo: file.url)
                }
                report(task, error, entry, delegate)
            case .delegate: report(task, error, entry, delegate)
            }
            queue.async { self.finishIfDone(entry.session) }
        }
        startSome()
    }

    private func report(
        _ task: URLSessionTask, _ error: URLError?, _ entry: LoadingTasks.Entry,
        _ delegate: (any URLSessionDelegate)?
    ) {
        (delegate as? any URLSessionTaskDelegate)?
            .urlSession(entry.session, task: task, didCompleteWithError: error)
    }

    private func reportReceived(_ task: URLSessionTask, isLast: Bool = false) {
        guard let entry = entries[task], case .file(nil, _) = entry.receiver,
            let download = task as? URLSessionDownloadTask
        else { return }
        let (received, now) = (task.countOfBytesReceived, options.clock.now)
        guard isLast || now >= entry.reported.time + Self.reportTime,
            received > entry.reported.bytes
        else { return }
        entries.change(task) { $0.reported = (received, now) }
        let expected = task.countOfBytesExpectedToReceive
        callDelegate(of: entry) { session, delegate in
            (delegate as? any URLSessionDownloadDelegate)?.urlSession(
                session, downloadTask: download, didWriteData: received - entry.reported.bytes,
                totalBytesWritten: received, totalBytesExpectedToWrite: expected)
        }
    }

    private func reportSent(_ count: Int64, _ entry: LoadingTasks.Entry) {
        let task = entry.task
        let before = task.values.withLock { values in
            defer { values.sent = count }
            // A request that is sent again begins at its start.
            return count < values.sent ? 0 : values.sent
        }
        guard count > before else { return }
        let expected = task.countOfBytesExpectedToSend
        callDelegate(of: entry) { session, delegate in
            (delegate as? any URLSessionTaskDelegate)?.urlSession(
                session, task: task, didSendBodyData: count - before, totalBytesSent: count,
                totalBytesExpectedToSend: expected)
        }
    }

    /// The task's own delegate, or else the session's.
    private func delegate(of task: URLSessionTask) -> (any URLSessionDelegate)? {
        task.delegate ?? delegate
    }

    private func callDelegate(
        of entry: LoadingTasks.Entry,
        _ body: @escaping @Sendable (URLSession, any URLSessionDelegate) -> Void
    ) {
        guard let delegate = delegate(of: entry.task) else { return }
        delegateQueue.addOperation { body(entry.session, delegate) }
    }
}
