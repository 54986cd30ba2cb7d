import Synchronization
import Threads

/// State that all threads share with a server's wire thread, including the work they leave for it.
final class Switchboard: Sendable {
    /// Work for the wire thread.
    struct Work {
        /// Data to send, in order.
        var errands: [Errand] = []
        /// Connections whose requests may continue.
        var resuming: [ControlConnection] = []
        /// Connections that have ended.
        var closing: [ControlConnection] = []
        var stops: [Stop] = []
        var departures: [Departure] = []
        /// Whether the wire thread has ended and does nothing more.
        var isOver = false

        var isEmpty: Bool {
            errands.isEmpty && resuming.isEmpty && closing.isEmpty && stops.isEmpty
                && departures.isEmpty
        }
    }

    /// Data that its sender leaves to the wire thread.
    enum Errand {
        case event([UInt8], to: [ControlSubscriber], isDroppable: Bool)
        case notice([UInt8], to: ControlConnection)
        /// The end of a request, with its reply if it expects one.
        case answer([UInt8]?, to: ControlConnection)
    }

    /// A request to stop.
    struct Stop {
        /// The time until which the rest may be sent, in nanoseconds of CLOCK_MONOTONIC.
        var deadline: Int64
        var whenDone: @Sendable () -> Void
    }

    /// A request to stop if no client is connected, removing the socket.
    struct Departure {
        var session: String
        var runtimeFolder: String
        var whenDone: @Sendable (Bool) -> Void
    }

    /// The maximum number of connections with subscriptions whose events are sent by the delivering
    /// thread; more would delay it too much.
    static let mostInline = 8

    /// Watches all descriptors of the server.
    let epoll = Epoll()
    let wakeup = Wakeup()
    private let work = Mutex(Work())
    private let subscribers = Atomic<Int>(0)
    /// Errands not done yet: whatever is sent after them has to wait for them.
    private let undone = Atomic<Int>(0)

    /// Whether anything sent has to queue after errands that are not done.
    var isBehind: Bool { undone.load(ordering: .acquiring) > 0 }

    /// Whether a thread may itself send an event to this many connections.
    func sendsInline(to count: Int) -> Bool {
        !isBehind && max(count, subscribers.load(ordering: .relaxed)) <= Self.mostInline
    }

    /// Leaves an errand to the wire thread.
    func leave(_ errand: Errand) {
        undone.add(1, ordering: .acquiringAndReleasing)
        if !post({ $0.errands.append(errand) }) { finish(1) }
    }

    /// Marks this many errands as done.
    func finish(_ count: Int) { undone.subtract(count, ordering: .acquiringAndReleasing) }

    /// Updates the number of connections with subscriptions.
    func countSubscribers(_ change: Int) { subscribers.add(change, ordering: .relaxed) }

    /// Leaves work and wakes the wire thread once. Returns false if the thread has ended.
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

    /// Takes the remaining work when the wire thread ends.
    func finish() -> Work {
        work.withLock { work in
            defer {
                work = Work()
                work.isOver = true
            }
            return work
        }
    }

    /// Takes all pending work.
    func take() -> Work {
        wakeup.clear()
        return work.withLock { work in
            defer { work = Work() }
            return work
        }
    }
}
