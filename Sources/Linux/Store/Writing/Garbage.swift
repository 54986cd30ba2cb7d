import UndersongPlayback

/// Items that nothing names any more, which are removed from the file in slices while the store is
/// idle.
struct Garbage {
    /// The number of unused items from which a search for them is worthwhile.
    static let worthwhile = 64
    /// Rows per slice: a few milliseconds of work.
    static let sliceLength = 4096

    /// The number of unnamed items, as far as known.
    var count = 0
    /// True to look for them even if they are few.
    var isDue = false
    /// The search that is under way, in items after `reached` through `last`.
    var search: (named: ItemSet, reached: Int, last: Int)?
    /// True if the file may have much free space.
    var hasRoom = false

    var isEmpty: Bool { count == 0 && !isDue && search == nil }
}

extension StateFile {
    /// Does a slice of the work. Returns whether there is more.
    ///
    /// - Throws: An error if the file cannot be written, or is damaged.
    func maintain() throws -> Bool {
        if let search = garbage.search {
            let reached = try database.transaction(isDurable: false) {
                try ItemTable(db: database).remove(
                    after: search.reached, through: search.last, butFor: search.named,
                    limit: Garbage.sliceLength)
            }
            if let reached {
                garbage.search?.reached = reached
            } else {
                garbage.search = nil
                itemStore.searchIndex.didRemove(through: search.last, butFor: search.named)
            }
            garbage.hasRoom = true
        } else if garbage.isDue
            || garbage.count >= max(Garbage.worthwhile, durable.record.order.ids.count / 16)
        {
            try beginSearch()
        } else if garbage.hasRoom {
            try giveBackRoom()
        } else {
            return false
        }
        return true
    }

    /// Later items are of no concern to the search.
    private func beginSearch() throws {
        var named = ItemSet(
            itemStore.pending.ranges.lazy.flatMap { $0 }.map { ItemID($0) })
        named.insert(itemStore.held)
        try OrderTable(db: database).addNamed(to: &named)
        garbage.search = (named, 0, durable.lastNumber)
        (garbage.count, garbage.isDue) = (0, false)
    }

    /// Returns space to the disk while a quarter of the file is free.
    private func giveBackRoom() throws {
        let free: Int = try database.value("PRAGMA freelist_count") ?? 0
        let all: Int = try database.value("PRAGMA page_count") ?? 0
        garbage.hasRoom = free > max(256, all / 4)
        guard garbage.hasRoom else { return }
        try database.transaction(isDurable: false) {
            try database.execute("PRAGMA incremental_vacuum(512)")
        }
    }
}
