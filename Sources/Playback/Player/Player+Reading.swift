extension Player {
    /// Whether the user wants sound, whatever forbids it.
    package var wantsPlayback: Bool { machine.wantsPlayback }
    /// What the player is doing and why.
    package var status: TimeControlStatus { machine.timeControlStatus }
    /// The item that is heard; nil before the stream's first one is.
    package var heard: ItemID? { sound?.heard?.item }
    /// Whether something of the queue was given to a stream since the last run was over.
    package var isRunning: Bool { run != nil }
    /// Whether the session is over.
    package var hasEnded: Bool { phase == .ended }
    /// Whether nothing sounds, and nothing is about to.
    package var isSilent: Bool {
        stream == .none || sound?.motion != .stopping && status != .playing
    }
    /// Whether it is known that what is to be heard can be played, or that there is nothing to play.
    package var isSettled: Bool { hasEnded || stream == .none || plan.isSettled }
    /// Whether what is heard falls silent by itself.
    package var isFadingOut: Bool { status == .playing && plan.current?.settings.fadeOut != nil }
    /// Whether what is heard can be brought into the stream again: it is no stream itself.
    package var isSeekable: Bool {
        guard let item = plan.current?.item else { return false }
        return descriptions[item.id]?.duration.isNumeric ?? (item.source != .standardInput)
    }

    /// Where the current item is heard, or will begin.
    package func time(at moment: Moment) -> CMTime {
        if let time = pendingSeek?.time ?? rest.time { return time }
        guard let current = queue.currentID else { return .zero }
        guard heard != nil, let position = moment.heard, position.item == current else {
            return plan.current?.start ?? queue.current.map(plan.start) ?? .zero
        }
        let seconds = position.seconds(at: moment.hostTime)
        return CMTime(value: Int64((seconds * 1e9).rounded()), timescale: 1_000_000_000)
    }

    /// Where the current item is heard, or is to be: never beyond the end that is known.
    package func reportedTime(at moment: Moment) -> CMTime {
        let item = queue.current
        // What was asked for may lie beyond an end that is only estimated so far.
        let isSought = pendingSeek != nil || rest.time != nil
        let end = item?.exactEnd ?? (isSought ? item?.facts?.duration : nil)
        let time = time(at: moment)
        return end.map { min($0, time) } ?? time
    }

    /// What is to be kept of the player.
    package func record(at moment: Moment) -> PlayerRecord {
        record(of: queue, from: nil, at: moment)
    }

    /// What is to be kept of the player after a change that plays another item from `time` on, or
    /// from its start. Errors: the queue has no such item.
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

    /// What is known of the sound of the stream; nil: there is none that is open.
    var sound: Sound? {
        get { if case .open(let sound) = stream { sound } else { nil } }
        set { if let newValue { stream = .open(newValue) } }
    }

    var currentTime: CMTime { time(at: now) }
}
