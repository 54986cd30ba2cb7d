import AudioIO
import Background
import Playback

/// What a player can be asked: each is an input of `Player`, or a reading of it.
extension PlayerEngine {
    var settings: PlayerSettings { player.settings }
    var status: TimeControlStatus { player.status }
    var wantsPlayback: Bool { player.wantsPlayback }

    var isPlaybackWanted: Bool {
        catchUp()
        return wantsPlayback
    }

    // MARK: Whether it plays

    func play() {
        catchUp()
        startPlaying()
    }

    /// Wants sound, and leaves what was reported meanwhile for later: a stream that was begun just now may
    /// have failed already, and its end comes after the beginning.
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

    func fadeOut(over seconds: Double) { handle(.command(.fadeOut(seconds))) }

    func cancelFadeOut() { handle(.command(.cancelFadeOut)) }

    func pause(at time: CMTime?) async -> Bool {
        await answer { .pauseAt(time, $0) }
    }

    /// Falls silent, lets go of the stream and ends the run; the place is kept to the sample. A
    /// command that comes meanwhile takes that back.
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

    /// False: no interruption with that source has begun.
    func endInterruption(_ source: InterruptionSource, shouldResume: Bool) -> Bool {
        catchUp()
        guard permission.interruptions.contains(source) else { return false }
        feed(.interruptionEnded(source, shouldResume: shouldResume))
        return true
    }

    /// Ends the session, soon.
    func stop() async {
        handle(.command(.stop))
        _ = await waitForEnd()
    }

    func report(_ failure: SessionFailure) {
        catchUp()
        publish(.error(failure))
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
        try edit(.insert(ids, .behind(id), seed: 0))
        return ids
    }

    func move(_ id: ItemID, after target: ItemID?) throws(QueueError) {
        try edit(.move(id, after: target))
    }

    func remove(_ id: ItemID) -> Bool { handle(.edit(.change(.remove([id])))) == nil }

    func removeAll() { handle(.edit(.change(.removeAll))) }

    /// Makes an edit. When the current item goes, the one that is current then is played, from `time`
    /// on or from where its playing begins.
    func edit(_ change: QueueChange, from time: CMTime? = nil) throws(QueueError) {
        if let error = handle(.edit(.change(change, from: time))) { throw error }
    }

    /// Plays entries in place of the queue's.
    func replaceQueue(with entries: [QueueEntry], output: OutputDestination?) -> [ItemID] {
        let ids = stage(entries)
        replaceQueue(with: ids, output: output)
        return ids
    }

    /// Puts items that are staged in place of the queue's, and plays them. `commitReplacement` makes it
    /// durable after that: what is to be heard is heard when the disk is full, too.
    func play(_ ids: [ItemID], output: OutputDestination?) {
        replaceQueue(with: ids, output: output)
        if !ids.isEmpty { startPlaying() }
    }

    /// Puts items that are staged in place of the queue's. The run that was on is over.
    private func replaceQueue(with ids: [ItemID], output: OutputDestination?) {
        catchUp()
        if let output { self.output = output }
        let seed = UInt64.random(in: 0...UInt64.max)
        feed(.edit(.replaceQueue(ids, seed: seed, isCommitted: store != nil)))
    }

    // MARK: Other items and times

    func next() { handle(.command(.next)) }

    func previous() { handle(.command(.previous)) }

    func jump(to id: ItemID) throws(QueueError) {
        if let error = handle(.command(.jump(id))) { throw error }
    }

    /// Goes to `time` of the current item. False when there is none, or when another jump came first.
    func seek(to time: CMTime) async -> Bool {
        await answer { .seek(time, $0) }
    }

    /// Goes to `time` of the current item and then calls `completion`, here: with false when there is
    /// none, or when another jump came first.
    func seek(to time: CMTime, completion: @escaping @Sendable (Bool) -> Void) {
        handle(.command(.seek(time, ask(completion))))
    }

    /// Moves by `seconds`, back if negative, from what is heard or was sought last.
    func seek(by seconds: Double) async -> Bool {
        await answer { .seekBy(seconds, $0) }
    }

    /// Gives a command and waits for its answer.
    private func answer(_ command: (Player.AnswerID) -> Player.Command) async -> Bool {
        await withCheckedContinuation { continuation in
            handle(.command(command(ask { continuation.resume(returning: $0) })))
        }
    }

    /// Answers seeks that have not come to their end.
    func cancelPendingSeeks() { handle(.command(.cancelSeeks)) }

    /// Where the current item is heard, or will begin.
    var currentTime: CMTime {
        catchUp()
        return player.time(at: moment)
    }

    // MARK: How it plays

    /// Changes the settings; what they say counts at once, from the first frame that is not heard.
    func set(_ change: @Sendable (inout PlayerSettings) -> Void) {
        catchUp()
        var settings = settings
        change(&settings)
        // The system's own generator asks the kernel for each number, which takes long for a million.
        feed(.command(.set(settings, seed: .random(in: 0...UInt64.max))))
    }

    /// Lets what is played go to `output` from now on; what sounds elsewhere is stopped. A command
    /// that comes meanwhile takes that back.
    func setOutput(_ output: OutputDestination) async {
        guard output != self.output else { return }
        await stopRun()
        if pipeline == nil { self.output = output }
    }
}
