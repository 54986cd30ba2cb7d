import Playback
import Synchronization

/// The output thread's loop: takes frames from the ring and gives them to the device, long ahead of
/// their time, so that it seldom has to wake. Whatever has to be heard at once takes back what the
/// device holds and goes on from the very next unheard frame. The thread waits only for its own
/// semaphore and for the device; between two waits it neither allocates nor locks.
@safe
struct OutputLoop<Output: AudioOutput & ~Copyable>: ~Copyable {
    /// Frames a write.
    static var chunkMilliseconds: Int { 500 }
    /// Sounds of less than this may need `drain` before they start at all.
    static var startMilliseconds: Int { 40 }
    /// What `drain`, which no command can interrupt, is left to wait for.
    static var drainMilliseconds: Int { 40 }
    /// What a device says of its latency is worth nothing before it has begun: PulseAudio counts on
    /// from the first write, and tells the truth 25 to 70 ms later (measured).
    static var settlingNanoseconds: Int64 { 100_000_000 }
    /// How long after a start the clock gets more readings than the writes bring.
    static var youthNanoseconds: Int64 { 1_000_000_000 }
    /// How long only what the device tells exactly is believed after it stood still: libpulse, which
    /// goes on counting meanwhile, was off by 0.65 s for seconds (measured).
    static var recoveryNanoseconds: Int64 { 10_000_000_000 }
    /// After which time a device that does not say what it holds is asked again.
    static var retryNanoseconds: Int64 { 20_000_000 }
    /// A question that was answered so quickly says well of which moment the answer is.
    static var quickMeasurement: Int64 { 200_000 }
    static var measurementTries: Int { 4 }
    /// How long a silent device is kept, for a quick return.
    static var releaseNanoseconds: Int64 { 5_000_000_000 }
    /// What a server that dies may have taken with it: it counts as not heard, so that nothing is
    /// left out. Of PulseAudio the last 10 to 50 ms are missing in a recording; of a server that does
    /// not tell what it holds, such as PipeWire, up to 110 ms.
    static var lossMilliseconds: Int { 100 }
    static var vagueLossMilliseconds: Int { 300 }
    /// A ramp that ended so long ago, as the last reading tells, is heard for sure.
    static var settlingMilliseconds: Int { 20 }
    /// A device that did not answer for so long has stopped to play a while before. Whoever watches
    /// waits longer before it says so, and is told when it is over.
    static var stallNanoseconds: Int64 { 400_000_000 }
    /// A server that does not tell what it holds counts as lost when it stood still for so long, which
    /// is more than a write may take: PipeWire goes through what it held at once when it goes on, and
    /// whoever has written more by then loses that too (over a second, measured).
    static var vagueStallNanoseconds: Int64 { 800_000_000 }

    let format: StreamFormat
    var frames: FrameConsumer
    let control: OutputControl
    let gate: SpliceGate
    let signals: PipelineSignals
    let clock: RenderClock
    private let makeOutput: () throws(OutputError) -> Output
    let report: (OutputReport) -> Void
    let chunk: Int
    private let scaled: UnsafeMutablePointer<Int16>

    var output: Output?
    /// Frames that the device wants to hold at most; 0 where there is no real time.
    var target = 0
    /// Frames that it takes beyond that before a write waits.
    var spareRoom = 0
    /// Frames written since the device last began from silence, and when that was.
    var writtenSinceStart = 0
    var startTime: Int64 = 0
    /// When the device last went on behind a stall; 0: it never stood still since it was opened.
    var stallEnd: Int64 = 0
    /// Counts how often the device was emptied.
    var epoch = 0
    /// Whether the clock runs: it has had a reading since the device last began from silence.
    var isClockRunning = false
    /// Whether the clock waits to be told when what follows a flush is heard.
    var isBridging = false
    /// Before this host time the device holds enough.
    var nextWrite: Int64 = 0
    /// When the clock gets a reading even if nothing has to be written.
    var nextReading: Int64 = .max
    var loudness: LoudnessDivision
    /// The change of the wanted loudness that was seen to last.
    var seenLoudness = 0
    /// The command by which the output stands still, and what was reported of it.
    private var standsBy: OutputControl.Command?
    /// When a device that is silent is given back.
    var releaseTime: Int64 = .max
    /// The end of the stream that was reported.
    private var finishedAt = -1
    /// Frame `heard` of the stream left the device at `hostTime`, at the last reading.
    var lastReading: (heard: Double, hostTime: Int64)?
    /// Whether the device has told exactly what it holds, since it was opened.
    var isLatencyExact = false
    /// The attempt at which the output was lost; nil: it is not.
    var failedAttempt: Int?

