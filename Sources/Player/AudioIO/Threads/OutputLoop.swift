import Synchronization
import UndersongBase
import UndersongPlayback

/// The output thread's loop: takes frames from the ring and gives them to the device whenever it
/// wants some, long before they are heard, so that it rarely has to wake. Whatever must be heard at
/// once takes back what the device holds and continues with the very next unheard frame. The thread
/// waits only for its own descriptor and for the device; between two waits it neither allocates nor
/// takes a lock.
@safe
struct OutputLoop<Output: AudioOutput & ~Copyable>: ~Copyable {
    /// The length of a write.
    static var chunkMilliseconds: Int { 500 }
    /// Shorter sounds may need `drain` before they start at all.
    static var startMilliseconds: Int { 40 }
    /// The length of sound to leave to `drain`, which no command can interrupt, in nanoseconds.
    static var drainNanoseconds: Int64 { 40_000_000 }
    /// The time for which to keep a silent device for a quick return.
    static var releaseNanoseconds: Int64 { 5_000_000_000 }
    /// A device that did not answer for this long stopped playing some time before. The engine,
    /// which watches, waits longer before it reports that, and is notified when it is over.
    static var stallNanoseconds: Int64 { 400_000_000 }
    /// A device whose latency is an estimate counts as lost if it did not answer for this long,
    /// which is more than an answer may take: when PipeWire continues, it plays what it held at
    /// once, and what was written by then is lost too (over a second, measured).
    static var estimatedStallNanoseconds: Int64 { 800_000_000 }

    let format: StreamFormat
    var frames: FrameConsumer
    let control: OutputControl
    let gate: SpliceGate
    let signals: PipelineSignals
    let readings: RenderClock
    let hostClock: any OutputClock
    private let makeOutput: () throws(OutputError) -> Output
    let report: (OutputReport) -> Void
    private let chunk: Int
    private let scaled: UnsafeMutableRawPointer

    /// The device; nil while it is closed or lost.
    var output: Output?
    /// The state of the device.
    var state = OutputState.silent(clockRuns: false)
    /// True if nothing has been written since it was opened.
    private var isFresh = true
    /// True if sound plays at the listener's pace.
    private(set) var isRealTime = true
    /// The time at which to release a silent device.
    private var releaseTime: Int64 = .max
    /// Counts how often the clock was stopped.
    var epoch = 0
    var loudness: VolumeController
    /// The digital silence at the end of what was written.
    private var silence = SilenceCounter()
    /// The last change of the wanted loudness that was applied.
    var seenLoudness = 0
    /// The command that silenced the output, once that was reported.
    private var heldBy: OutputControl.Command?
    /// The end of the stream, once it was reported.
    private var finishedAt: (frame: Int, starvation: Starvation)?

    init(
        _ channels: PipelineChannels, format: StreamFormat, frames: consuming FrameConsumer,
        hostClock: any OutputClock, makeOutput: @escaping () throws(OutputError) -> Output,
        report: @escaping (OutputReport) -> Void
    ) {
        self.format = format
        self.frames = frames
        control = channels.output
        gate = channels.gate
        signals = channels.signals
        readings = channels.readings
        self.hostClock = hostClock
        self.makeOutput = makeOutput
        self.report = report
        chunk = format.frames(milliseconds: Self.chunkMilliseconds)
        loudness = VolumeController(control.loudness)
        let size = chunk * format.bytesPerFrame
        unsafe scaled = .allocate(byteCount: size, alignment: 16)
        // Touch the memory now rather than in the first write.
        unsafe scaled.initializeMemory(as: UInt8.self, repeating: 0, count: size)
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
        // The decode thread may be waiting for this one.
        while control.current != .stop {
            if let closing = gate.closing { answer(closing) }
            signals.output.wait(by: hostClock) {
                control.current == .stop || gate.closing != nil
            }
        }
    }

