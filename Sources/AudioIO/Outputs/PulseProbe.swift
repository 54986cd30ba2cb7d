import CPulse
import Glibc
import Playback
import Synchronization
import Threads

/// A second, asynchronous connection to the sound server that knows what libpulse-simple does not
/// tell: how much of our stream the server holds, to the frame. It runs on a thread of libpulse and
/// sleeps while nobody asks; every question has a deadline.
@safe
final class PulseProbe: @unchecked Sendable {
    // Unchecked: the answers are written under the main loop's lock by libpulse's thread, and read
    // by the output thread when none is under way.

    /// What the server held of our stream at one moment.
    struct Queue: Sendable {
        /// Nanoseconds of samples that wait in the stream's queue.
        var streamLatency: Int64
        /// Nanoseconds of samples that the device has taken and not yet played.
        var deviceLatency: Int64
        /// When the question was sent, and when the answer came.
        var askTime: Int64
        var hostTime: Int64

        /// Nanoseconds until what is written now would be heard.
        var latency: Int64 { streamLatency + deviceLatency }
        /// How long the answer took.
        var duration: Int64 { hostTime - askTime }
    }

    /// What became of a request.
    enum Outcome: Sendable {
        case done
        case refused
        /// There is no answer yet: it may be done later.
        case unanswered
    }

    /// A busy machine may take long; without the answer nothing is exact.
    private static let deadline: Int64 = 1_000_000_000
    /// A volume is set while the device waits for samples.
    private static let volumeDeadline: Int64 = 10_000_000
    private static let none = UInt32.max
    private static let streams = Atomic<Int>(0)

    private let loop: OpaquePointer
    private let context: OpaquePointer
    private let streamName: String
    private let onLoss: @Sendable (_ hostTime: Int64) -> Void
    private var hasBeenReady = false
    private let answered = Semaphore()
    /// Posted when the connection is made, or is not.
    private let connected = Semaphore()
    private var streamIndex: UInt32?
    private var deviceIndex = PulseProbe.none
    private var answer: Queue?
    private var block: Int64 = 0
    private var askTime: Int64 = 0
    private var isUrgent = false
    /// Whether the device is one that sounds, and not made of software.
    private(set) var isHardware = true
    /// Whether the volumes of its streams are its own as well; nil: not known.
    private(set) var hasFlatVolume: Bool?
    /// The stream's volume as it was in the last answer.
    private(set) var volume: StreamVolume?
    private var channelVolumes = pa_cvolume()
    private var outcome = Outcome.unanswered

    /// A name that no other stream of this process has, so that ours can be found by it.
    static func uniqueStreamName() -> String {
        let number = streams.wrappingAdd(1, ordering: .relaxed).newValue
        return number == 1 ? "Playback" : "Playback \(number)"
    }

