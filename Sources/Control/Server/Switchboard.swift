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
        /// What to call when the server has stopped, and the CLOCK_MONOTONIC nanoseconds until
        /// which it may send the rest.
        var stop: (deadline: Int64, whenDone: @Sendable () -> Void)?
        /// The socket to remove if nobody is connected, and what to call with what came of it.
        var departure: Departure?

        var isEmpty: Bool {
            sending.isEmpty && resuming.isEmpty && closing.isEmpty && stop == nil
                && departure == nil
        }
    }

    /// The wish to stop if nobody is connected.
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

    /// Leaves work; the wire thread wakes up for it once.
    func post(_ add: (inout Work) -> Void) {
        let isFirst = work.withLock { work in
            let wasEmpty = work.isEmpty
            add(&work)
            return wasEmpty
        }
        if isFirst { wakeup.post() }
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