    private mutating func stepOrLose() throws(OutputError) {
        do throws(OutputError) {
            try step()
        } catch {
            guard error.isPassing else { throw error }
            switch state {
            case .paused(let unheard):
                reclaim(unheard)
                forgetOutput()
            // Nothing is lost with a silent device; it may have disappeared long ago.
            case .silent where output != nil && !isFresh: forgetOutput()
            case .silent, .playing, .lost: lose(error)
            }
        }
    }

    private mutating func step() throws(OutputError) {
        if let closing = gate.closing {
            try stop(before: closing)
        } else if control.current == .run {
            try play()
        } else {
            try hold()
        }
    }

    /// Silences what is still playing, and releases the device properly.
    private mutating func end() throws(OutputError) {
        let wasPlaying = stretch != nil
        try flush()
        if wasPlaying { report(.held(frame: frames.position, epoch: epoch)) }
        try close()
    }

    /// True if anything other than the run command needs attention.
    private var isInterrupted: Bool {
        control.current != .run || gate.closing != nil || control.loudnessChange != seenLoudness
    }

    // MARK: Playing

    /// Writes one chunk, or waits until the device wants one.
    private mutating func play() throws(OutputError) {
        heldBy = nil
        if case .paused(let unheard) = state { try resume(unheard) }
        try followLoudness()
        if case .lost(let attempt) = state, attempt == control.attempt {
            return try waitForRetry(after: attempt)
        }
        guard frames.available > 0 else { return try waitForFrames() }
        if output == nil { try open() }
        let room = output?.room ?? 0
        if room > 0 {
            return try writeChunk(limit: min(room, output?.blockLength ?? room, chunk))
        }
        if isReadingDue { return try takeReading() }
        try wait(until: nextReading, takesNews: false) { $0.isInterrupted }
    }

    private mutating func writeChunk(limit: Int) throws(OutputError) {
        let source = unsafe frames.next(limit: limit < chunk ? limit : chunk)
        let count = source.count / format.bytesPerFrame
        unsafe silence.count(source, from: frames.position, format: format)
        control.setSilence(format.nanoseconds(frames: silence.length))
        if loudness.samples.isUnity(from: frames.position) {
            try call { output throws(OutputError) in try unsafe output?.write(source) }
        } else {
            unsafe loudness.samples.apply(
                to: source, from: frames.position, format: format, into: scaled)
            let scaled = unsafe UnsafeRawBufferPointer(start: scaled, count: source.count)
            try call { output throws(OutputError) in try unsafe output?.write(scaled) }
        }
        frames.advance(by: count)
        isFresh = false
        if signals.outputSilence != .none { signals.setSilence(.none) }
        if case .silent(let clockRuns) = state {
            beginStretch(clockRuns: clockRuns)
        }
        stretch?.written += count
        stretch?.isEnding = false
        if frames.available <= frames.ahead / 2 { signals.decode.notify() }
        try readAfterWriting()
    }

    /// The reason why there are no frames to take.
    private enum Starvation {
        /// They are being decoded.
        case none
        /// Their bytes have not arrived from the network.
        case bytes
        /// Nothing follows for now.
        case content
    }

    private var starvation: Starvation {
        frames.isFinished ? .content : signals.isStarved ? .bytes : .none
    }

    /// Waits for the decoder or, where nothing follows for now, for the last frame to be heard.
    private mutating func waitForFrames() throws(OutputError) {
        let starvation = starvation
        guard starvation != .none else {
            // What waits for bytes, or for something to play, has nothing to do for this.
            signals.decode.notify()
            if isReadingDue { try takeReading() }
            return try wait(until: nextReading) {
                $0.frames.available > 0 || $0.starvation != .none || $0.isInterrupted
            }
        }
        guard frames.available == 0 else { return }
        if finishedAt?.frame != frames.position || finishedAt?.starvation != starvation {
            guard try waitUntilHeard(starvation) else { return }
            finishedAt = (frames.position, starvation)
            if stretch != nil { state = .silent(clockRuns: false) }
            let frame = frames.position
            signals.setSilence(starvation == .content ? .begun : .starved)
            report(starvation == .content ? .finished(frame: frame) : .starved(frame: frame))
            releaseTime = hostClock.now + Self.releaseNanoseconds
        }
        try wait(until: releaseDeadline) { $0.isEndInterrupted(starvation) }
        try applyLoudnessInSilence()
        try releaseWhenDue()
    }

