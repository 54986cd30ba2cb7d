import Playback

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

    /// Undoes the last edit. Playback continues if its item is in the queue then; otherwise the
    /// player returns to where it was before that edit. Errors: there is none, or no store.
    func undo() async throws(QueueError) {
        await edits.wait()
        defer { edits.signal() }
        guard let store, let before = try await store.orderBeforeLastEdit() else {
            throw QueueError(
                .nothingToUndo, operation: "undo", reason: "there is no edit to undo")
        }
        catchUp()
        var order = before.order
        var time: CMTime? = before.position
        if let current = player.queue.currentID, order.ids.contains(current) {
            order.current = current
            time = nil
        }
        try await commit(.restore(order), .undo, from: time, to: store)
    }

    /// Makes the replacement of the queue durable, so that it can be undone. If the disk refuses
    /// it, it is tried again later, as with everything that is kept.
    func commitReplacement() async {
        guard let store else { return }
        await edits.wait()
        defer { edits.signal() }
        catchUp()
        try? await store.commit(player.record(at: moment), as: .edit("play"))
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