    init(
        format: StreamFormat, frames: consuming FrameConsumer, control: OutputControl,
        gate: SpliceGate, signals: PipelineSignals, clock: RenderClock,
        makeOutput: @escaping () throws(OutputError) -> Output,
        report: @escaping (OutputReport) -> Void
    ) {
        self.format = format
        self.frames = frames
        self.control = control
        self.gate = gate
        self.signals = signals
        self.clock = clock
        self.makeOutput = makeOutput
        self.report = report
        chunk = format.frames(milliseconds: Self.chunkMilliseconds)
        loudness = LoudnessDivision(control.loudness)
        unsafe scaled = .allocate(capacity: chunk * format.channelCount)
        unsafe scaled.initialize(repeating: 0, count: chunk * format.channelCount)
    }

    deinit { unsafe scaled.deallocate() }

    /// Runs until `stop`, or until the output fails for good.
    mutating func run() {
        do throws(OutputError) {
            while control.current != .stop { try stepOrLose() }
            try end()
        } catch {
            report(.failed(error))
        }
        report(.stopped)
        // The decode thread may wait for this one.
        while control.current != .stop {
            if let closing = gate.closing { stand(still: closing) }
            signals.output.wait { control.current == .stop || gate.closing != nil }
        }
    }

    private mutating func stepOrLose() throws(OutputError) {
        do throws(OutputError) {
            try step()
        } catch {
            guard error.isPassing else { throw error }
            lose(error)
        }
    }

    private mutating func step() throws(OutputError) {
        if control.lossTime != 0 { try takeLoss() }
        if let closing = gate.closing {
            try stand(before: closing)
        } else if control.current == .run {
            try play()
        } else {
            try hold()
        }
    }

    /// Silences what is still heard, and gives the device back in good order.
    private mutating func end() throws(OutputError) {
        guard output != nil, control.lossTime == 0 else { return }
        let wasPlaying = writtenSinceStart > 0
        try flush()
        if wasPlaying { report(.held(frame: frames.position, epoch: epoch)) }
        try close()
    }

    /// Whether something else than the command to run has to be looked at.
    private var isInterrupted: Bool {
        control.current != .run || gate.closing != nil || control.loudnessChange != seenLoudness
            || control.lossTime != 0
    }

    // MARK: The device

    /// Opens the device.
    private mutating func open() throws(OutputError) {
        control.forgetLoss()
        control.setCallStart(HostTime.now())
        defer { control.setCallStart(0) }
        let made = try makeOutput()
        (target, spareRoom) = (made.targetLatency, made.spareRoom)
        output = consume made
        forgetStreamVolume()
        learnStreamVolume(isAsked: false)
        try takeLoudnessInSilence()
        failedAttempt = nil
        isLatencyExact = false
        stallEnd = 0
        report(.works)
    }

    /// Calls the device; whoever watches sees for how long.
    mutating func call<Result>(
        _ body: (inout Output?) throws(OutputError) -> Result
    ) throws(OutputError) -> Result {
        let start = HostTime.now()
        control.setCallStart(start)
        let result = try body(&output)
        let duration = HostTime.now() - start
        let isVague = !isLatencyExact && target > 0
        // Who stops wants none of it again.
        if duration > Self.vagueStallNanoseconds && isVague && control.current != .stop {
            throw OutputError(
                .serverLost, operation: "play on the sound server",
                reason: "It stood still for \(duration / 1_000_000) ms")
        }
        control.setCallStart(0)
        if duration > Self.stallNanoseconds {
            stallEnd = start + duration
            nextReading = settledTime
            report(.works)
        }
        return result
    }

    // MARK: Commands

    /// Stands still while the decode thread changes what is in the ring.
    private mutating func stand(before closing: SpliceGate.Closing) throws(OutputError) {
        if frames.position > closing.frame {
            try flush(toGoOn: true, elsewhere: closing.isJump)
            // What stays as it is goes back before anything else is done: the device waits for it.
            if closing.frame > frames.position && control.current == .run {
                try writeChunk(limit: closing.frame - frames.position)
            }
        }
        finishedAt = -1
        stand(still: closing)
    }

    private func stand(still closing: SpliceGate.Closing) {
        gate.stand(at: frames.position, before: closing)
        while !gate.hasReopened(since: closing) && control.current != .stop {
            signals.output.wait {
                gate.hasReopened(since: closing) || control.current == .stop
            }
        }
    }

    /// Silences the device, then waits for another command.
    private mutating func hold() throws(OutputError) {
        let command = control.current
        if command != .idle && standsBy != command {
            try flush()
            standsBy = command
            report(.held(frame: frames.position, epoch: epoch))
            releaseTime = HostTime.now() + Self.releaseNanoseconds
            if command == .release && target > 0 { try close() }
        }
        try takeLoudnessInSilence()
        signals.output.wait(until: releaseDeadline) {
            control.current != command || gate.closing != nil
        }
        try releaseWhenDue()
    }

    /// Until when a silent device is kept; a file always is: what comes later belongs into it too.
    private var releaseDeadline: Int64? { output == nil || target == 0 ? nil : releaseTime }

    private mutating func releaseWhenDue() throws(OutputError) {
        if let deadline = releaseDeadline, HostTime.now() >= deadline { try close() }
    }

