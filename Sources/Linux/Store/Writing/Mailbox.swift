import Synchronization
import UndersongBase
import UndersongPlayback

/// A job for the own thread of a store.
protocol ThreadJob: Sendable {
    /// True for the last job.
    var closes: Bool { get }
    /// The job that replaces both, of which `later` was posted second; nil if there is none.
    func merged(with later: Self) -> Self?
}

/// A job for the store's own thread.
enum Job: ThreadJob {
    case keep(PlayerRecord)
    case keepPosition(CMTime, ItemID)
    case run(@Sendable (inout Keeper) -> Void)
    case close

    var closes: Bool { if case .close = self { true } else { false } }

    func merged(with later: Job) -> Job? {
        switch (self, later) {
        case (.keep, .keep): return later
        case (.keepPosition(_, let earlier), .keepPosition(_, let item)):
            return earlier == item ? later : nil
        case (.keep(var record), .keepPosition(let position, let item)):
            if record.order.current == item { record.position = position }
            return .keep(record)
        default: return nil
        }
    }
}

/// A queue of jobs: any thread adds them, and the store's own takes them in the same order.
final class Mailbox<Job: ThreadJob>: Sendable {
    private struct Contents {
        var jobs: [Job] = []
        var isClosed = false
    }

    private let contents = Mutex(Contents())
    private let arrived = Semaphore()

    var isEmpty: Bool { contents.withLock { $0.jobs.isEmpty } }

    /// Returns false if the store is closed. Of consecutive records to keep, only the last one
    /// stays.
    @discardableResult
    func post(_ job: Job) -> Bool {
        let isPosted = contents.withLock { contents in
            guard !contents.isClosed else { return false }
            if job.closes { contents.isClosed = true }
            if let merged = contents.jobs.last?.merged(with: job) {
                contents.jobs[contents.jobs.count - 1] = merged
            } else {
                contents.jobs.append(job)
            }
            return true
        }
        if isPosted { arrived.post() }
        return isPosted
    }

    /// Waits until there are jobs, or until `clock` reaches `deadline`; nil to wait without limit.
    func waitForJobs(until deadline: Int64?, by clock: any HostClock) -> [Job] {
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
