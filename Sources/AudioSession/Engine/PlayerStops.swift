import Playback

/// How a player stops by itself: by falling silent, and behind what it was told to stop behind.
extension PlayerEngine {
    /// Seconds that have to be left of an item behind a chapter for a stop between them.
    private static let shortestRest = 1.0
    /// Seconds that a fade takes at least.
    private static let shortestFade = 0.05
    /// Who stands at a chapter's beginning, to the nearest sample, is in that chapter.
    private static let roundness = CMTime(value: 1, timescale: 100)

    /// Lets what is heard fall silent within `seconds`, at its item's end at the latest, and then
    /// pauses where it is; at once where nothing sounds, or where it cannot be brought into the
    /// stream anew.
    func fadeOut(over seconds: Double) {
        catchUp()
        guard status == .playing, heard != nil, isSeekable, let item = plan.current?.item else {
            return pause()
        }
        let end = item.end ?? descriptions[item.id]?.duration ?? .invalid
        let left = end.isNumeric ? (end - currentTime).seconds / settings.rate : seconds
        renew(fadeOut: min(seconds, max(left, Self.shortestFade)))
    }

    /// Brings back what is about to fall silent.
    func cancelFadeOut() {
        catchUp()
        endFadeOut()
    }

    func endFadeOut() {
        if plan.current?.settings.fadeOut != nil { renew() }
    }

    /// Lets what is heard, or will be first, end before `time` of its item and pauses there, unless it
    /// is behind that already; nil: lets it go on. False when nothing is on its way.
    func pause(at time: CMTime?) -> Bool {
        catchUp()
        guard plan.current != nil, isSeekable else { return false }
        if let time, time <= currentTime { return false }
        stop(at: time)
        return true
    }

    /// Brings what is heard into the stream anew, so that it ends before `time`.
    private func stop(at time: CMTime?) {
        let isSeeking = pendingSeek.map { $0.passage == plan.current?.id } ?? false
        send(plan.stop(at: time))
        if isSeeking, let passage = plan.current?.id { pendingSeek?.passage = passage }
    }

    /// The stop condition has changed, or what it counts for.
    func followStopCondition() { stop(at: chapterEnd) }

    /// Where what is heard is to stop within its item.
    private var chapterEnd: CMTime? {
        guard settings.modes.stopCondition == .chapter, isSeekable, let item = plan.current?.item,
            let description = descriptions[item.id],
            let end = description.chapters.end(of: currentTime + Self.roundness),
            item.end.map({ end < $0 }) ?? true
        else { return nil }
        // Times of chapters are rounded: nothing is left behind one that ends with its item.
        let isLast =
            description.duration.isNumeric
            && end.seconds > description.duration.seconds - Self.shortestRest
        return isLast ? nil : end
    }

    /// Whether what is heard falls silent by itself.
    var isFadingOut: Bool { status == .playing && plan.current?.settings.fadeOut != nil }

    /// What was to stop playing once has done so, or there is nothing to stop any more.
    func forgetStopCondition() {
        guard settings.modes.stopCondition != nil else { return }
        settings.modes.stopCondition = nil
        queue.stopCondition = nil
        reporter.update(queue)
        let settings = settings
        publish(.settings(settings))
    }
}
