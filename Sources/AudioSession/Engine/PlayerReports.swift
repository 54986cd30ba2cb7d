import AudioIO
import Playback

/// What the player makes of what its threads report.
extension PlayerEngine {
    func take(_ fact: Fact) {
        guard end == nil else { return }
        switch fact {
        case .decode(let report): take(report)
        case .ready:
            hasOutput = true
            perform(machine.itemBecameReady())
        case .heard(let event): take(event)
        case .outputFailed(let error):
            failure = error
            publish(.error(SessionFailure(error)))
        case .outputLost(let error): outputLost(error)
        case .outputWorks: outputWorks()
        case .settingVolume(let change): settingVolume(change)
        case .server: break
        case .measured(let source, let frames): measured(source, frames)
        }
    }

    func take(_ report: DecodeReport) {
        switch report {
        case .opened(let passage, let description):
            descriptions = descriptions.filter { plan.isGiven($0.key) }
            descriptions[passage.item.id] = description
            learn(ItemFacts(description), of: passage.item.id)
            if let seek = pendingSeek, seek.passage == passage.id {
                pendingSeek?.completion.take()?(true)
            }
            measure(passage.item, description)
            send(plan.opened(passage.id, in: queue))
            if settings.modes.stopCondition == .chapter, plan.current?.id == passage.id,
                passage.settings.stopTime == nil
            {
                followStopCondition()
            }
        case .failed(let passage, let error):
            failedCount += 1
            publish(.error(SessionFailure(error, item: passage.item.id)))
        case .ended(let passage, let wasOpened):
            guard !wasOpened else { return }
            if pendingSeek?.passage == passage { completeSeek(false) }
            let isFirst = plan.current?.id == passage
            send(plan.failed(passage, in: queue))
            if isFirst { followStandIn() }
            if plan.isComplete && !hasOutput { streamEnded() }
        }
        tellSettled()
    }

    /// What stands in for the current item, which cannot be opened, is current from now on.
    private func followStandIn() {
        guard let item = plan.current?.item, item.id != queue.currentID else { return }
        if plan.isBack {
            try? queue.jump(to: item.id)
        } else {
            queue.advance(to: item.id)
        }
        reporter.update(queue)
        if settings.modes.isConsuming { publishQueue() }
        keep()
    }

    /// Keeps what a file has said of itself.
    func learn(_ facts: ItemFacts, of id: ItemID) {
        if queue.learn(facts, of: id) { reporter.update(queue) }
    }

    func take(_ event: ClockEvent) {
        switch event {
        case .observed(.began(let segment)):
            if pendingSeek?.passage == segment.passage { completeSeek(true) }
            if !segment.isJump || segment.item != heard { playedCount += 1 }
            heard = segment.item
            listen()
            // It may have been left already, by a jump that is not heard yet.
            guard plan.contains(segment.passage) else { return }
            plan.began(segment.passage)
            if queue.currentID != segment.item {
                queue.advance(to: segment.item)
                reporter.update(queue)
                if settings.modes.isConsuming { publishQueue() }
            }
            keep()
        case .finished:
            if plan.isHeardOut { streamEnded() }
        case .stopped:
            outputEnded()
        case .held:
            isHolding = false
            tellSilence()
            keep()
        case .running, .observed, .uncertain:
            break
        }
    }

    /// Everything that was given to the stream has been heard.
    private func streamEnded() {
        let last = plan.current
        plan.ended()
        if let last, last.settings.endsEarly {
            if last.settings.stopTime != nil { forgetStopCondition() }
            resumeTime = pipeline?.clock.position?.time
            return perform(machine.pause())
        }
        heard = nil
        defer { forgetStopCondition() }
        if let last, case .stay = queue.following(last.item.id), failure == nil {
            return stayAtItemEnd()
        }
        if let last, case .hold(let next?) = queue.following(last.item.id), failure == nil {
            queue.advance(to: next.id)
            reporter.update(queue)
            let (place, time) = (queue.place, plan.start(of: next))
            publish(queueEvent) { snapshot in
                snapshot.item = next.id
                snapshot.place = place
                snapshot.position = time
            }
            return perform(machine.pause())
        }
        queueEnded()
    }

    /// The item that was heard to its end stays current (behaviour 2.2, `actionAtItemEnd`).
    private func stayAtItemEnd() {
        isAtItemEnd = true
        resumeTime = pipeline?.clock.position?.time
        keep()
        if settings.modes.itemEndAction == .pause { perform(machine.pause()) }
    }

    /// The queue is over: there is nothing to play until something is added.
    func queueEnded() {
        completeSeek(false)
        queue.advance(to: nil)
        reporter.update(queue)
        keep()
        perform(machine.queueEnded())
        guard configuration.endsWithQueue else {
            dropPipeline()
            return endRun(.finished)
        }
        closePipeline(within: Self.endDeadline)
    }

    /// What was given to the stream since the last run is over, one way or another. The session goes
    /// on.
    func endRun(_ reason: SessionEnd.Reason) {
        guard isRunning else { return }
        isRunning = false
        let end = SessionEnd(
            reason: reason, playedCount: playedCount, failedCount: failedCount, run: run)
        (playedCount, failedCount) = (0, 0)
        if reason == .stopped { forgetStopCondition() }
        publish(.runEnded(end))
        deactivate(notifyingOthers: true)
    }

    /// The stream has ended since the output failed. A session that outlives its queue keeps it, and
    /// the place in it.
    private func outputEnded() {
        guard let failure, !configuration.endsWithQueue, !isStopping else { return finish() }
        self.failure = nil
        halt()
        endRun(.outputFailed(failure.code))
    }

    /// Lets go of the stream and keeps the place.
    func halt() {
        resumeTime = queue.currentID == nil ? nil : currentTime
        keepFilePosition()
        completeSeek(false)
        perform(machine.pause())
        send(plan.clear())
        heard = nil
        dropPipeline()
        if queue.currentID != nil { perform(machine.itemClosed()) }
    }
}
