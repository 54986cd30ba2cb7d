/// Reads a file that cannot be written, for example because the disk is full, so that its contents
/// are still available. Holds the folder while it is open.
final class FilePeek {
    let durable: DurableState
    let connection: Connection
    private let folder: StoreFolder

    /// Errors: the file cannot be read, or does not exist.
    init(in path: String) throws {
        folder = try StoreFolder(path)
        guard folder.databaseSize > 0, !folder.hasLostDatabase else { throw EntryTable.damage }
        connection = try Connection(folder.database, for: .peeking, cacheSize: 512)
        durable = try connection.read { try DurableState.read($0) }
    }

    func close() {
        connection.close()
        folder.unlock()
    }
}
