/// How runs and the session end.
extension Player {
    /// The time in seconds to wait for a sound path that does not answer: after a command, and
    /// after it has played everything but may still have a file to complete.
    package static let stopDeadline = 0.15
    private static let endDeadline = 5.0

    /// Whether the output has failed permanently and its stream is about to end.
    var isFailing: Bool { if case .failing = phase { true } else { false } }

    /// Whether nothing new may start.
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
        queue.advance(to: nil)
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
