import AudioIO
import Playback

/// What a player can be told, apart from play and pause.
extension PlayerEngine {
    // MARK: The queue

    var items: [QueueItem] {
        catchUp()
        return Array(queue.upcoming)
    }

    func append(_ entries: [QueueEntry]) -> [ItemID] {
        edit { queue in
            guard !settings.modes.isShuffled else {
                var generator = SystemRandomNumberGenerator()
                return queue.append(entries, using: &generator)
            }
            return queue.append(entries)
        }
    }

    func insert(_ entries: [QueueEntry], after id: ItemID?) throws(QueueError) -> [ItemID] {
        try edit { queue throws(QueueError) in try queue.insert(entries, after: id) }
    }

    func insertNext(_ entries: [QueueEntry]) -> [ItemID] { edit { $0.insertNext(entries) } }

    func move(_ id: ItemID, after target: ItemID?) throws(QueueError) {
        try edit { queue throws(QueueError) in try queue.move(id, after: target) }
    }

    func remove(_ id: ItemID) -> Bool {
        catchUp()
        guard queue.current?.id == id else { return edit { $0.remove(id) } }
        queue.remove(id)
        reporter.update(queue)
        publishQueue()
        leave(for: queue.current)
        return true
    }

    func removeAll() {
        catchUp()
        queue.removeAll()
        reporter.update(queue)
        publishQueue()
        leave(for: nil)
    }

    /// Makes a change to the queue that leaves its current item.
    @discardableResult
    private func edit<Result, Failure: Error>(
        _ change: (inout PlaybackQueue) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        catchUp()
        let wasEmpty = queue.current == nil
        let result = try change(&queue)
        reporter.update(queue)
        publishQueue()
        if wasEmpty && plan.isEmpty {
            startStream()
        } else if !plan.isEmpty {
            send(plan.revise(for: queue))
        }
        return result
    }

    /// Adds an item whose id was allotted by the caller, behind `id`, or at the end for nil.
    func insert(_ item: QueueItem, after id: ItemID?) { edit { $0.insert(item, after: id) } }

    /// Puts an item in the place of the current one, or behind the end where there is none.
    func replaceCurrent(with item: QueueItem) {
        catchUp()
        let current = queue.current
        edit { $0.insert(item, after: current?.id) }
        if let current { _ = remove(current.id) }
    }

    /// Puts an item in front of the current one and leaves that for it.
    func goBack(to item: QueueItem) {
        catchUp()
        guard queue.current != nil else { return insert(item, after: nil) }
        queue.insert(item, after: nil)
        try? queue.move(item.id, after: nil)
        try? queue.jump(to: item.id)
        reporter.update(queue)
        publishQueue()
        leave(for: queue.current)
    }

    /// Changes which part of its source an item plays, also while it is heard.
    func setRange(of id: ItemID, start: CMTime, end: CMTime?) {
        catchUp()
        guard queue.setRange(of: id, start: start, end: end) else { return }
        reporter.update(queue)
        if let item = queue.current, item.id == id, plan.current?.item.id == id {
            renew(as: item)
        } else if !plan.isEmpty {
            send(plan.revise(for: queue))
        }
    }

    // MARK: Going elsewhere

    /// Goes on to the next item, with `RepeatMode.all` from the last to the first. At the end of the
    /// queue nothing is left to play.
    func next() {
        catchUp()
        guard let current = queue.current else { return }
        let next = queue.next(after: current.id)
        queue.advance(to: next?.id)
        reporter.update(queue)
        if settings.modes.isConsuming { publishQueue() }
        leave(for: next)
    }

    /// Goes back to the item before, at the front of the queue to the start of the first.
    func previous() {
        catchUp()
        guard let target = queue.previous(before: queue.current?.id) ?? queue.current else {
            return
        }
        try? jump(to: target.id)
    }

    func jump(to id: ItemID) throws(QueueError) {
        catchUp()
        // Whoever goes to the item that is current wants it from its start.
        let isAgain = queue.currentID == id
        try queue.jump(to: id)
        reporter.update(queue)
        leave(for: queue.current, at: isAgain ? queue.current?.start : nil)
    }

    /// Leaves what is heard for `item`, from `time` on or from where its playing begins; nil: for
    /// nothing.
    private func leave(for item: QueueItem?, at time: CMTime? = nil) {
        completeSeek(false)
        resumeTime = nil
        isAtItemEnd = false
        guard let item else {
            send(plan.clear())
            return queueEnded()
        }
        if pipeline != nil {
            send(plan.jump(to: item, at: time).actions)
        } else {
            resumeTime = time
            startStream()
        }
    }

