import Control
import Glibc
import Playback
import Synchronization
import TransferIO
import Transfers

/// Answers programs that read feeds. Each request belongs to the connection on which it was made.
final class DocumentService: Sendable {
    private typealias Perform =
        @Sendable (DocumentService, ControlRequest, ControlConnection) throws(ControlError) ->
        ControlReply

    private static let methods: [String: Perform] = [
        FetchDocument.method: { service, request, connection throws(ControlError) in
            let call = try request.decode(FetchDocument.self)
            return ControlReply(try service.fetch(call, request.descriptors, connection))
        },
        CancelDocument.method: { service, request, connection throws(ControlError) in
            let id = try request.decode(CancelDocument.self).id
            guard service.remove(id, of: connection) else {
                throw ControlError(.notFound, "cannot find request \(id): There is no such request")
            }
            service.engine.close(id)
            return ControlReply(Nothing())
        },
        DeleteFiles.method: { _, request, _ throws(ControlError) in
            ControlReply(try delete(request.decode(DeleteFiles.self).paths))
        },
    ]

    private let engine: DocumentEngine
    private let owners = Mutex<[Int: ControlConnection]>([:])

    init(_ settings: DocumentEngine.Settings, clock: any HostClock) {
        engine = DocumentEngine(settings, clock: clock)
    }

    /// The answer to a request; nil if it is not about documents.
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
        let ids = owners.withLock { owners in
            let ids = owners.filter { $0.value == connection }.map(\.key)
            for id in ids { owners[id] = nil }
            return ids
        }
        for id in ids { engine.close(id) }
    }

    private func fetch(
        _ call: FetchDocument, _ descriptors: PassedDescriptors, _ connection: ControlConnection
    ) throws(ControlError) -> FetchDocument.Reply {
        let purpose = "cannot fetch \(call.url): "
        guard TransferURL(call.url) != nil else {
            throw ControlError(.invalidParams, purpose + "Only URLs of HTTP and HTTPS can be")
        }
        let texts = [call.etag, call.modified].compactMap(\.self)
        guard texts.allSatisfy({ !$0.utf8.contains { $0 < 0x20 || $0 == 0x7f } }) else {
            throw ControlError(.invalidParams, purpose + "A field has control characters")
        }
        let limit = call.limit ?? FetchDocument.limit
        guard 1...FetchDocument.limit ~= limit else {
            throw ControlError(
                .invalidParams, purpose + "The limit is from 1 to \(FetchDocument.limit)")
        }
        guard let file = descriptors.takeFirst() else {
            throw ControlError(.invalidParams, purpose + "No file came with the request")
        }
        guard fcntl(file, F_GETFL) & O_ACCMODE != O_RDONLY else {
            Glibc.close(file)
            throw ControlError(.invalidParams, purpose + "The file cannot be written")
        }
        var order = DocumentOrder(
            url: call.url, limit: limit, timeout: FetchDocument.timeout, file: file)
        order.etag = call.etag
        order.modified = call.modified
        // An answer that comes at once waits for the lock.
        let id = owners.withLock { owners in
            let id = engine.open(order) { [weak self] in self?.done($0, $1) }
            owners[id] = connection
            return id
        }
        return FetchDocument.Reply(id: id)
    }

    private func done(_ id: Int, _ answer: DocumentAnswer) {
        let connection = owners.withLock { $0.removeValue(forKey: id) }
        connection?.notify(DocumentFetched(id, answer))
    }

    private func remove(_ id: Int, of connection: ControlConnection) -> Bool {
        owners.withLock { owners in
            guard owners[id] == connection else { return false }
            owners[id] = nil
            return true
        }
    }

    private static func delete(_ paths: [String]) throws(ControlError) -> DeleteFiles.Reply {
        for path in paths where !path.hasPrefix("/") || path.utf8.contains(0) {
            throw ControlError(
                .invalidParams, "cannot delete \(path): It is no absolute path of a file")
        }
        return DeleteFiles.Reply(
            deleted: paths.filter { unsafe unlink($0) == 0 || errno == ENOENT })
    }
}

extension DocumentFetched {
    fileprivate init(_ id: Int, _ answer: DocumentAnswer) {
        self.init(id: id)
        status = answer.status
        moved = answer.movedTo
        etag = answer.etag
        modified = answer.modified
        type = answer.type
        cacheControl = answer.cacheControl
        retryAfter = answer.retryAfter
        length = answer.length
        code = answer.failure?.rawValue
        reason = answer.reason
    }
}
