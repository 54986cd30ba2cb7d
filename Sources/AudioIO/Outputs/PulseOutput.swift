import CPulse
import Glibc
package import Playback
import Synchronization

/// Plays through libpulse-simple. Owned by the output thread.
///
/// The buffer is long, so that the player seldom wakes, and playing starts 20 ms after the first
/// frame: with the server's default it would not start at all for short sounds, and with none an
/// underrun would lose what comes after it (field notes, 2). What has to be heard at once flushes
/// first: `flush` tells to the frame where to go on.
@safe
package struct PulseOutput: AudioOutput, ~Copyable {
    static let bufferMilliseconds = 3000
    static let prebufferMilliseconds = 20
    /// What the server asks for at a time: each of its requests wakes a thread.
    static let requestMilliseconds = 500
    /// What the output thread keeps queued at most. The server keeps up to a third of the buffer for
    /// the device, and asks for a request's length at a time: of what is left a write takes a chunk
    /// at once, so that no command waits for it.
    static let targetMilliseconds = 1750
    /// A device that holds this much, or twice what the last flush took, will not take another block
    /// before a flush is done. To go on, what follows has to be there by then as well, and a busy
    /// machine brings it late. One with short blocks holds a share of them at most.
    private static let quietLatency: Int64 = 5_000_000
    private static let quietLatencyToGoOn: Int64 = 15_000_000
    private static let quietShare = 0.2
    private static let quietShareToGoOn = 0.6
    /// A block that is due so soon may be taken already.
    private static let margin: Int64 = 200_000
    private static let quietMomentTries = 3
    /// Samples are under way to the server for less than this, and it answers every millisecond.
    private static let arrivalTries = 20
    /// An answer that came so quickly says well when it was so. Of slower ones the best is taken,
    /// unless all were so slow that it says too little.
    private static let quickAnswer: Int64 = 300_000
    private static let slowAnswer: Int64 = 2_000_000
    private static let answerTries = 8
    /// After so much of a stream its latency is what it says, to within the tolerance.
    private static let youth: Int64 = 500_000_000
    private static let tolerance: Int64 = 8_000_000
    /// What a start waits for the probe at most, where it has to know the stream's volume.
    private static let connectDeadline: Int64 = 50_000_000

    private let stream: OpaquePointer
    private let format: StreamFormat
    private let server: String?
    private let name: String
    private let onLoss: @Sendable (_ hostTime: Int64) -> Void
    /// Made behind the first write, so that no sound waits for it, where none has to.
    private var probe: PulseProbe?
    /// Whether the server does not let the stream's volume be set.
    private var isVolumeRefused = false
    /// Nanoseconds that the device takes at a time, 0 while that is not known.
    private var deviceBlock: Int64 = 0
    /// Frames written since the stream was last empty, and when the first of them were.
    private var written = 0
    private var startTime: Int64 = 0
    /// How long it took lately from the question what the server holds to the end of the flush.
    private var flushDuration: Int64 = 0
    /// What the server held when it was asked last: its next answer has to fit that.
    private var arrivals: ArrivalGauge

    /// Connects to `server` (nil: the user's default) and opens a stream on `device` (nil: the
    /// default sink). Blocks for the server's answer. With `asksVolume` it also waits, 50 ms at most,
    /// until it knows the volume that the server gives the stream, which may remember another than
    /// its own: no sound is to begin with it. `onLoss` is called on a thread of libpulse, at
    /// most once, when the server is seen to go while the stream lives; it must not block.
    package init(
        format: StreamFormat, server: String?, device: String?, asksVolume: Bool = false,
        onLoss: @escaping @Sendable (_ hostTime: Int64) -> Void = { _ in }
    ) throws(OutputError) {
        var specification = pa_sample_spec(
            format: PA_SAMPLE_S16LE, rate: UInt32(format.sampleRate),
            channels: UInt8(format.channelCount))
        var buffer = pa_buffer_attr(
            maxlength: .max, tlength: Self.bytes(format, Self.bufferMilliseconds),
            prebuf: Self.bytes(format, Self.prebufferMilliseconds),
            minreq: Self.bytes(format, Self.requestMilliseconds), fragsize: .max)
        let name = PulseProbe.uniqueStreamName()
        var code: Int32 = 0
        guard
            let stream = unsafe pa_simple_new(
                server, "Undersong", PA_STREAM_PLAYBACK, device, name, &specification, nil, &buffer,
                &code)
        else { throw Self.connectError(code, server: server, device: device) }
        unsafe self.stream = stream
        self.format = format
        self.server = server
        self.name = name
        self.onLoss = onLoss
        arrivals = ArrivalGauge(format: format)
        guard asksVolume else { return }
        probe = PulseProbe(server: server, streamName: name, onLoss: onLoss)
        probe?.waitUntilConnected(until: HostTime.now() + Self.connectDeadline)
        _ = probe?.queue()
    }

    deinit { unsafe pa_simple_free(stream) }

    package var targetLatency: Int { format.frames(milliseconds: Self.targetMilliseconds) }

    package var spareRoom: Int {
        format.frames(milliseconds: Self.bufferMilliseconds - Self.targetMilliseconds)
    }

    package mutating func write(_ samples: UnsafeBufferPointer<Int16>) throws(OutputError) {
        if written == 0 { startTime = HostTime.now() }
        written += samples.count / format.channelCount
        var code: Int32 = 0
        guard unsafe pa_simple_write(stream, samples.baseAddress, samples.count * 2, &code) >= 0
        else { throw Self.lost(code) }
        if probe == nil { probe = PulseProbe(server: server, streamName: name, onLoss: onLoss) }
    }

    package mutating func latency() throws(OutputError) -> Int64 {
        var code: Int32 = 0
        let microseconds = unsafe pa_simple_get_latency(stream, &code)
        guard microseconds != .max else { throw Self.lost(code) }
        return Int64(microseconds) * 1000
    }

    /// The server's own count of what it and the device hold. libpulse's latency goes by it too, but
    /// interpolates between answers, and may be some milliseconds off for the first seconds.
    package mutating func exactLatency() throws(OutputError) -> (
        nanoseconds: Int64, hostTime: Int64
    )? {
        var best: PulseProbe.Queue?
        for _ in 0..<Self.answerTries {
            guard let queue = try arrivedQueue(), queue.streamLatency > 0 else { break }
            if queue.duration < best?.duration ?? .max { best = queue }
            if queue.duration < Self.quickAnswer { break }
        }
        guard let best, best.duration < Self.slowAnswer else { return nil }
        return (best.latency, best.hostTime - best.duration / 2)
    }

    /// libpulse-simple does not say how much a flush threw away, and its interpolated latency is off
    /// by a few frames. The server's own count of our queued bytes is exact, so it is asked for over
    /// the probe's connection just before; without a probe's answer the latency has to do.
    package mutating func flush(toGoOn: Bool) throws(OutputError) -> Int {
        let before = try quietMoment(toGoOn: toGoOn)
        let (latency, start) = (try self.latency(), HostTime.now())
        defer {
            written = 0
            arrivals.forget()
        }
        var code: Int32 = 0
        guard unsafe pa_simple_flush(stream, &code) >= 0 else { throw Self.lost(code) }
        if let before, before.streamLatency > 0 {
            let duration = HostTime.now() - before.askTime
            flushDuration = max(duration, flushDuration / 2)
            let takesBlocks = deviceBlock > 0 && probe?.isHardware == false
            if takesBlocks && duration < before.deviceLatency - Self.margin {
                return format.roundedFrames(nanoseconds: before.streamLatency)
            }
            if takesBlocks {
                let (held, now) = (try self.latency(), HostTime.now())
                // What the device holds says it best; of a young stream the latency is off, both
                // times alike.
                let untouched =
                    start - startTime > Self.youth
                    ? before.deviceLatency - (now - before.hostTime)
                    : latency - before.streamLatency - (now - start)
                return dropped(before, held: held, untouched: untouched)
            }
            if let after = probe?.queue() { return dropped(before, after) }
        }
        let remaining = try self.latency() + HostTime.now() - start
        return max(0, format.frames(nanoseconds: latency - remaining))
    }

    /// Asks the server what it holds, at a moment when the device will not take anything soon: it
    /// takes whole blocks, when its own latency has run out, and one that it took between the answer
    /// and the flush would have to be guessed. Returns after a few tries whatever the device does.
    private mutating func quietMoment(toGoOn: Bool) throws(OutputError) -> PulseProbe.Queue? {
        var queue: PulseProbe.Queue?
        deviceBlock = probe?.deviceBlock ?? 0
        let block = deviceBlock > 0 ? Double(deviceBlock) : .infinity
        let latency = toGoOn ? Self.quietLatencyToGoOn : Self.quietLatency
        let share = toGoOn ? Self.quietShareToGoOn : Self.quietShare
        let enough = Int64(
            max(
                min(Double(latency), block * share),
                min(Double(2 * flushDuration), block * Self.quietShareToGoOn)))
        for _ in 0..<Self.quietMomentTries {
            queue = try arrivedQueue()
            guard let queue, queue.deviceLatency < enough else { break }
            HostTime.sleep(until: queue.hostTime + queue.deviceLatency + 300_000)
        }
        return queue
    }

    /// What the server holds, once all that was written has arrived there: the two go over different
    /// connections.
    private mutating func arrivedQueue() throws(OutputError) -> PulseProbe.Queue? {
        var queue: PulseProbe.Queue?
        for _ in 0..<Self.arrivalTries {
            queue = probe?.queue()
            guard let queue else { return nil }
            let age = queue.hostTime - startTime
            // At first the latency is fiction (field notes, 2). No more can have been heard than the
            // time that has passed.
            var least =
                age < Self.youth
                ? format.nanoseconds(frames: written) - age : try latency() - Self.tolerance
            if let known = arrivals.least(at: queue.hostTime, written: written) {
                least = max(least, known - Self.tolerance)
            }
            if queue.latency > least { break }
            HostTime.sleep(until: HostTime.now() + 1_000_000)
        }
        if let queue { arrivals.take(queue.latency, at: queue.hostTime, written: written) }
        return queue
    }

    package mutating func streamVolume(isAsked: Bool) -> StreamVolume? {
        if isAsked, probe?.queue() == nil { return nil }
        guard let probe, var volume = probe.volume else { return nil }
        if probe.hasFlatVolume == nil { _ = probe.deviceBlock }
        if isVolumeRefused || probe.hasFlatVolume ?? true {
            // The volume is the device's as well: what the stream has of it is not to be had.
            (volume.factor, volume.isSettable) = (1, false)
        }
        return volume
    }

    package mutating func setStreamVolume(_ change: StreamVolume.Change) -> Bool {
        guard let probe else { return false }
        switch probe.set(change) {
        case .done: return true
        case .unanswered: return false
        case .refused:
            isVolumeRefused = true
            return false
        }
    }

    package mutating func drain() throws(OutputError) {
        var code: Int32 = 0
        guard unsafe pa_simple_drain(stream, &code) >= 0 else { throw Self.lost(code) }
    }

    package consuming func close() {}

    /// What was queued is what is lost, unless the device took blocks of it between the question and
    /// the flush. Those that it took behind the flush held nothing of ours, and from the answer to a
    /// later question the two cannot be told apart. But libpulse asks for the stream's own latency
    /// right behind the flush, and that has jumped up from what it was in the first case only.
    private func dropped(_ before: PulseProbe.Queue, held: Int64, untouched: Int64) -> Int {
        let queued = format.roundedFrames(nanoseconds: before.streamLatency)
        // All of it has been heard out by now: this thread is late, and the flush most likely not.
        guard held > 0 else { return queued }
        let blocks = max(0, (Double(held - untouched) / Double(deviceBlock)).rounded())
        return max(0, queued - Int(blocks) * format.roundedFrames(nanoseconds: deviceBlock))
    }

    /// What was queued is what is lost, unless the device took blocks of it between the question and
    /// the flush (its own latency has jumped up), or gave some back (it has jumped down).
    private func dropped(_ before: PulseProbe.Queue, _ after: PulseProbe.Queue) -> Int {
        let queued = format.roundedFrames(nanoseconds: before.streamLatency)
        let elapsed = after.hostTime - before.hostTime
        let jump = after.deviceLatency - (before.deviceLatency - elapsed)
        let count = deviceBlock > 0 ? (Double(jump) / Double(deviceBlock)).rounded() : 0
        if abs(Double(jump) - count * Double(deviceBlock)) < Double(deviceBlock) / 4 {
            return max(0, queued - Int(count) * format.roundedFrames(nanoseconds: deviceBlock))
        }
        // A device without blocks of its own: the answers were under way for a part of the time.
        let isNoise = abs(jump) <= elapsed + 500_000
        let taken = isNoise ? 0 : format.roundedFrames(nanoseconds: jump)
        return max(0, queued - taken)
    }

    private static func bytes(_ format: StreamFormat, _ milliseconds: Int) -> UInt32 {
        UInt32(format.frames(milliseconds: milliseconds) * format.bytesPerFrame)
    }

    private static func connectError(_ code: Int32, server: String?, device: String?) -> OutputError
    {
        let reason = unsafe String(cString: pa_strerror(code))
        if let device, code == Int32(PA_ERR_NOENTITY.rawValue) {
            return OutputError(.noSuchDevice, operation: "play on \(device)", reason: reason)
        }
        let name = server.map { " \($0)" } ?? ""
        let isDenied = code == Int32(PA_ERR_ACCESS.rawValue)
        return OutputError(
            isDenied ? .accessDenied : .serverUnavailable,
            operation: "connect to the sound server\(name)", reason: reason)
    }

    private static func lost(_ code: Int32) -> OutputError {
        OutputError(
            code == Int32(PA_ERR_KILLED.rawValue) ? .streamEnded : .serverLost,
            operation: "play on the sound server",
            reason: unsafe String(cString: pa_strerror(code)))
    }
}

extension StreamFormat {
    /// The nearest whole number of frames: the server rounds times down to the microsecond.
    fileprivate func roundedFrames(nanoseconds: Int64) -> Int {
        Int((Double(nanoseconds) * Double(sampleRate) / 1e9).rounded())
    }
}
