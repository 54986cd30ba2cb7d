import AudioSession
import Control
import Dispatch
import Glibc
import Playback
import Store

/// The queue as clients see and change it.
extension ServiceCore {
    func edit(_ action: Queue.Action) async throws(ControlError) -> Queue.Reply {
        switch action {
        case .list(let offset, let limit):
            guard offset >= 0, limit >= 0 else {
                throw ControlError(.invalidParams, "cannot list the queue: A place is negative")
            }
            return Queue.Reply(
                queue: await list(offset: offset, limit: min(limit, Queue.limit)))
        case .search(let words): return await search(words)
        case .add(let files): return try await add(files, .end, "add to the queue")
        case .insert(let files, let after):
            let target = try after.map(item).map(QueueChange.Target.behind) ?? .next
            return try await add(files, target, "insert into the queue")
        case .replace(let files): return try await replace(files)
        case .move(let moved, let after):
            try await commit(.move(item(moved), after: after.map(item)), "move in the queue")
        case .remove(let numbers):
            var ids: [ItemID] = []
            for number in numbers { ids.append(try item(number)) }
            try await commit(.remove(ids), "remove from the queue")
        case .clear: try await commit(.removeAll, "clear the queue")
        case .undo: try await converting { () async throws(QueueError) in try await session.undo() }
        case .jump(let number):
            let id = try item(number)
            try await converting { () async throws(QueueError) in
                try await session.player.jump(to: id)
            }
            await session.settle()
            await session.flush()
            var reply = Queue.Reply(queue: await listAroundCurrent)
            reply.status = await status
            return reply
        }
        return Queue.Reply(queue: await listAroundCurrent)
    }

    private func add(
        _ files: Files, _ target: QueueChange.Target, _ name: String
    ) async throws(ControlError) -> Queue.Reply {
        let found = try await find(files, nil)
        if !found.ids.isEmpty {
            let change = QueueChange.insert(found.ids, target, seed: .random(in: 0...UInt64.max))
            try await commit(change, name, bringing: found.ids)
        }
        return await reply(to: found)
    }

    private func replace(_ files: Files) async throws(ControlError) -> Queue.Reply {
        let found = try await find(files, nil)
        if !found.ids.isEmpty {
            await session.player.pause()
            let change = QueueChange.replaceAll(found.ids, seed: .random(in: 0...UInt64.max))
            try await commit(change, "replace the queue", bringing: found.ids)
        }
        return await reply(to: found)
    }

    private func reply(to found: Found) async -> Queue.Reply {
        Queue.Reply(
            queue: await listAroundCurrent, added: found.ids.prefix(Queue.limit).map(\.number),
            addedCount: found.ids.count, problems: found.errors.map(\.description))
    }

    private func search(_ words: [String]) async -> Queue.Reply {
        let found = await session.search(words, limit: Queue.limit)
        let page = await session.page(offset: 0, limit: 0)
        var reply = Queue.Reply(
            queue: QueueList(
                items: [], current: page.current?.number, count: page.count))
        reply.found = found.map {
            Queue.FoundEntry(
                place: $0.place, entry: Control.QueueEntry($0.item, at: $0.place))
        }
        return reply
    }

    /// Makes an edit; the items that it was to bring are forgotten where it is refused.
    private func commit(
        _ change: QueueChange, _ name: String, bringing staged: [ItemID] = []
    ) async throws(ControlError) {
        do throws(ControlError) {
            try await converting { () async throws(QueueError) in
                try await session.commit(change, as: name)
            }
        } catch {
            store.forget(staged)
            throw error
        }
    }

    /// Does what may fail with an error of the queue, and has it as one of the wire.
    private func converting(_ work: () async throws(QueueError) -> Void) async throws(ControlError)
    {
        do throws(QueueError) {
            try await work()
        } catch {
            let reason = error.reason.prefix(1).uppercased() + error.reason.dropFirst()
            throw ControlError(
                error.code == .noSuchItem ? .notFound : .notPossible,
                "cannot \(error.operation): \(reason)")
        }
    }

    private func item(_ number: Int) throws(ControlError) -> ItemID {
        guard let id = ItemID(exactly: number) else {
            throw ControlError(
                .notFound, "cannot find item \(number): The queue has no such item")
        }
        return id
    }

    // MARK: Lists

    /// The whole queue when it is short, else the part around the current item.
    private var listAroundCurrent: QueueList {
        get async {
            let page = await session.page(offset: 0, limit: 0)
            let isShort = page.count <= Queue.listedItems
            return await list(
                offset: isShort ? 0 : max(0, page.place - 10), limit: Queue.listedItems)
        }
    }

    private func list(offset: Int, limit: Int) async -> QueueList {
        let page = await session.page(offset: offset, limit: limit)
        let missing = await Self.missing(of: page.items)
        return QueueList(
            items: page.items.enumerated().map { index, item in
                var entry = Control.QueueEntry(item, at: page.offset + index)
                if missing.contains(item.id) { entry.missing = true }
                return remembered(entry)
            }, current: page.current?.number, offset: page.offset, count: page.count)
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
}

extension Control.QueueEntry {
    /// An item as clients see it, at its place in the queue.
    init(_ item: QueueItem, at place: Int) {
        self.init(
            id: item.id.number, title: item.displayTitle, path: item.source.path,
            duration: item.facts?.duration.map { WireTime($0) },
            start: item.start == .zero ? nil : WireTime(item.start),
            end: item.end.map { WireTime($0) })
        playlistTitle = item.title
        (index, number) = (place, place + 1)
    }
}