    /// Goes to `time` of the current item. False when there is none, or when another jump came first.
    func seek(to time: CMTime) async -> Bool {
        await withCheckedContinuation { continuation in
            seek(to: time) { continuation.resume(returning: $0) }
        }
    }

    /// Goes to `time` of the current item and then calls `completion`, here: with false when there is
    /// none, or when another jump came first.
    func seek(to time: CMTime, completion: @escaping @Sendable (Bool) -> Void) {
        catchUp()
        completeSeek(false)
        guard let item = queue.current else { return completion(false) }
        guard pipeline != nil, !plan.isEmpty else {
            resumeTime = time
            publish(.time(isExact: true)) { $0.position = time }
            observers.jumped(to: time)
            // Whoever wants to play on stands only at the item's end.
            if wantsPlayback { startStream() }
            return completion(true)
        }
        guard isSeekable else {
            let error = MediaError(
                .notSeekable, operation: "seek in \(item.source.path)", reason: "It is a stream")
            report(SessionFailure(error, item: nil))
            return completion(false)
        }
        let (passage, actions) = plan.jump(to: item, at: max(time, .zero))
        send(actions)
        pendingSeek = PendingSeek(passage: passage, time: time, completion: completion)
    }

    /// Goes `seconds` on, or back if negative, from what is heard or was sought last.
    func seek(by seconds: Double) async -> Bool {
        catchUp()
        let time = pendingSeek?.time.seconds ?? currentTime.seconds
        let target = max(0, time + seconds)
        return await seek(to: CMTime(value: Int64((target * 1e6).rounded()), timescale: 1_000_000))
    }

    /// Says of a seek that has not come to its end that it will not.
    func cancelPendingSeeks() {
        catchUp()
        pendingSeek?.completion.take()?(false)
    }

    /// Where the current item is heard, or will begin.
    var currentTime: CMTime {
        catchUp()
        if let time = pendingSeek?.time ?? resumeTime { return time }
        guard let current = queue.current else { return .zero }
        guard heard != nil, let position = pipeline?.clock.position, position.item == current.id
        else { return plan.current?.start ?? plan.start(of: current) }
        let seconds = position.seconds(at: HostTime.now())
        return CMTime(value: Int64((seconds * 1e9).rounded()), timescale: 1_000_000_000)
    }

    // MARK: How it plays

    /// Changes the settings; what they say counts at once, from the first frame that is not heard.
    func set(_ change: @Sendable (inout PlayerSettings) -> Void) {
        catchUp()
        let before = settings
        change(&settings)
        guard settings != before else { return }
        applyVolume()
        if settings.modes != before.modes { applyModes() }
        if settings.modes.stopCondition != before.modes.stopCondition { followStopCondition() }
        plan.settings = settings.passageSettings
        plan.memory = settings.resumesItems ? configuration.fileMemory : nil
        if settings.passageSettings != before.passageSettings, isSeekable {
            renew()
        }
        let settings = settings
        publish(.settings(settings))
    }

    private func applyModes() {
        let wasShuffled = queue.modes.isShuffled
        var generator = SystemRandomNumberGenerator()
        queue.set(settings.modes, using: &generator)
        if settings.modes.isShuffled != wasShuffled { publishQueue() }
        reporter.update(queue)
        if isAtItemEnd, settings.modes.itemEndAction != .none { return endItem() }
        if !plan.isEmpty { send(plan.revise(for: queue)) }
    }

    /// Does at the end of an item, where the player stands, what is to be done there now.
    private func endItem() {
        switch settings.modes.itemEndAction {
        case .advance: next()
        case .pause: pause()
        case .none: break
        }
    }

    /// Whether what is heard can be brought into the stream once more: it is no stream itself.
    var isSeekable: Bool {
        guard let item = plan.current?.item else { return false }
        return descriptions[item.id]?.duration.isNumeric ?? (item.source != .standardInput)
    }

    /// Brings what is heard into the stream anew; a seek that is not heard yet goes with it.
    func renew(as item: QueueItem? = nil, fadeOut: Double? = nil) {
        let isSeeking = pendingSeek.map { $0.passage == plan.current?.id } ?? false
        send(plan.renew(as: item, fadeOut: fadeOut))
        if isSeeking, let passage = plan.current?.id { pendingSeek?.passage = passage }
    }
}
