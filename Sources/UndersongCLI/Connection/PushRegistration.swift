import CommandOptions
import Control
import Glibc
import Playback
import Synchronization
import Threads

/// Keeps this program registered for pushes, with one service after the other. Any thread may call
/// it.
///
/// A service that was killed leaves its socket, and is started again. One that was ended leaves
/// none: then this waits until it runs again.
final class PushRegistration: Sendable {
    private struct State {
        var service: Service?
        /// The number of the last connection, and when it was made, in nanoseconds.
        var connection = 0
        var beginning: Int64 = 0
        /// Seconds until the next attempt.
        var delay = PushRegistration.firstDelay
        var isReconnecting = false
    }

    private static let purpose = "handle pushes"
    private static let firstDelay = 0.25
    private static let longestDelay = 5.0
    /// The nanoseconds after which a connection counts as steady.
    private static let steadyTime: Int64 = 60_000_000_000

    private let session: String
    private let topics: [String]?
    private let clock = SystemClock()
    private let take: @Sendable (Notice, Int) -> Void
    private let state = Mutex(State())

    /// Registers for these topics, all of them for nil. `take` is called with the service's notices and
    /// the number of the connection that brings them, on a thread of that connection.
    init(session: String, topics: [String]?, _ take: @escaping @Sendable (Notice, Int) -> Void) {
        self.session = session
        self.topics = topics
        self.take = take
    }

    /// Registers, and starts the service if none is running.
    func begin() throws { try register(startsService: true) }

    /// Sends an answer by the connection with this number. `completion` is called once, on any thread,
    /// when the service has taken or refused it, and not at all if that connection is lost.
    func send(
        _ answer: PushCall, by connection: Int, _ completion: @escaping @Sendable () -> Void
    ) {
        let service = state.withLock { $0.connection == connection ? $0.service : nil }
        service?.send(answer) { result in
            if case .failure(let error) = result, error.code == .unavailable { return }
            completion()
        }
    }

    private func register(startsService: Bool) throws {
        let number = state.withLock { state in
            state.connection += 1
            return state.connection
        }
        let service = try Service(
            to: Self.purpose, session: session, startsService: startsService
        ) { [weak self] notice in
            if case .lost = notice { self?.lose(number) } else { self?.take(notice, number) }
        }
        state.withLock { state in
            state.service = service
            state.beginning = clock.now
        }
        var call = PushCall(.register)
        call.topics = topics
        _ = try service.call(call)
    }

    private func lose(_ number: Int) {
        let begins = state.withLock { state in
            guard number == state.connection else { return false }
            state.service = nil
            if clock.now - state.beginning >= Self.steadyTime { state.delay = Self.firstDelay }
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
            let delay = state.withLock { state in
                defer { state.delay = min(state.delay * 2, Self.longestDelay) }
                return state.delay
            }
            clock.sleep(until: clock.now + Int64(delay * 1e9))
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
