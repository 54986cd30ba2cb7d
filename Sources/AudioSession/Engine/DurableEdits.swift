import Playback

/// Edits that are durable when they are made, and the record of what the player does.
extension PlayerEngine {
    /// Makes an edit when the store has it; `name` says what was to be done: `clear the queue`.
    /// Errors: the queue has no such item, or the edit could not be made durable; nothing is changed
    /// then.
    func commit(_ change: QueueChange, as name: String) async throws(QueueError) {
        guard let store else {
            return try edit { queue throws(QueueError) in try queue.apply(change) }
        }
        await edits.enter()
        defer { edits.leave() }
        try await commit(change, .edit(name), to: store)
    }

    private func commit(
        _ change: QueueChange, _ kind: QueueCommit, goingOnAt time: CMTime? = nil,
        to store: any QueueStore
    ) async throws(QueueError) {
        catchUp()
        var edited = queue
        try edited.apply(change)
        isCommitting = true
        // The queue may go on meanwhile: that is kept behind the edit.
        defer {
            isCommitting = false
            keep()
        }
        try await store.commit(record(of: edited, at: time), as: kind)
        try edit(goingOnAt: time) { queue throws(QueueError) in try queue.apply(change) }
    }

    /// Takes the last edit back. What is heard goes on when it is in the queue then; else the player
    /// goes to where it was before that edit. Errors: there is none, or no store.
    func undo() async throws(QueueError) {
        await edits.enter()
        defer { edits.leave() }
        guard let store, let before = try await store.orderBeforeLastEdit() else {
            throw QueueError(
                .nothingToUndo, operation: "undo", reason: "no edit of the queue can be taken back")
        }
        catchUp()
        var order = before.order
        var time: CMTime? = before.position
        if let current = queue.currentID, order.ids.contains(current) {
            order.current = current
            time = nil
        }
        try await commit(.restore(order), .undo, goingOnAt: time, to: store)
    }

    /// Makes durable that the queue was replaced, so that it can be taken back. When the disk does
    /// not take it, it is tried again later, as all that is kept.
    func commitReplacement() async {
        guard let store else { return }
        await edits.enter()
        defer { edits.leave() }
        catchUp()
        try? await store.commit(record(of: queue), as: .edit("play"))
        isCommitting = false
        keep()
    }

    /// What silences the player from now on is the process's end, not the user's wish.
    func willStop() {
        catchUp()
        intentAtStop = wantsPlayback
    }

    /// Returns when what the player does now is durable, or cannot be made so.
    func flush() async {
        keep()
        await store?.flush()
    }

    /// Has everything kept as it is now.
    func keep() {
        guard !isCommitting else { return }
        store?.keep(record(of: queue))
    }

    /// Has the place kept once a second from now on, and looks whether sound runs indeed, until
    /// `keeper` stops.
    func startKeeping() {
        keeper.start { [weak self] in
            self?.assumeIsolated {
                $0.watchOutput()
                $0.keepPosition()
            }
        }
    }

    /// Has the place kept as it is heard now.
    private func keepPosition() {
        guard !isCommitting, let current = queue.currentID else { return }
        store?.keep(currentTime, of: current)
    }

    private func record(of edited: PlaybackQueue, at time: CMTime? = nil) -> PlayerRecord {
        let isSame = edited.currentID == queue.currentID
        return PlayerRecord(
            order: edited.order,
            position: isSame ? currentTime : time ?? edited.current?.start ?? .zero,
            wantsPlayback: intentAtStop ?? wantsPlayback, settings: settings)
    }
}
