import Synchronization
import UndersongBase
import UndersongControl
import UndersongLocation
import UndersongTransferClient

/// Hands the regions of this program over to `undersong-transferd`, which watches them while the
/// program does not run, and starts it when one of them is entered or left (LO12). Any thread may use
/// it.
final class RegionHandover: Sendable {
    /// Handles the changes of the time in which the program did not run, on a queue of the
    /// connection's.
    typealias Observe = @Sendable ([WatchedRegion]) -> Void
    /// Reports a failure.
    typealias Report = @Sendable (String) -> Void
    /// Notes that regions are yet to be handed over, or no longer.
    typealias Pend = @Sendable (_ isPending: Bool) -> Void

    private struct State {
        var call: WatchRegions
        /// The call that was handed over last.
        var sent: WatchRegions?
        /// True from a change of the call until it was handed over, or has failed once.
        var isPending = false
        /// True while the connection is wanted.
        var isOpen = false
        /// The failure that was reported last; nil since a call has succeeded.
        var trouble: String?
        var backoff = Backoff(seconds: 1...60)
        /// The calls to make when what has changed is known, or there is no connection.
        var waiters: [@Sendable () -> Void] = []
        /// True if a lost connection was made again at once for them.
        var isHurried = false

        /// Returns true once for the waiters.
        mutating func hurries() -> Bool {
            guard !waiters.isEmpty, !isHurried else { return false }
            isHurried = true
            return true
        }
    }

    private let link: ControlLink
    private let observe: Observe
    private let report: Report
    private let pend: Pend
    private let state: Mutex<State>
    /// Held while `pend` is called: the last call has the newest value.
    private let pending = Mutex(())

    /// Creates a handover, which does nothing before `update`.
    init(
        _ call: WatchRegions, _ location: TransferLocation, clock: any HostClock,
        observe: @escaping Observe, report: @escaping Report, pend: @escaping Pend
    ) {
        link = ControlLink(location, name: call.program, clock: clock)
        self.observe = observe
        self.report = report
        self.pend = pend
        state = Mutex(State(call: call))
    }

    /// Hands over regions, and the source by which to watch them, unless they are those of the last
    /// time. The first time, this is done even for none: an earlier process may have had some.
    func update(_ source: LocationSourceChoice, _ regions: [WatchedRegion]) {
        let wasOpen = state.withLock { state -> Bool? in
            (state.call.source, state.call.regions) = (source, regions)
            guard state.call != state.sent else { return nil }
            // While it fails, nothing waits for it.
            defer { (state.isOpen, state.isPending) = (true, state.trouble == nil) }
            if !state.isOpen { state.backoff.reset() }
            return state.isOpen
        }
        if wasOpen != nil { notePending() }
        switch wasOpen {
        case false: link.open(handlers)
        case true:
            link.perform { [weak self] connection throws(ControlError) in
                try self?.send(connection.client)
            }
        default: break
        }
    }

    /// Asks for what has changed while this process was stopped, and calls `done`, on any thread, when
    /// `observe` was called with it, or there is no connection. One that was closed meanwhile is made
    /// again at once.
    func ask(_ done: @escaping @Sendable () -> Void) {
        let (isOpen, call) = state.withLock { state in
            if state.isOpen { state.waiters.append(done) }
            return (state.isOpen, state.call)
        }
        guard isOpen else { return done() }
        guard let connection = link.connection else { return link.hurry() }
        connection.client.send(call) { [weak self] result in
            switch result {
            case .success(let reply):
                if !reply.changed.isEmpty { self?.observe(reply.changed) }
                self?.callWaiters()
            // Another connection follows.
            case .failure(let error) where error.code == .unavailable: break
            case .failure: self?.callWaiters()
            }
        }
    }

    private func callWaiters() {
        let waiters = state.withLock { state in
            defer { (state.waiters, state.isHurried) = ([], false) }
            return state.waiters
        }
        for waiter in waiters { waiter() }
    }

    /// Closes the connection: now the regions are watched elsewhere.
    func end() {
        link.close()
        endPending()
        callWaiters()
    }

    private var handlers: ControlLink.Handlers {
        ControlLink.Handlers(
            opened: { [weak self] connection throws(ControlError) in
                try self?.send(connection.client)
                self?.state.withLock { $0.backoff.reset() }
            },
            ended: { [weak self] error, wasOpen in
                guard let self else { return nil }
                if wasOpen, state.withLock({ $0.hurries() }) { return 0 }
                note(error.message)
                endPending()
                callWaiters()
                return state.withLock { $0.backoff.next() }
            })
    }

    private func send(_ client: ControlClient) throws(ControlError) {
        let call = state.withLock(\.call)
        let changed = try client.call(call).changed
        note(nil)
        state.withLock { $0.sent = call }
        // These change the states of the regions, which are then to be handed over in turn.
        if !changed.isEmpty { observe(changed) }
        state.withLock { state in
            state.isPending = state.call != state.sent
            // Without regions, nobody has to be there.
            guard state.call.regions.isEmpty else { return }
            state.isOpen = false
            link.close()
        }
        notePending()
        callWaiters()
    }

    private func endPending() {
        state.withLock { $0.isPending = false }
        notePending()
    }

    private func notePending() {
        pending.withLock { _ in pend(state.withLock(\.isPending)) }
    }

    private func note(_ trouble: String?) {
        let isNew = state.withLock { state in
            defer { state.trouble = trouble }
            return state.trouble != trouble
        }
        guard isNew, let trouble else { return }
        report("regions are not watched after the end of this program: \(trouble)")
    }
}
