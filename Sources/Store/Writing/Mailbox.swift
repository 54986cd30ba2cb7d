import Playback
import Synchronization
import Threads

/// What the writer is asked for.
enum Job: Sendable {
    typealias Reply<T: Sendable> = @Sendable (Result<T, QueueError>) -> Void

    case keep(PlayerRecord)
    case keepPosition(CMTime, ItemID)
    case commit(PlayerRecord, QueueCommit, Reply<Void>)
    /// Items that a record will name; calls back when they are written, or when that has failed.
    case stage([QueueItem], @Sendable () -> Void)
    /// What is unsaved on the itemStore is to be written soon.
    case saveItems
    /// Items that no record will name.
    case discard([ItemID])
    /// Files' positions and the history are to be written soon.
    case saveListening
    case orderBeforeLastEdit(Reply<(order: QueueOrder, position: CMTime)?>)
    /// The file was found to be damaged that was opened as the one of this number.
    case replaceFile(Int)
    case flush(@Sendable () -> Void)
    case close
}

/// Where any thread puts jobs, and the writer's takes them, in the order in which they came.
final class Mailbox: Sendable {
    private struct Contents {
        var jobs: [Job] = []
        var isClosed = false
    }

    private let contents = Mutex(Contents())
    private let arrived = Semaphore()

    var isEmpty: Bool { contents.withLock { $0.jobs.isEmpty } }

    /// False when the store is closed: nothing is done then. Of records to keep that wait without
    /// another job between them only the last stays.
    func post(_ job: Job) -> Bool {
        let isPosted = contents.withLock { contents in
            guard !contents.isClosed else { return false }
            if case .close = job { contents.isClosed = true }
            if let last = contents.jobs.last, let merged = last.merged(with: job) {
                contents.jobs[contents.jobs.count - 1] = merged
            } else {
                contents.jobs.append(job)
            }
            return true
        }
        if isPosted { arrived.post() }
        return isPosted
    }

    /// Waits until there are jobs, or until it is `deadline` by `clock`; nil: without end.
    func take(until deadline: Int64?, by clock: any HostClock) -> [Job] {
        let timer = deadline.map { clock.wake(at: $0, leeway: 0) { [arrived] in arrived.post() } }
        defer { timer?.cancel() }
        while true {
            let jobs = contents.withLock { contents in
                defer { contents.jobs = [] }
                return contents.jobs
            }
            if !jobs.isEmpty { return jobs }
            if let deadline, clock.now >= deadline { return [] }
            arrived.wait()
        }
    }
}

extension Job {
    /// The job that stands for both, the other one coming later; nil when there is none.
    fileprivate func merged(with later: Job) -> Job? {
        switch (self, later) {
        case (.keep, .keep): return later
        case (.saveListening, .saveListening): return self
        case (.keepPosition(_, let earlier), .keepPosition(_, let item)):
            return earlier == item ? later : nil
        case (.keep(var record), .keepPosition(let position, let item)):
            if record.order.current == item { record.position = position }
            return .keep(record)
        default: return nil
        }
    }
}
