import UndersongControl
import UndersongPlayback
import UndersongPlayerService

/// The queue and the history.
extension WireMethod {
    static let queue: [WireMethod] = [
        WireMethod(Queue.self) { frontEnd, call, _ async throws(ServiceError) in
            try await call.action.perform(on: frontEnd.player, key: call.key)
        },
        WireMethod(GetHistory.self) { frontEnd, call, _ in
            let limit = min(max(call.limit, 0), GetHistory.limit)
            let entries = await frontEnd.player.history(limit: limit)
            return GetHistory.Reply(entries: entries.map { PlayedEntry($0) })
        },
    ]
}

extension Queue.Action {
    fileprivate func perform(
        on player: PlayerService, key: String?
    ) async throws(ServiceError) -> Queue.Reply {
        if let key, key.utf8.count > Queue.keyLength || key.isEmpty {
            throw ServiceError(.invalidValue, "edit the queue", "the key is empty or too long")
        }
        switch self {
        case .list(let offset, let limit):
            guard offset >= 0, limit >= 0 else {
                throw ServiceError(.invalidValue, "list the queue", "a place is negative")
            }
            let view = await player.list(offset: offset, limit: min(limit, Queue.limit))
            return Queue.Reply(queue: QueueList(view))
        case .search(let words, let offset, let limit):
            guard offset >= 0, limit >= 0 else {
                throw ServiceError(.invalidValue, "search the queue", "a place is negative")
            }
            return Queue.Reply(
                await player.search(words, offset: offset, limit: min(limit, Queue.limit)))
        case .add(let files):
            return await reply(player, try await player.add(MediaNames(files), key: key))
        case .insert(let files, let after):
            let item = try after.map(item)
            return await reply(
                player, try await player.insert(MediaNames(files), after: item, key: key))
        case .replace(let files):
            return await reply(player, try await player.replace(with: MediaNames(files)))
        case .move(let moved, let after):
            let other = try after.map(item)
            try await player.move(item(moved), after: other)
        case .remove(let numbers):
            var items: [ItemID] = []
            for number in numbers { items.append(try item(number)) }
            try await player.remove(items)
        case .clear: try await player.clear()
        case .shuffle: try await player.shuffle()
        case .sort(let name):
            guard let key = QueueSortKey(rawValue: name) else {
                throw .unknown("sort key", name, QueueSortKey.allCases.map(\.rawValue))
            }
            try await player.sort(by: key)
        case .crop(let words) where words.isEmpty: try await player.crop()
        case .crop(let words): try await player.crop(to: words)
        case .dedupe:
            let count = try await player.removeDuplicates()
            var answer = await reply(player)
            answer.removedCount = count
            return answer
        case .undo: try await player.undo()
        case .redo: try await player.redo()
        case .jump(let number):
            try await player.jump(to: item(number))
            var answer = await reply(player)
            answer.status = await player.status
            return answer
        }
        return await reply(player)
    }

    /// The queue after an edit, with what that has added.
    private func reply(_ player: PlayerService, _ addition: Addition? = nil) async -> Queue.Reply {
        let view = await player.listAroundCurrent(limit: Queue.listedItems)
        let errors = addition?.errors ?? []
        var reply = Queue.Reply(
            queue: QueueList(view),
            added: addition?.items.prefix(Queue.limit).map(\.number) ?? [],
            addedCount: addition?.items.count, problems: errors.map(\.description))
        let failedCount = errors.count { $0.code != .otherFormats }
        reply.failedCount = failedCount == 0 ? nil : failedCount
        return reply
    }

    private func item(_ number: Int) throws(ServiceError) -> ItemID {
        guard let id = ItemID(exactly: number) else {
            throw ServiceError(.notFound, "find item \(number)", "the queue has no such item")
        }
        return id
    }
}
