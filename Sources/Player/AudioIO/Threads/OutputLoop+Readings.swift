import UndersongPlayback

/// The device's reports of when written frames are heard, and the clock readings made from them.
extension OutputLoop where Output: ~Copyable {
    /// How soon to ask again if a device does not report what it holds.
    private static var retryNanoseconds: Int64 { 20_000_000 }
    /// How often to ask a device in the long run.
    private static var heartbeatNanoseconds: Int64 { 600_000_000 }
    /// How long a report is trusted: the clock does not run on for longer with a server that hangs.
    private static var beliefNanoseconds: Int64 { 850_000_000 }

    /// What is heard or about to be; nil while the device is silent.
    var stretch: OutputStretch? {
        get { if case .playing(let stretch) = state { stretch } else { nil } }
        set { if let newValue { state = .playing(newValue) } }
    }

    /// When the clock gets the next reading; nil if there is none.
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

    /// When everything written will have been heard, by the last reading; nil if unknown.
    var expectedEnd: Int64? {
        guard let stretch, let reading = stretch.lastReading, stretch.isPlaying else { return nil }
        let rest = Double(frames.position) - reading.heard
        return reading.hostTime + Int64(rest * 1e9 / Double(format.sampleRate))
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
        // Until the device says so again, it is not known that it still plays.
        let belief = reading.isPlaying ? format.frames(nanoseconds: Self.beliefNanoseconds) : 0
        let known = isRealTime ? Int(heard) + belief : .max
        clock.publish(
            ClockReading(
                written: min(frames.position, known), heard: heard, hostTime: reading.hostTime,
                epoch: epoch, error: reading.error, bias: reading.bias))
        signals.hasReading(of: reading.hostTime)
    }
}
