import Dispatch
import Glibc
import Synchronization
import UndersongBase
import UndersongCommandOptions
import UndersongControl

/// Keeps this program registered, with one service after the other. Any thread may call it.
///
/// A service that was killed leaves its socket, and is started again. One that was ended leaves
/// none: then this waits until it runs again. Create this before any thread: it takes part in job
/// control from then on.
final class ServiceRegistration: Sendable {
    /// The attempts to connect.
    private struct Attempts {
        /// True if this program was registered at all.
        var hasBegun = false
        /// The time of the last connection, in nanoseconds.
        var beginning: Int64 = 0
        var backoff = Backoff(seconds: 0.25...5)
        /// True if the loss of the service was reported, and not made good since.
        var isReconnecting = false
    }

    /// The nanoseconds after which a connection counts as steady.
    private static let steadyTime: Int64 = 60_000_000_000

    private let enroll: @Sendable (ControlClient) throws(ControlError) -> Void
    private let clock = SystemClock()
    private let receive: @Sendable (Notice, Int) -> Void
    private let attempts = Mutex(Attempts())
    private let queue = DispatchQueue(label: "registration")
    private let link: ControlLink

    /// Registers by `enroll`, on every connection; `purpose` names this program to the service.
    /// `receive` is called with the service's notices and the number of the connection that brings
    /// them, on a thread of that connection.
    init(
        to purpose: String, session: String,
        _ enroll: @escaping @Sendable (ControlClient) throws(ControlError) -> Void,
        _ receive: @escaping @Sendable (Notice, Int) -> Void
    ) {
        self.enroll = enroll
        self.receive = receive
        link = ControlLink(
            Environment.service(of: session), name: "undersong " + purpose, clock: clock,
            queue: queue)
        JobControl { [link] in link.connection?.client }.begin()
    }

    /// Registers, and starts the service if none is running.
    func begin() throws(ControlError) { _ = try link.connect(handlers) }

    /// Sends an answer by the connection with this number. `completion` is called once, on any
    /// thread, when the service has taken or refused it, and not at all if that connection is lost.
    func send(
        _ answer: some ControlCall, by connection: Int, _ completion: @escaping @Sendable () -> Void
    ) {
        client(of: connection)?.send(answer) { result in
            if case .failure(let error) = result, error.code == .unavailable { return }
            completion()
        }
    }

    /// Sends a call by the connection with this number, and waits for its answer. Nil if that
    /// connection is lost, or the call is refused.
    func call<Call: ControlCall>(_ call: Call, by connection: Int) -> Call.Reply? {
        try? client(of: connection)?.call(call)
    }

    /// Sends the call that `make` returns, if any, by the present connection, if any. No connection
    /// is being made meanwhile: it registers either before or after what `make` changes.
    func call<Call: ControlCall>(_ make: () -> Call?) {
        queue.sync {
            guard let call = make() else { return }
            _ = try? link.connection?.client.call(call)
        }
    }

    /// True if the connection with this number is there.
    func has(_ connection: Int) -> Bool { client(of: connection) != nil }

    /// Seconds since 1970.
    var now: Double { clock.secondsSinceEpoch }

    private func client(of number: Int) -> ControlClient? {
        guard let connection = link.connection, connection.number == number else { return nil }
        return connection.client
    }

    private var handlers: ControlLink.Handlers {
        ControlLink.Handlers(
            opened: { [weak self] connection throws(ControlError) in
                try self?.register(connection.client)
            },
            notice: { [weak self] message, connection in
                if let notice = Notice(message) { self?.receive(notice, connection) }
            },
            ended: { [weak self] _, wasOpen in self?.delay(wasOpen: wasOpen) })
    }

    private func register(_ client: ControlClient) throws(ControlError) {
        attempts.withLock { $0.beginning = clock.now }
        try enroll(client)
        attempts.withLock { ($0.hasBegun, $0.isReconnecting) = (true, false) }
    }

    private func delay(wasOpen: Bool) -> Double? {
        let (delay, isNew) = attempts.withLock { attempts -> (Double?, Bool) in
            guard attempts.hasBegun else { return (nil, false) }
            if wasOpen, clock.now - attempts.beginning >= Self.steadyTime {
                attempts.backoff.reset()
            }
            defer { attempts.isReconnecting = true }
            return (attempts.backoff.next(), !attempts.isReconnecting)
        }
        if isNew { complain("the service has gone away, waiting for it") }
        return delay
    }
}
