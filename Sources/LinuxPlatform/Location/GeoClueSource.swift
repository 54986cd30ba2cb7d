import CLinux
import Dispatch
import Glibc
package import Location
package import Playback
import Synchronization
import Threads

/// Places of GeoClue, over the system bus.
///
/// It has a thread of its own from `start` to `stop`, which sleeps while nothing comes, and tries
/// again while GeoClue is missing, has no agent that may admit this program, or refuses.
package final class GeoClueSource: LocationSource {
    /// How it finds GeoClue, and how long it waits.
    package struct Configuration: Sendable {
        /// The name by which GeoClue and its agent know this program.
        package var desktopID = "undersong"
        /// The D-Bus address of the bus; nil for the system bus.
        package var address: String?
        /// Seconds after which GeoClue, which gives a client only when an agent is there, is given
        /// up until later: it waits for one for 5 s.
        package var agentPatience = 6.0
        /// Seconds until the first attempt after a failure, and the most.
        package var firstDelay = 2.0
        package var longestDelay = 60.0

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
        var delay = configuration.firstDelay
        var isKnown = false
        while !isStopping {
            let end = follow(isKnown: isKnown)
            if isStopping { return }
            handler(.state(end.state))
            if end.hasMeasured { delay = configuration.firstDelay }
            isKnown = isKnown || end.wasThere
            if stopping.wait(timeout: .now() + delay) == .success { return }
            delay = min(delay * 2, configuration.longestDelay)
        }
    }

    /// How a connection has ended.
    private struct End {
        var state: LocationSourceState
        /// Whether GeoClue was on the bus.
        var wasThere = false
        var hasMeasured = false

        init(_ reason: String) { state = .unavailable(reason) }
        init(denied reason: String) { state = .denied(reason) }

        static var gone: End {
            var end = End("GeoClue has gone away; trying again")
            end.wasThere = true
            return end
        }
    }

    /// Measures over one connection. `isKnown` says whether GeoClue was on the bus before.
    private func follow(isKnown: Bool) -> End {
        guard
            let connection = BusConnection(configuration.address.map { .at($0) } ?? .system),
            admit(connection.descriptor)
        else { return End("there is no system bus") }
        defer { state.withLock { $0.connection = nil } }
        guard connection.isAccepted() else { return End("the system bus does not answer") }
        var wasThere = isKnown
        do throws(BusError) {
            var client = try GeoClueClient(connection, within: configuration.agentPatience)
            wasThere = true
            try client.start(demand, desktopID: configuration.desktopID)
            handler(.state(.searching))
            var hasMeasured = false
            var end = measure(&client, &hasMeasured)
            (end.wasThere, end.hasMeasured) = (true, hasMeasured)
            return end
        } catch {
            return Self.end(error, wasThere: wasThere)
        }
    }

    private func measure(_ client: inout GeoClueClient, _ hasMeasured: inout Bool) -> End {
        while true {
            switch client.next(or: wakeup) {
            case .nothing: break
            case .wakeup:
                guard !isStopping else { return End("") }
                do throws(BusError) { try client.change(demand) } catch {
                    return Self.end(error, wasThere: true)
                }
            case .place(let place):
                if !hasMeasured { handler(.state(.available(isSteady: false))) }
                hasMeasured = true
                handler(
                    .fix(
                        place.fix(
                            arrival: clock.secondsSinceBoot, now: clock.secondsSinceEpoch)))
            case .gone: return .gone
            case .loss: return End("the system bus is lost")
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

    /// What a refusal of GeoClue or the bus means. The bus knows no such service if it cannot start
    /// GeoClue; one that was there before was not started by the bus, and has ended.
    private static func end(_ error: BusError, wasThere: Bool) -> End {
        var end: End
        switch String(error.name.split(separator: ".").last ?? "") {
        case "AccessDenied":
            end = End(denied: "GeoClue refuses: \(error.message)")
        case "ServiceUnknown", "NameHasNoOwner":
            return wasThere ? .gone : End("GeoClue is not installed")
        // Both implementations of the bus say so of a service that ends instead of answering.
        case "NoReply" where error.message.contains("disconnected"):
            end = .gone
        case "NoReply", "Timeout", "TimedOut":
            end = End(
                "GeoClue does not answer: it has no agent that may admit programs, which desktops "
                    + "start")
        default:
            end = End(error.message.isEmpty ? "the system bus is lost" : error.message)
            end.wasThere = wasThere
            return end
        }
        end.wasThere = true
        return end
    }
}
