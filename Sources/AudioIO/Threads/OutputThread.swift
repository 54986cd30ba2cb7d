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
    /// A question that was answered so quickly says well of which moment the answer is.
    static var quickMeasurement: Int64 { 200_000 }
    static var measurementTries: Int { 4 }
    /// How long a silent device is kept, for a quick return.
    static var releaseNanoseconds: Int64 { 5_000_000_000 }

    private let format: StreamFormat
    private var frames: FrameConsumer
    private let control: OutputControl
    private let gate: SpliceGate
    private let signals: PipelineSignals
    private let clock: RenderClock
    private let makeOutput: () throws(OutputError) -> Output
    private let report: (OutputReport) -> Void
    private let chunk: Int
    private let scaled: UnsafeMutablePointer<Int16>

    private var output: Output?
    /// Frames that the device wants to hold at most; 0 where there is no real time.
    private var target = 0
    /// Frames written since the device last began from silence, and when that was.
    private var writtenSinceStart = 0
    private var startTime: Int64 = 0
    /// Counts how often the device was emptied.
    private var epoch = 0
    /// Whether the clock runs: it has had a reading since the device last began from silence.
    private var isClockRunning = false
    /// Whether the clock waits to be told when what follows a flush is heard.
    private var isBridging = false
    /// Before this host time the device holds enough.
    private var nextWrite: Int64 = 0
    /// When the clock gets a reading even if nothing has to be written.
    private var nextReading: Int64 = .max
    private var volume: VolumeRamp
    /// The command by which the output stands still, and what was reported of it.
    private var standsBy: OutputControl.Command?
    /// When a device that is silent is given back.
    private var releaseTime: Int64 = .max
    /// The end of the stream that was reported.
    private var finishedAt = -1

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
        volume = VolumeRamp(control.volume)
        unsafe scaled = .allocate(capacity: chunk * format.channelCount)
        unsafe scaled.initialize(repeating: 0, count: chunk * format.channelCount)
    }

    deinit { unsafe scaled.deallocate() }

    /// Runs until `stop`, or until the output fails.
    mutating func run() {
        do {
            while control.current != .stop {
                if let closing = gate.closing {
                    try stand(before: closing)
                } else if control.current == .run {
                    try play()
                } else {
                    try hold()
                }
            }
            if output != nil {
                let wasPlaying = writtenSinceStart > 0
                try flush()
                if wasPlaying { report(.held(frame: frames.position, epoch: epoch)) }
                try close()
            }
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

    /// Whether something else than the command to run has to be looked at.
    private var isInterrupted: Bool {
        control.current != .run || gate.closing != nil || control.volume != volume.target
    }

    /// Stands still while the decode thread changes what is in the ring.
    private mutating func stand(before closing: SpliceGate.Closing) throws(OutputError) {
        if frames.position > closing.frame {
            try flush(toGoOn: true)
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
        volume = VolumeRamp(control.volume)
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
        if control.volume != volume.target { try turnVolume() }
        guard frames.available > 0 else { return try waitForFrames() }
        if output == nil {
            let made = try makeOutput()
            target = made.targetLatency
            output = consume made
        }
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
        if volume.isUnity(from: frames.position) {
            try unsafe output?.write(samples)
        } else {
            unsafe volume.apply(
                to: samples, from: frames.position, channelCount: format.channelCount, into: scaled)
            try unsafe output?.write(UnsafeBufferPointer(start: scaled, count: samples.count))
        }
        frames.advance(by: count)
        writtenSinceStart += count
        if isBridging { try bridge() }
        if frames.available <= frames.ahead / 2 { signals.decode.notify() }
        if HostTime.now() >= settledTime {
            try takeReading()
        } else {
            // As if the device had begun with the first write: it holds rather more than that.
            let excess = writtenSinceStart + chunk - target
            nextWrite = startTime + format.nanoseconds(frames: excess)
        }
    }

    /// When the device's latency can be believed: at once where there is no real time.
    private var settledTime: Int64 {
        target == 0 ? startTime : startTime + Self.settlingNanoseconds
    }

    private mutating func takeReading() throws(OutputError) {
        guard output != nil else { return }
        let (latency, now) = try measure()
        publish(latency, at: now)
        let excess = format.frames(nanoseconds: latency) + chunk - target
        nextWrite = target == 0 ? 0 : now + format.nanoseconds(frames: excess)
        // Soon after a start the clock is young: it is told again, ever more seldom.
        let age = now - startTime
        nextReading = target == 0 || age > Self.youthNanoseconds ? .max : now + age
    }

    /// The device's latency, and when that was so. A thread that was kept from its processor while it
    /// asked does not know when: it asks again.
    private mutating func measure() throws(OutputError) -> (latency: Int64, hostTime: Int64) {
        if target > 0, HostTime.now() - startTime < Self.youthNanoseconds,
            let exact = try output?.exactLatency()
        {
            return (exact.nanoseconds, exact.hostTime)
        }
        var best = (latency: Int64(0), hostTime: Int64(0))
        var least = Int64.max
        for _ in 0..<Self.measurementTries {
            let start = HostTime.now()
            let latency = try output?.latency() ?? 0
            let duration = HostTime.now() - start
            if duration < least { (best, least) = ((latency, start + duration / 2), duration) }
            if duration < Self.quickMeasurement { break }
        }
        return best
    }

    /// Tells the clock when what follows a flush is heard, as soon as the device knows.
    private mutating func bridge() throws(OutputError) {
        guard writtenSinceStart >= format.frames(milliseconds: Self.startMilliseconds) else {
            return
        }
        isBridging = false
        if let exact = try output?.exactLatency() { publish(exact.nanoseconds, at: exact.hostTime) }
    }

    private mutating func publish(_ latency: Int64, at hostTime: Int64) {
        isClockRunning = true
        let queued = Double(latency) * Double(format.sampleRate) / 1e9
        clock.publish(
            ClockReading(
                written: frames.position, heard: Double(frames.position) - queued,
                hostTime: hostTime, epoch: epoch))
        if signals.clockWantsReading.load(ordering: .sequentiallyConsistent) {
            signals.clock.wake()
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
        volume = VolumeRamp(control.volume)
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
        try output?.drain()
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

    /// Lets a new volume be heard at once, without a gap.
    private mutating func turnVolume() throws(OutputError) {
        let factor = control.volume
        guard writtenSinceStart > 0 else {
            volume = VolumeRamp(factor)
            return
        }
        try flush(toGoOn: true)
        volume.turn(
            to: factor, at: frames.position,
            length: format.frames(milliseconds: VolumeRamp.milliseconds))
    }

    /// Takes back what the device holds.
    private mutating func flush(toGoOn: Bool = false) throws(OutputError) {
        guard writtenSinceStart > 0 else { return }
        let dropped = try output?.flush(toGoOn: toGoOn) ?? 0
        frames.rewind(by: min(dropped, writtenSinceStart))
        writtenSinceStart = 0
        nextWrite = 0
        nextReading = .max
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
        guard let last = output.take() else { return }
        try last.close()
    }
}
