import Glibc
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongTransferIO
import UndersongTransfers

/// Answers programs that send requests and wait for the responses. Each load belongs to the connection
/// on which it was opened.
final class LoadService: RequestService {
    static let methods: [String: Perform] = [
        OpenLoad.method: { service, request, connection throws(ControlError) in
            let call = try request.decode(OpenLoad.self)
            return ControlReply(try service.open(call, request.descriptors, connection))
        },
        AnswerLoad.method: { service, request, connection throws(ControlError) in
            let call = try request.decode(AnswerLoad.self)
            try service.owners.check(call.id, of: connection, called: "load")
            try Check.answer(call.answer, "cannot answer for load \(call.id): ")
            service.engine.answer(call.id, call.answer)
            return ControlReply(Nothing())
        },
        CloseLoad.method: { service, request, connection throws(ControlError) in
            let id = try request.decode(CloseLoad.self).id
            try service.owners.check(id, of: connection, called: "load")
            service.owners.remove(id)
            service.engine.close(id)
            return ControlReply(Nothing())
        },
    ]

    private let engine: LoadEngine
    private let owners = RequestOwners()

    init(_ settings: LoadEngine.Settings, clock: any HostClock) {
        engine = LoadEngine(settings, clock: clock)
    }

    func closed(_ connection: ControlConnection) {
        for id in owners.removeAll(of: connection) { engine.close(id) }
    }

    /// The machine's conditions have changed.
    func apply(_ machine: MachineState) { engine.apply(machine) }

    private func open(
        _ call: OpenLoad, _ descriptors: PassedDescriptors, _ connection: ControlConnection
    ) throws(ControlError) -> OpenLoad.Reply {
        let purpose = "cannot load \(call.url): "
        try Check.url(call.url, purpose)
        try Check.request(call.method, call.fields, purpose)
        guard call.stall ?? 1 > 0, call.within ?? 1 > 0 else {
            throw ControlError(.invalidParams, purpose + "A time is out of range")
        }
        let pipe = try Check.file(descriptors, isRead: false, purpose)
        let body = descriptors.takeFirst()
        if let body, !Self.isFile(body) {
            for descriptor in [pipe, body] { Glibc.close(descriptor) }
            throw ControlError(.invalidParams, purpose + "Its body is not a file")
        }
        let id = owners.add(connection) {
            engine.open(call, pipe: pipe, body: body) { [owners] id, report in
                let isOver = report.phase.known == .finished || report.phase.known == .failed
                let owner = isOver ? owners.remove(id) : owners.owner(of: id)
                owner?.notify(LoadChanged(id: id, report))
            }
        }
        return OpenLoad.Reply(id: id)
    }

    private static func isFile(_ descriptor: Int32) -> Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
