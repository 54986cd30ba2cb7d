import UndersongPlayback

/// Edits that are durable once they are made.
extension PlayerEngine {
    /// Makes an edit once the store has saved it; `name` describes it in errors: `clear the queue`.
    /// Errors: the queue has no such item, or the edit could not be made durable; then nothing is
    /// changed.
    func commit(
        _ change: QueueChange, as name: String, key: String? = nil
    ) async throws(QueueError) {
        guard let store else { return try edit(change) }
        await edits.wait()
        defer { edits.signal() }
        try await commit(change, .edit(name, key: key), to: store)
        hold([], in: store)
    }

    private func commit(
        _ change: QueueChange, _ kind: QueueCommit, from time: CMTime? = nil,
        to store: any QueueStore
    ) async throws(QueueError) {
        catchUp()
        let record = try player.record(after: change, from: time, at: moment)
        feed(.edit(.commitBegan))
        // The player may move meanwhile, which is saved after the edit.
        defer { handle(.edit(.commitEnded)) }
        try await store.commit(record, as: kind)
        try edit(change, from: time)
    }

    /// Undoes the last edit, which can be redone then. Playback continues if its item is in the
    /// queue then; otherwise the player returns to where it was before that edit. Errors: there is
    /// none, or no store.
    func undo() async throws(QueueError) {
        await edits.wait()
        defer { edits.signal() }
        guard let store, let before = try await store.orderBeforeLastEdit() else {
            throw QueueError(
                .nothingToUndo, operation: "undo", reason: "there is no edit to undo")
        }
        catchUp()
        let record = player.record(at: moment)
        let earlier = undone
        hold(earlier + [Undone(order: record.order, position: record.position)], in: store)
        do throws(QueueError) {
            try await restore(before.order, before.position, .undo, to: store)
        } catch {
            hold(earlier, in: store)
            throw error
        }
    }

    /// Makes the edit again that was undone last and not redone since. Errors: there is none, or an
    /// edit was made after it was undone.
    func redo() async throws(QueueError) {
        await edits.wait()
        defer { edits.signal() }
        guard let store, let last = undone.last else {
            throw QueueError(
                .nothingToRedo, operation: "redo", reason: "there is no undone edit to redo")
        }
        catchUp()
        try await restore(last.order, last.position, .edit("redo"), to: store)
        hold(undone.dropLast(), in: store)
    }

    /// Restores an order; from `position` unless the current item is in it.
    private func restore(
        _ order: QueueOrder, _ position: CMTime, _ kind: QueueCommit, to store: any QueueStore
    ) async throws(QueueError) {
        var order = order
        var time: CMTime? = position
        if let current = player.queue.currentID, order.ids.contains(current) {
            order.current = current
            time = nil
        }
        try await commit(.restore(order), kind, from: time, to: store)
    }

    /// Replaces the edits that can be redone, whose items the store then keeps.
    private func hold(_ edits: [Undone], in store: any QueueStore) {
        guard !undone.isEmpty || !edits.isEmpty else { return }
        undone = edits
        store.hold(edits.flatMap(\.order.ids))
    }

    /// Makes the replacement of the queue durable, so that it can be undone. If the disk refuses
    /// it, it is tried again later, as with everything that is kept.
    func commitReplacement() async {
        guard let store else { return }
        await edits.wait()
        defer { edits.signal() }
        catchUp()
        try? await store.commit(player.record(at: moment), as: .edit("play"))
        hold([], in: store)
        handle(.edit(.commitEnded))
    }

    /// From now on the process's end silences the player, not the user's wish.
    func willStop() { handle(.session(.willStop)) }

    /// Returns when the player's current state is durable, or cannot be made so.
    func flush() async {
        handle(.session(.flush))
        await store?.flush()
    }
}

/// What an undone edit had made of the queue.
struct Undone {
    let order: QueueOrder
    let position: CMTime
}
