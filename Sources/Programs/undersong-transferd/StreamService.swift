import UndersongBase
import UndersongControl
import UndersongTransferIO
import UndersongTransfers

/// Answers players that read streams. Each stream belongs to the connection on which it was opened.
final class StreamService: RequestService {
    static let methods: [String: Perform] = [
        OpenStream.method: { service, request, connection throws(ControlError) in
            let call = try request.decode(OpenStream.self)
            return ControlReply(try service.open(call, request.descriptors, connection))
        },
        WantStream.method: { service, request, connection throws(ControlError) in
            let call = try request.decode(WantStream.self)
            try service.owners.check(call.id, of: connection, called: "stream")
            guard call.from >= 0, call.until >= call.from else {
                throw ControlError(
                    .invalidParams, "cannot read stream \(call.id): The range is not valid")
            }
            service.engine.want(call.id, from: call.from, until: call.until)
            return ControlReply(Nothing())
        },
        CloseStream.method: { service, request, connection throws(ControlError) in
            let id = try request.decode(CloseStream.self).id
            try service.owners.check(id, of: connection, called: "stream")
            service.owners.remove(id)
            service.engine.close(id)
            return ControlReply(Nothing())
        },
    ]

    private let engine: StreamEngine
    private let owners: RequestOwners

    init(_ settings: StreamEngine.Settings, clock: any HostClock) {
        let owners = RequestOwners()
        self.owners = owners
        engine = StreamEngine(settings, clock: clock) { id, report in
            owners.owner(of: id)?.notify(StreamChanged(id: id, report))
        }
    }

    func closed(_ connection: ControlConnection) {
        for id in owners.removeAll(of: connection) { engine.close(id) }
    }

    private func open(
        _ call: OpenStream, _ descriptors: PassedDescriptors, _ connection: ControlConnection
    ) throws(ControlError) -> OpenStream.Reply {
        let purpose = "cannot stream \(call.url): "
        try Check.url(call.url, purpose)
        let file = try Check.file(descriptors, isRead: true, purpose)
        return OpenStream.Reply(id: owners.add(connection) { engine.open(call, file: file) })
    }
}
