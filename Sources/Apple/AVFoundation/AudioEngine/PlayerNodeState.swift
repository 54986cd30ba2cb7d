import UndersongAudioSession

/// A player node's state as its user sees it.
struct PlayerNodeState {
    var schedule = NodeSchedule()
    var conditions = NodeConditions()
    var isPlaying = false
    var volume: Float = 1
    var pan: Float = 0
    /// The factor on the volume while the session is ducked.
    var gain: Float = 1
    /// Counts the calls that invalidate a start in the future.
    var starts = 0
    /// Counts the timers for what is consumed, of which the last one counts.
    var timers = 0
    /// True if the sound server has gone.
    var isOver = false
}

extension PlayerNodeState {
    /// Returns the callbacks of what is over.
    mutating func handle(_ event: PlayerEvent) -> [NodeCallback] {
        switch event.kind {
        case .item(.began(let item, _)): return schedule.began(item.id)
        case .item(.ended(let item, _)): return schedule.ended(item.id, at: event.head.hostTime)
        case .error(let failure):
            if let item = failure.item { schedule.failed(item) }
            return []
        case .state:
            guard event.head.reason == .known(.noItemToPlay) else { return [] }
            return schedule.ranDry(at: event.head.hostTime)
        case .end(let end), .runEnded(let end):
            guard case .outputFailed = end.reason else { return [] }
            (isOver, isPlaying) = (true, false)
            return schedule.reset()
        default: return []
        }
    }
}
