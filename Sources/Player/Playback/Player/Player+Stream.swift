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

    mutating func take(_ fact: StreamFact) {
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
        sound?.heard = Heard(item: segment.item, passage: segment.passage)
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
            queue.advance(to: next.id)
            emit(
                .report(
                    .queueStopped(item: next.id, place: queue.place, time: plan.start(of: next))))
            follow(machine.pause())
        case .hold(nil), .play, .end: queueEnded()
        }
    }
}
