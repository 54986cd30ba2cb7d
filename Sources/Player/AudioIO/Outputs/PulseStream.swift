import CUndersongPulse
import Glibc
import UndersongPlayback

/// A stream on a sound server. Belongs to its connection's thread.
@safe
final class PulseStream {
    /// The server's report about the stream at one moment, in bytes from its start.
    struct Timing {
        /// The index of the next byte to be written.
        var writeIndex: Int64
        /// The index up to which the device has read bytes.
        var readIndex: Int64
        /// Nanoseconds of sound that the device holds of what it has taken.
        var deviceLatency: Int64
        /// True if the device takes bytes; else it waits for the first ones, or for more.
        var isPlaying: Bool
        /// The time of the report, and its possible error: half of the time that the answer took.
        var hostTime: Int64
        var error: Int64
    }

    /// The outcome of a request.
    enum Outcome {
        case done
        case refused
        /// No answer came in time; it may still be done.
        case unanswered
    }

    /// The buffer that a new stream requests from the server, in bytes.
    struct Buffer {
        var length: Int
        var prebuffer: Int
        var request: Int
    }

    private let connection: ServerConnection
    /// Kept because the connection may have another one before this one is gone.
    private let context: OpaquePointer
    private let stream: OpaquePointer
    /// The reason why the stream has ended.
    private var endCode: Int32 = 0
    private let specification: pa_sample_spec
    /// True if the server has asked for more, or the stream has changed.
    private var hasNews = false
    /// Counts how often the stream was moved, and its device suspended or resumed.
    private(set) var deviceChanges = 0
    /// The outcome of the pending request.
    private var outcome = Outcome.unanswered
    /// True if the server is PipeWire; nil until it has said so.
    private(set) var isPipeWire: Bool?
    /// The stream's volume as last reported by the server; nil until then.
    private(set) var volume: StreamVolume?
    private var channelVolumes = pa_cvolume()
    /// Microseconds of sound that the server had not given to the device at its last report.
    private var queued: pa_usec_t = 0
    /// True if the device's volume follows those of its streams; nil if unknown.
    private(set) var hasFlatVolume: Bool?

    /// Creates a stream on `device` (nil: the default sink). Blocks for the server's answers.
    /// - Throws: An error if the server does not answer, or refuses.
    init(
        on connection: ServerConnection, _ format: StreamFormat, _ buffer: Buffer, device: String?
    ) throws(OutputError) {
        try connection.waitUntilReady()
        let server = connection.configuration.server
        var specification = pa_sample_spec(format)
        guard let context = unsafe connection.context,
            let stream = unsafe withMap(
                of: format,
                { map in
                    unsafe pa_stream_new(context, "Playback", &specification, map)
                })
        else { throw PulseError.ofConnection(Int32(PA_ERR_INTERNAL.rawValue), to: server) }
        unsafe self.context = unsafe pa_context_ref(context)
        unsafe self.stream = stream
        self.connection = connection
        self.specification = specification
        connection.streamCount += 1
        let userData = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe pa_stream_set_state_callback(stream, stateHasChanged, userData)
        unsafe pa_stream_set_write_callback(stream, hasRoom, userData)
        unsafe pa_stream_set_moved_callback(stream, deviceHasChanged, userData)
        unsafe pa_stream_set_suspended_callback(stream, deviceHasChanged, userData)
        unsafe pa_stream_set_underflow_callback(stream, hasRunDry, userData)
        if let code = connect(buffer, device) {
            throw PulseError.ofConnection(code, to: server, device: device)
        }
        unsafe forget(pa_context_get_server_info(context, takeServer, userData))
        askVolume()
    }

    deinit {
        unsafe pa_stream_set_state_callback(stream, nil, nil)
        unsafe pa_stream_set_write_callback(stream, nil, nil)
        unsafe pa_stream_set_moved_callback(stream, nil, nil)
        unsafe pa_stream_set_suspended_callback(stream, nil, nil)
        unsafe pa_stream_set_underflow_callback(stream, nil, nil)
        unsafe pa_stream_disconnect(stream)
        unsafe pa_stream_unref(stream)
        unsafe pa_context_unref(context)
        connection.streamCount -= 1
    }

