import Control
import Glibc
import Playback
import Synchronization
import TransferIO
import Transfers

/// Answers players that read streams. Each stream belongs to the connection on which it was opened.
final class StreamService: Sendable {
    private typealias Perform =
        @Sendable (StreamService, ControlRequest, ControlConnection) throws(ControlError) ->
        ControlReply

    private static let methods: [String: Perform] = [
        OpenStream.method: { service, request, connection throws(ControlError) in
            let call = try request.decode(OpenStream.self)
            return ControlReply(try service.open(call, request.descriptors, connection))
        },
        WantStream.method: { service, request, connection throws(ControlError) in
            let call = try request.decode(WantStream.self)
            try service.check(call.id, connection)
            guard call.from >= 0, call.until >= call.from else {
                throw ControlError(
                    .invalidParams, "cannot read stream \(call.id): The range is not valid")
            }
            service.engine.want(call.id, from: call.from, until: call.until)
            return ControlReply(Nothing())
        },
        CloseStream.method: { service, request, connection throws(ControlError) in
            let id = try request.decode(CloseStream.self).id
            try service.check(id, connection)
            service.close([id])
            return ControlReply(Nothing())
        },
    ]

    private let engine: StreamEngine
    /// Who has opened each stream.
    private let owners: Owners

    private final class Owners: Sendable {
        let connections = Mutex<[Int: ControlConnection]>([:])
    }

    init(_ settings: StreamEngine.Settings, clock: any HostClock) {
        let owners = Owners()
        self.owners = owners
        engine = StreamEngine(settings, clock: clock) { id, report in
            let connection = owners.connections.withLock { $0[id] }
            connection?.notify(StreamChanged(id, report))
        }
    }

    /// The answer to a request; nil if it is not about streams.
    func answer(
        _ request: ControlRequest, from connection: ControlConnection
    ) -> Result<ControlReply, ControlError>? {
        guard let method = Self.methods[request.method] else { return nil }
        do throws(ControlError) {
            return .success(try method(self, request, connection))
        } catch {
            return .failure(error)
        }
    }

    /// A connection has ended.
    func closed(_ connection: ControlConnection) {
        close(owners.connections.withLock { $0.filter { $0.value == connection }.map(\.key) })
    }

    private func open(
        _ call: OpenStream, _ descriptors: PassedDescriptors, _ connection: ControlConnection
    ) throws(ControlError) -> OpenStream.Reply {
        let purpose = "cannot stream \(call.url): "
        guard TransferURL(call.url) != nil else {
            throw ControlError(.invalidParams, purpose + "It is no valid URL of HTTP or HTTPS")
        }
        guard let file = descriptors.takeFirst() else {
            throw ControlError(.invalidParams, purpose + "No file came with the request")
        }
        guard fcntl(file, F_GETFL) & O_ACCMODE == O_RDWR else {
            Glibc.close(file)
            throw ControlError(.invalidParams, purpose + "The file cannot be read and written")
        }
        var order = StreamEngine.Order(url: call.url, file: file)
        order.available = ByteRanges(
            (call.available ?? []).compactMap { ends in
                ends.count == 2 && 0 <= ends[0] && ends[0] <= ends[1] ? ends[0]..<ends[1] : nil
            })
        order.total = call.total
        order.validator = call.version.flatMap { Validator($0) }
        order.isLive = call.live ?? false
        order.isForText = call.text ?? false
        let id = engine.open(order)
        owners.connections.withLock { $0[id] = connection }
        return OpenStream.Reply(id: id)
    }

    /// Errors: the connection has no such stream.
    private func check(_ id: Int, _ connection: ControlConnection) throws(ControlError) {
        guard owners.connections.withLock({ $0[id] }) == connection else {
            throw ControlError(.notFound, "cannot find stream \(id): There is no such stream")
        }
    }

    private func close(_ ids: [Int]) {
        owners.connections.withLock { connections in
            for id in ids { connections[id] = nil }
        }
        for id in ids { engine.close(id) }
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
