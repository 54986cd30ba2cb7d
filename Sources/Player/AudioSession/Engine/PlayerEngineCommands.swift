import UndersongAudioIO
import UndersongBackground
import UndersongPlayback

/// The commands to a player: each is an input of `Player`, or reads its state.
extension PlayerEngine {
    var settings: PlayerSettings { player.settings }
    var status: TimeControlStatus { player.status }
    var wantsPlayback: Bool { player.wantsPlayback }

    var isPlaybackWanted: Bool {
        catchUp()
        return wantsPlayback
    }

    // MARK: Playing and pausing

    func play() {
        catchUp()
        startPlaying()
    }

    /// Requests sound, and leaves pending reports for later: a stream that was just begun may have
    /// failed already, and its end must follow its beginning.
    func startPlaying() {
        feed(.willPlay)
        feed(server: .willPlay)
        feed(.command(.play))
    }

    func pause() { handle(.command(.pause(.userPaused))) }

    func togglePause() {
        catchUp()
        wantsPlayback ? pause() : play()
    }

    func fadeIn(over seconds: Double?) { handle(.command(.fadeIn(seconds))) }
    func fadeOut(over seconds: Double) { handle(.command(.fadeOut(seconds))) }

    func cancelFadeOut() { handle(.command(.cancelFadeOut)) }

    func pause(at time: CMTime?) async -> Bool {
        await answer { .pauseAt(time, $0) }
    }

    /// Becomes silent, releases the stream and ends the run; the position is kept to the sample. A
    /// command that arrives meanwhile cancels this.
    func stopRun() async {
        pause()
        let run = player.runCount
        await silence()
        guard player.runCount == run, !wantsPlayback else { return }
        handle(.command(.halt))
    }

    func enter(_ state: ApplicationState, source: String) {
        if end == nil { handle(.enter(state, source: source)) }
    }

    /// Returns false if no interruption with that source has begun.
    func endInterruption(_ source: InterruptionSource, shouldResume: Bool) -> Bool {
        catchUp()
        guard permission.interruptions.contains(source) else { return false }
        feed(.interruptionEnded(source, shouldResume: shouldResume))
        return true
    }

    /// Starts to end the session.
    func stop() async {
        handle(.command(.stop))
        _ = await waitForEnd()
    }

    /// Publishes an event of the surrounding program.
    func report(_ kind: PlayerEvent.Kind) {
        catchUp()
        publish(kind)
    }

    // MARK: The queue

    var currentItem: QueueItem? {
        catchUp()
        return player.queue.current
    }

    var items: [QueueItem] {
        catchUp()
        return player.queue.upcoming
    }

    func append(_ entries: [QueueEntry]) -> [ItemID] { insert(entries, .end) }

    func insertNext(_ entries: [QueueEntry]) -> [ItemID] { insert(entries, .next) }

    private func insert(_ entries: [QueueEntry], _ target: QueueChange.Target) -> [ItemID] {
        let ids = stage(entries)
        handle(.edit(.change(.insert(ids, target, seed: .random(in: 0...UInt64.max)))))
        return ids
    }

    func insert(_ entries: [QueueEntry], after id: ItemID?) throws(QueueError) -> [ItemID] {
        guard let id else { return append(entries) }
        let ids = stage(entries)
        try edit(.insert(ids, .after(id), seed: 0))
        return ids
    }

    func move(_ id: ItemID, after target: ItemID?) throws(QueueError) {
        try edit(.move(id, after: target))
    }

    func remove(_ id: ItemID) -> Bool { handle(.edit(.change(.remove([id])))) == nil }

    func removeAll() { handle(.edit(.change(.removeAll))) }

    /// Makes an edit. If the current item is removed, its successor plays, from `time` or from its
    /// own start.
    func edit(_ change: QueueChange, from time: CMTime? = nil) throws(QueueError) {
        if let error = handle(.edit(.change(change, from: time))) { throw error }
    }

    /// Replaces the queue's items by entries and plays them.
    func replaceQueue(with entries: [QueueEntry], output: OutputDestination?) -> [ItemID] {
        let ids = stage(entries)
        replaceQueue(with: ids, output: output)
        return ids
    }

    /// Replaces the queue's items by staged ones and plays them, the first at a rate, if one is given.
    /// `commitReplacement` makes that durable afterwards, so that a full disk does not prevent playback.
    func play(_ ids: [ItemID], rate: Double?, output: OutputDestination?) {
        replaceQueue(with: ids, rate: rate, output: output)
        if !ids.isEmpty { startPlaying() }
    }

    /// Replaces the queue's items by staged ones. The current run ends.
    private func replaceQueue(
        with ids: [ItemID], rate: Double? = nil, output: OutputDestination?
    ) {
        catchUp()
        if let output { self.output = output }
        let seed = UInt64.random(in: 0...UInt64.max)
        feed(.edit(.replaceQueue(ids, rate: rate, seed: seed, isCommitted: store != nil)))
    }

    // MARK: Other items and times

    func next(_ count: Int) { handle(.command(.next(count))) }

    func previous(_ count: Int) { handle(.command(.previous(count))) }

    func jump(to id: ItemID) throws(QueueError) {
        if let error = handle(.command(.jump(id))) { throw error }
    }

    /// Seeks to `time` of the current item. Returns false if there is none or another jump came
    /// first.
    func seek(to time: CMTime) async -> Bool {
        await answer { .seek(time, $0) }
    }

    /// Seeks to `time` of the current item and then calls `completion` on this executor, with false
    /// if there is none or another jump came first.
    func seek(to time: CMTime, completion: @escaping @Sendable (Bool) -> Void) {
        handle(.command(.seek(time, awaitReply(completion))))
    }

    /// Seeks by `seconds`, back if negative, from the position that is heard or was last sought.
    func seek(by seconds: Double) async -> Bool {
        await answer { .seekBy(seconds, $0) }
    }

    /// Issues a command and waits for its answer.
    private func answer(_ command: (Player.AnswerID) -> Player.Command) async -> Bool {
        await withCheckedContinuation { continuation in
            handle(.command(command(awaitReply { continuation.resume(returning: $0) })))
        }
    }

    /// Answers all pending seeks.
    func cancelPendingSeeks() { handle(.command(.cancelSeeks)) }

    /// The position in the current item, or where it will begin.
    var currentTime: CMTime {
        catchUp()
        return player.time(at: moment)
    }

    // MARK: Settings

    /// Changes the settings, which take effect from the first frame not heard yet.
    func set(_ change: @Sendable (inout PlayerSettings) -> Void) {
        catchUp()
        var settings = settings
        change(&settings)
        // The system's own generator calls the kernel for each number, which is slow for a million.
        feed(.command(.set(settings, seed: .random(in: 0...UInt64.max))))
    }

    /// Plays to `output` from now on; sound elsewhere is stopped. A command that arrives meanwhile
    /// cancels this.
    func setOutput(_ output: OutputDestination) async {
        guard output != self.output else { return }
        await stopRun()
        if pipeline == nil { self.output = output }
    }
}

/// Edits that are durable once they are made.
extension PlayerEngine {
    /// Makes an edit once the store has saved it; `name` describes it in errors: `clear the queue`.
    /// - Throws: An error if the queue has no such item, or the edit could not be made durable;
    ///   then nothing is changed.
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
    /// queue then; otherwise the player returns to where it was before that edit.
    /// - Throws: An error if there is none, or no store.
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

    /// Makes the edit again that was undone last and not redone since.
    /// - Throws: An error if there is none, or an edit was made after it was undone.
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

/// The queue as an undone edit had left it.
struct Undone {
    let order: QueueOrder
    let position: CMTime
}
