import UndersongBase
import UndersongControl
import UndersongLocation
import UndersongTransferIO
import UndersongTransfers

/// Answers programs that watch gpsds. Each watch belongs to the connection on which it was opened.
final class GPSService: RequestService {
    static let methods: [String: Perform] = [
        OpenGPS.method: { service, request, connection throws(ControlError) in
            ControlReply(try service.open(request.decode(OpenGPS.self), connection))
        },
        CloseGPS.method: { service, request, connection throws(ControlError) in
            let id = try request.decode(CloseGPS.self).id
            try service.owners.check(id, of: connection, called: "watch")
            service.owners.remove(id)
            service.engine.close(id)
            return ControlReply(Nothing())
        },
    ]

    private let engine: GPSEngine
    private let owners: RequestOwners

    init(clock: any HostClock) {
        let owners = RequestOwners()
        self.owners = owners
        engine = GPSEngine(clock: clock) { id, report in
            owners.owner(of: id)?.notify(GPSChanged(id: id, report))
        }
    }

    func closed(_ connection: ControlConnection) {
        for id in owners.removeAll(of: connection) { engine.close(id) }
    }

    private func open(
        _ call: OpenGPS, _ connection: ControlConnection
    ) throws(ControlError) -> OpenGPS.Reply {
        try Check.source(.gpsd(host: call.host, port: call.port))
        let id = owners.add(connection) { engine.open(host: call.host, port: UInt16(call.port)) }
        return OpenGPS.Reply(id: id)
    }
}
