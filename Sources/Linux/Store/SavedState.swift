package import UndersongPlayback

/// The state that a process has saved in a store's folder, read without its lock.
package struct SavedState {
    /// The record.
    package let record: PlayerRecord
    private let database: Database

    /// Reads the record; nil if there is none, or it cannot be read.
    package init?(in folder: String) {
        guard let database = try? Database(folder + "/state.sqlite", for: .reading),
            let durable = try? DurableState.read(database)
        else { return nil }
        self.database = database
        record = durable.record
    }

    /// The items with these ids. Those that cannot be read are left out.
    package func items(_ ids: some Sequence<ItemID>) -> [QueueItem] {
        ids.compactMap { id in (try? ItemTable(db: database).item(id)) ?? nil }
    }
}
