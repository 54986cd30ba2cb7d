package import UndersongPlayback

extension StateStore {
    /// What was kept of locations. Nothing while the file cannot be opened.
    package func locations() async -> StoredLocations {
        let found = try? await ask("read the places") { keeper throws(StoreTrouble) in
            try keeper.attempt { try LocationTable(db: $0.database).read() }
        }
        return found ?? StoredLocations()
    }

    /// Writes the changes, all or none; they wait for the disk, unless all of them are fixes.
    /// Errors: the disk does not take them.
    package func keep(_ changes: [LocationChange]) async throws(QueueError) {
        try await ask("keep the places") { keeper throws(StoreTrouble) in
            try keeper.attempt { try $0.save(changes) }
        }
    }
}
