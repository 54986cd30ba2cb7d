import Synchronization

/// What all threads share with a server's wire thread: where they leave what it has to do.
final class Switchboard: Sendable {
    /// What has to be done.
    struct Work {
        /// Connections to which something has to be sent.
        var sending: [ControlConnection] = []
        /// Connections whose requests may go on.
        var resuming: [ControlConnection] = []
        /// Connections that are over.
        var closing: [ControlConnection] = []
        var stops: [Stop] = []
        var departures: [Departure] = []
        /// Whether the wire thread has ended, and does nothing more.
        var isOver = false

        var isEmpty: Bool {
            sending.isEmpty && resuming.isEmpty && closing.isEmpty && stops.isEmpty
                && departures.isEmpty
        }
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

    /// Whether a thread that delivers an event may send it by itself.
    var sendsInline: Bool { subscribers.load(ordering: .relaxed) <= Self.mostInline }

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
