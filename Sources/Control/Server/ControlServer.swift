import Glibc
package import Playback
import Synchronization
import Threads

/// Serves the clients that connect to one socket, on a thread of its own, which sleeps while
/// nothing happens. What one client does costs no other anything.
public final class ControlServer: Sendable {
    /// What clients may cost.
    struct Limits {
        /// Connections at a time; each costs a descriptor and up to some hundred kilobytes.
        var connections = 8192
        /// Bytes of a line.
        var line = ControlProtocol.longestLine
        /// Bytes of lines that are not whole, of all clients together.
        var input = 32 * 1024 * 1024
    }

    private let listener: Int32
    private let users: Set<UInt32>
    private let handler: any ControlHandler
    private let board = Switchboard()
    private let limits: Limits
    private let clock: any HostClock

    /// Takes a descriptor that listens, which is closed when the server stops. Connections of
    /// processes of other users than `users`, by default this one and root, are refused.
    package convenience init(
        listener: Int32, handler: any ControlHandler, users: Set<UInt32>? = nil,
        clock: any HostClock
    ) {
        self.init(
            listener: listener, handler: handler, users: users ?? [geteuid(), 0], limits: Limits(),
            clock: clock)
    }

    init(
        listener: Int32, handler: any ControlHandler, users: Set<UInt32>, limits: Limits,
        clock: any HostClock
    ) {
        self.listener = listener
        self.handler = handler
        self.users = users
        self.limits = limits
        self.clock = clock
    }

    /// Begins to serve. Called once. Lets the process have as many descriptors as it may, since
    /// each client costs one.
    public func start() {
        Self.raiseDescriptorLimit()
        let (listener, users, handler) = (listener, users, handler)
        let (board, limits, clock) = (board, limits, clock)
        startThread(named: "wire") {
            var loop = ServerLoop(
                listener: listener, users: users, handler: handler, board: board, limits: limits,
                clock: clock)
            loop.run()
        }
    }

    /// Accepts and reads nothing any more, sends what waits to be sent, for at most so many
    /// seconds, closes all connections, and calls `whenDone` on the wire thread, which ends. Where
    /// it has ended before, `whenDone` is called at once.
    public func stop(within seconds: Double, whenDone: @escaping @Sendable () -> Void) {
        let deadline = clock.now + Int64(seconds * 1e9)
        let isLeft = board.post {
            $0.stops.append(Switchboard.Stop(deadline: deadline, whenDone: whenDone))
        }
        if !isLeft { whenDone() }
    }

    /// As the other `stop`, and returns when that is done. Not for the wire thread, nor for a
    /// server that was not started.
    public func stop(within seconds: Double = 0.5) {
        let done = Semaphore()
        stop(within: seconds) { done.post() }
        done.wait()
    }

    /// Stops if nobody is connected, and removes the session's socket first: whoever connects
    /// meanwhile either keeps the service running or finds none. `whenDone` is told on the wire
    /// thread whether it has stopped.
    public func stopIfUnused(
        session: String, runtimeFolder: String, whenDone: @escaping @Sendable (Bool) -> Void
    ) {
        let departure = Switchboard.Departure(
            session: session, runtimeFolder: runtimeFolder, whenDone: whenDone)
        if !board.post({ $0.departures.append(departure) }) { whenDone(true) }
    }

    /// Delivers one event to many, at the cost of one: see `ControlConnection.deliver`.
    public func deliver(
        _ event: [UInt8], to subscribers: [ControlSubscriber], isDroppable: Bool
    ) {
        guard board.sendsInline(to: subscribers.count) else {
            return board.leave(.event(event, to: subscribers, isDroppable: isDroppable))
        }
        for subscriber in subscribers {
            subscriber.connection.sendNow(
                event, subscription: subscriber.subscription, isDroppable: isDroppable)
        }
    }

    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return
        }
        limit.rlim_cur = min(limit.rlim_max, 65536)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

/// One subscription of one connection.
public struct ControlSubscriber: Hashable, Sendable {
    /// Where the events go.
    public var connection: ControlConnection
    /// The subscription's name there.
    public var subscription: Int

    /// Names a subscription.
    public init(connection: ControlConnection, subscription: Int) {
        self.connection = connection
        self.subscription = subscription
    }
}
