extension Player {
    /// Items of at least this many seconds are measured in advance, to make seeking in them fast.
    private static let measuredSeconds = 300.0

    /// Starts a stream with the current item, if there is one and nothing plays yet.
    mutating func startStream() {
        guard let current = queue.current, !isClosing else { return }
        if run == nil {
            runCount += 1
            run = Run()
        }
        follow(machine.itemsAppended())
        let time = rest.time
        rest = .beginning
        if stream == .none {
            stream = .opening
            emit(.openStream)
        }
        send(time.map { plan.jump(to: current, at: $0).actions } ?? plan.revise(for: queue))
    }

    mutating func send(_ actions: [PlaybackPlan.Action]) {
        guard stream != .none else { return }
        for action in actions { emit(.schedule(action)) }
    }

    /// Reschedules what is being heard, including a pending seek.
    mutating func renew(as item: QueueItem? = nil, fadeOut: Double? = nil) {
        reschedule { $0.renew(as: item, fadeOut: fadeOut) }
    }

    /// Applies a change to the plan that replaces the passage being heard.
    mutating func reschedule(_ change: (inout PlaybackPlan) -> [PlaybackPlan.Action]) {
        let isSeeking = isSought(plan.current?.id)
        send(change(&plan))
        if isSeeking, let passage = plan.current?.id { pendingSeek?.passage = passage }
    }

    mutating func handle(_ fact: StreamFact) {
        guard !hasEnded else { return }
        switch fact {
        case .opened(let passage, let description): opened(passage, description)
        case .failed(let passage, let error):
            run?.failed += 1
            emit(.report(.mediaFailure(error, passage.item.id)))
        case .needsWiderStream(let passage): needsStream(passage)
        case .ended(let passage, let wasOpened): if !wasOpened { couldNotOpen(passage) }
        case .ready:
            if stream == .opening { stream = .open(Sound()) }
            follow(machine.itemBecameReady())
        case .measured(let source, let frames): measured(source, frames)
        case .began(let segment): began(segment)
        case .held: sound?.motion = .still
        case .starved:
            // The device may have been silenced at the same moment.
            if sound?.motion == .running { follow(machine.starved()) }
            answerSeek(true)
        case .replenished: follow(machine.supplied())
        case .supplied: if sound?.motion != .running { follow(machine.supplied()) }
        case .finished:
            if plan.isHeardOut {
                streamEnded()
            } else if plan.isDueInNextStream {
                beginNextStream()
            }
        case .stopped: stopped()
        case .deadlinePassed: finish()
        }
    }

    // MARK: Opening

    private mutating func opened(_ passage: Passage, _ description: MediaDescription) {
        descriptions = descriptions.filter { plan.isGiven($0.key) }
        descriptions[passage.item.id] = description
        learn(ItemFacts(description), of: passage.item.id)
        if let item = queue.item(passage.item.id) {
            reschedule { $0.correctRate(of: passage.id, as: item) }
        }
        if isSought(passage.id) { answerSeek(true) }
        let duration = description.duration
        let isLong = duration.isNumeric && duration.seconds >= Self.measuredSeconds
        if !description.isDurationExact || isLong { emit(.measure(passage.item, description)) }
        send(plan.opened(passage.id, in: queue))
        if settings.modes.stopCondition == .chapter, plan.current?.id == passage.id,
            passage.settings.stopTime == nil
        {
            followStopCondition()
        }
    }

    private mutating func couldNotOpen(_ passage: PassageID) {
        if isSought(passage) { completeSeek(false) }
        let isFirst = plan.current?.id == passage
        send(plan.failed(passage, in: queue))
        if isFirst { followStandIn() }
        if plan.isComplete, stream == .opening { streamEnded() }
    }

    /// Follows up a passage that the stream cannot carry without loss. The stream ends before it, or
    /// now if the user has jumped there.
    private mutating func needsStream(_ passage: Passage) {
        send(plan.needsStream(passage))
        if plan.current?.id == passage.id, plan.isDueInNextStream { beginNextStream() }
    }

    /// Lets the last passage of the plan begin a new stream, in the format of its own item.
    private mutating func beginNextStream() {
        guard !isClosing else { return }
        let actions = plan.beginNextStream()
        followStandIn()
        follow(machine.itemClosed())
        emit(.dropStream)
        descriptions = [:]
        stream = .opening
        emit(.openStream)
        send(actions)
    }

    /// Makes the item that stands in for an unplayable current item the current one.
    private mutating func followStandIn() {
        guard let item = plan.current?.item, item.id != queue.currentID else { return }
        if plan.isBack {
            try? queue.jump(to: item.id)
            if settings.modes.isConsuming { emit(.report(.queue)) }
        } else {
            advance(to: item.id)
        }
    }

