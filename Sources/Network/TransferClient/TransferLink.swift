import Dispatch
import Synchronization
package import UndersongBase
package import UndersongControl

/// A connection to `undersong-transferd` that is made again whenever it is lost: after a second, then
/// after twice as long each time, up to a minute. Any thread may use it.
package final class TransferLink: Sendable {
    private static let firstDelay = 1.0
    private static let longestDelay = 60.0

    /// What is called on the link's queue, one call after another, and not after `close` but for one
    /// that is under way.
    package struct Handlers: Sendable {
        /// There is a connection. What this throws is reported as its loss.
        package var opened: @Sendable (ControlClient) throws(ControlError) -> Void
        /// The program has sent something.
        package var notice: @Sendable (ControlNoticeMessage) -> Void
        /// There is no connection at present, and why.
        package var lost: @Sendable (_ reason: String) -> Void

        package init(
            opened: @escaping @Sendable (ControlClient) throws(ControlError) -> Void,
            notice: @escaping @Sendable (ControlNoticeMessage) -> Void = { _ in },
            lost: @escaping @Sendable (_ reason: String) -> Void
        ) {
            self.opened = opened
            self.notice = notice
            self.lost = lost
        }
    }

    private struct State {
        /// Which opening this is; nil while it is closed.
        var run: Int?
        var lastRun = 0
        /// Which connection this is; a failure of another one is over.
        var attempt = 0
        var client: ControlClient?
        var delay = TransferLink.firstDelay
        var timer: HostTimer?
    }

    private let location: TransferLocation
    /// The name by which the program knows this one.
    private let name: String
    private let clock: any HostClock
    private let state = Mutex(State())
    private let work = DispatchQueue(label: "undersong.transfer-link")

    package init(_ location: TransferLocation, name: String, clock: any HostClock) {
        self.location = location
        self.name = name
        self.clock = clock
    }

    /// Connects, after `begin` was called on the link's queue. Called again only after `close`.
    package func open(
        _ handlers: Handlers, begin: @escaping @Sendable () -> Void = {}
    ) {
        let run = state.withLock { state in
            state.lastRun += 1
            state.run = state.lastRun
            state.delay = Self.firstDelay
            return state.lastRun
        }
        work.async { [self] in
            begin()
            connect(run, handlers)
        }
    }

    /// Closes the connection at once.
    package func close() {
        let (client, timer) = state.withLock { state in
            state.run = nil
            return (state.client.take(), state.timer.take())
        }
        timer?.cancel()
        client?.close()
    }

    /// Calls `body` on the link's queue if there is a connection then. What it throws is reported as
    /// the loss of that.
    package func perform(
        _ handlers: Handlers,
        _ body: @escaping @Sendable (ControlClient) throws(ControlError) -> Void
    ) {
        work.async { [self] in
            let (run, attempt, client) = state.withLock { ($0.run, $0.attempt, $0.client) }
            guard let run, let client else { return }
            do throws(ControlError) {
                try body(client)
            } catch {
                lose(run, attempt, error.message, handlers)
            }
        }
    }

    // MARK: On `work`

    private func isCurrent(_ run: Int) -> Bool { state.withLock { $0.run == run } }

    private func connect(_ run: Int, _ handlers: Handlers) {
        guard isCurrent(run) else { return }
        let attempt = state.withLock { state in
            state.attempt += 1
            return state.attempt
        }
        do throws(ControlError) {
            let client = try makeClient(run, attempt, handlers)
            let isWanted = state.withLock { state in
                guard state.run == run else { return false }
                state.client = client
                return true
            }
            guard isWanted else { return client.close() }
            try handlers.opened(client)
            state.withLock { $0.delay = Self.firstDelay }
        } catch {
            lose(run, attempt, error.message, handlers)
        }
    }

    private func makeClient(
        _ run: Int, _ attempt: Int, _ handlers: Handlers
    ) throws(ControlError) -> ControlClient {
        let onNotice = { @Sendable [weak self] (message: ControlNoticeMessage) in
            guard let self else { return }
            work.async { if self.isCurrent(run) { handlers.notice(message) } }
        }
        let onClose = { @Sendable [weak self] (error: ControlError) in
            guard let self else { return }
            work.async { self.lose(run, attempt, error.message, handlers) }
        }
        return try location.connect(name: name, onNotice: onNotice, onClose: onClose)
    }

    /// There is no connection: it is tried again later.
    private func lose(_ run: Int, _ attempt: Int, _ reason: String, _ handlers: Handlers) {
        let failure = state.withLock { state -> (delay: Double, client: ControlClient?)? in
            guard state.run == run, state.attempt == attempt else { return nil }
            state.attempt += 1
            defer { state.delay = min(state.delay * 2, Self.longestDelay) }
            return (state.delay, state.client.take())
        }
        guard let (delay, client) = failure else { return }
        client?.close()
        handlers.lost(reason)
        let timer = clock.wake(after: delay, leeway: 100_000_000) { [weak self] in
            guard let self else { return }
            work.async { self.connect(run, handlers) }
        }
        state.withLock { $0.timer = timer }
    }
}
