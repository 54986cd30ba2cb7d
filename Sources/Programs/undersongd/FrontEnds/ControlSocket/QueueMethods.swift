import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongPlayback

/// The queue and the history.
extension WireMethod {
    static let queue: [WireMethod] = [
        WireMethod(ListQueue.self) { frontEnd, call, _ async throws(ServiceError) in
            let part = try PlayerService.part(call.offset, call.limit, of: "list the queue")
            return await frontEnd.player.list(offset: part.offset, limit: part.limit)
        },
        WireMethod(SearchQueue.self) { frontEnd, call, _ async throws(ServiceError) in
            let page = call.page
            let part = try PlayerService.part(page.offset, page.limit, of: "search the queue")
            return try await frontEnd.player.search(
                page.query, offset: part.offset, limit: part.limit)
        },
        WireMethod(GetQueueTime.self) { frontEnd, _, _ async throws(ServiceError) in
            try await frontEnd.player.queueTime()
        },
        WireMethod(AddToQueue.self) { frontEnd, call, _ async throws(ServiceError) in
            let player = frontEnd.player
            return await player.extended(
                by: try await player.add(call.files, key: try checked(call.key)))
        },
        WireMethod(InsertIntoQueue.self) { frontEnd, call, _ async throws(ServiceError) in
            let player = frontEnd.player
            let item = try call.after.map(item)
            return await player.extended(
                by: try await player.insert(call.files, after: item, key: try checked(call.key)))
        },
        WireMethod(ReplaceQueue.self) { frontEnd, call, _ async throws(ServiceError) in
            let player = frontEnd.player
            return await player.extended(by: try await player.replace(with: call.files))
        },
        change(MoveInQueue.self) { player, call async throws(ServiceError) in
            let other = try call.after.map(item)
            try await player.move(item(call.item), after: other)
        },
        change(RemoveFromQueue.self) { player, call async throws(ServiceError) in
            var items: [ItemID] = []
            for number in call.items { items.append(try item(number)) }
            try await player.remove(items)
        },
        change(ClearQueue.self) { player, _ async throws(ServiceError) in
            try await player.clear()
        },
        change(ShuffleQueue.self) { player, call async throws(ServiceError) in
            if call.byAlbum == true {
                try await player.shuffleAlbums()
            } else {
                try await player.shuffle()
            }
        },
        change(SortQueue.self) { player, call async throws(ServiceError) in
            try await player.sort(by: call.by)
        },
        change(CropQueue.self) { player, call async throws(ServiceError) in
            if call.query.isEmpty {
                try await player.crop()
            } else {
                try await player.crop(to: call.query)
            }
        },
        WireMethod(DedupeQueue.self) { frontEnd, _, _ async throws(ServiceError) in
            let count = try await frontEnd.player.removeDuplicates()
            return ChangedQueue(queue: await frontEnd.player.shownQueue, removedCount: count)
        },
        change(UndoQueueChange.self) { player, _ async throws(ServiceError) in
            try await player.undo()
        },
        change(RedoQueueChange.self) { player, _ async throws(ServiceError) in
            try await player.redo()
        },
        WireMethod(Jump.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.jump(to: item(call.item))
            return Jump.Reply(
                queue: await frontEnd.player.shownQueue, status: await frontEnd.player.status)
        },
        WireMethod(GetHistory.self) { frontEnd, call, _ in
            let limit = min(max(call.limit, 0), GetHistory.limit)
            let entries = await frontEnd.player.history(limit: limit)
            return GetHistory.Reply(entries: entries)
        },
    ]

    /// A method that changes the queue and replies with it.
    private static func change<Call: ControlCall>(
        _ type: Call.Type,
        _ perform:
            @escaping @Sendable (PlayerService, Call) async throws(ServiceError) -> Void
    ) -> WireMethod where Call.Reply == ChangedQueue {
        WireMethod(type) { frontEnd, call, _ async throws(ServiceError) in
            try await perform(frontEnd.player, call)
            return ChangedQueue(queue: await frontEnd.player.shownQueue)
        }
    }

    private static func item(_ number: Int) throws(ServiceError) -> ItemID {
        guard let id = ItemID(exactly: number) else {
            throw ServiceError(.notFound, "find item \(number)", "the queue has no such item")
        }
        return id
    }

    private static func checked(_ key: QueueKey?) throws(ServiceError) -> QueueKey? {
        if let key, !(1...100 ~= key.utf8.count) {
            throw ServiceError(.invalidValue, "edit the queue", "the key is empty or too long")
        }
        return key
    }
}

extension PlayerService {
    /// The queue as the reply to a change shows it.
    fileprivate var shownQueue: QueueList {
        get async { await listAroundCurrent(limit: QueueList.limitOfChange) }
    }

    /// The queue after an edit, with what that has added.
    fileprivate func extended(by addition: Addition) async -> ExtendedQueue {
        let failedCount = addition.errors.count { $0.code != .otherFormats }
        return ExtendedQueue(
            queue: await shownQueue,
            added: addition.items.prefix(QueueList.limit).map(\.number),
            addedCount: addition.items.count, problems: addition.errors.map(\.description),
            failedCount: failedCount == 0 ? nil : failedCount)
    }
}
