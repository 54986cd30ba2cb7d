package import AudioSession
import Dispatch
import Glibc
package import Playback
import Store

/// The queue: reading and changing it. An edit is durable when its method returns; where it throws,
/// the queue is unchanged.
extension PlayerService {
    // MARK: Reading

    /// `limit` items at most from the place `offset` on, which counts from 0.
    package func list(offset: Int, limit: Int) async -> QueueView {
        let page = await session.page(offset: offset, limit: limit)
        let memory = session.fileMemory
        let positions = page.items.compactMap { item in
            memory?.resumePosition(of: item.source.path).map { (item.id, $0) }
        }
        return QueueView(
            page: page, missing: await Self.missing(of: page.items),
            positions: Dictionary(positions) { first, _ in first })
    }

    /// The whole queue when it has no more than `limit` items, else the part around the current one.
    package func listAroundCurrent(limit: Int) async -> QueueView {
        let page = await session.page(offset: 0, limit: 0)
        return await list(
            offset: page.count <= limit ? 0 : max(0, page.place - 10), limit: limit)
    }

    /// `limit` items at most around the current one, or from the start where there is none, without
    /// what only the disk knows of them. They change in steps of half as many.
    package func itemsAroundCurrent(limit: Int) async -> QueuePage {
        let page = await session.page(offset: 0, limit: 0)
        let step = max(1, limit / 2)
        let isAtEnd = page.current == nil
        let offset = isAtEnd ? 0 : max(0, page.place / step * step - step / 2)
        return await session.page(offset: page.count <= limit ? 0 : offset, limit: limit)
    }

    /// Items whose path or title contains all of `words`, in any case; `limit` at most.
    package func search(_ words: [String], limit: Int) async -> QueueFindings {
        let found = await session.search(words, limit: limit)
        let page = await session.page(offset: 0, limit: 0)
        return QueueFindings(items: found, count: page.count, current: page.current)
    }

    /// Those of `items` whose files are not there. The disk is looked at elsewhere.
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

    /// Adds what the names stand for at the end.
    package func add(_ media: MediaNames) async throws(ServiceError) -> Addition {
        try await add(media, .end, "add to the queue")
    }

    /// Inserts what the names stand for after an item; nil: after the current one.
    package func insert(
        _ media: MediaNames, after item: ItemID?
    ) async throws(ServiceError) -> Addition {
        try await add(media, item.map(QueueChange.Target.behind) ?? .next, "insert into the queue")
    }

    /// Puts what the names stand for in the place of all items, paused; nothing found changes nothing.
    package func replace(with media: MediaNames) async throws(ServiceError) -> Addition {
        let found = try await find(media)
        if !found.items.isEmpty {
            await session.player.pause()
            let change = QueueChange.replaceAll(found.items, seed: .random(in: 0...UInt64.max))
            try await commit(change, "replace the queue", bringing: found.items)
        }
        return found
    }

    /// Moves an item after another; nil: to the front.
    package func move(_ item: ItemID, after other: ItemID?) async throws(ServiceError) {
        try await commit(.move(item, after: other), "move in the queue")
    }

    /// Removes items; when the current one is among them it is left for the next.
    package func remove(_ items: [ItemID]) async throws(ServiceError) {
        try await commit(.remove(items), "remove from the queue")
    }

    /// Removes all items.
    package func clear() async throws(ServiceError) {
        try await commit(.removeAll, "clear the queue")
    }

    /// Takes the last edit back. Errors: there is none.
    package func undo() async throws(ServiceError) {
        do throws(QueueError) { try await session.undo() } catch { throw ServiceError(error) }
    }

    /// Leaves the current item for another. Returns when it is known what is played.
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
        _ media: MediaNames, _ target: QueueChange.Target, _ name: String
    ) async throws(ServiceError) -> Addition {
        let found = try await find(media)
        if !found.items.isEmpty {
            let change = QueueChange.insert(found.items, target, seed: .random(in: 0...UInt64.max))
            try await commit(change, name, bringing: found.items)
        }
        return found
    }

    /// Makes an edit; the items that it was to bring are forgotten where it is refused.
    private func commit(
        _ change: QueueChange, _ name: String, bringing staged: [ItemID] = []
    ) async throws(ServiceError) {
        do throws(QueueError) {
            try await session.commit(change, as: name)
        } catch {
            store.forget(staged)
            throw ServiceError(error)
        }
    }

    // MARK: Files

    /// Where the disk is looked at: another one each time, so that a folder which does not answer
    /// holds up nobody else.
    static var filesQueue: DispatchQueue { DispatchQueue(label: "undersong.files") }

    /// The items that the names stand for, staged for the queue. The disk is looked at elsewhere.
    func find(_ media: MediaNames) async throws(ServiceError) -> Addition {
        if media.paths.contains(.standardStream), !media.connectStream() {
            throw ServiceError(
                .invalidValue, "play -", "no descriptor came with the request")
        }
        let store = store
        return await withCheckedContinuation { continuation in
            Self.filesQueue.async {
                let finder = MediaFinder(media.paths, start: media.start, end: media.end)
                var items: [ItemID] = []
                finder.forEachBatch { items += store.stage($0) }
                continuation.resume(returning: Addition(items: items, errors: finder.errors))
            }
        }
    }
}

extension ServiceError {
    fileprivate init(_ error: QueueError) {
        self.init(
            error.code == .noSuchItem ? .notFound : .notPossible, error.operation, error.reason)
    }
}
