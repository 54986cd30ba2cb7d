import Playback

/// Edits that are durable when they are made.
extension PlayerEngine {
    /// Makes an edit when the store has it; `name` says what was to be done: `clear the queue`.
    /// Errors: the queue has no such item, or the edit could not be made durable; nothing is changed
    /// then.
    func commit(_ change: QueueChange, as name: String) async throws(QueueError) {
        guard let store else { return try edit(change) }
        await edits.wait()
        defer { edits.signal() }
        try await commit(change, .edit(name), to: store)
    }

    private func commit(
        _ change: QueueChange, _ kind: QueueCommit, from time: CMTime? = nil,
        to store: any QueueStore
    ) async throws(QueueError) {
        catchUp()
        let record = try player.record(after: change, from: time, at: moment)
        feed(.edit(.commitBegan))
        // The player may move meanwhile: that is kept after the edit.
        defer { handle(.edit(.commitEnded)) }
        try await store.commit(record, as: kind)
        try edit(change, from: time)
    }

    /// Takes the last edit back. What is heard continues when it is in the queue then; else the player
    /// returns to where it was before that edit. Errors: there is none, or no store.
    func undo() async throws(QueueError) {
        await edits.wait()
        defer { edits.signal() }
        guard let store, let before = try await store.orderBeforeLastEdit() else {
            throw QueueError(
                .nothingToUndo, operation: "undo", reason: "no edit of the queue can be taken back")
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

    /// Makes durable that the queue was replaced, so that it can be taken back. When the disk does
    /// not take it, it is tried again later, as all that is kept.
    func commitReplacement() async {
        guard let store else { return }
        await edits.wait()
        defer { edits.signal() }
        catchUp()
        try? await store.commit(player.record(at: moment), as: .edit("play"))
        handle(.edit(.commitEnded))
    }

    /// What silences the player from now on is the process's end, not the user's wish.
    func willStop() { handle(.session(.willStop)) }

    /// Returns when what the player does now is durable, or cannot be made so.
    func flush() async {
        handle(.session(.flush))
        await store?.flush()
    }
}
