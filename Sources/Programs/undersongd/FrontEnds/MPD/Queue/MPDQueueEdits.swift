import UndersongPlayback

/// Edits of the queue by clients. An edit is durable when it returns.
extension MPDFrontEnd {
    /// Adds what files stand for, at a position or at the end. Returns the new items.
    ///
    /// - Throws: There is nothing to play, or the disk does not take the edit.
    func add(_ files: Files, at position: Int?) async throws -> [ItemID] {
        await stayStopped()
        let ids = await currentQueue().ids
        let addition: Addition
        switch position {
        case let position? where position < ids.count && position > 0:
            addition = try await player.insert(files, after: ids[position - 1])
        case 0 where !ids.isEmpty:
            addition = try await player.insert(files, after: ids[0])
            if let last = addition.items.last { try await player.move(ids[0], after: last) }
        default: addition = try await player.add(files)
        }
        queueIsStale = true
        return addition.items
    }

    /// Adds entries, at a position or at the end.
    ///
    /// - Throws: The disk does not take the edit.
    func insert(_ entries: [QueueEntry], at position: Int?) async throws {
        guard !entries.isEmpty else { return }
        await stayStopped()
        let ids = await currentQueue().ids
        let position = position ?? ids.count
        let target: QueueChange.Target =
            position < ids.count ? .after(ids[max(0, position - 1)]) : .end
        let items = try await player.add(entries, target)
        if position == 0, let first = ids.first, let last = items.last {
            try await player.move(first, after: last)
        }
        queueIsStale = true
    }

    /// Leaves a player that has reached the end of the queue stopped, as in MPD: it would play what
    /// is added.
    private func stayStopped() async {
        let report = await player.report
        if report.current == nil, report.player.wantsPlayback { await player.pause() }
    }

    /// Puts the items into another order.
    func reorder(_ ids: [ItemID]) async throws {
        guard await currentQueue().ids != ids else { return }
        try await player.commit(.reorder(ids), "move in the queue")
        queueIsStale = true
    }

    /// Removes items.
    func remove(_ ids: [ItemID]) async throws {
        guard !ids.isEmpty else { return }
        let report = await player.report
        let isPausedThere = state(report) == .paused && ids.contains { $0 == report.current?.id }
        try await player.remove(ids)
        queueIsStale = true
        // In place of a paused song, what follows it is ready, and stopped.
        if isPausedThere { (lastPlayed, isStopped) = (await player.report.current?.id, true) }
    }

    /// Moves positions to another one, as a client gives it.
    func move(_ range: Range<Int>, to text: String) async throws {
        let queue = await currentQueue()
        let target = try MPDPosition.destination(
            text, of: range, count: queue.count, current: await currentPosition)
        if range.isEmpty, queue.ids.indices.contains(target), target == range.lowerBound { return }
        guard !range.isEmpty, range.upperBound <= queue.count,
            0...queue.count - range.count ~= target
        else { throw MPDError.badRange }
        try await reorder(queue.moving(range, to: target))
    }

    /// Swaps what is at two positions.
    func swap(_ first: Int, _ second: Int) async throws {
        var ids = await currentQueue().ids
        guard ids.indices.contains(first), ids.indices.contains(second) else {
            throw MPDError.badRange
        }
        ids.swapAt(first, second)
        try await reorder(ids)
    }

    /// Shuffles positions once. The current item comes first among them if it plays.
    func shuffle(_ range: Range<Int>) async throws {
        var ids = await currentQueue().ids
        var shuffled = range
        if await isPlaying, let current = await currentPosition, range.contains(current) {
            ids.swapAt(range.lowerBound, current)
            shuffled = range.dropFirst()
        }
        ids[shuffled].shuffle()
        try await reorder(ids)
    }

    /// Gives positions a priority: in random order, those with a higher one are played first.
    func prioritize(_ positions: [Range<Int>], _ priority: Int) async throws {
        let ids = await currentQueue().ids
        let items = positions.flatMap { ids[$0] }
            .filter { queue.priority(of: $0) != priority }
        guard !items.isEmpty else { return }
        queue.set(priority, of: items)
        note(.playlist)
        guard await player.settings.modes.isShuffled, let current = await currentPosition
        else { return }
        try await reorder(queue.byPriority(after: current))
    }

    /// Adds the lines of the items at positions, of which some are left out.
    func addSongs(
        at positions: [Int], for client: MPDClient, to reply: inout MPDReply
    ) async {
        guard let first = positions.first, let last = positions.last else { return }
        let wanted = Set(positions)
        let page = await player.page(offset: first, limit: last - first + 1)
        // What is not known yet comes with the next change.
        _ = await player.readMissingTags()
        let items = page.items.enumerated().map { (position: first + $0.offset, item: $0.element) }
        await add(items.filter { wanted.contains($0.position) }, for: client, to: &reply)
    }
}
