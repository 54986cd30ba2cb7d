import Dispatch
import Glibc
package import UndersongAudioSession
import UndersongLibrary
package import UndersongPlayback
import UndersongStore

/// Reading and editing the queue. An edit is durable when its method returns; if it throws, the
/// queue is unchanged.
extension PlayerService {
    // MARK: Reading

    /// At most `limit` items from the place `offset` on, which counts from 0.
    package func list(offset: Int, limit: Int) async -> QueueList {
        let page = await session.page(offset: offset, limit: limit)
        let missing = await Self.missing(of: page.items)
        let memory = session.fileMemory
        let items = page.items.enumerated().map { index, item in
            var listed = ListedItem(item, at: page.offset + index)
            if missing.contains(item.id) { listed.missing = true }
            if let position = memory?.resumePosition(of: item.source.path) { listed.add(position) }
            return listed
        }
        return QueueList(
            items: items, current: page.current, offset: page.offset, count: page.count)
    }

    /// The whole queue if it has at most `limit` items, otherwise the part around the current one.
    package func listAroundCurrent(limit: Int) async -> QueueList {
        let page = await session.page(offset: 0, limit: 0)
        return await list(
            offset: page.count <= limit ? 0 : max(0, page.place - 10), limit: limit)
    }

    /// At most `limit` items from the place `offset` on, with what memory knows of them.
    package func page(offset: Int, limit: Int) async -> QueuePage {
        await session.page(offset: offset, limit: limit)
    }

    /// At most `limit` items around the current one, or from the start if there is none, with what
    /// memory knows of them. The window moves in steps of half its length.
    package func itemsAroundCurrent(limit: Int) async -> QueuePage {
        let page = await session.page(offset: 0, limit: 0)
        let step = max(1, limit / 2)
        let isAtEnd = page.current == nil
        let offset = isAtEnd ? 0 : max(0, page.place / step * step - step / 2)
        return await session.page(offset: page.count <= limit ? 0 : offset, limit: limit)
    }

    /// Items that the query finds; at most `limit` from the `offset`th on.
    ///
    /// - Throws: It cannot be understood.
    package func search(
        _ query: String, offset: Int, limit: Int
    ) async throws(ServiceError) -> FoundItems {
        let condition = try Self.itemCondition(query, to: "search the queue")
        let (items, foundCount) = await session.search(condition, offset: offset, limit: limit)
        let page = await session.page(offset: 0, limit: 0)
        return FoundItems(
            found: items.map { ListedItem($0.item, at: $0.place) }, foundCount: foundCount,
            hasUnreadTags: readMissingTags(),
            count: page.count, current: page.current)
    }

    /// The condition of a query on items of the queue.
    ///
    /// - Throws: It cannot be understood, or is about more than is known of items.
    static func itemCondition(
        _ query: String, to purpose: String
    ) throws(ServiceError) -> ItemCondition {
        do throws(QueryError) {
            return try LibraryQuery(query).itemCondition()
        } catch {
            throw ServiceError(.invalidValue, purpose, error.description)
        }
    }

    /// Returns the items whose files are missing. The disk is accessed on another thread.
    private static func missing(of items: [QueueItem]) async -> Set<ItemID> {
        await withCheckedContinuation { continuation in
            filesQueue.async {
                let missing = items.filter { item in
                    guard case .file(let path) = item.source else { return false }
                    return unsafe path.withPlatformString { unsafe access($0, F_OK) } != 0
                }
                continuation.resume(returning: Set(missing.map(\.id)))
            }
        }
    }

    // MARK: Editing

    /// Appends what the names stand for; files that cannot be played are errors. With a `key` this is done only once, however often it is
    /// called: after that nothing is added.
    package func add(
        _ files: Files, key: String? = nil
    ) async throws(ServiceError) -> Addition {
        try await add(files, .end, "add to the queue", key)
    }

    /// Inserts what the names stand for after an item; after the current one for nil. `key` is as
    /// in `add`.
    package func insert(
        _ files: Files, after item: ItemID?, key: String? = nil
    ) async throws(ServiceError) -> Addition {
        let target = item.map(QueueChange.Target.after) ?? .next
        return try await add(files, target, "insert into the queue", key)
    }

    /// Adds entries, such as those of a library. Returns the new items.
    func add(
        _ entries: [QueueEntry], _ target: QueueChange.Target
    ) async throws(ServiceError) -> [ItemID] {
        let store = store
        let items = await Self.onFilesQueue { store.stage(entries) }
        let change = QueueChange.insert(items, target, seed: .random(in: 0...UInt64.max))
        try await commit(change, "add to the queue", bringing: items)
        return items
    }

    /// Replaces the queue by what the names stand for, paused; does nothing if nothing is found
    /// there.
    package func replace(with files: Files) async throws(ServiceError) -> Addition {
        let found = try await find(files, checking: .names, to: "replace the queue")
        if !found.items.isEmpty {
            await session.player.pause()
            let change = QueueChange.replaceAll(found.items, seed: .random(in: 0...UInt64.max))
            try await commit(change, "replace the queue", bringing: found.items)
        }
        return found
    }

