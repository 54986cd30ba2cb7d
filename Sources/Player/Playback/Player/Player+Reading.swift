extension Player {
    /// Whether the user wants playback, even if something forbids it.
    package var wantsPlayback: Bool { machine.wantsPlayback }
    /// What the player is doing and why.
    package var status: TimeControlStatus { machine.timeControlStatus }
    /// The item being heard; nil until the first item of the stream is heard.
    package var heard: ItemID? { sound?.heard?.item }
    /// Whether part of the queue has been given to a stream since the last run ended.
    package var isRunning: Bool { run != nil }
    /// Whether the session has ended.
    package var hasEnded: Bool { phase == .ended }
    /// Whether nothing is playing or about to play.
    package var isSilent: Bool {
        stream == .none || sound?.motion != .stopping && status != .playing
    }
    /// Whether the item to be heard is known to be playable, or there is nothing to play.
    package var isSettled: Bool { hasEnded || stream == .none || plan.isSettled }
    /// Whether the current sound is fading out.
    package var isFadingOut: Bool { status == .playing && plan.current?.settings.fadeOut != nil }
    /// Whether the item being heard can be rescheduled, which the standard input cannot.
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
        return CMTime(value: Int64((seconds * 1e9).rounded()), timescale: 1_000_000_000)
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
