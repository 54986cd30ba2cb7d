import UndersongPlayback

/// The device's reports of when written frames are heard, and the clock readings made from them.
extension OutputLoop where Output: ~Copyable {
    /// The delay before a device that does not report what it holds is asked again.
    private static var retryNanoseconds: Int64 { 20_000_000 }
    /// The interval at which a device is asked in the long run.
    private static var heartbeatNanoseconds: Int64 { 600_000_000 }
    /// The time for which a report is trusted: the clock does not run on for longer with a server
    /// that hangs.
    private static var beliefNanoseconds: Int64 { 850_000_000 }

    /// The sound that is heard or about to be; nil while the device is silent.
    var stretch: OutputStretch? {
        get { if case .playing(let stretch) = state { stretch } else { nil } }
        set { if let newValue { state = .playing(newValue) } }
    }

    /// The time at which the clock gets the next reading; nil if there is none.
    var nextReading: Int64? { stretch?.nextReading }

    var isReadingDue: Bool {
        mutating get {
            guard let stretch else { return false }
            // An old stretch takes its reading with a wait that ends a little early.
            let earliness = stretch.isYoung ? 0 : Output.waitEarliness
            return hostClock.now >= stretch.nextReading - earliness
                || stretch.deviceChanges != deviceChanges
        }
    }

    private var deviceChanges: Int { mutating get { output?.deviceChanges ?? 0 } }

    /// The time at which everything written will have been heard, by the last reading; nil if
    /// unknown. A device that reports nothing any more may hold nothing any more: then it is the
    /// time until which one that plays since the last reading has played everything.
    var expectedEnd: Int64? {
        guard let stretch else { return nil }
        guard let reading = stretch.lastReading else {
            let length = format.nanoseconds(frames: stretch.written)
            return stretch.unreportedSince == nil ? nil : stretch.startTime + length
        }
        let rest = Double(frames.position) - reading.heard
        let start = stretch.isPlaying ? reading.hostTime : stretch.unreportedSince
        return start.map { $0 + Int64(rest * 1e9 / Double(format.sampleRate)) }
    }

    /// The device starts to play what is written now.
    mutating func beginStretch(clockRuns: Bool) {
        state = .playing(
            OutputStretch(
                at: hostClock.now, clockRuns: clockRuns, deviceChanges: deviceChanges))
    }

    mutating func takeReading() throws(OutputError) {
        let (changes, start) = (deviceChanges, hostClock.now)
        if let stretch, stretch.deviceChanges != changes {
            self.stretch?.deviceChanges = changes
            self.stretch?.restartReadings(at: start)
            epoch += 1
        }
        let reading = try ask()
        let now = hostClock.now
        // An answer after a stall says nothing about the moment when it arrived.
        guard let reading, reading.error < Self.stallNanoseconds / 2 else {
            if reading == nil, stretch?.unreportedSince == nil { stretch?.unreportedSince = now }
            let isKnown = stretch?.clockRuns ?? false
            stretch?.nextReading =
                now + (isKnown ? Self.heartbeatNanoseconds : Self.retryNanoseconds)
            return
        }
        publish(reading)
        stretch?.scheduleReading(after: now, heartbeat: Self.heartbeatNanoseconds)
    }

    /// Takes a reading after a write if the clock needs one. After a flush, what follows is heard
    /// at another time than expected; in old age the device's requests bring enough readings, one
    /// each, however many chunks it takes to fulfil them.
    mutating func readAfterWriting() throws(OutputError) {
        guard let stretch else { return }
        let start = format.frames(milliseconds: Self.startMilliseconds)
        if stretch.isBridging && stretch.written >= start {
            self.stretch?.isBridging = false
            if let reading = try ask() { publish(reading) }
        }
        let isDone = frames.available == 0 || (output?.room ?? 0) == 0
        if !isRealTime || (!stretch.isYoung && isDone) { try takeReading() }
    }

    private mutating func ask() throws(OutputError) -> OutputReading? {
        try call { output throws(OutputError) in try output?.reading() ?? nil }
    }

    private mutating func publish(_ reading: OutputReading) {
        let queued = Double(reading.latency) * Double(format.sampleRate) / 1e9
        let heard = Double(frames.position) - queued
        stretch?.clockRuns = true
        stretch?.lastReading = (heard, reading.hostTime)
        stretch?.isPlaying = reading.isPlaying
        stretch?.unreportedSince = nil
        // Until the device says so again, it is not known that it still plays.
        let belief = reading.isPlaying ? format.frames(nanoseconds: Self.beliefNanoseconds) : 0
        let known = isRealTime ? Int(heard) + belief : .max
        readings.publish(
            ClockReading(
                written: min(frames.position, known), heard: heard, hostTime: reading.hostTime,
                epoch: epoch, error: reading.error, bias: reading.bias))
        signals.hasReading(of: reading.hostTime)
    }
}

/// Handles the loss of the stream's device: all frames that may not have been heard are kept until
/// the device is back.
extension OutputLoop where Output: ~Copyable {
    /// The length of sound that a dying server may have discarded, in milliseconds: it counts as
    /// not heard, so that nothing is left out. In recordings the last 10 to 50 ms are missing on
    /// PulseAudio, and up to 110 ms on PipeWire.
    private static var lossMilliseconds: Int { 100 }
    private static var vagueLossMilliseconds: Int { 300 }

    /// Takes back all frames that may not have been heard, and waits for a request to try again.
    mutating func lose(_ error: OutputError) {
        let wasLost = if case .lost = state { true } else { false }
        let heard = heardFrame(at: time(of: error))
        let isVague = output?.isVague ?? false
        let margin = isVague ? Self.vagueLossMilliseconds : Self.lossMilliseconds
        let unheard = frames.position - heard + format.frames(milliseconds: margin)
        reclaim(min(unheard, stretch?.written ?? 0))
        forgetOutput()
        epoch += 1
        state = .lost(attempt: control.attempt)
        guard !wasLost else { return report(.stillLost(error)) }
        report(.lost(error, frame: max(heard, frames.position), epoch: epoch))
    }

    /// The time at which the device disappeared: now, since this thread was waiting for it; but if
    /// the device kept the thread waiting, some time after the last reading.
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
