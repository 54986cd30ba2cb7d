extension Player {
    mutating func play() {
        endFadeOut()
        skipBack()
        if status != .playing { beginFadeIn() }
        // At its end an item that stays has nothing to play until a seek.
        if plan.isEmpty, !rest.isEnd {
            if queue.currentID != nil, stream == .none, machine.isAllowed { emit(.prepareOutput) }
            startStream()
        }
        follow(machine.play())
    }

    // MARK: To other items

    mutating func next(_ count: Int) {
        guard queue.currentID != nil else { return }
        var next: QueueItem?
        for _ in 0..<count {
            guard let current = queue.currentID else { break }
            next = queue.next(after: current)
            advance(to: next?.id)
        }
        leave(for: next)
    }

    mutating func previous(_ count: Int) {
        guard var target = queue.previous(before: queue.currentID) ?? queue.current else { return }
        for _ in 1..<count { target = queue.previous(before: target.id) ?? target }
        plan.willGoBack()
        jump(to: target.id)
    }

    mutating func jump(to id: ItemID) {
        // A jump to the current item returns to its start.
        let isAgain = queue.currentID == id
        do throws(QueueError) {
            try queue.jump(to: id)
        } catch {
            return emit(.refuse(error))
        }
        leave(for: queue.current, at: isAgain ? queue.current?.start : nil)
    }

    /// Handles the player having advanced to `id` by itself; nil means past the end of the queue.
    mutating func advance(to id: ItemID?) {
        queue.advance(to: id)
        if settings.modes.isConsuming { emit(.report(.queue)) }
    }

    /// Leaves what is being heard for `item`, from `time` or from where it normally starts; nil
    /// leaves it for nothing.
    mutating func leave(for item: QueueItem?, at time: CMTime? = nil) {
        completeSeek(false)
        rest = .beginning
        guard let item else {
            send(plan.clear())
            return queueEnded()
        }
        if stream != .none {
            send(plan.jump(to: item, at: time).actions)
        } else {
            rest = Rest(time)
            startStream()
        }
    }

    // MARK: To other times

    mutating func seek(to time: CMTime, _ answer: AnswerID?) {
        completeSeek(false)
        guard let item = queue.current else { return reply(answer, false) }
        guard stream != .none, !plan.isEmpty else {
            rest = .at(time)
            emit(.report(.position(time)))
            // Only the end of an item stops a player that wants to play.
            if wantsPlayback { startStream() }
            return reply(answer, true)
        }
        guard isSeekable else {
            let error = MediaError(
                .notSeekable, operation: "seek in \(item.source.path)", reason: "It is a stream")
            emit(.report(.mediaFailure(error, nil)))
            return reply(answer, false)
        }
        let (passage, actions) = plan.jump(to: item, at: max(time, .zero))
        send(actions)
        pendingSeek = PendingSeek(passage: passage, time: time, answer: answer)
        // Without an output there is no telling when the seek is heard.
        if machine.isWithoutOutput { answerSeek(true) }
    }

    mutating func seek(by seconds: Double, _ answer: AnswerID?) {
        let target = max(0, (pendingSeek?.time ?? currentTime).seconds + seconds)
        let time = CMTime(value: Int64((min(target, 9e12) * 1e6).rounded()), timescale: 1_000_000)
        seek(to: time, answer)
    }

    mutating func cancelSeeks() { answerSeek(false) }

    /// Completes a seek, whether it was heard or never will be.
    mutating func completeSeek(_ isFinished: Bool) {
        answerSeek(isFinished)
        pendingSeek = nil
    }

    /// Answers the pending seek, if any.
    mutating func answerSeek(_ isFinished: Bool) { reply(pendingSeek?.answer.take(), isFinished) }

    func isSought(_ passage: PassageID?) -> Bool {
        passage != nil && pendingSeek?.passage == passage
    }

    mutating func reply(_ answer: AnswerID?, _ isSo: Bool) {
        if let answer { emit(.answer(answer, isSo)) }
    }

    /// Resumes a long item a little earlier after a long pause.
    private mutating func skipBack() {
        guard settings.skipBack > 0, !wantsPlayback, let item = queue.current, item.isWhole,
            let left = memory?.resumePosition(of: item.source.path), !left.isFinished
        else { return }
        let time = currentTime.seconds
        let seconds = ResumePolicy.skipBack(
            after: now.date - left.lastPlayed, of: left.duration, setting: settings.skipBack)
        guard min(seconds, time) > 0 else { return }
        let target = Int64((min(max(0, time - seconds), 9e9) * 1e9).rounded())
        seek(to: CMTime(value: target, timescale: 1_000_000_000), nil)
    }
}

