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

    private struct State {
        var call: WatchRegions
        /// The call that was handed over last.
        var sent: WatchRegions?
        /// True while the connection is wanted.
        var isOpen = false
        /// The failure that was reported last; nil since a call has succeeded.
        var trouble: String?
        var backoff = Backoff(seconds: 1...60)
    }

    private let link: ControlLink
    private let observe: Observe
    private let report: Report
    private let state: Mutex<State>

    /// Creates a handover, which does nothing before `update`.
    init(
        _ call: WatchRegions, _ location: TransferLocation, clock: any HostClock,
        observe: @escaping Observe, report: @escaping Report
    ) {
        link = ControlLink(location, name: call.program, clock: clock)
        self.observe = observe
        self.report = report
        state = Mutex(State(call: call))
    }

    /// Hands over regions, and the source by which to watch them, unless they are those of the last
    /// time. The first time, this is done even for none: an earlier process may have had some.
    func update(_ source: LocationSourceChoice, _ regions: [WatchedRegion]) {
        let wasOpen = state.withLock { state -> Bool? in
            (state.call.source, state.call.regions) = (source, regions)
            guard state.call != state.sent else { return nil }
            defer { state.isOpen = true }
            if !state.isOpen { state.backoff.reset() }
            return state.isOpen
        }
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
    /// `observe` was called with it, or there is no connection.
    func ask(_ done: @escaping @Sendable () -> Void) {
        guard let connection = link.connection else { return done() }
        let call = state.withLock(\.call)
        connection.client.send(call) { [weak self] result in
            if case .success(let reply) = result, !reply.changed.isEmpty {
                self?.observe(reply.changed)
            }
            done()
        }
    }

    /// Closes the connection: now the regions are watched elsewhere.
    func end() { link.close() }

    private var handlers: ControlLink.Handlers {
        ControlLink.Handlers(
            opened: { [weak self] connection throws(ControlError) in
                try self?.send(connection.client)
                self?.state.withLock { $0.backoff.reset() }
            },
            ended: { [weak self] error, _ in
                self?.note(error.message)
                return self?.state.withLock { $0.backoff.next() }
            })
    }

    private func send(_ client: ControlClient) throws(ControlError) {
        let call = state.withLock(\.call)
        let changed = try client.call(call).changed
        note(nil)
        state.withLock { state in
            state.sent = call
            // Without regions, nobody has to be there.
            guard state.call.regions.isEmpty else { return }
            state.isOpen = false
            link.close()
        }
        if !changed.isEmpty { observe(changed) }
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
