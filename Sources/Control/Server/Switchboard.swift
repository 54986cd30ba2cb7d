import Synchronization
import Threads

/// What all threads share with a server's wire thread: where they leave what it has to do.
final class Switchboard: Sendable {
    /// What has to be done.
    struct Work {
        /// What has to be sent, in order.
        var errands: [Errand] = []
        /// Connections whose requests may go on.
        var resuming: [ControlConnection] = []
        /// Connections that are over.
        var closing: [ControlConnection] = []
        var stops: [Stop] = []
        var departures: [Departure] = []
        /// Whether the wire thread has ended, and does nothing more.
        var isOver = false

        var isEmpty: Bool {
            errands.isEmpty && resuming.isEmpty && closing.isEmpty && stops.isEmpty
                && departures.isEmpty
        }
    }

    /// Something to send that its sender has left to the wire thread.
    enum Errand {
        case event([UInt8], to: [ControlSubscriber], isDroppable: Bool)
        case notice([UInt8], to: ControlConnection)
        /// The end of a request, with its answer if it wants one.
        case answer([UInt8]?, to: ControlConnection)
    }

    /// The wish to stop.
    struct Stop {
        /// Until when the rest may be sent, in nanoseconds of CLOCK_MONOTONIC.
        var deadline: Int64
        var whenDone: @Sendable () -> Void
    }

    /// The wish to stop if nobody is connected, and to remove the socket then.
    struct Departure {
        var session: String
        var runtimeFolder: String
        var whenDone: @Sendable (Bool) -> Void
    }

    /// Up to so many connections with subscriptions are sent their events by the thread that
    /// delivers; more would hold it up.
    static let mostInline = 8

    /// Watches all descriptors of the server.
    let epoll = Epoll()
    let wakeup = Wakeup()
    private let work = Mutex(Work())
    private let subscribers = Atomic<Int>(0)
    /// Errands that are not done: what is sent after them has to wait for them.
    private let undone = Atomic<Int>(0)

    /// Whether what is sent has to go the way of the errands, behind those that are not done.
    var isBehind: Bool { undone.load(ordering: .acquiring) > 0 }

    /// Whether a thread that delivers an event to so many may send it by itself.
    func sendsInline(to count: Int) -> Bool {
        !isBehind && max(count, subscribers.load(ordering: .relaxed)) <= Self.mostInline
    }

    /// Leaves an errand to the wire thread.
    func leave(_ errand: Errand) {
        undone.add(1, ordering: .acquiringAndReleasing)
        if !post({ $0.errands.append(errand) }) { finish(1) }
    }

    /// Says that so many errands are done.
    func finish(_ count: Int) { undone.subtract(count, ordering: .acquiringAndReleasing) }

    /// Counts connections with subscriptions.
    func countSubscribers(_ change: Int) { subscribers.add(change, ordering: .relaxed) }

    /// Leaves work; the wire thread wakes up for it once. False when there is none any more.
    @discardableResult
    func post(_ add: (inout Work) -> Void) -> Bool {
        let (isFirst, isOver) = work.withLock { work in
            let wasEmpty = work.isEmpty
            if !work.isOver { add(&work) }
            return (wasEmpty, work.isOver)
        }
        if isFirst && !isOver { wakeup.post() }
        return !isOver
    }

    /// Takes the last work that is left, when the wire thread ends.
    func finish() -> Work {
        work.withLock { work in
            defer {
                work = Work()
                work.isOver = true
            }
            return work
        }
    }

    /// Takes all work that was left.
    func take() -> Work {
        wakeup.clear()
        return work.withLock { work in
            defer { work = Work() }
            return work
        }
    }
}
