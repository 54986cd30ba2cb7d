import CPulse
import Playback

/// A connection to the sound server, and libpulse's main loop for it.
///
/// Belongs to one thread, which makes every call: libpulse calls back while that thread waits here.
/// Nothing waits for a thread of libpulse, since there is none.
@safe
final class PulseConnection {
    /// A server that is there answers within milliseconds.
    private static let deadline: Int64 = 5_000_000_000

    let context: OpaquePointer
    let server: String?
    private let loop: OpaquePointer
    private let api: UnsafeMutablePointer<pa_mainloop_api>
    private var wakeEvent: (event: OpaquePointer, descriptor: Int32)?
    /// Whether the descriptor that was waited for can be read.
    private(set) var isWoken = false

    /// Connects to `server`; nil: the user's default. Blocks for its answer. Errors: it does not
    /// answer, or refuses.
    init(server: String?) throws(OutputError) {
        guard let loop = unsafe pa_mainloop_new(), let api = unsafe pa_mainloop_get_api(loop) else {
            throw Self.error(Int32(PA_ERR_INTERNAL.rawValue), server)
        }
        guard let context = unsafe pa_context_new(api, "Undersong") else {
            unsafe pa_mainloop_free(loop)
            throw Self.error(Int32(PA_ERR_INTERNAL.rawValue), server)
        }
        unsafe self.loop = loop
        unsafe self.api = api
        unsafe self.context = context
        self.server = server
        try connect()
    }

    deinit {
        if let wakeEvent = unsafe wakeEvent { unsafe api.pointee.io_free(wakeEvent.event) }
        unsafe pa_context_disconnect(context)
        unsafe pa_context_unref(context)
        unsafe pa_mainloop_free(loop)
    }

    private func connect() throws(OutputError) {
        guard unsafe pa_context_connect(context, server, PA_CONTEXT_NOFLAGS, nil) >= 0 else {
            throw Self.error(lastError, server)
        }
        let isReady = waitUntil {
            let state = unsafe pa_context_get_state(context)
            return state == PA_CONTEXT_READY || PA_CONTEXT_IS_GOOD(state) == 0
        }
        guard isReady else { throw Self.error(Int32(PA_ERR_TIMEOUT.rawValue), server) }
        guard isGood else { throw Self.error(lastError, server) }
    }

    /// Whether the server is still there.
    var isGood: Bool { unsafe PA_CONTEXT_IS_GOOD(pa_context_get_state(context)) != 0 }

    /// libpulse's number for what went wrong last.
    var lastError: Int32 { unsafe pa_context_errno(context) }

    // MARK: Waiting

    /// Begins to wait for `descriptor` too, until `isWoken`. Nobody reads it while an answer of the
    /// server is waited for: a wait would end at once, again and again, unless it is ignored then.
    func watch(_ descriptor: Int32) {
        isWoken = false
        if let wakeEvent = unsafe wakeEvent {
            if wakeEvent.descriptor == descriptor {
                return unsafe api.pointee.io_enable(wakeEvent.event, PA_IO_EVENT_INPUT)
            }
            unsafe api.pointee.io_free(wakeEvent.event)
        }
        let userData = unsafe Unmanaged.passUnretained(self).toOpaque()
        let event = unsafe api.pointee.io_new(
            api, descriptor, PA_IO_EVENT_INPUT, isReadable, userData)
        unsafe wakeEvent = unsafe event.map { unsafe ($0, descriptor) }
    }

    /// Ignores the descriptor until it is watched again.
    func stopWatching() {
        if let wakeEvent = unsafe wakeEvent {
            unsafe api.pointee.io_enable(wakeEvent.event, PA_IO_EVENT_NULL)
        }
    }

    /// Lets libpulse do what there is to do, once; false when the deadline came first.
    func iterate(until deadline: Int64?) -> Bool {
        var timeout: Int32 = -1
        if let deadline {
            let left = deadline - HostTime.now()
            guard left > 0 else { return false }
            timeout = Int32(clamping: (left + 999) / 1000)
        }
        guard unsafe pa_mainloop_prepare(loop, timeout) >= 0, unsafe pa_mainloop_poll(loop) >= 0
        else {
            return false
        }
        unsafe pa_mainloop_dispatch(loop)
        return true
    }

    /// Waits until `isDone`; false when a server that is there should have answered long ago.
    func waitUntil(_ isDone: () -> Bool) -> Bool {
        let deadline = HostTime.now() + Self.deadline
        while !isDone() {
            guard iterate(until: deadline) else { return false }
        }
        return true
    }

    fileprivate func wake() { isWoken = true }

    // MARK: Errors

    /// Why a stream has ended.
    static func streamError(_ code: Int32) -> OutputError {
        OutputError(
            code == Int32(PA_ERR_KILLED.rawValue) ? .streamEnded : .serverLost,
            operation: "play on the sound server", reason: unsafe String(cString: pa_strerror(code))
        )
    }

    /// Why the connection, or a stream on a device of the server, could not be made.
    static func error(_ code: Int32, _ server: String?, device: String? = nil) -> OutputError {
        let reason = unsafe String(cString: pa_strerror(code))
        if let device, code == Int32(PA_ERR_NOENTITY.rawValue) {
            return OutputError(.noSuchDevice, operation: "play on \(device)", reason: reason)
        }
        let isDenied = code == Int32(PA_ERR_ACCESS.rawValue)
        return OutputError(
            isDenied ? .accessDenied : .serverUnavailable,
            operation: "connect to the sound server" + (server.map { " \($0)" } ?? ""),
            reason: reason)
    }
}

private let isReadable: pa_io_event_cb_t = { _, _, _, _, userData in
    guard let userData = unsafe userData else { return }
    unsafe Unmanaged<PulseConnection>.fromOpaque(userData).takeUnretainedValue().wake()
}
