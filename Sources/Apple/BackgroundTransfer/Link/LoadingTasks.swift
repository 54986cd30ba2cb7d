import Foundation
import Synchronization
import UndersongTransferClient
import UndersongTransfers

/// The tasks of a session that have not ended. Any thread may use them.
final class LoadingTasks: Sendable {
    /// The receiver of a response's body.
    enum Receiver: Sendable {
        case delegate
        case data(@Sendable (Data?, URLResponse?, (any Error)?) -> Void)
        /// A download, for the delegate without a handler. The file is deleted after that unless it
        /// `keepsFile`.
        case file((@Sendable (URL?, URLResponse?, (any Error)?) -> Void)?, keepsFile: Bool)
    }

    struct Entry {
        let task: URLSessionTask
        /// The session, which lives as long as it has tasks.
        let session: URLSession
        var receiver: Receiver
        var body: LoadBody?
        /// The reason it cannot be loaded at all.
        var failure: URLError?
        var load: TransferLoad?
        /// True if it was resumed once.
        var isBegun = false
        /// True once the delegate has allowed the response.
        var isAllowed = false
        /// True if the body's next piece is awaited.
        var isReading = false
        var data = Data()
        var file: DownloadedFile?
        var hasWaited = false
        /// The bytes that were reported last, and when.
        var reported: (bytes: Int64, time: Int64) = (0, 0)
    }

    private struct State {
        var delegate: (any URLSessionDelegate)?
        var label: String?
        var nextTask = 1
        var entries: [Int: Entry] = [:]
        /// The downloads that data tasks have become.
        var downloads: [Int: Int] = [:]
        var isFinishing = false
        var isInvalid = false
    }

    private let state: Mutex<State>

    init(_ delegate: (any URLSessionDelegate)?) { state = Mutex(State(delegate: delegate)) }

    var delegate: (any URLSessionDelegate)? {
        get { state.withLock(\.delegate) }
        set { state.withLock { $0.delegate = newValue } }
    }

    var label: String? {
        get { state.withLock(\.label) }
        set { state.withLock { $0.label = newValue } }
    }

    /// All of them, in the order in which they were made.
    var all: [Entry] {
        state.withLock { $0.entries.sorted { $0.key < $1.key }.map(\.value) }
    }

    subscript(task: URLSessionTask) -> Entry? {
        state.withLock { $0.entries[task.taskIdentifier] }
    }

    /// The task that a load was begun for, or the download that it has become.
    func entry(ofLoad number: Int) -> Entry? {
        state.withLock { $0.entries[$0.downloads[number] ?? number] }
    }

    /// Adds the task that `make` makes with its number.
    func add<Task: URLSessionTask>(
        _ body: LoadBody?, _ failure: URLError?, to receiver: Receiver, of session: URLSession,
        _ make: (Int) -> Task
    ) -> Task {
        state.withLock { state in
            if state.isFinishing {
                fatalError("A task was made in a session that has been invalidated")
            }
            let task = make(state.nextTask)
            var entry = Entry(task: task, session: session, receiver: receiver)
            entry.body = body
            entry.failure = failure
            state.entries[state.nextTask] = entry
            state.nextTask += 1
            return task
        }
    }

    func change(_ task: URLSessionTask, _ body: (inout Entry) -> Void) {
        state.withLock { state in
            guard var entry = state.entries.removeValue(forKey: task.taskIdentifier) else { return }
            body(&entry)
            state.entries[task.taskIdentifier] = entry
        }
    }

    /// Replaces a data task by the download that `make` makes with its number, which gets the body of
    /// `load`.
    func replace(
        _ task: URLSessionDataTask, of session: URLSession, by load: TransferLoad,
        _ make: (Int) -> URLSessionDownloadTask
    ) -> URLSessionDownloadTask {
        state.withLock { state in
            let download = make(state.nextTask)
            state.nextTask += 1
            state.downloads[task.taskIdentifier] = download.taskIdentifier
            state.entries[task.taskIdentifier] = nil
            var entry = Entry(
                task: download, session: session, receiver: .file(nil, keepsFile: false))
            (entry.load, entry.isBegun) = (load, true)
            state.entries[download.taskIdentifier] = entry
            return download
        }
    }

    /// Removes a task that ends. Returns nil if it has ended already.
    func remove(_ task: URLSessionTask) -> Entry? {
        let number = task.taskIdentifier
        return state.withLock { state in
            for (old, new) in state.downloads where new == number { state.downloads[old] = nil }
            return state.entries.removeValue(forKey: number)
        }
    }

    /// Adds no tasks from now on.
    func finish() { state.withLock { $0.isFinishing = true } }

    /// Returns true once, when no tasks are added and all have ended.
    func invalidateIfDone() -> Bool {
        state.withLock { state in
            guard state.isFinishing, state.entries.isEmpty, !state.isInvalid else { return false }
            state.isInvalid = true
            return true
        }
    }
}
