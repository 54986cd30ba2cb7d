import Glibc
import UndersongBase
import UndersongControl
import UndersongPodcasts
import UndersongTransferIO
import UndersongTransfers

/// Answers programs that read feeds. Each request belongs to the connection on which it was made.
final class DocumentService: RequestService {
    static let methods: [String: Perform] = [
        FetchDocument.method: { service, request, connection throws(ControlError) in
            let call = try request.decode(FetchDocument.self)
            return ControlReply(try service.fetch(call, request.descriptors, connection))
        },
        CancelDocument.method: { service, request, connection throws(ControlError) in
            let id = try request.decode(CancelDocument.self).id
            try service.owners.check(id, of: connection, called: "request")
            service.owners.remove(id)
            service.engine.close(id)
            return ControlReply(Nothing())
        },
        DeleteFiles.method: { _, request, _ throws(ControlError) in
            ControlReply(try delete(request.decode(DeleteFiles.self).paths))
        },
    ]

    private let engine: DocumentEngine
    private let owners = RequestOwners()

    init(_ settings: DocumentEngine.Settings, clock: any HostClock) {
        engine = DocumentEngine(settings, clock: clock)
    }

    func closed(_ connection: ControlConnection) {
        for id in owners.removeAll(of: connection) { engine.close(id) }
    }

    private func fetch(
        _ call: FetchDocument, _ descriptors: PassedDescriptors, _ connection: ControlConnection
    ) throws(ControlError) -> FetchDocument.Reply {
        let purpose = "cannot fetch \(call.url): "
        try Check.url(call.url, purpose)
        let texts = [call.etag, call.modified].compactMap(\.self)
        guard texts.allSatisfy({ !$0.utf8.contains { $0 < 0x20 || $0 == 0x7f } }) else {
            throw ControlError(.invalidParams, purpose + "A field has control characters")
        }
        let limit = call.limit ?? FetchDocument.limit
        guard 1...FetchDocument.limit ~= limit else {
            throw ControlError(
                .invalidParams, purpose + "The limit is from 1 to \(FetchDocument.limit)")
        }
        let file = try Check.file(descriptors, isRead: false, purpose)
        let id = owners.add(connection) {
            engine.open(call, file: file) { [owners] in
                owners.remove($0)?.notify(DocumentFetched(id: $0, $1))
            }
        }
        return FetchDocument.Reply(id: id)
    }

    private static func delete(_ paths: [String]) throws(ControlError) -> DeleteFiles.Reply {
        for path in paths where !path.hasPrefix("/") || path.utf8.contains(0) {
            throw ControlError(
                .invalidParams, "cannot delete \(path): It is not an absolute path of a file")
        }
        return DeleteFiles.Reply(
            deleted: paths.filter { unsafe unlink($0) == 0 || errno == ENOENT })
    }
}
