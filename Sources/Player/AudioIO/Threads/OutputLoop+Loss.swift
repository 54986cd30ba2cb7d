import UndersongPlayback

/// Handles the loss of the stream's device: all frames that may not have been heard are kept until
/// the device is back.
extension OutputLoop where Output: ~Copyable {
    /// How much a dying server may have discarded, in milliseconds: it counts as not heard, so that
    /// nothing is left out. In recordings the last 10 to 50 ms are missing on PulseAudio, and up to
    /// 110 ms on PipeWire.
    private static var lossMilliseconds: Int { 100 }
    private static var vagueLossMilliseconds: Int { 300 }

    /// Takes back all frames that may not have been heard, and waits for a request to try again.
    mutating func lose(_ error: OutputError) {
        let wasLost = if case .lost = state { true } else { false }
        let heard = heardFrame(at: time(of: error))
        let isVague = output?.isVague ?? false
        let margin = isVague ? Self.vagueLossMilliseconds : Self.lossMilliseconds
        let unheard = frames.position - heard + format.frames(milliseconds: margin)
        takeBack(min(unheard, stretch?.written ?? 0))
        forgetOutput()
        epoch += 1
        state = .lost(attempt: control.attempt)
        guard !wasLost else { return report(.stillLost(error)) }
        report(.lost(error, frame: max(heard, frames.position), epoch: epoch))
    }

    /// When the device disappeared: now, since this thread was waiting for it; but if the device
    /// kept the thread waiting, some time after the last reading.
    private func time(of error: OutputError) -> Int64 {
        let now = hostClock.now
        guard let start = control.waitsSince, now - start > Self.stallNanoseconds / 2 else {
            return now
        }
        return stretch?.lastReading?.hostTime ?? stretch?.startTime ?? now
    }

    /// The last written frame that was heard if the device disappeared at `end`.
    private func heardFrame(at end: Int64) -> Int {
        guard let stretch else { return frames.position }
        let begin = frames.position - stretch.written
        guard let reading = stretch.lastReading else {
            let passed = format.frames(nanoseconds: max(0, end - stretch.startTime))
            return min(frames.position, begin + passed)
        }
        let frame =
            reading.heard + Double(end - reading.hostTime) * Double(format.sampleRate) / 1e9
        return min(frames.position, max(begin, Int(frame)))
    }

    /// Waits until a lost output is to be tried again, or for another command.
    mutating func waitForRetry(after attempt: Int) throws(OutputError) {
        if frames.available <= frames.ahead / 2 { signals.decode.notify() }
        try wait(until: nil) {
            $0.control.attempt != attempt || $0.control.current != .run || $0.gate.closing != nil
        }
    }
}
