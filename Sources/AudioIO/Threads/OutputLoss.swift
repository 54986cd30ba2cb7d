import Playback

/// What becomes of the stream when its device goes: all that was not heard for sure is kept, until
/// the device is there again.
extension OutputLoop where Output: ~Copyable {
    /// Somebody has seen the output go: nothing is lost by that while nothing sounds.
    mutating func takeLoss() throws(OutputError) {
        if writtenSinceStart > 0 {
            throw OutputError(
                .serverLost, operation: "play on the sound server",
                reason: "Connection terminated")
        }
        output = nil
        forgetStreamVolume()
        control.forgetLoss()
    }

    /// Takes back all that was not heard for sure, and waits to be told to try again.
    mutating func lose(_ error: OutputError) {
        let heard = heardFrame(at: time(of: error))
        let margin = isLatencyExact ? Self.lossMilliseconds : Self.vagueLossMilliseconds
        let unheard = frames.position - heard + format.frames(milliseconds: margin)
        frames.rewind(by: min(unheard, writtenSinceStart, frames.kept))
        output = nil
        forgetStreamVolume()
        writtenSinceStart = 0
        (nextWrite, nextReading, releaseTime) = (0, .max, .max)
        epoch += 1
        (isClockRunning, isBridging) = (false, false)
        lastReading = nil
        let isFirst = failedAttempt == nil
        failedAttempt = control.attempt
        control.setCallStart(0)
        control.forgetLoss()
        guard isFirst else { return report(.stillLost(error)) }
        report(.lost(error, frame: max(heard, frames.position), epoch: epoch))
    }

    /// When the device went. Nobody sees a stream end but its next call: then it went right behind
    /// the last reading, for all that is known.
    func time(of error: OutputError) -> Int64 {
        if error.code == .streamEnded { return lastReading?.hostTime ?? startTime }
        return control.lossTime == 0 ? HostTime.now() : control.lossTime
    }

    /// What was heard last of what is written, where the device went at `lossTime`.
    private func heardFrame(at lossTime: Int64) -> Int {
        guard writtenSinceStart > 0 else { return frames.position }
        var end = lossTime
        // A device that stands still keeps nobody waiting before its room is used up.
        if let start = control.waitsSince, lossTime - start > Self.stallNanoseconds / 2 {
            end = start - format.nanoseconds(frames: spareRoom + chunk)
        }
        let begin = frames.position - writtenSinceStart
        guard let lastReading else {
            return min(frames.position, begin + format.frames(nanoseconds: max(0, end - startTime)))
        }
        let frame =
            lastReading.heard + Double(end - lastReading.hostTime)
            * Double(format.sampleRate) / 1e9
        return min(frames.position, max(begin, Int(frame)))
    }

    /// Waits until a lost output is to be tried again, or for another command.
    mutating func waitForRetry(after attempt: Int) {
        if frames.available <= frames.ahead / 2 { signals.decode.notify() }
        signals.output.wait {
            control.attempt != attempt || control.current != .run || gate.closing != nil
        }
    }
}
