import Glibc
import Synchronization
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// Keeps this program registered, with one service after the other. Any thread may call it.
///
/// A service that was killed leaves its socket, and is started again. One that was ended leaves
/// none: then this waits until it runs again.
final class ServiceRegistration: Sendable {
    private struct State {
        var service: Service?
        /// The number of the last connection, and when it was made, in nanoseconds.
        var connection = 0
        var beginning: Int64 = 0
        /// The delays before attempts to connect again.
        var delays = Backoff(seconds: 0.25...5)
        var isReconnecting = false
    }

    /// The nanoseconds after which a connection counts as steady.
    private static let steadyTime: Int64 = 60_000_000_000

    private let purpose: String
    private let session: String
    private let enroll: @Sendable (Service) throws -> Void
    private let clock = SystemClock()
    private let take: @Sendable (Notice, Int) -> Void
    private let state = Mutex(State())

    /// Registers by `enroll`, on every connection; `purpose` names the operation in errors. `take` is
    /// called with the service's notices and the number of the connection that brings them, on a
    /// thread of that connection.
    init(
        to purpose: String, session: String, _ enroll: @escaping @Sendable (Service) throws -> Void,
        _ take: @escaping @Sendable (Notice, Int) -> Void
    ) {
        self.purpose = purpose
        self.session = session
        self.enroll = enroll
        self.take = take
    }

    /// Registers, and starts the service if none is running.
    func begin() throws { try register(startsService: true) }

    /// Sends an answer by the connection with this number. `completion` is called once, on any thread,
    /// when the service has taken or refused it, and not at all if that connection is lost.
    func send(
        _ answer: some ControlCall, by connection: Int, _ completion: @escaping @Sendable () -> Void
    ) {
        service(of: connection)?.send(answer) { result in
            if case .failure(let error) = result, error.code == .unavailable { return }
            completion()
        }
    }

    /// Sends a call by the connection with this number, or for nil by the present one, and waits for
    /// its answer. Nil if that connection is lost, or the call is refused.
    func call<Call: ControlCall>(_ call: Call, by connection: Int? = nil) -> Call.Reply? {
        try? service(of: connection)?.call(call)
    }

    /// Whether the connection with this number is there.
    func has(_ connection: Int) -> Bool { service(of: connection) != nil }

    /// Seconds since 1970.
    var now: Double { clock.secondsSinceEpoch }

    private func service(of connection: Int?) -> Service? {
        state.withLock { $0.connection == connection ?? $0.connection ? $0.service : nil }
    }

    private func register(startsService: Bool) throws {
        let number = state.withLock { state in
            state.connection += 1
            return state.connection
        }
        let service = try Service(
            to: purpose, session: session, startsService: startsService
        ) { [weak self] notice in
            if case .lost = notice { self?.lose(number) } else { self?.take(notice, number) }
        }
        state.withLock { state in
            state.service = service
            state.beginning = clock.now
        }
        try enroll(service)
    }

    private func lose(_ number: Int) {
        let begins = state.withLock { state in
            guard number == state.connection else { return false }
            state.service = nil
            if clock.now - state.beginning >= Self.steadyTime { state.delays.reset() }
            defer { state.isReconnecting = true }
            return !state.isReconnecting
        }
        guard begins else { return }
        startThread(named: "reconnect") { [self] in reconnect() }
    }

    private func reconnect() {
        complain("the service has gone away, waiting for it")
        let socket = ControlSocket.path(session: session, runtimeFolder: Environment.runtimeFolder)
        while true {
            let delay = state.withLock { $0.delays.nextNanoseconds() }
            clock.sleep(until: clock.now + delay)
            let wasKilled = unsafe access(socket, F_OK) == 0
            guard (try? register(startsService: wasKilled)) != nil else { continue }
            // It may be lost already.
            let isRegistered = state.withLock { state in
                state.isReconnecting = state.service == nil
                return state.service != nil
            }
            if isRegistered { return }
        }
    }
}
