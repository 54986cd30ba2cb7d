import UndersongBase
import UndersongPlayback

/// Files by the names that clients have for them.
extension MPDFrontEnd {
    /// The name of an item for clients.
    func uri(of item: QueueItem) async -> String { item.source.path.description }

    /// The files that a URI names: a song, or what is in a folder unless it `isSong`.
    ///
    /// - Throws: It names nothing, or nothing that the client may play.
    func locate(
        _ uri: String, for client: MPDClient, isSong: Bool
    ) async throws -> Files {
        if NetworkName.isOne(FilePath(uri)) { return Files([NetworkName.escaped(FilePath(uri))]) }
        let path = uri.hasPrefix("file://") ? String(uri.dropFirst(7)) : uri
        guard path.hasPrefix("/") else {
            throw MPDError(.noExist, isSong ? "No such song" : "No such directory")
        }
        guard client.isLocal else { throw MPDError(.permission, "Access denied") }
        return Files([path])
    }
}
