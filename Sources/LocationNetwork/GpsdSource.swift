import Control
import Dispatch
package import Location
package import Playback
import Synchronization
import Tracks
package import TransferClient

/// Places of gpsd, which `undersong-transferd` watches, since this program may not use the network.
/// It connects while it measures, and the program watches gpsd only as long as it is connected.
package final class GpsdSource: LocationSource {
    private static let firstDelay = 1.0
    private static let longestDelay = 60.0
    /// gpsd's errors hold with a probability of 95 %, those of places with one of 68 %.
    private static let errorFactor = 0.62
    /// Meters, of a receiver that does not say.
    private static let usualAccuracy = 30.0

    private struct State {
        /// Which start this is; nil while it is stopped.
        var run: Int?
        var lastRun = 0
        /// Which connection this is; a failure of another one is over.
        var attempt = 0
        var client: ControlClient?
        var delay = GpsdSource.firstDelay
        var timer: HostTimer?
        var isAvailable = false
    }

    package let kind = LocationSourceKind.gpsd
    private let host: String
    private let port: Int
    private let location: TransferLocation
    /// The name by which `undersong-transferd` knows this program.
    private let client: String
    private let clock: any HostClock
    private let state = Mutex(State())
    private let work = DispatchQueue(label: "undersong.gpsd")

    package init(
        host: String, port: Int, _ location: TransferLocation, client: String, clock: any HostClock
    ) {
        self.host = host
        self.port = port
        self.location = location
        self.client = client
        self.clock = clock
    }

    package func start(
        _ demand: LocationDemand, _ handler: @escaping @Sendable (LocationSourceEvent) -> Void
    ) {
        let run = state.withLock { state in
            state.lastRun += 1
            state.run = state.lastRun
            state.delay = Self.firstDelay
            state.isAvailable = false
            return state.lastRun
        }
        work.async { [self] in
            handler(.state(.searching))
            connect(run, handler)
        }
    }

    /// gpsd reports everything that its receiver measures.
    package func change(_ demand: LocationDemand) {}

    package func stop() {
        let (client, timer) = state.withLock { state in
            state.run = nil
            return (state.client.take(), state.timer.take())
        }
        timer?.cancel()
        client?.close()
    }

    private func isCurrent(_ run: Int) -> Bool { state.withLock { $0.run == run } }

    // MARK: Connection; on `work`

    private func connect(_ run: Int, _ handler: @escaping @Sendable (LocationSourceEvent) -> Void) {
        guard isCurrent(run) else { return }
        let attempt = state.withLock { state in
            state.attempt += 1
            return state.attempt
        }
        do throws(ControlError) {
            let client = try makeClient(run, attempt, handler)
            let isWanted = state.withLock { state in
                guard state.run == run else { return false }
                state.client = client
                return true
            }
            guard isWanted else { return client.close() }
            _ = try client.call(OpenGPS(host: host, port: port))
            state.withLock { $0.delay = Self.firstDelay }
        } catch {
            lose(run, attempt, error.message, handler)
        }
    }

    private func makeClient(
        _ run: Int, _ attempt: Int,
        _ handler: @escaping @Sendable (LocationSourceEvent) -> Void
    ) throws(ControlError) -> ControlClient {
        let onNotice = { @Sendable [weak self] (message: ControlNoticeMessage) in
            guard let change = try? message.decode(GPSChanged.self) else { return }
            guard let self else { return }
            work.async { self.take(change, run, handler) }
        }
        let onClose = { @Sendable [weak self] (error: ControlError) in
            guard let self else { return }
            work.async { self.lose(run, attempt, error.message, handler) }
        }
        return try location.connect(name: client, onNotice: onNotice, onClose: onClose)
    }

    /// There is no connection: it is tried again later.
    private func lose(
        _ run: Int, _ attempt: Int, _ reason: String,
        _ handler: @escaping @Sendable (LocationSourceEvent) -> Void
    ) {
        let failure = state.withLock { state -> (delay: Double, client: ControlClient?)? in
            guard state.run == run, state.attempt == attempt else { return nil }
            state.attempt += 1
            state.isAvailable = false
            defer { state.delay = min(state.delay * 2, Self.longestDelay) }
            return (state.delay, state.client.take())
        }
        guard let (delay, client) = failure else { return }
        client?.close()
        handler(.state(.unavailable(reason)))
        let timer = clock.wake(after: delay, leeway: 100_000_000) { [weak self] in
            guard let self else { return }
            work.async { self.connect(run, handler) }
        }
        state.withLock { $0.timer = timer }
    }

    private func take(
        _ change: GPSChanged, _ run: Int,
        _ handler: @Sendable (LocationSourceEvent) -> Void
    ) {
        guard isCurrent(run) else { return }
        guard let fix = change.fix else {
            state.withLock { $0.isAvailable = false }
            let reason = change.reason ?? ""
            let isSilent = change.retry == nil
            return handler(
                .state(
                    .unavailable(isSilent ? reason : "gpsd at \(host) does not answer: \(reason)")))
        }
        let wasAvailable = state.withLock { state in
            defer { state.isAvailable = true }
            return state.isAvailable
        }
        if !wasAvailable { handler(.state(.available(isSteady: true))) }
        handler(.fix(self.fix(fix)))
    }

    private func fix(_ fix: GPSChanged.Fix) -> LocationFix {
        LocationFix(
            Coordinate(latitude: fix.latitude, longitude: fix.longitude),
            horizontalAccuracy: fix.horizontalError.map { $0 * Self.errorFactor }
                ?? Self.usualAccuracy,
            altitude: fix.altitude ?? 0,
            verticalAccuracy: fix.altitude == nil
                ? -1
                : fix.verticalError.map { $0 * Self.errorFactor } ?? 2 * Self.usualAccuracy,
            speed: fix.speed ?? -1, course: fix.course ?? -1,
            time: fix.time.flatMap { UTCDate.seconds($0) } ?? clock.secondsSinceEpoch,
            arrival: clock.secondsSinceBoot, source: .gpsd)
    }
}
