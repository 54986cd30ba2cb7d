import CUndersongPulse
import Synchronization
import UndersongBase
import UndersongPlayback

/// One stream of libpulse-simple, and the thread that makes every call on it, each of which may block.
///
/// It takes frames from a ring and gives them to the server piece by piece. Unchecked because `frames`
/// and `stream` belong to its thread; all else is atomic or made for several threads. The thread ends
/// after `end`, however long the server keeps it, and frees the stream.
@safe
final class PulseSimpleFeeder: @unchecked Sendable {
    static let bufferMilliseconds = 250
    private static let prebufferMilliseconds = 20
    private static let pieceMilliseconds = 20

    /// The frames given to the server.
    let claims = FrameClaims()
    /// The times at which frames of the stream are heard, by libpulse's last answer.
    let clock = RenderClock()
    /// Becomes readable when the room asked for is free, or the stream has failed.
    let news = Wakeup()

    private let format: StreamFormat
    private let server: String?
    private let device: String?
    private let hostClock: any HostClock
    /// The number of frames that must be free in the ring to count as room.
    private let leastRoom: Int
    private let work = Semaphore()
    private let answer = Semaphore()
    private let isEnding = Atomic<Bool>(false)
    private let wantsRoom = Atomic<Bool>(false)
    private let wantsDrain = Atomic<Bool>(false)
    private let isOpen = Atomic<Bool>(false)
    /// libpulse's error number; 0 if nothing went wrong.
    private let failure = Atomic<Int32>(0)

    private var frames: FrameConsumer
    private var stream: OpaquePointer?

    init(
        format: StreamFormat, frames: consuming FrameConsumer, leastRoom: Int, server: String?,
        device: String?, hostClock: any HostClock
    ) {
        self.format = format
        self.frames = frames
        self.leastRoom = leastRoom
        self.server = server
        self.device = device
        self.hostClock = hostClock
    }

    // MARK: The output thread

    /// Starts the thread and waits until the stream is open, or until `deadline`.
    /// - Throws: An error if it cannot be opened or the server does not answer.
    func start(until deadline: Int64) throws(OutputError) {
        startThread(named: "feed", isUrgent: true) { self.run() }
        let hasAnswered = answer.wait(until: deadline)
        try check()
        guard hasAnswered else {
            throw PulseError.ofConnection(PulseError.timeout, to: server)
        }
    }

    /// - Throws: An error if the stream cannot be opened or has gone.
    func check() throws(OutputError) {
        let code = failure.load(ordering: .sequentiallyConsistent)
        guard code != 0 else { return }
        throw isOpen.load(ordering: .relaxed)
            ? PulseError.ofStream(code)
            : PulseError.ofConnection(code, to: server, device: device)
    }

    /// There may be more frames to take. Does not wait.
    func notify() { work.post() }

    /// Sets whether `news` becomes readable as soon as there is room. The caller must check for room
    /// once more afterwards.
    func setWantsRoom(_ isWanted: Bool) {
        wantsRoom.store(isWanted, ordering: .sequentiallyConsistent)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }

    /// Blocks until all frames have been heard.
    /// - Throws: An error if the stream has gone.
    func drain() throws(OutputError) {
        wantsDrain.store(true, ordering: .sequentiallyConsistent)
        try check()
        work.post()
        answer.wait()
        try check()
    }

    /// Lets the thread end as soon as it can. Does not wait.
    func end() {
        isEnding.store(true, ordering: .releasing)
        work.post()
    }

    // MARK: The feeder's thread

    private func run() {
        open()
        answer.post()
        while !isEnding.load(ordering: .acquiring), failure.load(ordering: .relaxed) == 0 {
            if feed() { continue }
            if wantsDrain.load(ordering: .sequentiallyConsistent), frames.available == 0 {
                drainStream()
            } else {
                work.wait()
            }
        }
        if let stream = unsafe stream { unsafe pa_simple_free(stream) }
    }

    private func open() {
        var specification = pa_sample_spec(format)
        var attributes = pa_buffer_attr(
            maxlength: .max, tlength: bytes(Self.bufferMilliseconds),
            prebuf: bytes(Self.prebufferMilliseconds), minreq: bytes(Self.pieceMilliseconds),
            fragsize: .max)
        var code: Int32 = 0
        unsafe stream = withMap(of: format) { map in
            unsafe pa_simple_new(
                server, "Undersong", PA_STREAM_PLAYBACK, device, "Playback", &specification, map,
                &attributes, &code)
        }
        guard unsafe stream != nil else { return fail(code) }
        isOpen.store(true, ordering: .relaxed)
    }

    /// Gives the next piece to the server; returns false if there is none or it may not be taken.
    private func feed() -> Bool {
        let moment = claims.now
        let samples = unsafe frames.next(limit: format.frames(milliseconds: Self.pieceMilliseconds))
        let count = samples.count / format.bytesPerFrame
        guard count > 0, !moment.isStopped else { return false }
        guard claims.claim(count, at: moment) else { return true }
        var code: Int32 = 0
        let size = count * format.bytesPerFrame
        guard unsafe pa_simple_write(stream, samples.baseAddress, size, &code) >= 0 else {
            fail(code)
            return true
        }
        frames.advance(by: count)
        publishReading()
        reportRoom()
        return true
    }

    private func publishReading() {
        let start = hostClock.now
        var code: Int32 = 0
        let latency = unsafe pa_simple_get_latency(stream, &code)
        guard latency != .max else { return fail(code) }
        let error = (hostClock.now - start) / 2
        let queued = Double(latency) * Double(format.sampleRate) / 1e6
        clock.publish(
            ClockReading(
                written: frames.position, heard: Double(frames.position) - queued,
                hostTime: start + error, error: error))
    }

    private func reportRoom() {
        // The free space must be published before the wish is read, or both sides could miss each other.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        guard wantsRoom.load(ordering: .sequentiallyConsistent),
            frames.ahead - frames.available >= leastRoom
        else { return }
        wantsRoom.store(false, ordering: .sequentiallyConsistent)
        news.post()
    }

    private func drainStream() {
        var code: Int32 = 0
        guard unsafe pa_simple_drain(stream, &code) >= 0 else { return fail(code) }
        wantsDrain.store(false, ordering: .sequentiallyConsistent)
        answer.post()
    }

    private func fail(_ code: Int32) {
        failure.store(code, ordering: .sequentiallyConsistent)
        news.post()
        if wantsDrain.load(ordering: .sequentiallyConsistent) { answer.post() }
    }

    private func bytes(_ milliseconds: Int) -> UInt32 {
        UInt32(format.frames(milliseconds: milliseconds) * format.bytesPerFrame)
    }
}