    /// Waits until the last frame is heard; returns false if something else came first.
    private mutating func waitUntilHeard(_ starvation: Starvation) throws(OutputError) -> Bool {
        if stretch?.isEnding == false {
            stretch?.isEnding = true
            try call { output throws(OutputError) in try output?.expectEnd() }
        }
        let start = format.frames(milliseconds: Self.startMilliseconds)
        while let stretch, stretch.written >= start {
            guard !isEndInterrupted(starvation) else { return false }
            if isReadingDue { try takeReading() }
            try followLoudness()
            guard !isEndInterrupted(starvation) else { return false }
            let drainTime = expectedEnd.map { $0 - Self.drainNanoseconds } ?? .max
            if hostClock.now >= drainTime { break }
            try wait(until: min(nextReading ?? .max, drainTime)) { $0.isEndInterrupted(starvation) }
        }
        guard !isEndInterrupted(starvation) else { return false }
        if stretch != nil {
            try call { output throws(OutputError) in try output?.drain() }
        }
        // The device may have accepted everything but still hold some of it, which would be lost
        // with the stream.
        while let end = expectedEnd, hostClock.now < end {
            guard !isEndInterrupted(starvation) else { return false }
            try wait(until: end) { $0.isEndInterrupted(starvation) }
        }
        return true
    }

    private func isEndInterrupted(_ starvation: Starvation) -> Bool {
        isInterrupted || frames.available > 0 || self.starvation != starvation
    }

    // MARK: Silence

    /// Silences the device, then waits for another command.
    private mutating func hold() throws(OutputError) {
        let command = control.current
        if command != .idle && heldBy != command {
            let unheard = try pause()
            heldBy = command
            report(.held(frame: frames.position - unheard, epoch: epoch))
            releaseTime = hostClock.now + Self.releaseNanoseconds
            if command == .release && isRealTime { try close() }
        }
        if case .paused = state {
            // Frames that were kept must not be heard with the old loudness.
            if control.loudnessChange != seenLoudness { try flush() }
        } else {
            try applyLoudnessInSilence()
        }
        try wait(until: releaseDeadline) {
            $0.control.current != command || $0.gate.closing != nil
                || $0.control.loudnessChange != $0.seenLoudness
        }
        try releaseWhenDue()
    }

    /// Silences the device. Returns the number of frames that it keeps and that were not heard.
    private mutating func pause() throws(OutputError) -> Int {
        if case .playing = state {
            let unheard = try call { output throws(OutputError) in try output?.pause() ?? 0 }
            epoch += 1
            guard output?.keepsPausedFrames ?? true else {
                reclaim(unheard)
                return 0
            }
            state = .paused(unheard: unheard)
        }
        return if case .paused(let unheard) = state { unheard } else { 0 }
    }

    /// Makes the device continue with the frames that it kept.
    private mutating func resume(_ unheard: Int) throws(OutputError) {
        if control.loudnessChange != seenLoudness {
            try flush()
            return try applyLoudnessInSilence()
        }
        try call { output throws(OutputError) in try output?.resume() }
        beginStretch(clockRuns: false)
        stretch?.written = unheard
    }

    /// Takes back what the device holds. With `continuing` the clock continues, and sound is to follow
    /// without a gap, or, if it is from `elsewhere`, soon.
    mutating func flush(continuing: Bool = false, elsewhere: Bool = false) throws(OutputError) {
        let clockRuns: Bool
        switch state {
        case .playing(let stretch): clockRuns = stretch.clockRuns && continuing
        case .paused: clockRuns = false
        case .silent, .lost: return
        }
        let dropped = try call { output throws(OutputError) in
            try output?.flush(continuing: continuing && !elsewhere) ?? 0
        }
        reclaim(dropped)
        epoch += 1
        guard clockRuns else { return }
        state = .silent(clockRuns: true)
        readings.publish(
            ClockReading(
                written: frames.position, heard: nil, hostTime: hostClock.now, epoch: epoch))
    }

