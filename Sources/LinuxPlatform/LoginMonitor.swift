package import Background
import Dispatch
import Glibc
import Synchronization
import Threads

/// Tells what this user's login session says of the host, and holds the machine's sleep back until
/// the sound has been put away (contract 4: System sleep).
///
/// It has a thread of its own, which sleeps without a timer while nothing happens. Where there is
/// no bus the thread ends; where the bus is lost it tries again a few times and then ends too. Any
/// thread may call it, but `stop` must not be called by the handler.
package final class LoginMonitor: Sendable {
    /// Where to look for the session, and for how long.
    package struct Configuration: Sendable {
        /// Whose session is meant.
        package var identity: LoginIdentity
        /// The D-Bus address of the bus; nil: the system bus.
        package var address: String?
        /// Seconds to wait before each attempt to find a bus again that was lost.
        package var reconnectDelays: [Double]

        package init(
            identity: LoginIdentity = LoginIdentity(), address: String? = nil,
            reconnectDelays: [Double] = [1, 2, 4, 8, 16, 32]
        ) {
            self.identity = identity
            self.address = address
            self.reconnectDelays = reconnectDelays
        }
    }

    private struct State {
        var isStopping = false
        /// The socket that the thread waits for.
        var connection: Int32?
        /// The sleep is held back while this is open.
        var inhibitor: Int32?
        /// What was told last.
        var told = LoginState.unknown
    }

    private let configuration: Configuration
    private let handler: @Sendable (LoginState) -> Void
    private let state = Mutex(State())
    private let stopping = DispatchSemaphore(value: 0)
    private let ended = DispatchGroup()

    /// Begins to follow the session. `handler` is called with each new state, on the monitor's
    /// thread; until it is called the state is unknown.
    package init(
        _ configuration: Configuration = Configuration(),
        handler: @escaping @Sendable (LoginState) -> Void
    ) {
        self.configuration = configuration
        self.handler = handler
        ended.enter()
        startThread(named: "login") { [self] in
            run()
            ended.leave()
        }
    }

    /// The sound has been put away: the machine may sleep. Without effect unless the handler was
    /// told that it is about to.
    package func readyToSleep() {
        close(
            state.withLock { state in
                guard state.told.isSleeping else { return nil }
                return state.inhibitor.take()
            })
    }

    /// Ends the thread; when this returns the handler is no longer called.
    package func stop() {
        state.withLock { state in
            state.isStopping = true
            if let connection = state.connection { shutdown(connection, Int32(SHUT_RDWR)) }
        }
        stopping.signal()
        waitUntilEnded()
    }

    /// Waits until the thread has ended, by `stop` or since there is no bus.
    package func waitUntilEnded() { ended.wait() }

    private func run() {
        var delays: ArraySlice<Double> = []
        repeat {
            if follow() { delays = configuration.reconnectDelays[...] }
            close(state.withLock { $0.inhibitor.take() })
            tell(.unknown)
        } while pause(delays.popFirst())
    }

    /// Waits before the next attempt. False: there is none.
    private func pause(_ delay: Double?) -> Bool {
        guard let delay, !state.withLock(\.isStopping) else { return false }
        return stopping.wait(timeout: .now() + delay) == .timedOut
    }

    /// Follows the session until the bus is lost. Returns whether there was a bus.
    private func follow() -> Bool {
        guard var session = LoginSession(configuration.identity, address: configuration.address),
            admit(session.descriptor)
        else { return false }
        defer { state.withLock { $0.connection = nil } }
        guard session.begin() else { return false }
        repeat {
            tell(session.state)
            keepInhibitor(session)
        } while session.follow()
        return true
    }

    private func admit(_ connection: Int32) -> Bool {
        state.withLock { state in
            guard !state.isStopping else { return false }
            state.connection = connection
            return true
        }
    }

    /// Holds the sleep back wherever it is not held, but for a sleep that has begun.
    private func keepInhibitor(_ session: borrowing LoginSession) {
        guard session.hasManager else {
            return close(state.withLock { $0.inhibitor.take() })
        }
        guard !session.state.isSleeping, state.withLock({ $0.inhibitor == nil }) else { return }
        let inhibitor = session.inhibitSleep(
            who: "Undersong", why: "The sound is put away before the machine sleeps")
        state.withLock { $0.inhibitor = inhibitor }
    }

    private func tell(_ login: LoginState) {
        let isNew = state.withLock { state in
            defer { state.told = login }
            return state.told != login && !state.isStopping
        }
        if isNew { handler(login) }
    }

    private func close(_ descriptor: Int32?) {
        if let descriptor { Glibc.close(descriptor) }
    }
}
