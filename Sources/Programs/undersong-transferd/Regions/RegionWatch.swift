import Dispatch
import Synchronization
import UndersongBase
import UndersongLocation

/// Watches the regions of one program by a source of its own, in the place of its desk.
final class RegionWatch: Sendable {
    /// Is called when something has become known of regions, and whether that is a crossing.
    typealias Report = @Sendable (_ regions: [WatchedRegion], _ isCrossing: Bool) -> Void

    private struct State {
        var desk: LocationDesk
        var timer: HostTimer?
        var isOver = false
    }

    private let source: any LocationSource
    private let clock: any HostClock
    private let report: Report
    private let state: Mutex<State>
    /// On which inputs are handled, one after the other.
    private let queue = DispatchQueue(label: "undersong.regions")

    /// Begins to watch. `report` is called on a queue of this object's, not after `stop` but for a
    /// call that is under way.
    init(
        _ regions: [WatchedRegion], _ source: any LocationSource, clock: any HostClock,
        report: @escaping Report
    ) {
        self.source = source
        self.clock = clock
        self.report = report
        state = Mutex(State(desk: LocationDesk(.init(status: .always, regions: regions))))
        queue.async { [self] in
            handle(.host(isForeground: false))
            // The program has asked for it, or it would have no regions.
            handle(.declared(hasBackgroundMode: false, LocationUsage(always: "")))
        }
    }

    /// Ends it for good, and closes the source.
    func stop() {
        let timer = state.withLock { state in
            state.isOver = true
            return state.timer.take()
        }
        timer?.cancel()
        queue.async { self.source.stop() }
    }

    // MARK: On `queue`

    private func handle(_ input: LocationDesk.Input) {
        let now = LocationTime(boot: clock.secondsSinceBoot, wall: clock.secondsSinceEpoch)
        let result = state.withLock { state -> ([LocationDesk.Effect], [WatchedRegion])? in
            guard !state.isOver else { return nil }
            let effects = state.desk.handle(input, at: now)
            return (effects, state.desk.watchedRegions)
        }
        guard let (effects, regions) = result else { return }
        for effect in effects { perform(effect) }
        if effects.contains(.save) { report(regions, effects.contains(where: \.isCrossing)) }
        schedule()
    }

    private func perform(_ effect: LocationDesk.Effect) {
        switch effect {
        case .open(let demand):
            source.start(demand) { [weak self] event in
                guard let self else { return }
                queue.async { self.handle(.source(event)) }
            }
        case .change(let demand): source.change(demand)
        case .close: source.stop()
        default: break
        }
    }

    private func schedule() {
        state.withLock { state in
            state.timer?.cancel()
            state.timer = nil
            guard !state.isOver, let due = state.desk.nextDue else { return }
            state.timer = clock.wake(
                after: due - clock.secondsSinceBoot, leeway: 100_000_000
            ) { [weak self] in
                guard let self else { return }
                queue.async { self.handle(.timePassed) }
            }
        }
    }
}

extension LocationDesk.Effect {
    fileprivate var isCrossing: Bool {
        if case .region(let event) = self { event.phase != .determined } else { false }
    }
}
