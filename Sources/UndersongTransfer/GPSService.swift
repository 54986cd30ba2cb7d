import Control
import Playback
import TransferIO
import Transfers

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
            owners.owner(of: id)?.notify(GPSChanged(id, report))
        }
    }

    func closed(_ connection: ControlConnection) {
        for id in owners.removeAll(of: connection) { engine.close(id) }
    }

    private func open(
        _ call: OpenGPS, _ connection: ControlConnection
    ) throws(ControlError) -> OpenGPS.Reply {
        let purpose = "cannot watch gpsd at \(call.host): "
        let isName =
            !call.host.isEmpty && call.host.utf8.count <= 255
            && call.host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
        guard isName else {
            throw ControlError(.invalidParams, purpose + "It is not a host's name")
        }
        guard let port = UInt16(exactly: call.port), port > 0 else {
            throw ControlError(.invalidParams, purpose + "A port is from 1 to 65535")
        }
        let id = owners.add(connection) { engine.open(host: call.host, port: port) }
        return OpenGPS.Reply(id: id)
    }
}

extension GPSChanged {
    fileprivate init(_ id: Int, _ report: GpsdWatcher.Report) {
        switch report {
        case .fix(let fix): self.init(id: id, fix: Fix(fix))
        case .noFix(let reason): self.init(id: id, reason: reason)
        case .unavailable(let reason, let retry):
            self.init(id: id, reason: reason, retry: retry)
        }
    }
}

extension GPSChanged.Fix {
    fileprivate init(_ fix: GpsdFix) {
        self.init(time: fix.time, latitude: fix.latitude, longitude: fix.longitude)
        altitude = fix.altitude
        speed = fix.speed
        course = fix.course
        horizontalError = fix.horizontalError
        verticalError = fix.verticalError
    }
}
