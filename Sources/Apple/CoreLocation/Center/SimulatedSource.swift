import Dispatch
import Synchronization
package import UndersongBackground
package import UndersongLocation

/// Places that the program itself reports, as Xcode simulates them.
package final class SimulatedSource: LocationSource {
    private struct State {
        var handler: (@Sendable (LocationSourceEvent) -> Void)?
        var newest: LocationFix?
    }

    package let kind = LocationSourceKind.simulation
    private let now: @Sendable () -> ScheduleTime
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "simulated location")

    package init(now: @escaping @Sendable () -> ScheduleTime) { self.now = now }

    package func start(
        _ demand: LocationDemand, _ handler: @escaping @Sendable (LocationSourceEvent) -> Void
    ) {
        let newest = state.withLock { state in
            state.handler = handler
            return state.newest
        }
        queue.async {
            handler(.state(newest == nil ? .searching : .available(isSteady: false)))
            if let newest { handler(.fix(newest)) }
        }
    }

    package func change(_ demand: LocationDemand) {}

    package func stop() { state.withLock { $0.handler = nil } }

    /// The machine is here from now on.
    package func report(_ fix: LocationFix) {
        var fix = fix
        fix.arrival = now().boot
        fix.source = .simulation
        let handler = state.withLock { state in
            state.newest = fix
            return state.handler
        }
        guard let handler else { return }
        queue.async { [fix] in
            handler(.state(.available(isSteady: false)))
            handler(.fix(fix))
        }
    }
}
