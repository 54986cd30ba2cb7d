package import UndersongBase
package import UndersongPlayback

/// Plays on a PulseAudio server, or on PipeWire's, over libpulse-simple: the smallest port to a sound
/// server. Owned by the output thread.
///
/// The server drives: a thread of its own writes 20 ms at a time, which blocks until the server, which
/// buffers a quarter of a second, wants them. That thread takes them from a ring of the same length;
/// nothing here waits for it but an opening and `drain`.
///
/// Its limits: libpulse-simple has no cork, and nothing is guessed about frames that the server has.
/// A pause, a flush or a change of loudness affects only the frames in the ring; the server plays the
/// rest, so these are heard up to a quarter of a second late, though no frame is lost or repeated. The
/// clock is as accurate as `pa_simple_get_latency`, which extrapolates, and starts once the server has
/// been given more than it buffers. A server that hangs is waited for without an error. The stream has
/// no volume here, and does not report that it was moved or that its device was suspended.
@safe
package struct PulseSimpleOutput: AudioOutput, ~Copyable {
    private static let ringMilliseconds = 250
    /// Less than this is not worth waking for.
    private static let leastMilliseconds = 100
    /// A server that is there answers within milliseconds.
    private static let openDeadline: Int64 = 5_000_000_000

    private let format: StreamFormat
    private let clock: any HostClock
    private let feeder: PulseSimpleFeeder
    private let leastRoom: Int
    private var ring: FrameProducer
    private var isPaused = false
    /// libpulse's last answer.
    private var latest: ClockReading?
    private var seen = 0
    /// The time at which the server began to play from silence, and the first frame.
    private var start: (hostTime: Int64, frame: Int) = (0, 0)

    /// Connects to `server` (nil: the user's default) and opens a stream on `device` (nil: the
    /// default sink). Blocks for the server's answer.
    package init(
        format: StreamFormat, server: String?, device: String?, clock: any HostClock
    ) throws(OutputError) {
        let ring = FrameRing(
            format: format, capacity: format.frames(milliseconds: Self.ringMilliseconds),
            history: 0)
        self.format = format
        self.clock = clock
        leastRoom = format.frames(milliseconds: Self.leastMilliseconds)
        self.ring = ring.producer
        feeder = PulseSimpleFeeder(
            format: format, frames: ring.consumer, leastRoom: leastRoom, server: server,
            device: device, hostClock: clock)
        try feeder.start(until: clock.now + Self.openDeadline)
    }

    deinit { feeder.end() }

    package var isRealTime: Bool { true }
    /// An extrapolated latency is an estimate.
    package var isVague: Bool { true }

    package var room: Int {
        let room = ring.room
        return room >= leastRoom ? room : 0
    }

    package mutating func write(_ frames: UnsafeRawBufferPointer) throws(OutputError) {
        try feeder.check()
        let now = clock.now
        // After an underrun the server starts again with what comes now.
        if let end = expectedEnd, end <= now { start = (now, feeder.claims.now.position) }
        let count = unsafe ring.write(frames)
        precondition(count * format.bytesPerFrame == frames.count, "more is written than is wanted")
        feeder.notify()
    }

    package mutating func reading() throws(OutputError) -> OutputReading? {
        try feeder.check()
        refresh()
        guard !isPaused, let latest, isKnown(latest), let latency = latency(at: latest) else {
            return nil
        }
        return OutputReading(
            latency: max(0, latency), hostTime: latest.hostTime, error: latest.error)
    }

    package mutating func pause() throws(OutputError) -> Int {
        try feeder.check()
        isPaused = true
        return ring.position - feeder.claims.stop()
    }

    package mutating func resume() throws(OutputError) {
        try feeder.check()
        guard isPaused else { return }
        restart()
        feeder.notify()
    }

    package mutating func flush(continuing: Bool) throws(OutputError) -> Int {
        try feeder.check()
        let position = feeder.claims.stop()
        let dropped = ring.position - position
        ring.truncate(to: position)
        if isPaused { restart() } else { feeder.claims.allow() }
        return dropped
    }

    /// Gives the server frames again; it may have played all that it had.
    private mutating func restart() {
        isPaused = false
        start = (clock.now, feeder.claims.now.position)
        feeder.claims.allow()
    }

    package mutating func wait(until deadline: Int64?, or descriptor: Int32) throws(OutputError) {
        try feeder.check()
        // A caller that waits although there is room has nothing to write.
        let wantsRoom = room == 0
        feeder.setWantsRoom(wantsRoom)
        if !wantsRoom || room == 0 {
            Wakeup.wait(
                for: descriptor, or: feeder.news.descriptor, until: deadline ?? .max)
        }
        feeder.setWantsRoom(false)
        feeder.news.clear()
        try feeder.check()
    }

    package mutating func drain() throws(OutputError) { try feeder.drain() }

    package consuming func close() {}

    /// True if the server really plays what `reading` describes. libpulse claims so from the first
    /// frame, though a device may take none for half a second; it has taken some once the server
    /// has been given more than it buffers. For shorter sounds nothing better is known.
    private func isKnown(_ reading: ClockReading) -> Bool {
        guard reading.hostTime - reading.error >= start.hostTime else { return false }
        let buffer = format.frames(milliseconds: PulseSimpleFeeder.bufferMilliseconds)
        return reading.written > start.frame + buffer || reading.written == ring.position
    }

    private mutating func refresh() {
        if let reading = feeder.clock.reading(after: &seen) { latest = reading }
    }

    /// The time at which the last written frame was, or will be, heard.
    private var expectedEnd: Int64? {
        mutating get {
            refresh()
            return latest.flatMap { reading in
                latency(at: reading).map { reading.hostTime + $0 }
            }
        }
    }

    /// Nanoseconds from `reading` until a frame written now is heard.
    private func latency(at reading: ClockReading) -> Int64? {
        reading.heard.map { heard in
            Int64((Double(ring.position) - heard) * 1e9 / Double(format.sampleRate))
        }
    }
}
