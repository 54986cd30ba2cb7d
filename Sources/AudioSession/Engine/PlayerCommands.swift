import AudioIO
import Playback

/// What a player can be told, apart from play and pause.
extension PlayerEngine {
    // MARK: The queue

    var items: [QueueItem] {
        catchUp()
        return queue.upcoming
    }

    var currentItem: QueueItem? {
        catchUp()
        return queue.current
    }

    func append(_ entries: [QueueEntry]) -> [ItemID] {
        edit { queue in
            var generator = SeededGenerator(seed: .random(in: 0...UInt64.max))
            return queue.append(entries, using: &generator)
        }
    }

    func insert(_ entries: [QueueEntry], after id: ItemID?) throws(QueueError) -> [ItemID] {
        try edit { queue throws(QueueError) in try queue.insert(entries, after: id) }
    }

    func insertNext(_ entries: [QueueEntry]) -> [ItemID] { edit { $0.insertNext(entries) } }

    func move(_ id: ItemID, after target: ItemID?) throws(QueueError) {
        try edit { queue throws(QueueError) in try queue.move(id, after: target) }
    }

    func remove(_ id: ItemID) -> Bool { edit { $0.remove(id) } }

    func removeAll() {
        edit { $0.removeAll() }
        // Also what is heard still although it has left the queue.
        if !plan.isEmpty { leave(for: nil) }
    }

    /// Makes a change to the queue. When its current item goes, the one that is current then is
    /// played, from `time` on or from where its playing begins.
    @discardableResult
    func edit<Result, Failure: Error>(
        goingOnAt time: CMTime? = nil,
        _ change: (inout PlaybackQueue) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        catchUp()
        let before = queue.currentID
        let result = try change(&queue)
        reporter.update(queue)
        publishQueue()
        if before != nil, queue.currentID != before {
            leave(for: queue.current, at: time)
        } else if before == nil && plan.isEmpty {
            resumeTime = time
            startStream()
        } else if !plan.isEmpty {
            send(plan.revise(for: queue))
        }
        keep()
        return result
    }

    /// Adds an item whose id was allotted by the caller, behind `id`, or at the end for nil.
    func insert(_ item: QueueItem, after id: ItemID?) { edit { $0.insert(item, after: id) } }

    /// Puts an item in the place of the current one, or behind the end where there is none.
    func replaceCurrent(with item: QueueItem) {
        catchUp()
        let current = queue.currentID
        edit { $0.insert(item, after: current) }
        if let current { _ = remove(current) }
    }

    /// Puts an item in front of the current one and leaves that for it.
    func goBack(to item: QueueItem) {
        catchUp()
        guard queue.currentID != nil else { return insert(item, after: nil) }
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
        guard let current = queue.currentID else { return }
        let next = queue.next(after: current)
        queue.advance(to: next?.id)
        reporter.update(queue)
        if settings.modes.isConsuming { publishQueue() }
        leave(for: next)
    }

    /// Goes back to the last item before that can be played; where there is none, to the start of the
    /// current one.
    func previous() {
        catchUp()
        guard let target = queue.previous(before: queue.currentID) ?? queue.current else {
            return
        }
        plan.willGoBack()
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
        keep()
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
            keep()
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
        // Nobody knows when it is heard.
        if machine.isWithoutOutput { tellPendingSeek() }
        keep()
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
        guard let current = queue.currentID else { return .zero }
        guard heard != nil, let position = pipeline?.clock.position, position.item == current
        else { return plan.current?.start ?? queue.current.map(plan.start) ?? .zero }
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
        if settings.mixing != before.mixing { applyMixing() }
        if settings.outputDevice != before.outputDevice { outputDeviceChanged() }
        if settings.modes.stopCondition != before.modes.stopCondition { followStopCondition() }
        plan.settings = settings.passageSettings
        plan.memory = settings.resumesItems ? configuration.fileMemory : nil
        if settings.passageSettings != before.passageSettings, isSeekable {
            renew()
        }
        let settings = settings
        publish(.settings(settings))
        keep()
    }

    private func applyModes() {
        let wasShuffled = queue.modes.isShuffled
        // The system's own asks the kernel for each number, which takes long for a million items.
        var generator = SeededGenerator(seed: .random(in: 0...UInt64.max))
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