    /// Connects the stream and waits for the result. Returns libpulse's error number if it fails.
    private func connect(_ buffer: Buffer, _ device: String?) -> Int32? {
        var attributes = pa_buffer_attr(
            maxlength: .max, tlength: UInt32(buffer.length), prebuf: UInt32(buffer.prebuffer),
            minreq: UInt32(buffer.request), fragsize: .max)
        let code = unsafe pa_stream_connect_playback(
            stream, device, &attributes, PA_STREAM_ADJUST_LATENCY, nil, nil)
        guard code >= 0 else { return -code }
        let isAnswered = connection.waitUntil {
            let state = unsafe pa_stream_get_state(stream)
            return state == PA_STREAM_READY || PA_STREAM_IS_GOOD(state) == 0
        }
        guard isAnswered else { return PulseError.timeout }
        return unsafe pa_stream_get_state(stream) == PA_STREAM_READY ? nil : endCode
    }

    // MARK: Waiting

    /// Waits until `descriptor` can be read, the server asks for more or changes the stream, or
    /// until `deadline`.
    ///
    /// Shortly before the deadline any message from PulseAudio also ends the wait, since waking
    /// once is cheaper than waking twice. Not on PipeWire: its messages come when it takes a block,
    /// so readings after them would all be at the same phase of a block and their mean would be
    /// biased.
    /// - Throws: An error if the server or the stream has gone.
    func wait(until deadline: Int64?, or descriptor: Int32) throws(OutputError) {
        let loop = connection.loop
        loop.watch(descriptor)
        defer { loop.stopWatching() }
        let enough = isPipeWire == false ? deadline.map { $0 - PulseOutput.waitEarliness } : nil
        hasNews = false
        while !loop.isWoken && !hasNews {
            try check()
            guard loop.iterate(until: deadline), connection.clock.now < enough ?? .max else {
                break
            }
        }
        try check()
    }

    /// - Throws: An error if the server or the stream has gone.
    private func check() throws(OutputError) {
        if unsafe PA_STREAM_IS_GOOD(pa_stream_get_state(stream)) == 0 { throw failure }
    }

    private var failure: OutputError { PulseError.ofStream(endCode) }

    /// Sends a request and waits for its answer, without limit unless there is a deadline.
    /// - Throws: An error if the server is gone.
    @discardableResult
    private func ask(
        until deadline: Int64? = nil, _ request: (UnsafeMutableRawPointer) -> OpaquePointer?
    ) throws(OutputError) -> Outcome {
        outcome = .unanswered
        let userData = unsafe Unmanaged.passUnretained(self).toOpaque()
        guard let operation = unsafe request(userData) else {
            try check()
            return .refused
        }
        defer { unsafe pa_operation_unref(operation) }
        while unsafe pa_operation_get_state(operation) == PA_OPERATION_RUNNING {
            try check()
            guard connection.loop.iterate(until: deadline) else {
                unsafe pa_operation_cancel(operation)
                return .unanswered
            }
        }
        try check()
        return outcome
    }

    private func forget(_ operation: OpaquePointer?) {
        if let operation = unsafe operation { unsafe pa_operation_unref(operation) }
    }

    // MARK: The stream

    /// Bytes that the server wants now.
    var writableSize: Int {
        let size = unsafe pa_stream_writable_size(stream)
        return size == Int.max || size < 0 ? 0 : size
    }

    /// The length of the server's buffer in bytes, as it was granted.
    var bufferLength: Int {
        unsafe pa_stream_get_buffer_attr(stream).map { unsafe Int($0.pointee.tlength) } ?? 0
    }

    /// True if the device is suspended, and plays nothing.
    var isSuspended: Bool { unsafe pa_stream_is_suspended(stream) > 0 }

    /// The most bytes that fit into one block of shared memory. The server returns each block when it
    /// has used it, which wakes this thread: the fewer blocks, the fewer wake-ups.
    private(set) lazy var blockLength: Int = {
        // Every bit set asks for as many bytes as there can be.
        var length = -1
        var block: UnsafeMutableRawPointer?
        guard unsafe pa_stream_begin_write(stream, &block, &length) == 0 else { return .max }
        unsafe pa_stream_cancel_write(stream)
        return length
    }()