    /// Steps back over what was written and not heard: the device is empty.
    mutating func reclaim(_ count: Int) {
        frames.rewind(by: min(count, frames.kept))
        state = .silent(clockRuns: false)
    }

    // MARK: Splices

    /// Stays stopped while the decode thread changes the contents of the ring.
    private mutating func stop(before closing: SpliceGate.Closing) throws(OutputError) {
        if frames.position > closing.frame {
            try flush(continuing: true, elsewhere: closing.isJump)
            // First of all, unchanged frames go back to the device, which needs them.
            if closing.frame > frames.position && control.current == .run {
                try writeChunk(limit: closing.frame - frames.position)
            }
        }
        finishedAt = nil
        answer(closing)
    }

    private func answer(_ closing: SpliceGate.Closing) {
        gate.reportStop(at: frames.position, before: closing)
        while !gate.hasReopened(since: closing) && control.current != .stop {
            signals.output.wait(by: hostClock) {
                gate.hasReopened(since: closing) || control.current == .stop
            }
        }
    }

    // MARK: The device

    private mutating func open() throws(OutputError) {
        control.setCallStart(hostClock.now)
        defer { control.setCallStart(0) }
        let made = try makeOutput()
        isRealTime = made.isRealTime
        output = consume made
        isFresh = true
        state = .silent(clockRuns: false)
        forgetStreamVolume()
        try learnStreamVolume(isAsked: false)
        try applyLoudnessInSilence()
        report(.works)
    }

    /// Calls the device, and publishes how long it takes to answer.
    mutating func call<Result>(
        _ body: (inout Output?) throws(OutputError) -> Result
    ) throws(OutputError) -> Result {
        let start = hostClock.now
        control.setCallStart(start)
        let result = try body(&output)
        let duration = hostClock.now - start
        let isVague = output?.isVague ?? false
        // When stopping, nothing has to be played again.
        if duration > Self.estimatedStallNanoseconds && isVague && control.current != .stop {
            throw OutputError(
                .serverLost, operation: "play on the sound server",
                reason: "It did not answer for \(duration / 1_000_000) ms")
        }
        control.setCallStart(0)
        if duration > Self.stallNanoseconds {
            stretch?.restartReadings(at: start + duration)
            report(.works)
        }
        return result
    }

    /// Waits until woken, until the device wants frames, or until `deadline`, unless `isReady`
    /// holds. The decoder wakes it only with `takesNews`.
    /// - Throws: An error if the device is gone.
    mutating func wait(
        until deadline: Int64?, takesNews: Bool = true, unless isReady: (borrowing Self) -> Bool
    ) throws(OutputError) {
        signals.output.begin(takesNews: takesNews)
        defer { signals.output.end() }
        guard !isReady(self) else { return }
        let descriptor = signals.output.descriptor
        if output == nil {
            hostClock.wait(for: descriptor, until: deadline ?? .max)
        } else {
            try output?.wait(until: deadline, or: descriptor)
        }
    }

    /// The time until which to keep a silent device. A file is always kept, since more belongs into
    /// it too.
    private var releaseDeadline: Int64? { output == nil || !isRealTime ? nil : releaseTime }

    private mutating func releaseWhenDue() throws(OutputError) {
        if let deadline = releaseDeadline, hostClock.now >= deadline { try close() }
    }

    private mutating func close() throws(OutputError) {
        releaseTime = .max
        if case .paused = state { try flush() }
        forgetStreamVolume()
        guard let last = output.take() else { return }
        try last.close()
    }

    /// Discards an output that is gone.
    mutating func forgetOutput() {
        output = nil
        forgetStreamVolume()
        control.setCallStart(0)
    }
}
