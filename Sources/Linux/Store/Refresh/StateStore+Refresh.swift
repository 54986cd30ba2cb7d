package import UndersongBackground
package import UndersongPlayback

/// Background fetches, refreshes and processing.
extension StateStore {
    /// What the last service has left. `boot` names the current start of the machine. Errors: it
    /// cannot be read.
    package func refreshMemory(
        boot: String
    ) async throws(QueueError) -> RefreshScheduler.Memory {
        try await ask("read the background tasks") { keeper throws(StoreTrouble) in
            try keeper.attempt { file in
                let table = RefreshTable(db: file.database)
                let memory = try table.memory(boot: boot)
                if !memory.isSameBoot {
                    try file.write { try RefreshTable(db: $0).write(boot: boot) }
                }
                return memory
            }
        }
    }

    /// Makes changes durable, all or none; without any, nothing is written. Errors: nothing was
    /// written.
    package func keep(_ changes: [RefreshScheduler.Change]) async throws(QueueError) {
        guard !changes.isEmpty else { return }
        try await ask("keep the background tasks") { keeper throws(StoreTrouble) in
            try keeper.attempt { file in
                try file.write { db in
                    let table = RefreshTable(db: db)
                    for change in changes { try table.write(change) }
                }
            }
        }
    }

    /// The last runs, the latest first. Errors: they cannot be read.
    package func refreshRuns(limit: Int) async throws(QueueError) -> [RefreshRun] {
        try await ask("read the background tasks") { keeper throws(StoreTrouble) in
            try keeper.attempt { try RefreshTable(db: $0.database).runs(limit: limit) }
        }
    }
}
