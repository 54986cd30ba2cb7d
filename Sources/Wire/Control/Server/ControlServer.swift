import Glibc
import Synchronization
package import UndersongBase

/// Serves the clients of one socket on a thread of its own, which sleeps while nothing happens. No
/// client can slow down the others.
public final class ControlServer: Sendable {
    /// Limits on the cost of clients.
    struct Limits {
        /// Simultaneous connections; each costs a descriptor and up to a few hundred kilobytes.
        var connections = 8192
        /// The length of a line in bytes.
        var line = ControlProtocol.longestLine
        /// Bytes of incomplete lines, of all clients together.
        var input = 32 * 1024 * 1024
    }

    /// A second place at which a server listens: in the folder of its state.
    package struct Entrance: Sendable {
        var listener: Int32
        var restore: @Sendable () -> Int32?

        /// Creates a place. `restore` is called on the wire thread when somebody has come there: it
        /// returns a new listener at the first place if the socket there is gone. It must not
        /// block.
        package init(listener: Int32, restore: @escaping @Sendable () -> Int32?) {
            self.listener = listener
            self.restore = restore
        }
    }

    private let listener: Int32
    private let entrance: Entrance?
    private let users: Set<UInt32>
    private let handler: any ControlHandler
    private let inbox = LoopInbox()
    private let limits: Limits
    private let clock: any HostClock

    /// Takes ownership of listening descriptors, which are closed when the server stops. Only
    /// processes of `users`, by default this user and root, may connect.
    package convenience init(
        listener: Int32, entrance: Entrance? = nil, handler: any ControlHandler,
        users: Set<UInt32>? = nil, clock: any HostClock
    ) {
        self.init(
            listener: listener, entrance: entrance, handler: handler,
            users: users ?? [geteuid(), 0], limits: Limits(), clock: clock)
    }

    init(
        listener: Int32, entrance: Entrance? = nil, handler: any ControlHandler,
        users: Set<UInt32>, limits: Limits, clock: any HostClock
    ) {
        self.listener = listener
        self.entrance = entrance
        self.handler = handler
        self.users = users
        self.limits = limits
        self.clock = clock
    }

    /// Starts serving. Must be called once. Raises the process's limit of descriptors to its
    /// maximum, since each client costs one.
    public func start() {
        Self.raiseDescriptorLimit()
        let (listener, entrance, users, handler) = (listener, entrance, users, handler)
        let (inbox, limits, clock) = (inbox, limits, clock)
        startThread(named: "wire") {
            var loop = ServerLoop(
                listener: listener, entrance: entrance, users: users, handler: handler,
                inbox: inbox, limits: limits, clock: clock)
            loop.run()
        }
    }

    /// Stops accepting and reading, sends what is waiting for at most this many seconds, closes all
    /// connections, and calls `whenDone` on the wire thread, which then ends. If it has already
    /// ended, `whenDone` is called at once.
    public func stop(within seconds: Double, whenDone: @escaping @Sendable () -> Void) {
        let deadline = clock.now + Int64(seconds * 1e9)
        let isLeft = inbox.post {
            $0.stops.append(LoopInbox.Stop(deadline: deadline, whenDone: whenDone))
        }
        if !isLeft { whenDone() }
    }

    /// As above, but returns when done. Must not be called on the wire thread, or for a server that
    /// was not started.
    public func stop(within seconds: Double = 0.5) {
        let done = Semaphore()
        stop(within: seconds) { done.post() }
        done.wait()
    }

    /// Stops if no client is connected, removing the session's socket first: a client that connects
    /// meanwhile either keeps the service running or finds none. A socket that systemd listens on
    /// is kept (`keepsSocket`): it starts a service for who connects. The one at the `entrance` is
    /// removed with it. `whenDone` is called on the wire thread with whether the server has
    /// stopped.
    public func stopIfUnused(
        _ socket: ControlSocket, keepsSocket: Bool = false,
        whenDone: @escaping @Sendable (Bool) -> Void
    ) {
        let idleShutdown = LoopInbox.IdleShutdown(
            socket: socket, keepsSocket: keepsSocket, whenDone: whenDone)
        if !inbox.post({ $0.idleShutdowns.append(idleShutdown) }) { whenDone(true) }
    }

    /// Delivers one event to many subscribers at the cost of one; see `ControlConnection.deliver`.
    public func deliver(
        _ event: [UInt8], to subscribers: [ControlSubscriber], isDroppable: Bool
    ) {
        guard inbox.sendsInline(to: subscribers.count) else {
            return inbox.leave(.event(event, to: subscribers, isDroppable: isDroppable))
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

/// A subscription of a connection.
public struct ControlSubscriber: Hashable, Sendable {
    /// The connection that receives the events.
    public var connection: ControlConnection
    /// The subscription's number on that connection.
    public var subscription: Int

    /// Creates a subscriber.
    public init(connection: ControlConnection, subscription: Int) {
        self.connection = connection
        self.subscription = subscription
    }
}