    /// Moves an item after another; to the front for nil.
    package func move(_ item: ItemID, after other: ItemID?) async throws(ServiceError) {
        try await commit(.move(item, after: other), "move in the queue")
    }

    /// Removes items; if the current one is among them, the next one becomes current.
    package func remove(_ items: [ItemID]) async throws(ServiceError) {
        try await commit(.remove(items), "remove from the queue")
    }

    /// Removes all items.
    package func clear() async throws(ServiceError) {
        try await commit(.removeAll, "clear the queue")
    }

    /// Undoes the last edit. Throws if there is none.
    package func undo() async throws(ServiceError) {
        do throws(QueueError) { try await session.undo() } catch { throw ServiceError(error) }
    }

    /// Makes the edit again that was undone last. Throws if there is none.
    package func redo() async throws(ServiceError) {
        do throws(QueueError) { try await session.redo() } catch { throw ServiceError(error) }
    }

    /// Jumps to another item. Returns when it is known what plays.
    package func jump(to item: ItemID) async throws(ServiceError) {
        do throws(QueueError) {
            try await session.player.jump(to: item)
        } catch {
            throw ServiceError(error)
        }
        await session.settle()
        await session.flush()
    }

    private func add(
        _ files: Files, _ target: QueueChange.Target, _ name: String, _ key: String?
    ) async throws(ServiceError) -> Addition {
        let found = try await find(files, checking: .names, to: name)
        guard !found.items.isEmpty else { return found }
        let change = QueueChange.insert(found.items, target, seed: .random(in: 0...UInt64.max))
        let isNew = try await commit(change, name, bringing: found.items, key: key)
        return isNew ? found : Addition(items: [], errors: [])
    }

    /// Commits an edit; if it is refused, forgets the items that it was to add. Returns false if an
    /// edit with its key was made before.
    @discardableResult
    func commit(
        _ change: QueueChange, _ name: String, bringing staged: [ItemID] = [], key: String? = nil
    ) async throws(ServiceError) -> Bool {
        do throws(QueueError) {
            try await session.commit(change, as: name, key: key)
            return true
        } catch {
            store.forget(staged)
            if error.code == .alreadyDone { return false }
            throw ServiceError(error)
        }
    }

    // MARK: Files

    /// The queue for disk access: a new one each time, so that an unresponsive folder delays nobody
    /// else.
    static var filesQueue: DispatchQueue { DispatchQueue(label: "undersong.files") }

    /// Finds the items that the names, the query and the tracks stand for, and stages them. The disk
    /// is accessed on another thread. `connectStream` connects the stream named `-` to the process's standard input, and
    /// returns false if there is none.
    func find(
        _ files: Files, checking check: MediaFinder.Check, to purpose: String,
        connectStream: @Sendable () -> Bool = { false }
    ) async throws(ServiceError) -> Addition {
        let start = try files.start?.checked(isPositive: false) ?? .zero
        let end = try files.end?.checked(isPositive: true)
        if files.paths.contains(.standardStream), !connectStream() {
            throw ServiceError(
                .invalidValue, "play -", "no descriptor came with the request")
        }
        let tracks = try await libraryTracks(of: files, to: purpose)
        let (store, fetcher) = (store, session.playlistFetcher)
        var found = Addition(items: [], errors: [])
        if !files.paths.isEmpty {
            found = await Self.onFilesQueue {
                let finder = MediaFinder(
                    files.paths, start: start, end: end, network: fetcher, checking: check)
                var items: [ItemID] = []
                finder.forEachBatch { items += store.stage($0) }
                return Addition(items: items, errors: finder.errors)
            }
        }
        do throws(ServiceError) {
            try await forEachEntry(of: tracks, of: files, start: start, end: end, to: purpose) {
                entries in
                // Waits while earlier ones are being written.
                found.items += await Self.onFilesQueue { store.stage(entries) }
            }
        } catch {
            store.forget(found.items)
            throw error
        }
        return found
    }

    /// Does work that takes long, or waits for the disk, on another thread.
    static func onFilesQueue<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            filesQueue.async { continuation.resume(returning: work()) }
        }
    }
}

extension WireTime {
    /// The time as used by the player. Throws if it is negative, or not positive where that is
    /// required.
    package func checked(isPositive: Bool) throws(ServiceError) -> CMTime {
        guard timescale > 0, value >= (isPositive ? 1 : 0) else {
            throw ServiceError(
                .invalidValue, "use a time", "it is negative, or 0 where it must be positive")
        }
        return CMTime(self)
    }
}

extension ServiceError {
    fileprivate init(_ error: QueueError) {
        self.init(
            error.code == .noSuchItem ? .notFound : .notPossible, error.operation, error.reason)
    }
}
