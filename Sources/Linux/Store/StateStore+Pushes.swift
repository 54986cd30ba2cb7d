package import UndersongPlayback

extension StateStore {
    /// What was kept of pushes: those that are not over, in the order of their numbers, and what was
    /// counted. Nothing while the file cannot be opened.
    package func pushes() async -> StoredPushes {
        let found = try? await ask("read the pushes") { keeper throws(StoreTrouble) in
            try keeper.attempt { try PushTable(db: $0.database).read() }
        }
        return found ?? StoredPushes()
    }

    /// Writes the changes, all or none; those with a new push wait for the disk. Errors: the disk
    /// does not take them.
    package func keep(_ changes: [PushChange]) async throws(QueueError) {
        try await ask("keep the push") { keeper throws(StoreTrouble) in
            try keeper.attempt { try $0.save(changes) }
        }
    }
}
