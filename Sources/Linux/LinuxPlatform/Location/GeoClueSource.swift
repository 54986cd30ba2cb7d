import CUndersongLinux
import Dispatch
import Glibc
import Synchronization
package import UndersongBase
package import UndersongLocation

/// Places of GeoClue, over the system bus.
///
/// It has a thread of its own from `start` to `stop`, which sleeps while nothing comes, and tries
/// again while GeoClue is missing, has no agent that may admit this program, or refuses.
package final class GeoClueSource: LocationSource {
    /// The ways to find GeoClue, and its deadlines.
    package struct Configuration: Sendable {
        /// The name by which GeoClue and its agent know this program.
        package var desktopID = "undersong"
        /// The D-Bus address of the bus; nil for the system bus.
        package var address: String?
        /// Seconds after which GeoClue, which gives a client only when an agent is there, is given
        /// up until later: it waits for one for 5 s.
        package var agentPatience = 6.0
        /// The delays after failures.
        package var delays = Backoff(seconds: 2...60)

        package init(address: String? = nil) { self.address = address }
    }

    package typealias Handler = @Sendable (LocationSourceEvent) -> Void

    package let kind = LocationSourceKind.geoClue
    private let configuration: Configuration
    private let clock: any HostClock
    private let run = Mutex<GeoClueRun?>(nil)

    package init(_ configuration: Configuration = Configuration(), clock: any HostClock) {
        self.configuration = configuration
        self.clock = clock
    }

    package func start(_ demand: LocationDemand, _ handler: @escaping Handler) {
        let run = GeoClueRun(configuration, clock, demand, handler)
        self.run.withLock { $0 = run }
        startThread(named: "geoclue") { run.run() }
    }

    package func change(_ demand: LocationDemand) { run.withLock { $0 }?.change(demand) }

    package func stop() { run.withLock { $0.take() }?.stop() }
}

/// Measuring by GeoClue once, from `start` to `stop`.
final class GeoClueRun: Sendable {
    private struct State {
        var demand: LocationDemand
        var isStopping = false
        /// The socket that the thread is waiting on.
        var connection: Int32?
    }

    private let configuration: GeoClueSource.Configuration
    private let clock: any HostClock
    private let handler: GeoClueSource.Handler
    private let state: Mutex<State>
    private let wakeup = Wakeup()
    private let stopping = DispatchSemaphore(value: 0)

    init(
        _ configuration: GeoClueSource.Configuration, _ clock: any HostClock,
        _ demand: LocationDemand, _ handler: @escaping GeoClueSource.Handler
    ) {
        self.configuration = configuration
        self.clock = clock
        self.handler = handler
        state = Mutex(State(demand: demand))
    }

    func change(_ demand: LocationDemand) {
        state.withLock { $0.demand = demand }
        wakeup.post()
    }

    func stop() {
        state.withLock { state in
            state.isStopping = true
            // GeoClue forgets its clients with their connections.
            if let connection = state.connection { shutdown(connection, Int32(SHUT_RDWR)) }
        }
        wakeup.post()
        stopping.signal()
    }

    private var isStopping: Bool { state.withLock { $0.isStopping } }
    private var demand: LocationDemand { state.withLock { $0.demand } }

    /// Measures until it is stopped.
    func run() {
        handler(.state(.searching))
        var delays = configuration.delays
        var isKnown = false
        while !isStopping {
            var hasMeasured = false
            let state = follow(&isKnown, &hasMeasured)
            if isStopping { return }
            handler(.state(state))
            if hasMeasured { delays.reset() }
            if stopping.wait(timeout: .now() + delays.next()) == .success { return }
        }
    }

    /// Measures over one connection, and returns how that has ended. `isKnown` says whether GeoClue
    /// was on the bus, now or before.
    private func follow(_ isKnown: inout Bool, _ hasMeasured: inout Bool) -> LocationSourceState {
        guard
            let connection = BusConnection(configuration.address.map { .at($0) } ?? .system),
            admit(connection.descriptor)
        else { return .unavailable("there is no system bus") }
        defer { state.withLock { $0.connection = nil } }
        guard connection.isAccepted() else {
            return .unavailable("the system bus does not answer")
        }
        do throws(BusError) {
            var client = try GeoClueClient(connection, within: configuration.agentPatience)
            isKnown = true
            try client.start(demand, desktopID: configuration.desktopID)
            handler(.state(.searching))
            return try measure(&client, &hasMeasured)
        } catch {
            return Self.state(after: error, &isKnown)
        }
    }

    private func measure(
        _ client: inout GeoClueClient, _ hasMeasured: inout Bool
    ) throws(BusError) -> LocationSourceState {
        while true {
            switch client.next(or: wakeup) {
            case .nothing: break
            case .wakeup:
                guard !isStopping else { return Self.loss }
                try client.change(demand)
            case .fix(var fix):
                if !hasMeasured { handler(.state(.available(isSteady: false))) }
                hasMeasured = true
                fix.arrival = clock.secondsSinceBoot
                if fix.time == 0 { fix.time = clock.secondsSinceEpoch }
                handler(.fix(fix))
            case .gone: return Self.gone
            case .loss: return Self.loss
            }
        }
    }

    private func admit(_ connection: Int32) -> Bool {
        state.withLock { state in
            guard !state.isStopping else { return false }
            state.connection = connection
            return true
        }
    }

    private static let gone = LocationSourceState.unavailable(
        "GeoClue has gone away; trying again")
    private static let loss = LocationSourceState.unavailable("the system bus is lost")

    /// Returns the state that a refusal of GeoClue or the bus means. The bus knows no such service
    /// if it cannot start GeoClue; one that was there before was not started by the bus, and has
    /// ended.
    private static func state(
        after error: BusError, _ isKnown: inout Bool
    ) -> LocationSourceState {
        switch String(error.name.split(separator: ".").last ?? "") {
        case "ServiceUnknown", "NameHasNoOwner":
            return isKnown ? gone : .unavailable("GeoClue is not installed")
        case "AccessDenied":
            isKnown = true
            return .denied("GeoClue refuses: \(error.message)")
        // Both implementations of the bus say so of a service that ends instead of answering.
        case "NoReply" where error.message.contains("disconnected"):
            isKnown = true
            return gone
        case "NoReply", "Timeout", "TimedOut":
            isKnown = true
            return .unavailable(
                "GeoClue does not answer: it has no agent that may admit programs, which desktops "
                    + "start")
        default: return error.message.isEmpty ? loss : .unavailable(error.message)
        }
    }
}
