/// Stops that happen by themselves: fading out, and stopping where requested.
extension Player {
    /// The seconds of an item that must remain after a chapter to stop between them.
    private static let shortestRest = 1.0
    /// The shortest fade, in seconds.
    private static let shortestFade = 0.05
    /// A player at the start of a chapter, to the nearest sample, is in that chapter.
    private static let roundness = CMTime(value: 1, timescale: 100)

    /// Fades out over `seconds`, at most until the end of the item, and then pauses. Pauses at once
    /// if nothing is playing, or if what plays cannot be rescheduled.
    mutating func fadeOut(over seconds: Double) {
        guard status == .playing, heard != nil, isSeekable, let item = plan.current?.item else {
            return follow(machine.pause())
        }
        let end = item.end ?? descriptions[item.id]?.duration ?? .invalid
        let left = end.isNumeric ? (end - currentTime).seconds / settings.rate : seconds
        renew(fadeOut: min(seconds, max(left, Self.shortestFade)))
    }

    /// Cancels the fade-out.
    mutating func endFadeOut() {
        if plan.current?.settings.fadeOut != nil { renew() }
    }

    /// Lets the item that is heard, or will be heard first, end before `time` and pauses there,
    /// unless that has already passed; nil lets it continue.
    mutating func pause(at time: CMTime?, _ answer: AnswerID) {
        let isAhead = time.map { $0 > currentTime } ?? true
        guard plan.current != nil, isSeekable, isAhead else { return reply(answer, false) }
        reschedule { $0.stop(at: time) }
        reply(answer, true)
    }

    /// Applies a change of the stop condition, or of what it applies to.
    mutating func followStopCondition() {
        let end = chapterEnd
        reschedule { $0.stop(at: end) }
    }

    /// Where playback stops within the current item.
    private var chapterEnd: CMTime? {
        guard settings.modes.stopCondition == .chapter, isSeekable, let item = plan.current?.item,
            let description = descriptions[item.id],
            let end = description.chapters.end(of: currentTime + Self.roundness),
            item.end.map({ end < $0 }) ?? true
        else { return nil }
        // Chapter times are rounded: nothing remains after a chapter that ends with its item.
        let isLast =
            description.duration.isNumeric
            && end.seconds > description.duration.seconds - Self.shortestRest
        return isLast ? nil : end
    }

    /// Clears the stop condition, after it was met or when there is nothing left to stop.
    mutating func forgetStopCondition() {
        guard settings.modes.stopCondition != nil else { return }
        settings.modes.stopCondition = nil
        queue.stopCondition = nil
        emit(.report(.settings))
    }
}