/// The ends of runs and of the session.
extension Player {
    /// The time in seconds to wait for a sound path that does not answer: after a command, and
    /// after it has played everything but may still have a file to complete.
    package static let stopDeadline = 0.15
    private static let endDeadline = 5.0

    /// True if the output has failed permanently and its stream is about to end.
    var isFailing: Bool { if case .failing = phase { true } else { false } }

    /// True if nothing new may start.
    var isClosing: Bool {
        switch phase {
        case .on, .failing: false
        case .closing, .ended: true
        }
    }

    /// Gives up on the output, which has failed for good.
    mutating func fail(_ error: OutputError) {
        emit(.report(.outputFailure(error)))
        switch phase {
        case .on, .failing: phase = .failing(error)
        case .closing: phase = .closing(.outputFailed(error.code))
        case .ended: break
        }
    }

    /// Handles the end of the queue: nothing plays until something is added.
    mutating func queueEnded() {
        completeSeek(false)
        advance(to: nil)
        follow(machine.queueEnded())
        guard endsWithQueue else {
            dropStream()
            return endRun(.finished)
        }
        close(.finished, within: Self.endDeadline)
    }

    /// Ends the current run, if any. The session continues.
    mutating func endRun(_ reason: SessionEnd.Reason) {
        guard run != nil else { return }
        let end = sessionEnd(reason)
        run = nil
        if reason == .stopped { forgetStopCondition() }
        emit(.report(.runEnded(end)))
    }

    private func sessionEnd(_ reason: SessionEnd.Reason) -> SessionEnd {
        SessionEnd(
            reason: reason, playedCount: run?.played ?? 0, failedCount: run?.failed ?? 0,
            run: runCount)
    }

    /// Discards the stream and keeps the position.
    mutating func halt() {
        keepPlace()
        if let heard, heard == queue.currentID, let time = rest.time {
            emit(.leaveFile(heard, at: time))
        }
        completeSeek(false)
        follow(machine.pause())
        send(plan.clear())
        dropStream()
        if queue.currentID != nil { follow(machine.itemClosed()) }
    }

    /// Makes the position being heard the one where playback resumes.
    private mutating func keepPlace() {
        guard queue.currentID != nil else { return rest = .beginning }
        rest = rest.isEnd ? .end(currentTime) : .at(currentTime)
    }

    /// Discards a finished stream.
    private mutating func dropStream() {
        if stream != .none { emit(.dropStream) }
        stream = .none
        now.heard = nil
        descriptions = [:]
        if isFailing { phase = .on }
    }

    /// Handles the end of the sound path. A session that outlives its queue keeps the queue, and
    /// after an output failure its position too.
    mutating func stopped() {
        guard case .failing(let error) = phase, !endsWithQueue else { return finish() }
        halt()
        endRun(.outputFailed(error.code))
    }

    /// Ends the session in response to a command.
    mutating func stop() {
        guard !hasEnded, phase != .closing(.stopped) else { return }
        emit(.statusWhenSilent(.paused(.userPaused)))
        close(.stopped, within: Self.stopDeadline)
    }

    /// Ends the sound path and then the session, after `seconds` at the latest.
    private mutating func close(_ reason: SessionEnd.Reason, within seconds: Double) {
        switch phase {
        case .on: phase = .closing(reason)
        case .failing(let error): phase = .closing(.outputFailed(error.code))
        case .closing(.finished): phase = .closing(reason)
        case .closing: break
        case .ended: return
        }
        if stream != .none { emit(.stopStream) }
        guard sound != nil else { return finish() }
        emit(.awaitEnd(seconds: seconds))
    }

    mutating func finish() {
        let reason: SessionEnd.Reason
        switch phase {
        case .on: reason = .finished
        case .failing(let error): reason = .outputFailed(error.code)
        case .closing(let known): reason = known
        case .ended: return
        }
        phase = .ended
        keepPlace()
        completeSeek(false)
        stream = .none
        _ = machine.queueEnded()
        emit(.finish(sessionEnd(reason)))
    }
}

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

    /// Renews what will be heard first, if it is to fade in. What cannot be rescheduled does not.
    mutating func beginFadeIn() {
        guard plan.fadeIn != nil, plan.current != nil else { return }
        if isSeekable { renew() } else { plan.fadeIn = nil }
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

    /// The time at which playback stops within the current item.
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
