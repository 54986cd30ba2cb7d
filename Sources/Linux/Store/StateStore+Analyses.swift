package import UndersongBase
package import UndersongPlayback

/// What decoding files as a whole has shown. Any thread may call it.
extension StateStore: LoudnessMemory {
    /// What is kept of a file; nil if nothing is. One quick lookup.
    package func analysis(of path: FilePath) -> AnalysisRecord? {
        memory.itemStore.read { try AnalysisTable(db: $0).record(of: path) } ?? nil
    }

    package func measuredGain(of path: FilePath, _ stamp: FileStamp) -> ReplayGain? {
        memory.itemStore.read { try AnalysisTable(db: $0).gain(of: path, stamp) } ?? nil
    }

    /// Makes the record of a file durable, and then calls `handler` on the store's own thread: with
    /// nil, or the reason why it is not.
    package func keep(
        _ record: AnalysisRecord, of path: FilePath,
        then handler: @escaping @Sendable (StoreTrouble?) -> Void
    ) {
        write(then: handler) { try AnalysisTable(db: $0).write(record, of: path) }
    }

    /// The paths of items with ids after `id`, in the order of the ids, and at most `limit` of them;
    /// some may have left the queue. Empty at the end, and if the file cannot be read. Blocks on the
    /// disk.
    package func files(after id: ItemID?, limit: Int) -> [(id: ItemID, path: FilePath)] {
        readNow { try ItemTable(db: $0).files(after: id, limit: limit) } ?? []
    }

    /// Forgets what is kept of too many files, lets SQLite look at its indexes, and returns some
    /// free space to the disk. Calls `handler` on the store's own thread: with nil, or the reason why
    /// that failed.
    package func tidy(then handler: @escaping @Sendable (StoreTrouble?) -> Void) {
        write(then: handler) { db in
            try AnalysisTable(db: db).trim()
            try db.execute("PRAGMA optimize; PRAGMA incremental_vacuum(2048)")
        }
    }

    private func write(
        then handler: @escaping @Sendable (StoreTrouble?) -> Void,
        _ body: @escaping @Sendable (Database) throws -> Void
    ) {
        let isPosted = memory.mailbox.post(
            .run { keeper in
                do throws(StoreTrouble) {
                    try keeper.attempt { try $0.write(body) }
                    handler(nil)
                } catch {
                    handler(error)
                }
            })
        if !isPosted {
            handler(
                StoreTrouble(code: .inputOutput, reason: "the store is closed", since: 0))
        }
    }
}
