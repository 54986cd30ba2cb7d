/// Reads a file that cannot be written, as for want of room, so that what is in it is there all the
/// same. It has the folder for as long as it is open.
final class FilePeek {
    let durable: DurableState
    let connection: Connection
    private let folder: StoreFolder

    /// Errors: it cannot be read, or there is none.
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