    /// Starts to connect, without waiting for it. Nil when libpulse has no resources left.
    init?(
        server: String?, streamName: String, onLoss: @escaping @Sendable (_ hostTime: Int64) -> Void
    ) {
        guard let loop = unsafe pa_threaded_mainloop_new() else { return nil }
        let api = unsafe pa_threaded_mainloop_get_api(loop)
        guard let context = unsafe pa_context_new(api, "Undersong probe") else {
            unsafe pa_threaded_mainloop_free(loop)
            return nil
        }
        unsafe self.loop = loop
        unsafe self.context = context
        self.streamName = streamName
        self.onLoss = onLoss
        let userData = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe pa_context_set_state_callback(context, receiveState, userData)
        unsafe pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil)
        unsafe pa_threaded_mainloop_start(loop)
    }

    deinit {
        unsafe pa_threaded_mainloop_stop(loop)
        unsafe pa_context_set_state_callback(context, nil, nil)
        unsafe pa_context_disconnect(context)
        unsafe pa_context_unref(context)
        unsafe pa_threaded_mainloop_free(loop)
    }

    /// Waits until there is a connection, or is none.
    func waitUntilConnected(until deadline: Int64) { connected.wait(until: deadline) }

    /// Sets the stream's volume, its channels in proportion.
    func set(_ change: StreamVolume.Change) -> Outcome {
        guard let streamIndex else { return .unanswered }
        outcome = .done
        if let factor = change.factor {
            var volumes = channelVolumes.scaled(toAverage: factor)
            outcome = .unanswered
            unsafe wait(deadline: Self.volumeDeadline) { userData in
                unsafe pa_context_set_sink_input_volume(
                    context, streamIndex, &volumes, receiveOutcome, userData)
            }
        }
        if let isMuted = change.isMuted, outcome == .done {
            outcome = .unanswered
            unsafe wait(deadline: Self.volumeDeadline) { userData in
                unsafe pa_context_set_sink_input_mute(
                    context, streamIndex, isMuted ? 1 : 0, receiveOutcome, userData)
            }
        }
        return outcome
    }

    /// What the server holds now; nil when it does not answer in time.
    func queue() -> Queue? {
        answer = nil
        askTime = HostTime.now()
        unsafe wait { userData in
            if let streamIndex {
                unsafe pa_context_get_sink_input_info(
                    context, streamIndex, receiveStream, userData)
            } else {
                unsafe pa_context_get_sink_input_info_list(context, receiveStream, userData)
            }
        }
        return answer
    }

    /// Nanoseconds that the device takes at a time, as it was configured last; 0 when that is not
    /// known. Asks the server.
    var deviceBlock: Int64 {
        if deviceIndex == Self.none { _ = queue() }
        let device = deviceIndex
        guard device != Self.none else { return 0 }
        unsafe wait { userData in
            unsafe pa_context_get_sink_info_by_index(context, device, receiveDevice, userData)
        }
        return block
    }

    /// Sends a question and waits for the end of its answer, or for the deadline.
    private func wait(
        deadline: Int64 = PulseProbe.deadline,
        for question: (_ userData: UnsafeMutableRawPointer) -> OpaquePointer?
    ) {
        let userData = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe pa_threaded_mainloop_lock(loop)
        // An answer that came just after its deadline must not pass for the next one.
        while answered.wait(until: 0) {}
        let isReady = unsafe pa_context_get_state(context) == PA_CONTEXT_READY
        let operation = unsafe isReady ? question(userData) : nil
        unsafe pa_threaded_mainloop_unlock(loop)
        guard let operation = unsafe operation else { return }
        let isAnswered = answered.wait(until: HostTime.now() + deadline)
        unsafe pa_threaded_mainloop_lock(loop)
        defer { unsafe pa_threaded_mainloop_unlock(loop) }
        if !isAnswered { unsafe pa_operation_cancel(operation) }
        unsafe pa_operation_unref(operation)
    }

    /// Takes one entry of the server's answer; nil is its end. Runs on libpulse's thread.
    fileprivate func take(_ info: UnsafePointer<pa_sink_input_info>?) {
        guard let info = unsafe info?.pointee else { return answered.post() }
        guard unsafe info.index == streamIndex || isOurs(info) else { return }
        streamIndex = unsafe info.index
        if unsafe info.sink != deviceIndex { hasFlatVolume = nil }
        deviceIndex = unsafe info.sink
        channelVolumes = unsafe info.volume
        volume = unsafe StreamVolume(
            factor: channelVolumes.averageFactor, isMuted: info.mute != 0,
            isSettable: info.has_volume != 0 && info.volume_writable != 0)
        answer = Queue(
            streamLatency: unsafe Int64(info.buffer_usec) * 1000,
            deviceLatency: unsafe Int64(info.sink_usec) * 1000,
            askTime: askTime, hostTime: HostTime.now())
        // The output thread waits for this one.
        if !isUrgent { becomeUrgent() }
        isUrgent = true
    }

    fileprivate func take(_ info: UnsafePointer<pa_sink_info>?) {
        guard let info = unsafe info?.pointee else { return answered.post() }
        block = unsafe Int64(info.configured_latency) * 1000
        isHardware = unsafe info.flags.rawValue & PA_SINK_HARDWARE.rawValue != 0
        hasFlatVolume = unsafe info.flags.rawValue & PA_SINK_FLAT_VOLUME.rawValue != 0
    }

    /// Takes the answer to a request. Runs on libpulse's thread.
    fileprivate func take(isDone: Bool) {
        outcome = isDone ? .done : .refused
        answered.post()
    }

    /// Sees the server go, which whoever plays finds out only by its next call. Runs on libpulse's
    /// thread.
    fileprivate func take(_ state: pa_context_state_t) {
        if state == PA_CONTEXT_READY { hasBeenReady = true }
        if PA_CONTEXT_IS_GOOD(state) == 0 || state == PA_CONTEXT_READY { connected.post() }
        guard hasBeenReady, state == PA_CONTEXT_FAILED || state == PA_CONTEXT_TERMINATED else {
            return
        }
        hasBeenReady = false
        // Nobody answers any more.
        answered.post()
        onLoss(HostTime.now())
    }

    private func isOurs(_ info: pa_sink_input_info) -> Bool {
        guard let name = unsafe info.name, unsafe String(cString: name) == streamName,
            let process = unsafe pa_proplist_gets(info.proplist, PA_PROP_APPLICATION_PROCESS_ID)
        else { return false }
        return unsafe String(cString: process) == String(getpid())
    }
}

private let receiveState: pa_context_notify_cb_t = { context, userData in
    guard let context = unsafe context, let userData = unsafe userData else { return }
    let probe = unsafe Unmanaged<PulseProbe>.fromOpaque(userData).takeUnretainedValue()
    probe.take(unsafe pa_context_get_state(context))
}

private let receiveStream: pa_sink_input_info_cb_t = { _, info, _, userData in
    guard let userData = unsafe userData else { return }
    unsafe Unmanaged<PulseProbe>.fromOpaque(userData).takeUnretainedValue().take(info)
}

private let receiveDevice: pa_sink_info_cb_t = { _, info, _, userData in
    guard let userData = unsafe userData else { return }
    unsafe Unmanaged<PulseProbe>.fromOpaque(userData).takeUnretainedValue().take(info)
}

private let receiveOutcome: pa_context_success_cb_t = { _, isDone, userData in
    guard let userData = unsafe userData else { return }
    unsafe Unmanaged<PulseProbe>.fromOpaque(userData).takeUnretainedValue().take(
        isDone: isDone != 0)
}
