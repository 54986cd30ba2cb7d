package import UndersongBase
package import UndersongPlayback

/// What the files of items say of themselves, read before they play. Any thread may call it.
extension StateStore {
    /// The files of items with ids after `id` that were not opened yet, in the order of the ids, and
    /// at most `limit` of them; some may have left the queue.
    package func unreadFiles(
        after id: ItemID?, limit: Int
    ) async -> [(id: ItemID, path: FilePath)] {
        await read { try ItemTable(db: $0).files(after: id, limit: limit, areUnread: true) } ?? []
    }

    /// Keeps what files say of themselves with those of the items whose files were not opened since.
    /// It is on the disk soon.
    package func learn(_ facts: [(id: ItemID, facts: ItemFacts)]) {
        for (id, facts) in facts {
            _ = memory.itemStore.change(id) { item in
                if item.facts?.isFromFile != true { item.facts = facts }
            }
        }
        if !facts.isEmpty { memory.mailbox.post(.run { $0.saveWanted(isDurable: false) }) }
    }
}
