import CUndersongLinux
import Dispatch
import Glibc
import Synchronization
package import UndersongBackground
import UndersongBase

/// Reports the state of the user's login session, delays the machine's sleep until playback has
/// paused (behaviour 4), and keeps the machine from falling asleep on its own if requested.
///
/// It has a thread of its own, which sleeps without a timer while nothing happens. Without a bus
/// the thread ends; if the bus is lost, it tries again a few times before it ends. Any thread may
/// call the methods, except that the handler must not call `stop`.
package final class LoginMonitor: Sendable {
    /// The session to look for, and the limits of the search.
    package struct Configuration: Sendable {
        /// The owner of the session to follow.
        package var identity: LoginIdentity
        /// The D-Bus address of the bus; nil for the system bus.
        package var address: String?
        /// Seconds to wait before each attempt to reconnect to a lost bus.
        package var reconnectDelays: [Double]
        /// True to delay the machine's sleep until `readyToSleep`.
        package var delaysSleep: Bool
        /// True if the first state is reported even if it is unknown, for callers that wait for it.
        package var reportsUnknown = false

        package init(
            identity: LoginIdentity = LoginIdentity(), address: String? = nil,
            reconnectDelays: [Double] = [1, 2, 4, 8, 16, 32], delaysSleep: Bool = true
        ) {
            self.identity = identity
            self.address = address
            self.delaysSleep = delaysSleep
            self.reconnectDelays = reconnectDelays
        }
    }

    private struct State {
        var isStopping = false
        /// The socket that the thread is waiting on.
        var connection: Int32?
        /// Delays the machine's sleep while it is open.
        var delay: Int32?
        /// True to keep the machine from falling asleep on its own. `block` is the inhibitor that
        /// does so while it is open.
        var preventsIdleSleep = false
        var block: Int32?
        /// The state reported last.
        var reported = LoginState.unknown
        var hasReported = false
    }

    private let configuration: Configuration
    private let handler: @Sendable (LoginState) -> Void
    private let state = Mutex(State())
    private let stopping = DispatchSemaphore(value: 0)
    private let wakeup = Wakeup()
    private let ended = DispatchGroup()

    /// Starts to follow the session. `handler` is called with each new state, on the monitor's
    /// thread; the state is unknown before the first call. With `reportsUnknown` there always is one.
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

    /// Lets the machine sleep, since playback has paused. Has no effect unless the handler was
    /// notified that the machine is about to sleep.
    package func readyToSleep() {
        close(
            state.withLock { state in
                guard state.reported.isSleeping else { return nil }
                return state.delay.take()
            })
    }

    /// Keeps the machine from falling asleep on its own, or no longer does. Never blocks: the
    /// monitor's thread asks the login manager, and asks again if that is replaced.
    package func preventIdleSleep(_ isWanted: Bool) {
        close(
            state.withLock { state in
                state.preventsIdleSleep = isWanted
                return isWanted ? nil : state.block.take()
            })
        if isWanted { wakeup.post() }
    }

    /// Ends the thread; the handler is no longer called once this returns.
    package func stop() {
        state.withLock { state in
            state.isStopping = true
            if let connection = state.connection { shutdown(connection, Int32(SHUT_RDWR)) }
        }
        stopping.signal()
        waitUntilEnded()
    }

    /// Waits until the thread has ended, because of `stop` or because there is no bus.
    package func waitUntilEnded() { ended.wait() }

    private func run() {
        var delays: ArraySlice<Double> = []
        repeat {
            if follow() { delays = configuration.reconnectDelays[...] }
            releaseInhibitors()
            report(.unknown)
        } while pause(delays.popFirst())
    }

    /// Waits before the next attempt. Returns false if there is none.
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
            report(session.state)
            keepInhibitors(session)
        } while session.follow(or: wakeup)
        return true
    }

    private func admit(_ connection: Int32) -> Bool {
        state.withLock { state in
            guard !state.isStopping else { return false }
            state.connection = connection
            return true
        }
    }

    /// Takes the inhibitors that are wanted but not held.
    private func keepInhibitors(_ session: borrowing LoginSession) {
        guard session.hasManager else { return releaseInhibitors() }
        keepDelay(session)
        keepBlock(session)
    }

    /// Takes the delay inhibitor if it is not held, unless a sleep has begun.
    private func keepDelay(_ session: borrowing LoginSession) {
        guard configuration.delaysSleep, !session.state.isSleeping,
            state.withLock({ $0.delay == nil })
        else { return }
        let delay = session.inhibit(
            "sleep", why: "The sound is put away before the machine sleeps", .delay)
        state.withLock { $0.delay = delay }
    }

    /// Takes or releases the block inhibitor. By most systems' policy, a user logged in over the
    /// network may only keep the machine from becoming idle.
    private func keepBlock(_ session: borrowing LoginSession) {
        guard state.withLock({ $0.preventsIdleSleep && $0.block == nil }) else { return }
        let why = "Music is playing"
        let block =
            session.inhibit("idle:sleep", why: why, .block)
            ?? session.inhibit("idle", why: why, .block)
        // It may not be wanted any more.
        close(
            state.withLock { state in
                guard state.preventsIdleSleep else { return block }
                state.block = block
                return nil
            })
    }

    private func releaseInhibitors() {
        let (delay, block) = state.withLock { ($0.delay.take(), $0.block.take()) }
        close(delay)
        close(block)
    }

    private func report(_ login: LoginState) {
        let isNew = state.withLock { state in
            let isFirst = configuration.reportsUnknown && !state.hasReported
            defer { (state.reported, state.hasReported) = (login, true) }
            return (isFirst || state.reported != login) && !state.isStopping
        }
        if isNew { handler(login) }
    }

    private func close(_ descriptor: Int32?) {
        if let descriptor { Glibc.close(descriptor) }
    }
}
