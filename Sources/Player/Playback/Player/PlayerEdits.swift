import UndersongBase

extension Player {
    mutating func apply(_ change: QueueChange, from time: CMTime?) {
        let before = queue.currentID
        do throws(QueueError) {
            try queue.apply(change)
        } catch {
            return emit(.refuse(error))
        }
        edited(since: before, from: time)
        // The item being heard may already have left the queue.
        if case .removeAll = change, !plan.isEmpty { leave(for: nil) }
    }

    /// Follows up an edit of a queue whose current item was `before`.
    private mutating func edited(since before: ItemID?, from time: CMTime? = nil) {
        emit(.report(.queue))
        if before != nil, queue.currentID != before {
            leave(for: queue.current, at: time)
        } else if before == nil, plan.isEmpty {
            rest = Rest(time)
            startStream()
        } else {
            revise()
        }
    }

    /// Replaces scheduled passages that no longer match the queue.
    mutating func revise() {
        if !plan.isEmpty { send(plan.revise(for: queue)) }
    }

    mutating func insert(_ item: QueueItem, after id: ItemID?) {
        let before = queue.currentID
        queue.insert(item, after: id)
        edited(since: before)
    }

    mutating func replaceCurrent(with item: QueueItem) {
        let current = queue.currentID
        insert(item, after: current)
        if let current { apply(.remove([current]), from: nil) }
    }

    mutating func goBack(to item: QueueItem) {
        guard queue.currentID != nil else { return insert(item, after: nil) }
        queue.insert(item, after: nil)
        try? queue.move(item.id, after: nil)
        try? queue.jump(to: item.id)
        emit(.report(.queue))
        leave(for: queue.current)
    }

    mutating func setRange(of id: ItemID, start: CMTime, end: CMTime?) {
        guard queue.setRange(of: id, start: start, end: end) else { return }
        changed(id)
    }

    mutating func setVolume(of id: ItemID, _ volume: VolumeEnvelope) {
        guard queue.setVolume(of: id, volume), isSeekable || plan.current?.item.id != id else {
            return
        }
        changed(id)
    }

    /// An item of the queue is to be played in another way, even if it is being heard.
    private mutating func changed(_ id: ItemID) {
        if let item = queue.current, item.id == id, plan.current?.item.id == id {
            renew(as: item)
        } else {
            revise()
        }
    }

    mutating func replaceQueue(
        with ids: [ItemID], rate: Double?, _ seed: UInt64, isCommitted: Bool
    ) {
        if isCommitted { keeping = .afterCommit }
        halt()
        endRun(.stopped)
        rest = .beginning
        queue.removeAll()
        if let rate {
            var changed = settings
            changed.rate = rate
            set(changed, seed)
            // Also if it is that of what played before: what plays now may be of another kind.
            chooseRate()
            followPassageSettings()
        }
        guard !ids.isEmpty else {
            emit(.report(.queue))
            return queueEnded()
        }
        apply(.insert(ids, .end, seed: seed), from: nil)
    }

    // MARK: Settings

    mutating func set(_ settings: PlayerSettings, _ seed: UInt64) {
        let before = self.settings
        guard settings != before else { return }
        self.settings = settings
        if settings.rate != before.rate { chooseRate() }
        emit(.settingsChanged(from: before))
        if settings.modes != before.modes { followModes(seed) }
        if settings.modes.stopCondition != before.modes.stopCondition { followStopCondition() }
        followPassageSettings()
        if settings.passageSettings != before.passageSettings, isSeekable { renew() }
        emit(.report(.settings))
    }

    private mutating func followModes(_ seed: UInt64) {
        let wasShuffled = queue.modes.isShuffled
        var generator = SeededGenerator(seed: seed)
        queue.set(settings.modes, using: &generator)
        if settings.modes.isShuffled != wasShuffled { emit(.report(.queue)) }
        guard rest.isEnd else { return revise() }
        // A player waiting at the end of an item applies the new end action there.
        switch settings.modes.itemEndAction {
        case .advance: next(1)
        case .pause: follow(machine.pause())
        case .none: break
        }
    }

    /// Applies the settings to whatever is scheduled from now on.
    mutating func followPassageSettings() {
        plan.settings = settings.passageSettings
        plan.memory = settings.resumesItems ? memory : nil
        plan.rateChooser = memory.map {
            RateChooser(rates: settings.rates, choice: rateChoice, memory: $0)
        }
    }

    /// Keeps the rate, which was set, for items like the current one.
    private mutating func chooseRate() {
        guard let chooser = plan.rateChooser else { return }
        rateChoice = nil
        if let item = queue.current, let kind = chooser.kind(of: item) {
            settings.rates[kind] = settings.rate
        } else {
            rateChoice = RateChooser.Choice(item: queue.currentID, rate: settings.rate)
        }
    }

    /// Makes the rate that of the current item, which may be another one, or known better.
    mutating func followRate() {
        guard let item = queue.current, let chooser = plan.rateChooser else { return }
        let basis = RateBasis(item: item, rates: settings.rates, choice: rateChoice)
        guard basis != rateBasis else { return }
        rateBasis = basis
        let before = settings
        if var choice = rateChoice {
            if choice.item == nil { choice.item = item.id }
            rateChoice = choice.item == item.id ? choice : nil
            if rateChoice != nil, let kind = chooser.kind(of: item) {
                settings.rates[kind] = choice.rate
                rateChoice = nil
            }
            followPassageSettings()
        }
        settings.rate = plan.rateChooser?.rate(of: item) ?? settings.rate
        guard settings != before else { return }
        followPassageSettings()
        if settings.rate != before.rate {
            emit(.settingsChanged(from: before))
            emit(.report(.settings))
        }
    }
}
