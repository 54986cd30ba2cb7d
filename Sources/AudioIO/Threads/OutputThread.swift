package import Playback
import Synchronization

/// What the output thread tells; the handler runs on it, while no sound is due.
package enum OutputReport: Sendable {
    /// The output is silent; `frame` is the first one that was not heard.
    case held(frame: Int)
    /// Everything was heard and the output is closed; `frame` is behind the last one.
    case finished(frame: Int)
    /// The output has failed; it is not tried again.
    case failed(OutputError)
    /// The thread ends, after `stop`.
    case stopped
}

/// Commands the output thread. Any thread may call it; nothing here waits.
package final class OutputControl: Sendable {
    fileprivate enum Command: UInt8 {
        /// Nothing has been asked yet.
        case idle
        case hold
        /// Hold, and give the device back.
        case release
        case run
        case stop
    }

    private let command = Atomic<UInt8>(Command.idle.rawValue)
    private let signals: PipelineSignals

    init(signals: PipelineSignals) { self.signals = signals }

    /// Starts or goes on with the very next unheard frame.
    package func run() { give(.run) }

    /// Silences the output and keeps the place; `held` is reported. With `release` the device is
    /// given back.
    package func hold(release: Bool) { give(release ? .release : .hold) }

    /// Silences the output and ends the thread.
    package func stop() { give(.stop) }

    fileprivate var current: Command {
        Command(rawValue: command.load(ordering: .acquiring)) ?? .stop
    }

    private func give(_ next: Command) {
        command.store(next.rawValue, ordering: .releasing)
        signals.output.wake()
    }
}

/// The output thread's loop: takes frames from the ring and gives them to the device, a little ahead
/// of their time. It waits only for its own semaphore and for the device; between two waits it
/// neither allocates nor locks.
struct OutputLoop<Output: AudioOutput & ~Copyable>: ~Copyable {
    /// Frames a write: 20 ms.
    static var chunkMilliseconds: Int { 20 }
    /// Sounds of less than this may need `drain` before they start at all.
    static var startMilliseconds: Int { 40 }
    /// What a device says of its latency is worth nothing before it has begun: PulseAudio counts on
    /// from the first write, and tells the truth 25 to 70 ms later (measured).
    static var settlingNanoseconds: Int64 { 100_000_000 }

    private let format: StreamFormat
    private var frames: FrameConsumer
    private let control: OutputControl
    private let signals: PipelineSignals
    private let clock: RenderClock
    private let makeOutput: () throws(OutputError) -> Output
    private let report: (OutputReport) -> Void
    private let chunk: Int

    private var output: Output?
    /// Frames that the device wants to hold; 0 where there is no real time.
    private var target = 0
    /// Frames written since the device last began from silence, and when that was.
    private var writtenSinceStart = 0
    private var startTime: Int64 = 0
    /// Before this host time the device holds enough.
    private var nextWrite: Int64 = 0

    init(
        format: StreamFormat, frames: consuming FrameConsumer, control: OutputControl,
        signals: PipelineSignals, clock: RenderClock,
        makeOutput: @escaping () throws(OutputError) -> Output,
        report: @escaping (OutputReport) -> Void
    ) {
        self.format = format
        self.frames = frames
        self.control = control
        self.signals = signals
        self.clock = clock
        self.makeOutput = makeOutput
        self.report = report
        chunk = format.frames(milliseconds: Self.chunkMilliseconds)
    }

    /// Runs until `stop`, or until the output fails or everything was heard.
    mutating func run() {
        do {
            while control.current != .stop {
                if control.current == .run {
                    guard try play() else { break }
                } else {
                    try hold()
                }
            }
            if output != nil {
                try flush()
                report(.held(frame: frames.position))
                try close()
            }
        } catch {
            report(.failed(error))
        }
        report(.stopped)
    }

    /// Silences the device, then waits for another command.
    private mutating func hold() throws(OutputError) {
        let command = control.current
        if command != .idle {
            try flush()
            report(.held(frame: frames.position))
            if command == .release { try close() }
        }
        while control.current == command { signals.output.wait { control.current != command } }
    }

    /// Writes one chunk, or waits until one can be written. False when everything was heard.
    private mutating func play() throws(OutputError) -> Bool {
        if output == nil {
            let made = try makeOutput()
            target = made.targetLatency
            output = consume made
            writtenSinceStart = 0
        }
        guard frames.available > 0 else { return try waitForFrames() }
        let now = HostTime.now()
        if now < nextWrite {
            signals.output.sleep(until: nextWrite) { control.current != .run }
            return true
        }
        try writeChunk()
        return true
    }

    private mutating func writeChunk() throws(OutputError) {
        if writtenSinceStart == 0 { startTime = HostTime.now() }
        let samples = unsafe frames.next(limit: chunk)
        let count = samples.count / format.channelCount
        try unsafe output?.write(samples)
        frames.advance(by: count)
        writtenSinceStart += count
        if frames.occupied <= frames.capacity / 2 { signals.decode.notify() }
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
        guard output != nil, let latency = try output?.latency() else { return }
        let now = HostTime.now()
        let queued = Double(latency) * Double(format.sampleRate) / 1e9
        clock.publish(
            ClockReading(
                written: frames.position, heard: Double(frames.position) - queued, hostTime: now))
        if signals.clockWantsReading.load(ordering: .sequentiallyConsistent) {
            signals.clock.wake()
        }
        let excess = Int(queued) + chunk - target
        nextWrite = target == 0 ? 0 : now + format.nanoseconds(frames: excess)
    }

    /// Waits for the decoder, or at the end of the stream for the last frame to be heard.
    private mutating func waitForFrames() throws(OutputError) -> Bool {
        signals.decode.notify()
        guard frames.isFinished else {
            // What is queued runs out; the clock must know how far it goes.
            if HostTime.now() >= settledTime && writtenSinceStart > 0 { try takeReading() }
            signals.output.wait {
                frames.available > 0 || frames.isFinished || control.current != .run
            }
            nextWrite = 0
            return true
        }
        guard frames.available == 0 else { return true }
        if writtenSinceStart >= format.frames(milliseconds: Self.startMilliseconds) {
            wait(until: settledTime)
            guard control.current == .run else { return true }
            try takeReading()
            // Drained blocks; what is left for it is a chunk.
            let rest = target - 2 * chunk
            wait(until: nextWrite + format.nanoseconds(frames: rest))
            guard control.current == .run else { return true }
        }
        try output?.drain()
        try close()
        report(.finished(frame: frames.position))
        return false
    }

    /// Waits until `end`, open to commands meanwhile.
    private func wait(until end: Int64) {
        while control.current == .run && HostTime.now() < end {
            signals.output.sleep(until: end) { control.current != .run }
        }
    }

    private mutating func flush() throws(OutputError) {
        let dropped = try output?.flush() ?? 0
        frames.rewind(by: min(dropped, writtenSinceStart))
        writtenSinceStart = 0
        nextWrite = 0
    }

    private mutating func close() throws(OutputError) {
        guard let last = output.take() else { return }
        try last.close()
    }
}
