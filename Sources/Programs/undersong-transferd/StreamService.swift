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
            owners.owner(of: id)?.notify(StreamChanged(id, report))
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
        var order = StreamEngine.Order(url: call.url, file: file)
        order.available = ByteRanges(
            (call.available ?? []).compactMap { ends in
                ends.count == 2 && 0 <= ends[0] && ends[0] <= ends[1] ? ends[0]..<ends[1] : nil
            })
        order.total = call.total
        order.validator = call.version.flatMap { Validator($0) }
        order.isLive = call.live ?? false
        order.isForText = call.text ?? false
        return OpenStream.Reply(id: owners.add(connection) { engine.open(order) })
    }
}

extension StreamChanged {
    fileprivate init(_ id: Int, _ report: StreamReport) {
        self.init(id: id, state: .idle)
        switch report.phase {
        case .idle: state = .idle
        case .connecting: state = .connecting
        case .receiving(_, _, let isPaused): state = isPaused ? .idle : .receiving
        case .waiting(_, let reason):
            state = .waiting
            code = report.trouble?.rawValue
            self.reason = reason
        case .failed(let failure):
            state = .failed
            code = failure.code.rawValue
            reason = failure.text
        }
        available = report.available.ranges.map { [$0.lowerBound, $0.upperBound] }
        total = report.total
        version = report.validator.map { StreamVersion($0) }
        live = report.isLive ? true : nil
        ranges = report.hasRanges
        type = report.type
        name = report.name
        bitrate = report.bitrate
        title = report.title.map { Title(offset: $0.offset, text: $0.text) }
        retry = report.retry
    }
}

extension StreamVersion {
    fileprivate init(_ validator: Validator) {
        switch validator {
        case .entityTag(let tag): self.init(tag: tag)
        case .lastModified(let date): self.init(modified: date)
        }
    }
}

extension Validator {
    fileprivate init?(_ version: StreamVersion) {
        if let tag = version.tag {
            self = .entityTag(tag)
        } else if let date = version.modified {
            self = .lastModified(date)
        } else {
            return nil
        }
    }
}