    private mutating func measured(_ source: MediaSource, _ frames: Int) {
        for (id, description) in descriptions where queue.item(id)?.source == source {
            let scale = Int32(description.format.sampleRate)
            let length = CMTime(value: Int64(frames), timescale: scale)
            var facts = ItemFacts(description)
            (facts.duration, facts.isDurationExact) = (length, true)
            learn(facts, of: id)
            emit(.measured(id, length: length))
        }
    }

    /// Saves what opening a file has revealed about it.
    private mutating func learn(_ facts: ItemFacts, of id: ItemID) {
        guard let item = queue.item(id), item.facts != facts else { return }
        _ = queue.learn(facts, of: id)
    }

    // MARK: Hearing

    private mutating func began(_ segment: Timeline.Segment) {
        if isSought(segment.passage) { completeSeek(true) }
        if !segment.isJump || segment.item != heard { run?.played += 1 }
        sound?.heard = segment.item
        emit(.listenToServer)
        // A jump that is not heard yet may already have left it.
        guard plan.contains(segment.passage) else { return }
        plan.began(segment.passage)
        if queue.currentID != segment.item { advance(to: segment.item) }
    }

    /// Handles the end of the stream: everything scheduled was heard.
    private mutating func streamEnded() {
        let last = plan.current
        plan.ended()
        if let last, last.settings.endsEarly {
            if last.settings.stopTime != nil { forgetStopCondition() }
            rest = Rest(now.heard?.time)
            return follow(machine.pause())
        }
        sound?.heard = nil
        defer { forgetStopCondition() }
        guard let last, !isFailing else { return queueEnded() }
        switch queue.following(last.item.id) {
        case .stay:
            rest = .end(now.heard?.time)
            if settings.modes.itemEndAction == .pause { follow(machine.pause()) }
        case .hold(let next?):
            advance(to: next.id)
            emit(
                .report(
                    .queueStopped(item: next.id, index: queue.index, time: plan.start(of: next))))
            follow(machine.pause())
        case .hold(nil), .play, .end: queueEnded()
        }
    }
}

/// Handles the loss and return of the output. By then the sound path has kept the position to the
/// sample and waits for a retry.
extension Player {
    /// The time for which the output may accept no sound before it counts as stalled.
    private static let stallNanoseconds: Int64 = 800_000_000

    mutating func handle(_ fact: OutputFact) {
        guard !hasEnded else { return }
        switch fact {
        case .works:
            emit(.endRetries)
            sound?.isOutputLost = false
            run?.hasOutputWorked = true
            lastLoss = nil
            follow(machine.outputWorks())
        case .lost(let error, let isDeviceRemembered):
            lost(error, isDeviceRemembered: isDeviceRemembered)
        case .failed(let error): fail(error)
        case .retryIsDue: retry(isDue: true)
        case .secondPassed(let waitsSince): secondPassed(waitsSince: waitsSince)
        // A lost output does not return just because its device has woken up.
        case .deviceSuspended(false):
            if sound?.isOutputLost != true { follow(machine.outputWorks()) }
        case .deviceSuspended(true): if status == .playing { follow(machine.outputStalled()) }
        case .server(let server): follow(server)
        }
    }

    mutating func handle(_ fact: SessionFact) {
        switch fact {
        case .policyDecided(let reasons): follow(machine.policyDecided(reasons))
        case .willStop: intentAtStop = wantsPlayback
        case .flush: if keeping == .always { emit(.keep(record(at: now))) }
        }
    }

    /// Performs the actions that follow from a change of the status.
    mutating func follow(_ actions: [PlayerStateMachine.Action]) {
        for action in actions {
            switch action {
            case .runOutput:
                sound?.motion = .running
                emit(.runOutput)
                if machine.isWithoutOutput { retry() }
            case .holdOutput(let release, let status):
                sound?.motion = .stopping
                emit(.holdOutput(release: release, then: status))
            case .publish(let status):
                // Until the output is silent, the status stays that of the sound being heard.
                emit(.statusWhenSilent(status))
                if sound?.motion != .stopping { emit(.report(.status(status))) }
            }
        }
    }

    // MARK: Loss and recovery

    private mutating func lost(_ error: OutputError, isDeviceRemembered: Bool) {
        emit(.listenToServer)
        sound?.isOutputLost = true
        guard run?.hasOutputWorked == true || error.code != .noSuchDevice || isDeviceRemembered
        else {
            fail(error)
            return emit(.stopStream)
        }
        if !error.isOfServer, error != lastLoss { emit(.report(.outputFailure(error))) }
        lastLoss = error
        follow(machine.outputLost())
        // The position is right, although it is not heard yet.
        answerSeek(true)
        if error.code == .noSuchDevice { emit(.useDefaultDevice) }
        // The output may have reported that it stopped before being asked to.
        if status != .waiting(.noOutput) { emit(.report(.status(status))) }
        emit(.retryLater)
    }

