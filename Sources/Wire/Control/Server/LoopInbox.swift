import Synchronization
import UndersongBase

/// State that all threads share with a server's wire thread, including the work they leave for it.
final class LoopInbox: Sendable {
    /// Work for the wire thread.
    struct Work {
        /// Data to send, in order.
        var deliveries: [Delivery] = []
        /// Connections whose requests may continue.
        var resuming: [ControlConnection] = []
        /// Connections that have ended.
        var closing: [ControlConnection] = []
        var stops: [Stop] = []
        var idleShutdowns: [IdleShutdown] = []
        /// True if the wire thread has ended and does nothing more.
        var isOver = false

        var isEmpty: Bool {
            deliveries.isEmpty && resuming.isEmpty && closing.isEmpty && stops.isEmpty
                && idleShutdowns.isEmpty
        }
    }

    /// Data that its sender leaves to the wire thread.
    enum Delivery {
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

    /// A request to stop if no client is connected, removing the socket unless it is kept.
    struct IdleShutdown {
        var socket: ControlSocket
        var keepsSocket: Bool
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
    /// Deliveries not done yet: whatever is sent after them has to wait for them.
    private let undone = Atomic<Int>(0)

    /// True if anything sent has to queue after deliveries that are not done.
    var isBehind: Bool { undone.load(ordering: .acquiring) > 0 }

    /// True if a thread may itself send an event to this many connections.
    func sendsInline(to count: Int) -> Bool {
        !isBehind && max(count, subscribers.load(ordering: .relaxed)) <= Self.mostInline
    }

    /// Leaves a delivery to the wire thread.
    func leave(_ delivery: Delivery) {
        undone.add(1, ordering: .acquiringAndReleasing)
        if !post({ $0.deliveries.append(delivery) }) { finish(1) }
    }

    /// Marks this many deliveries as done.
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
    func drain() -> Work {
        wakeup.clear()
        return work.withLock { work in
            defer { work = Work() }
            return work
        }
    }
}
