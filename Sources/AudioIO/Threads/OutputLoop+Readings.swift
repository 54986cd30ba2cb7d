import Playback

/// What the device says of when what was written is heard, and what the clock learns of it.
extension OutputLoop where Output: ~Copyable {
    /// After which time a device that does not say what it holds is asked again.
    private static var retryNanoseconds: Int64 { 20_000_000 }
    /// How often a device is asked after its youth, and how much sooner when the thread is awake anyhow.
    private static var heartbeatNanoseconds: Int64 { 600_000_000 }
    private static var earlinessNanoseconds: Int64 { 100_000_000 }
    /// For how long an answer is believed: the clock runs no longer than this after a server hangs.
    private static var beliefNanoseconds: Int64 { 850_000_000 }

    /// What is heard, or about to be; nil while the device is silent.
    var stretch: OutputStretch? {
        get { if case .playing(let stretch) = state { stretch } else { nil } }
        set { if let newValue { state = .playing(newValue) } }
    }

    /// When the clock gets a reading; nil: none is to be had.
    var nextReading: Int64? { stretch?.nextReading }

    var isReadingDue: Bool {
        mutating get {
            guard let stretch else { return false }
            // A wait that ends a little too early in old age brings its reading then.
            let earliness = stretch.isYoung ? 0 : Self.earlinessNanoseconds
            return hostClock.now >= stretch.nextReading - earliness
                || stretch.deviceChanges != deviceChanges
        }
    }

    private var deviceChanges: Int { mutating get { output?.deviceChanges ?? 0 } }

    /// When all that is written will have been heard, by the last reading; nil: nobody knows.
    var expectedEnd: Int64? {
        guard let stretch, let reading = stretch.lastReading, stretch.isPlaying else { return nil }
        let rest = Double(frames.position) - reading.heard
        return reading.hostTime + Int64(rest * 1e9 / Double(format.sampleRate))
    }

    /// The device begins to play what is written now.
    mutating func beginStretch(clockRuns: Bool) {
        state = .playing(
            OutputStretch(
                at: hostClock.now, clockRuns: clockRuns, deviceChanges: deviceChanges))
    }

    mutating func takeReading() throws(OutputError) {
        let (changes, start) = (deviceChanges, hostClock.now)
        if let stretch, stretch.deviceChanges != changes {
            self.stretch?.deviceChanges = changes
            self.stretch?.beYoung(at: start)
            epoch += 1
        }
        let reading = try ask()
        let now = hostClock.now
        // An answer that came after a stall says nothing of the moment when it came.
        guard let reading, reading.error < Self.stallNanoseconds / 2 else {
            let isKnown = stretch?.clockRuns ?? false
            stretch?.nextReading =
                now + (isKnown ? Self.heartbeatNanoseconds : Self.retryNanoseconds)
            return
        }
        publish(reading)
        stretch?.scheduleReading(after: now, heartbeat: Self.heartbeatNanoseconds)
    }

    /// Takes a reading with a write where the clock needs one: what follows a flush is heard at
    /// another time than was thought, and in old age the device's wishes bring readings enough, one
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
        // Nobody knows that the device still plays until it says so again.
        let belief = reading.isPlaying ? format.frames(nanoseconds: Self.beliefNanoseconds) : 0
        let known = isRealTime ? Int(heard) + belief : .max
        clock.publish(
            ClockReading(
                written: min(frames.position, known), heard: heard, hostTime: reading.hostTime,
                epoch: epoch, error: reading.error, bias: reading.bias))
        signals.hasReading(of: reading.hostTime)
    }
}