    /// Writes bytes, which libpulse copies, at `index` (nil: after the last ones). Never waits for the
    /// server.
    func write(
        _ frames: UnsafeRawBufferPointer, at index: Int64? = nil
    ) throws(OutputError) {
        let mode = index == nil ? PA_SEEK_RELATIVE : PA_SEEK_ABSOLUTE
        guard
            unsafe pa_stream_write(
                stream, frames.baseAddress, frames.count, nil, index ?? 0, mode) == 0
        else { throw failure }
    }

    /// Stops the device from taking bytes and takes back those that it can return, so that the read
    /// index then says what it has taken for good; or lets it take bytes again. Does not wait.
    func setCorked(_ isCorked: Bool) {
        unsafe forget(pa_stream_cork(stream, isCorked ? 1 : 0, nil, nil))
    }

    /// Discards what the device has not taken. The write index may then be some frames after the read
    /// index. `mixed` needs to know what the server held before that; a flush that does not ask for
    /// it takes effect sooner.
    func flush(asksHeld: Bool = true) throws(OutputError) -> Timing? {
        if asksHeld { askInput() }
        unsafe forget(pa_stream_flush(stream, nil, nil))
        return try timing()
    }

    /// Beside other streams the server takes a few more frames than it can mix at once. They are heard
    /// after a cork, but a flush discards them. Returns how many of them, which are before the read
    /// index, the last flush discarded together with `waiting` bytes after it.
    func mixed(beyond waiting: Int64) -> Int {
        let frameSize = unsafe withUnsafePointer(to: specification) { unsafe pa_frame_size($0) }
        let held = Int((Double(queued) * Double(specification.rate) / 1e6).rounded())
        // PipeWire does not know what it holds and reports 0; its read index keeps moving when there
        // is nothing to read.
        return max(0, held - max(0, Int(waiting)) / frameSize)
    }

    /// Asks the server for the stream's position; nil if it does not report one.
    func timing() throws(OutputError) -> Timing? {
        let start = connection.clock.now
        let outcome = try unsafe ask { userData in
            unsafe pa_stream_update_timing_info(stream, isDone, userData)
        }
        let end = connection.clock.now
        guard outcome == .done, let info = unsafe pa_stream_get_timing_info(stream)?.pointee,
            info.write_index_corrupt == 0, info.read_index_corrupt == 0
        else { return nil }
        return Timing(
            writeIndex: info.write_index, readIndex: info.read_index,
            deviceLatency: Int64(info.sink_usec) * 1000, isPlaying: info.playing != 0,
            hostTime: moment(of: info) ?? start + (end - start) / 2, error: (end - start) / 2)
    }

    /// The time at which the server took the reading, by its own clock, since a late answer does
    /// not reveal that; nil if its clock is not this machine's.
    private func moment(of info: pa_timing_info) -> Int64? {
        guard info.synchronized_clocks != 0 else { return nil }
        let looked =
            Int64(info.timestamp.tv_sec) * 1_000_000_000 + Int64(info.timestamp.tv_usec) * 1000
        return connection.clock.now - (connection.clock.sinceEpoch - looked)
    }

    /// Asks the server to play everything written; does not wait for that.
    func beginDrain() { unsafe forget(pa_stream_drain(stream, nil, nil)) }

    /// Waits until the device has played everything written.
    func drain() throws(OutputError) {
        _ = try unsafe ask { userData in unsafe pa_stream_drain(stream, isDone, userData) }
    }

    // MARK: The volume

    /// Asks for the stream's volume; the answer arrives during a later wait.
    func askVolume() {
        askInput()
        let userData = unsafe Unmanaged.passUnretained(self).toOpaque()
        let device = unsafe pa_stream_get_device_index(stream)
        unsafe forget(pa_context_get_sink_info_by_index(context, device, takeDevice, userData))
    }

    private func askInput() {
        let index = unsafe pa_stream_get_index(stream)
        let userData = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe forget(pa_context_get_sink_input_info(context, index, takeInput, userData))
    }

