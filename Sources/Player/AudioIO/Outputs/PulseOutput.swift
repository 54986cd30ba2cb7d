import CUndersongPulse
import UndersongBase
package import UndersongPlayback

/// Plays on a PulseAudio server, or on PipeWire's, over the session's connection to it. Owned by the
/// output thread, which is that of the connection.
///
/// The server drives: it asks for `minreq` frames about every 1.4 s and gets what it asks for. The
/// buffer is long, so that the player seldom wakes, while the device's own share of it is short: with
/// `PA_STREAM_ADJUST_LATENCY` that is half of what two requests leave of it, 100 ms. Playing starts
/// once 20 ms have been written: with the server's default, short sounds would not start at all, and
/// without a threshold an underrun would lose what follows it.
///
/// A pause is a cork, exact by construction: frames that the device has not taken for good stay on
/// the server, and an uncork continues with them. PipeWire is paused by a flush instead, and corked once its
/// device has played what it held: it stops a sound card at once when no stream plays, and 50 to 110
/// ms of sound are lost (measured; mpv loses them). A seek or skip is a flush while corked: measured on null
/// sinks with and without rewinds, the read index after it is the first frame that was not heard. Where
/// sound has to continue without a gap and the device holds little, the stream is flushed while it
/// runs, and the frames that the server had taken for mixing with other streams are counted separately.
@safe
package struct PulseOutput: AudioOutput, ~Copyable {
    private static let bufferMilliseconds = 3000
    private static let prebufferMilliseconds = 20
    private static let requestMilliseconds = 1400
    /// Less than this is not worth a message.
    private static let leastMilliseconds = 20
    /// A device that holds less than this may take another block between a flush and the next write.
    private static let quietLatency: Int64 = 4_000_000
    /// The nanoseconds of sound in a device that may be played to their end; of more, it takes back
    /// what it can.
    private static let inexactTail: Int64 = 60_000_000
    /// The time for which a device may hold a sound that is too short to start it.
    private static let longestStart: Int64 = 300_000_000
    /// A volume is set while the device waits for frames.
    private static let volumeDeadline: Int64 = 10_000_000
    /// The time for which PipeWire's device keeps running after a pause beyond the sound that it
    /// holds. With 50 ms, 5 of 30 pauses on an emulated card lost frames; with 150 and 300 ms none
    /// did.
    private static let afterrun: Int64 = 300_000_000
    /// The time for which a start waits to learn the volume that the server gives the stream.
    private static let startVolumeDeadline: Int64 = 50_000_000

    private let stream: PulseStream
    private let format: StreamFormat
    private let clock: any HostClock
    /// The server's index after the last byte that was written.
    private var end: Int64 = 0
    /// The index of the next bytes if a flush left the write index elsewhere.
    private var restart: Int64?
    /// True if the server holds nothing, and has not asked for more yet.
    private var isEmpty = true
    private var isCorked = false
    /// The time at which to cork a stream that is paused on PipeWire.
    private var corkTime: Int64?
    /// True if the server does not let the stream's volume be set.
    private var isVolumeRefused = false
    /// The frame being heard according to PipeWire's readings.
    private var blocks: BlockwiseIndex

    /// Waits for `connection`, whose thread must be the calling one, and opens a stream on `device`
    /// (nil: the default sink). With `asksVolume` it also waits, 50 ms at most, to learn the volume
    /// that the server gives the stream: servers remember one from earlier, and no sound should
    /// begin with that.
    /// - Throws: An error if the server does not answer, or refuses.
    init(
        format: StreamFormat, on connection: ServerConnection, device: String?,
        asksVolume: Bool = false
    ) throws(OutputError) {
        let buffer = PulseStream.Buffer(
            length: Self.bytes(format, Self.bufferMilliseconds),
            prebuffer: Self.bytes(format, Self.prebufferMilliseconds),
            request: Self.bytes(format, Self.requestMilliseconds))
        let stream = try PulseStream(on: connection, format, buffer, device: device)
        if asksVolume {
            try stream.waitForVolume(until: connection.clock.now + Self.startVolumeDeadline)
        }
        self.stream = stream
        self.format = format
        clock = connection.clock
        blocks = BlockwiseIndex(sampleRate: format.sampleRate)
    }

    package var isRealTime: Bool { true }
    /// After a hang PipeWire plays everything that it held at once.
    package var isVague: Bool { stream.isPipeWire ?? true }

    package var deviceChanges: Int { stream.deviceChanges }

    package var room: Int {
        let wanted = stream.writableSize / format.bytesPerFrame
        if isEmpty { return max(wanted, stream.bufferLength / format.bytesPerFrame) }
        return wanted >= format.frames(milliseconds: Self.leastMilliseconds) ? wanted : 0
    }

    package var blockLength: Int { stream.blockLength / format.bytesPerFrame }

    package var keepsPausedFrames: Bool { !(stream.isPipeWire ?? false) }

    package mutating func write(_ frames: UnsafeRawBufferPointer) throws(OutputError) {
        if corkTime != nil, let timing = try stream.flush(asksHeld: false) {
            restart(at: timing)
        }
        corkTime = nil
        try unsafe stream.write(frames, at: restart)
        restart = nil
        end += Int64(frames.count)
        isEmpty = false
        if isCorked { stream.setCorked(false) }
        isCorked = false
    }

    package mutating func reading() throws(OutputError) -> OutputReading? {
        // If nothing waits to be played, the device may hold silence by now.
        guard !isCorked, let timing = try stream.timing(), timing.writeIndex > timing.readIndex
        else { return nil }
        let queued = Int((timing.writeIndex - timing.readIndex) / Int64(format.bytesPerFrame))
        var reading = OutputReading(
            latency: format.nanoseconds(frames: queued) + timing.deviceLatency,
            hostTime: timing.hostTime, error: timing.error, isPlaying: !stream.isSuspended)
        if stream.isPipeWire == true { refine(&reading, by: timing) }
        return reading
    }

    /// Corrects a reading of PipeWire's, and states the uncertainty that its blocks leave.
    private mutating func refine(_ reading: inout OutputReading, by timing: PulseStream.Timing) {
        let (rate, size) = (Double(format.sampleRate), Int64(format.bytesPerFrame))
        let estimate = blocks.estimate(
            index: Int(timing.readIndex / size), held: Double(timing.deviceLatency) * rate / 1e9,
            hostTime: timing.hostTime)
        let queued = Double(timing.writeIndex / size) - estimate.heard
        reading.latency = Int64(queued * 1e9 / rate)
        reading.bias = Int64(estimate.bound * 1e9 / rate)
    }

    package mutating func pause() throws(OutputError) -> Int {
        guard keepsPausedFrames else { return try pausePipeWire() }
        isCorked = true
        stream.setCorked(true)
        // A server that does not report the stream's position has lost it.
        guard let timing = try stream.timing() else { return 0 }
        return frames(from: timing.readIndex, to: timing.writeIndex)
    }

    /// Discards what the device has not taken, and lets it play what it has.
    private mutating func pausePipeWire() throws(OutputError) -> Int {
        isEmpty = true
        guard let timing = try stream.flush(asksHeld: false) else { return 0 }
        let dropped = frames(from: timing.readIndex, to: end)
        restart(at: timing)
        corkTime = clock.now + timing.deviceLatency + Self.afterrun
        return dropped
    }

    private mutating func corkWhenDue() throws(OutputError) {
        guard let time = corkTime, clock.now >= time else { return }
        corkTime = nil
        isCorked = true
        stream.setCorked(true)
        if let timing = try stream.flush(asksHeld: false) { restart(at: timing) }
    }

    package mutating func resume() throws(OutputError) {
        blocks.restart()
        if isCorked { stream.setCorked(false) }
        isCorked = false
    }

    package mutating func flush(continuing: Bool) throws(OutputError) -> Int {
        guard corkTime == nil else { return 0 }
        guard continuing, !isCorked else { return try flushCorked() }
        var before = try stream.timing()
        if let held = before?.deviceLatency, held < Self.quietLatency {
            clock.sleep(until: clock.now + held + 300_000)
            before = try stream.timing()
        }
        guard let before, before.deviceLatency <= Self.inexactTail else { return try flushCorked() }
        isEmpty = true
        guard let timing = try stream.flush() else { return 0 }
        // Frames that the device took after the queue was read were not taken for mixing.
        let mixed =
            before.readIndex == timing.readIndex
            ? stream.mixed(beyond: before.writeIndex - before.readIndex) : 0
        let dropped = frames(from: timing.readIndex, to: end)
        restart(at: timing)
        return dropped + mixed
    }

    /// Discards what the device has not taken, and what it can give back.
    private mutating func flushCorked() throws(OutputError) -> Int {
        if !isCorked { stream.setCorked(true) }
        (isCorked, isEmpty) = (true, true)
        guard let timing = try stream.flush() else { return 0 }
        let dropped = frames(from: timing.readIndex, to: end)
        let mixed = stream.mixed(beyond: end - timing.readIndex)
        restart(at: timing)
        return dropped + mixed
    }

    /// The number of frames that the device has not accepted. PipeWire's read index keeps moving
    /// when there are none.
    private func frames(from readIndex: Int64, to writeIndex: Int64) -> Int {
        max(0, Int((writeIndex - readIndex) / Int64(format.bytesPerFrame)))
    }

    /// After a flush, makes the next bytes go where the device is.
    private mutating func restart(at timing: PulseStream.Timing) {
        blocks.restart()
        end = timing.readIndex
        restart = timing.writeIndex == end ? nil : end
    }

    package mutating func wait(until deadline: Int64?, or descriptor: Int32) throws(OutputError) {
        try stream.wait(
            until: corkTime.map { min($0, deadline ?? .max) } ?? deadline, or: descriptor)
        try corkWhenDue()
    }

    package mutating func streamVolume(isAsked: Bool) throws(OutputError) -> StreamVolume? {
        if isAsked { try stream.waitForVolume(until: clock.now + Self.volumeDeadline) }
        guard var volume = stream.volume, let hasFlatVolume = stream.hasFlatVolume else {
            return nil
        }
        if isVolumeRefused || hasFlatVolume {
            // The volume is also the device's, and the stream's share of it cannot be known.
            (volume.factor, volume.isSettable) = (1, false)
        }
        return volume
    }

    package mutating func setStreamVolume(
        _ change: StreamVolume.Change
    ) throws(OutputError) -> Bool {
        switch try stream.set(change, until: clock.now + Self.volumeDeadline) {
        case .done: return true
        case .unanswered: return false
        case .refused:
            isVolumeRefused = true
            return false
        }
    }

    /// Drains the stream: if the last frames are fewer than PipeWire fetches at once, it plays
    /// silence before them, unless it knows by then that no more follow.
    package mutating func expectEnd() { stream.beginDrain() }

    package mutating func drain() throws(OutputError) {
        let isPlaying = try stream.timing()?.isPlaying ?? true
        try stream.drain()
        // A sound that has only just begun is still in the device, and would be lost with the stream.
        guard !isPlaying, let held = try stream.timing()?.deviceLatency else { return }
        clock.sleep(until: clock.now + min(held, Self.longestStart))
    }

    package consuming func close() {}

    private static func bytes(_ format: StreamFormat, _ milliseconds: Int) -> Int {
        format.frames(milliseconds: milliseconds) * format.bytesPerFrame
    }
}
