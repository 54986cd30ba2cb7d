import Synchronization
import UndersongLibrary
package import UndersongPlayback

/// Edits that concern the queue as a whole.
extension PlayerService {
    /// Puts the items into a random order; the current one comes first.
    package func shuffle() async throws(ServiceError) {
        let order = await session.order
        var ids = order.ids
        ids.shuffle()
        if let place = order.current.flatMap({ ids.firstIndex(of: $0) }) { ids.swapAt(0, place) }
        try await commit(.reorder(ids), "shuffle the queue")
    }

    /// Puts the albums into a random order, once those of all items have been read. The album of the
    /// current item comes first, and the items of each stay together, in the order of their files.
    package func shuffleAlbums() async throws(ServiceError) {
        await readTags()
        let order = await session.order
        let operation = "shuffle the albums of the queue"
        let entries = try await values(of: order.ids, to: operation) { item in
            AlbumOrder.Entry(
                id: item.id, path: item.source.path, start: item.start.seconds,
                album: item.facts?.album)
        }
        let ids = await Self.onFilesQueue {
            var generator = SystemRandomNumberGenerator()
            let known = order.ids.compactMap { entries[$0] }
            return AlbumOrder.shuffled(known, current: order.current, using: &generator)
                + order.ids.filter { entries[$0] == nil }
        }
        try await commit(.reorder(ids), operation)
    }

    /// Sorts the items by `key`, in natural order, once it has been read of all of them. Items that
    /// are alike stay in their order, and those without a value come last.
    package func sort(by key: QueueSortKey) async throws(ServiceError) {
        if key != .path { await readTags() }
        let ids = await session.order.ids
        let values = try await values(of: ids, to: "sort the queue") { key.value(of: $0) }
        let sorted = await Self.onFilesQueue { key.sorted(ids, values) }
        try await commit(.reorder(sorted), "sort the queue")
    }

    /// Removes all items but the current one.
    ///
    /// - Throws: There is none.
    package func crop() async throws(ServiceError) {
        guard let current = await session.order.current else {
            throw ServiceError(.notPossible, "crop the queue", "there is no current item")
        }
        try await crop(to: [current])
    }

    /// Removes all items but those that the query finds, once the titles of all items have been read.
    ///
    /// - Throws: It finds none, or cannot be understood.
    package func crop(to query: String) async throws(ServiceError) {
        let condition = try Self.itemCondition(query, to: "crop the queue")
        await readTags()
        let found = Set(await session.search(condition).items.map(\.item.id))
        guard !found.isEmpty else {
            throw ServiceError(.notFound, "crop the queue", "nothing in it matches \(query)")
        }
        try await crop(to: found)
    }

    private func crop(to kept: Set<ItemID>) async throws(ServiceError) {
        let ids = await session.order.ids
        try await commit(.remove(ids.filter { !kept.contains($0) }), "crop the queue")
    }

    /// Removes items that play the same as another one: the first of them stays, or the current
    /// one. Returns how many there were.
    package func removeDuplicates() async throws(ServiceError) -> Int {
        let order = await session.order
        let parts = try await values(of: order.ids, to: "remove duplicates") { Self.part($0) }
        var seen: Set<QueueEntry> = []
        if let part = order.current.flatMap({ parts[$0] }) { seen.insert(part) }
        let repeated = order.ids.filter { id in
            guard id != order.current, let part = parts[id] else { return false }
            return !seen.insert(part).inserted
        }
        if !repeated.isEmpty { try await commit(.remove(repeated), "remove duplicates") }
        return repeated.count
    }

    /// The playing time of the queue, as far as it is known without reading files.
    package func queueTime() async throws(ServiceError) -> QueueTime {
        let order = await session.order
        let lengths = try await values(of: order.ids, to: "add up the lengths") {
            Self.seconds(of: $0)
        }
        var time = QueueTime(hasCurrent: order.current != nil)
        var isAfter = false
        for id in order.ids {
            let seconds = lengths[id]
            time.seconds += seconds ?? 0
            if seconds == nil { time.unknownCount += 1 }
            if isAfter {
                time.secondsAfter += seconds ?? 0
                if seconds == nil { time.unknownCountAfter += 1 }
            }
            if id == order.current { isAfter = true }
        }
        return time
    }

    private static func seconds(of item: QueueItem) -> Double? {
        let end = [item.end, item.facts?.duration].compactMap { $0?.seconds }.min()
        return end.map { max($0 - item.start.seconds, 0) }
    }

    /// The part of a file that an item plays: items with the same part sound alike. Nil for a
    /// stream, which is never the same twice.
    private static func part(_ item: QueueItem) -> QueueEntry? {
        if case .standardInput = item.source { return nil }
        return QueueEntry(item.source, start: item.start, end: item.end)
    }

    /// Returns the result of `read` for each of the items.
    ///
    /// - Throws: The items cannot be read from the disk.
    private func values<Value: Sendable>(
        of ids: [ItemID], to operation: String,
        _ read: @escaping @Sendable (QueueItem) -> Value?
    ) async throws(ServiceError) -> [ItemID: Value] {
        let wanted = Set(ids)
        let values = Box<[ItemID: Value]>([:])
        let isWhole = await session.forEachItem { item in
            guard wanted.contains(item.id), let value = read(item) else { return }
            values.contents.withLock { $0[item.id] = value }
        }
        guard isWhole else {
            throw ServiceError(
                .notPossible, operation, "the saved items cannot be read at the moment")
        }
        return values.contents.withLock { $0 }
    }
}

/// Shares a value between threads.
private final class Box<Value: Sendable>: Sendable {
    let contents: Mutex<Value>

    init(_ contents: Value) { self.contents = Mutex(contents) }
}