    /// Writes one chunk, or waits until one can be written.
    private mutating func play() throws(OutputError) {
        standsBy = nil
        try followLoudness()
        if let failedAttempt, failedAttempt == control.attempt {
            return waitForRetry(after: failedAttempt)
        }
        guard frames.available > 0 else { return try waitForFrames() }
        if output == nil { try open() }
        if HostTime.now() >= nextWrite { return try writeChunk(limit: chunk) }
        signals.output.sleep(until: min(nextWrite, nextReading)) { isInterrupted }
        if HostTime.now() >= nextReading && !isInterrupted { try takeReading() }
    }

    private mutating func writeChunk(limit: Int) throws(OutputError) {
        if writtenSinceStart == 0 {
            startTime = HostTime.now()
            nextReading = settledTime
        }
        let samples = unsafe frames.next(limit: limit < chunk ? limit : chunk)
        let count = samples.count / format.channelCount
        if loudness.samples.isUnity(from: frames.position) {
            try call { output throws(OutputError) in try unsafe output?.write(samples) }
        } else {
            unsafe loudness.samples.apply(
                to: samples, from: frames.position, channelCount: format.channelCount, into: scaled)
            let scaled = unsafe UnsafeBufferPointer(start: scaled, count: samples.count)
            try call { output throws(OutputError) in try unsafe output?.write(scaled) }
        }
        frames.advance(by: count)
        writtenSinceStart += count
        if isBridging { try bridge() }
        if frames.available <= frames.ahead / 2 { signals.decode.notify() }
        let now = HostTime.now()
        if now >= settledTime {
            try takeReading()
        } else if stallEnd > startTime {
            nextWrite = now + format.nanoseconds(frames: count)
        } else {
            // As if the device had begun with the first write: it holds rather more than that.
            let excess = writtenSinceStart + chunk - target
            nextWrite = startTime + format.nanoseconds(frames: excess)
        }
    }

    /// Waits for the decoder, or at the end of the stream for the last frame to be heard.
    private mutating func waitForFrames() throws(OutputError) {
        signals.decode.notify()
        guard frames.isFinished else {
            // What is queued runs out; the clock must know how far it goes.
            if HostTime.now() >= settledTime && writtenSinceStart > 0 { try takeReading() }
            signals.output.wait {
                frames.available > 0 || frames.isFinished || isInterrupted
            }
            return
        }
        guard frames.available == 0 else { return }
        if finishedAt != frames.position {
            guard try hearTheEnd() else { return }
            finishedAt = frames.position
            writtenSinceStart = 0
            isClockRunning = false
            nextWrite = 0
            report(.finished(frame: frames.position))
            releaseTime = HostTime.now() + Self.releaseNanoseconds
        }
        signals.output.wait(until: releaseDeadline) {
            frames.available > 0 || !frames.isFinished || isInterrupted
        }
        try takeLoudnessInSilence()
        try releaseWhenDue()
    }

    /// Waits until the last frame is heard; false when something else came first.
    private mutating func hearTheEnd() throws(OutputError) -> Bool {
        guard output != nil, writtenSinceStart > 0 else { return true }
        if writtenSinceStart >= format.frames(milliseconds: Self.startMilliseconds) {
            wait(until: settledTime)
            guard !isEndInterrupted else { return false }
            try takeReading()
            let rest = target - chunk - format.frames(milliseconds: Self.drainMilliseconds)
            wait(until: nextWrite + format.nanoseconds(frames: max(0, rest)))
            guard !isEndInterrupted else { return false }
        }
        try call { output throws(OutputError) in try output?.drain() }
        return true
    }

    private var isEndInterrupted: Bool {
        isInterrupted || frames.available > 0 || !frames.isFinished
    }

    /// Waits until `end`, open to commands meanwhile.
    private func wait(until end: Int64) {
        while !isEndInterrupted && HostTime.now() < end {
            signals.output.sleep(until: end) { isEndInterrupted }
        }
    }

    /// Takes back what the device holds. The clock runs on where something is `toGoOn`, and that is
    /// to follow without a gap unless it is from `elsewhere`: then it is to follow soon.
    mutating func flush(toGoOn: Bool = false, elsewhere: Bool = false) throws(OutputError) {
        guard writtenSinceStart > 0 else { return }
        let dropped =
            try call { output throws(OutputError) in
                try output?.flush(toGoOn: toGoOn && !elsewhere)
            } ?? 0
        frames.rewind(by: min(dropped, writtenSinceStart))
        writtenSinceStart = 0
        nextWrite = 0
        nextReading = .max
        lastReading = nil
        epoch += 1
        isClockRunning = isClockRunning && toGoOn
        isBridging = isClockRunning
        guard isBridging else { return }
        clock.publish(
            ClockReading(
                written: frames.position, heard: nil, hostTime: HostTime.now(), epoch: epoch))
    }

    private mutating func close() throws(OutputError) {
        releaseTime = .max
        forgetStreamVolume()
        guard let last = output.take() else { return }
        try last.close()
    }
}