    /// Asks for the volume and waits for the answer.
    func waitForVolume(until deadline: Int64) throws(OutputError) {
        let index = unsafe pa_stream_get_index(stream)
        try unsafe ask(until: deadline) { userData in
            unsafe pa_context_get_sink_input_info(context, index, takeInput, userData)
        }
    }

    /// Sets the stream's volume and keeps the proportions of its channels.
    func set(_ change: StreamVolume.Change, until deadline: Int64) throws(OutputError) -> Outcome {
        let index = unsafe pa_stream_get_index(stream)
        if let factor = change.factor {
            var volumes = channelVolumes.scaled(toAverage: factor)
            let outcome = try unsafe ask(until: deadline) { userData in
                unsafe pa_context_set_sink_input_volume(context, index, &volumes, isSet, userData)
            }
            guard outcome == .done else { return outcome }
        }
        guard let isMuted = change.isMuted else { return .done }
        return try unsafe ask(until: deadline) { userData in
            unsafe pa_context_set_sink_input_mute(context, index, isMuted ? 1 : 0, isSet, userData)
        }
    }

    // MARK: What libpulse calls

    fileprivate func noteNews() { hasNews = true }

    fileprivate func changeState() {
        guard unsafe PA_STREAM_IS_GOOD(pa_stream_get_state(stream)) == 0 else { return }
        let code = unsafe pa_context_errno(context)
        endCode = code == 0 ? Int32(PA_ERR_CONNECTIONTERMINATED.rawValue) : code
    }

    fileprivate func changeDevice() {
        deviceChanges += 1
        hasNews = true
    }

    fileprivate func answer(isSuccess: Bool) { outcome = isSuccess ? .done : .refused }

    fileprivate func receive(_ info: pa_server_info) {
        let name = unsafe info.server_name.map { unsafe String(cString: $0) }
        isPipeWire = name?.contains("PipeWire") ?? false
    }

    fileprivate func receive(_ info: pa_sink_input_info) {
        channelVolumes = unsafe info.volume
        queued = unsafe info.buffer_usec
        volume = unsafe StreamVolume(
            factor: channelVolumes.averageFactor, isMuted: info.mute != 0,
            isSettable: info.has_volume != 0 && info.volume_writable != 0)
    }

    fileprivate func receive(_ info: pa_sink_info) {
        hasFlatVolume = unsafe info.flags.rawValue & PA_SINK_FLAT_VOLUME.rawValue != 0
    }
}

// MARK: - Callbacks

private func receiver(_ userData: UnsafeMutableRawPointer?) -> PulseStream? {
    unsafe userData.map { unsafe Unmanaged<PulseStream>.fromOpaque($0).takeUnretainedValue() }
}

private let stateHasChanged: pa_stream_notify_cb_t = { _, userData in
    unsafe receiver(userData)?.changeState()
}

private let hasRoom: pa_stream_request_cb_t = { _, _, userData in
    unsafe receiver(userData)?.noteNews()
}

private let hasRunDry: pa_stream_notify_cb_t = { _, userData in
    unsafe receiver(userData)?.noteNews()
}

private let deviceHasChanged: pa_stream_notify_cb_t = { _, userData in
    unsafe receiver(userData)?.changeDevice()
}

private let isDone: pa_stream_success_cb_t = { _, success, userData in
    unsafe receiver(userData)?.answer(isSuccess: success != 0)
}

private let isSet: pa_context_success_cb_t = { _, success, userData in
    unsafe receiver(userData)?.answer(isSuccess: success != 0)
}

private let takeServer: pa_server_info_cb_t = { _, info, userData in
    guard let info = unsafe info?.pointee else { return }
    unsafe receiver(userData)?.receive(info)
}

private let takeInput: pa_sink_input_info_cb_t = { _, info, _, userData in
    guard let info = unsafe info?.pointee else { return }
    unsafe receiver(userData)?.receive(info)
}

private let takeDevice: pa_sink_info_cb_t = { _, info, _, userData in
    guard let info = unsafe info?.pointee else { return }
    unsafe receiver(userData)?.receive(info)
}
