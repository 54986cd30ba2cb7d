/// How a player stops by itself: by falling silent, and where it was asked to stop.
extension Player {
    /// Seconds that have to be left of an item after a chapter for a stop between them.
    private static let shortestRest = 1.0
    /// Seconds that a fade takes at least.
    private static let shortestFade = 0.05
    /// A player at a chapter's beginning, to the nearest sample, is in that chapter.
    private static let roundness = CMTime(value: 1, timescale: 100)

    /// Lets what is heard fall silent within `seconds`, at its item's end at the latest, and then
    /// pauses where it is; at once where nothing sounds, or where it cannot be brought into the
    /// stream again.
    mutating func fadeOut(over seconds: Double) {
        guard status == .playing, heard != nil, isSeekable, let item = plan.current?.item else {
            return follow(machine.pause())
        }
        let end = item.end ?? descriptions[item.id]?.duration ?? .invalid
        let left = end.isNumeric ? (end - currentTime).seconds / settings.rate : seconds
        renew(fadeOut: min(seconds, max(left, Self.shortestFade)))
    }

    /// Brings back what is about to fall silent.
    mutating func endFadeOut() {
        if plan.current?.settings.fadeOut != nil { renew() }
    }

    /// Lets what is heard, or will be first, end before `time` of its item and pauses there, unless it
    /// has passed that already; nil: lets it continue.
    mutating func pause(at time: CMTime?, _ answer: AnswerID) {
        let isAhead = time.map { $0 > currentTime } ?? true
        guard plan.current != nil, isSeekable, isAhead else { return reply(answer, false) }
        reschedule { $0.stop(at: time) }
        reply(answer, true)
    }

    /// The stop condition has changed, or what it counts for.
    mutating func followStopCondition() {
        let end = chapterEnd
        reschedule { $0.stop(at: end) }
    }

    /// Where what is heard is to stop within its item.
    private var chapterEnd: CMTime? {
        guard settings.modes.stopCondition == .chapter, isSeekable, let item = plan.current?.item,
            let description = descriptions[item.id],
            let end = description.chapters.end(of: currentTime + Self.roundness),
            item.end.map({ end < $0 }) ?? true
        else { return nil }
        // Times of chapters are rounded: nothing is left after one that ends with its item.
        let isLast =
            description.duration.isNumeric
            && end.seconds > description.duration.seconds - Self.shortestRest
        return isLast ? nil : end
    }

    /// What was to stop playing once has done so, or there is nothing to stop any more.
    mutating func forgetStopCondition() {
        guard settings.modes.stopCondition != nil else { return }
        settings.modes.stopCondition = nil
        queue.stopCondition = nil
        emit(.report(.settings))
    }
}
