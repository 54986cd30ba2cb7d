extension Player {
    mutating func play() {
        endFadeOut()
        skipBack()
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
        let time = CMTime(value: Int64((target * 1e6).rounded()), timescale: 1_000_000)
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
        let target = Int64((max(0, time - seconds) * 1e9).rounded())
        seek(to: CMTime(value: target, timescale: 1_000_000_000), nil)
    }
}
