import Synchronization
package import UndersongBase
import UndersongControl
package import UndersongLocation
import UndersongTransfers

/// Places of gpsd, which `undersong-transferd` watches, since this program may not use the network.
/// It is connected while it measures, and the program watches gpsd only as long as it is connected.
package final class GpsdSource: LocationSource {
    package let kind = LocationSourceKind.gpsd
    private let host: String
    private let port: Int
    private let link: ControlLink
    private let clock: any HostClock
    private let isAvailable = Atomic(false)
    private let backoff = Mutex(Backoff(seconds: 1...60))

    /// `client` is the name by which `undersong-transferd` knows this program.
    package init(
        host: String, port: Int, _ location: TransferLocation, client: String, clock: any HostClock
    ) {
        self.host = host
        self.port = port
        self.clock = clock
        link = ControlLink(location, name: client, clock: clock)
    }

    package func start(
        _ demand: LocationDemand, _ handler: @escaping @Sendable (LocationSourceEvent) -> Void
    ) {
        let request = OpenGPS(host: host, port: port)
        let handlers = ControlLink.Handlers(
            opened: { [weak self] connection throws(ControlError) in
                _ = try connection.client.call(request)
                self?.backoff.withLock { $0.reset() }
            },
            notice: { [weak self] message, connection in
                guard let self, let change = try? message.decode(GPSChanged.self) else { return }
                link.perform(on: connection) { _ in self.report(change, handler) }
            },
            ended: { [weak self] error, _ in
                self?.isAvailable.store(false, ordering: .relaxed)
                handler(.state(.unavailable(error.message)))
                return self?.backoff.withLock { $0.next() }
            })
        isAvailable.store(false, ordering: .relaxed)
        backoff.withLock { $0.reset() }
        link.open(handlers) { handler(.state(.searching)) }
    }

    /// gpsd reports everything that its receiver measures.
    package func change(_ demand: LocationDemand) {}

    package func stop() { link.close() }

    private func report(_ change: GPSChanged, _ handler: @Sendable (LocationSourceEvent) -> Void) {
        guard var fix = change.fix else {
            isAvailable.store(false, ordering: .relaxed)
            let reason = change.reason ?? ""
            let isSilent = change.retry == nil
            return handler(
                .state(
                    .unavailable(isSilent ? reason : "gpsd at \(host) does not answer: \(reason)")))
        }
        if !isAvailable.exchange(true, ordering: .relaxed) {
            handler(.state(.available(isSteady: true)))
        }
        fix.arrival = clock.secondsSinceBoot
        handler(.fix(fix))
    }
}