    /// Tries to open a lost output, unless the server is known to be gone. A server that has just
    /// appeared may have no devices yet: PipeWire's session manager may not be ready, and streams
    /// that connect too early may stay silent forever. In that state, only a retry that `isDue`
    /// counts.
    private mutating func retry(isDue: Bool = false) {
        guard machine.isWithoutOutput else { return }
        switch server {
        case .gone(let wasPresent):
            // The server's return is reported, unless it has never let us connect.
            if isDue, !wasPresent { emit(.retryOutput) }
        case .present(hasDefaultDevice: false):
            emit(isDue ? .retryOutput : .retryLater)
        case .present, .unknown:
            emit(.retryOutput)
        }
    }

    private mutating func follow(_ server: Server) {
        let before = self.server
        self.server = server
        guard case .present(let hasDefaultDevice) = server else { return }
        guard case .present(let hadDefaultDevice) = before else { return retry() }
        if hasDefaultDevice, !hadDefaultDevice { retry() }
    }

    private mutating func secondPassed(waitsSince: Int64?) {
        if let waitsSince, now.hostTime - waitsSince > Self.stallNanoseconds, status == .playing {
            follow(machine.outputStalled())
            answerSeek(true)
            emit(.pingServer)
        }
        if keeping == .always, let current = queue.currentID {
            emit(.keepPosition(currentTime, of: current))
        }
    }
}

extension Player {
    /// True if the user wants playback, even if something forbids it.
    package var wantsPlayback: Bool { machine.wantsPlayback }
    /// The player's status with its reason.
    package var status: TimeControlStatus { machine.timeControlStatus }
    /// The item being heard; nil until the first item of the stream is heard.
    package var heard: ItemID? { sound?.heard }
    /// True if part of the queue has been given to a stream since the last run ended.
    package var isRunning: Bool { run != nil }
    /// True if the session has ended.
    package var hasEnded: Bool { phase == .ended }
    /// True if nothing is playing or about to play.
    package var isSilent: Bool {
        stream == .none || sound?.motion != .stopping && status != .playing
    }
    /// True if the item to be heard is known to be playable, or there is nothing to play.
    package var isReady: Bool { hasEnded || stream == .none || plan.isReady }
    /// True if the current sound is fading out.
    package var isFadingOut: Bool { status == .playing && plan.current?.settings.fadeOut != nil }
    /// True if the item being heard can be rescheduled, which the standard input cannot.
    package var isSeekable: Bool {
        guard let item = plan.current?.item else { return false }
        return descriptions[item.id]?.duration.isNumeric ?? (item.source != .standardInput)
    }

    /// The position in the current item, or where it will start.
    package func time(at moment: Moment) -> CMTime {
        if let time = pendingSeek?.time ?? rest.time { return time }
        guard let current = queue.currentID else { return .zero }
        guard heard != nil, let position = moment.heard, position.item == current else {
            return plan.current?.start ?? queue.current.map(plan.start) ?? .zero
        }
        let seconds = position.seconds(at: moment.hostTime)
        return CMTime(
            value: Int64((min(seconds, 9e9) * 1e9).rounded()), timescale: 1_000_000_000)
    }

    /// The position in the current item, never past its end if that is known.
    package func reportedTime(at moment: Moment) -> CMTime {
        let item = queue.current
        // A requested position may lie past an end that is only an estimate.
        let isSought = pendingSeek != nil || rest.time != nil
        let end = item?.exactEnd ?? (isSought ? item?.facts?.duration : nil)
        let time = time(at: moment)
        return end.map { min($0, time) } ?? time
    }

    /// The player's state to save.
    package func record(at moment: Moment) -> PlayerRecord {
        record(of: queue, from: nil, at: moment)
    }

    /// The state to save once a change is made that plays another item from `time`, or from its
    /// start. Throws if the change names an item that is not in the queue.
    package func record(
        after change: QueueChange, from time: CMTime?, at moment: Moment
    ) throws(QueueError) -> PlayerRecord {
        var edited = queue
        try edited.apply(change)
        return record(of: edited, from: time, at: moment)
    }

    private func record(
        of edited: PlaybackQueue, from time: CMTime?, at moment: Moment
    ) -> PlayerRecord {
        let isSame = edited.currentID == queue.currentID
        return PlayerRecord(
            order: edited.order,
            position: isSame ? self.time(at: moment) : time ?? edited.current?.start ?? .zero,
            wantsPlayback: intentAtStop ?? wantsPlayback, settings: settings)
    }

    /// The sound of the open stream; nil if no stream is open.
    var sound: Sound? {
        get { if case .open(let sound) = stream { sound } else { nil } }
        set { if let newValue { stream = .open(newValue) } }
    }

    var currentTime: CMTime { time(at: now) }
}
