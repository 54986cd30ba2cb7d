import CUndersongPulse
import UndersongBase
import UndersongPlayback

/// The only connection to a sound server: the stream plays over it, and the listener learns about
/// devices, volumes and other programs.
///
/// It belongs to one thread, which makes every call, but may be created on another.
@safe
final class ServerConnection: @unchecked Sendable {
    // Unchecked: see above.

    /// A running server answers within milliseconds.
    private static let deadline: Int64 = 5_000_000_000

    let configuration: PulseServer.Configuration
    let loop: PulseLoop
    /// libpulse's connection, or an attempt at one; nil if there is neither.
    private(set) var context: OpaquePointer?
    private(set) var isReady = false
    /// The object that is notified about the server.
    var listener: ServerListener?
    /// True if a stream was ever requested on it.
    private(set) var isUsed = false
    /// The number of streams on it.
    var streamCount = 0
    /// True if the attempt may start a server.
    private var startsServer = false
    /// The reason why the last connection or attempt ended.
    private var lastError: Int32 = 0
    private var idleTimer: LoopTimer?
    private var requests: [UInt64: ServerRequest] = [:]
    private var requestCount: UInt64 = 0

    init(_ configuration: PulseServer.Configuration, doing work: WorkList) {
        self.configuration = configuration
        loop = PulseLoop(doing: work, clock: configuration.clock)
    }

    deinit { close() }

    /// Closes it, with everything that belongs to it.
    func close() {
        idleTimer = nil
        disconnect()
        listener = nil
    }

    var clock: any HostClock { configuration.clock }

    private var userData: UnsafeMutableRawPointer {
        unsafe Unmanaged.passUnretained(self).toOpaque()
    }

    // MARK: Connecting

    /// Starts to connect unless there is a connection or an attempt at one. With `startsServer` a
    /// missing server may be started, if the user's settings permit that.
    func connect(startsServer: Bool) {
        guard unsafe context == nil, let properties = unsafe pa_proplist_new() else { return }
        defer { unsafe pa_proplist_free(properties) }
        unsafe pa_proplist_sets(properties, PA_PROP_APPLICATION_PROCESS_ID, configuration.process)
        unsafe listener?.writeAnnouncement(to: properties)
        guard
            let context = unsafe pa_context_new_with_proplist(loop.api, "Undersong", properties)
        else { return end(Int32(PA_ERR_INTERNAL.rawValue)) }
        unsafe self.context = context
        self.startsServer = startsServer
        unsafe pa_context_set_state_callback(context, stateHasChanged, userData)
        listener?.isConnecting()
        let flags = startsServer ? PA_CONTEXT_NOFLAGS : PA_CONTEXT_NOAUTOSPAWN
        let code = unsafe pa_context_connect(context, configuration.server, flags, nil)
        // Unless the callback has handled it already.
        if code < 0 { hasFailed() }
    }

    /// Waits until the server answers.
    /// - Throws: An error if it does not, or refuses.
    func waitUntilReady() throws(OutputError) {
        isUsed = true
        let deadline = clock.now + Self.deadline
        if unsafe context == nil { connect(startsServer: true) }
        while !isReady {
            if unsafe context == nil {
                guard !startsServer else {
                    throw PulseError.ofConnection(lastError, to: configuration.server)
                }
                connect(startsServer: true)
            } else if !loop.iterate(until: deadline) {
                throw PulseError.ofConnection(PulseError.timeout, to: configuration.server)
            }
        }
    }

    /// Waits until `isDone`; returns false if a running server should have answered long ago.
    func waitUntil(_ isDone: () -> Bool) -> Bool {
        let deadline = clock.now + Self.deadline
        while !isDone() {
            guard loop.iterate(until: deadline) else { return false }
        }
        return true
    }

    /// Starts to connect because a stream is expected, and disconnects after `duration` nanoseconds
    /// if none is made and nobody listens.
    func prepare(keptFor duration: Int64) {
        guard unsafe context == nil else { return }
        connect(startsServer: true)
        let timer = loop.timer { [unowned self] in
            if !isUsed && listener == nil { disconnect() }
        }
        timer.start(after: duration)
        idleTimer = timer
    }

    fileprivate func stateChanged() {
        guard let context = unsafe context else { return }
        switch unsafe pa_context_get_state(context) {
        case PA_CONTEXT_READY:
            isReady = true
            listener?.begin()
        case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED: hasFailed()
        default: break
        }
    }

    private func hasFailed() {
        guard let context = unsafe context else { return }
        end(unsafe pa_context_errno(context))
    }

    private func end(_ code: Int32) {
        disconnect()
        lastError = code
        listener?.connectionHasEnded(reason: PulseError.text(code))
    }

    /// Ends the connection, and every request with it, without notifying anybody.
    func disconnect() {
        isReady = false
        guard let context = unsafe context else { return }
        unsafe self.context = nil
        unsafe pa_context_set_state_callback(context, nil, nil)
        unsafe pa_context_set_subscribe_callback(context, nil, nil)
        unsafe pa_context_disconnect(context)
        unsafe pa_context_unref(context)
        let unanswered = requests.values.sorted { $0.number < $1.number }
        requests = [:]
        for request in unanswered { request.finish(isDone: false) }
    }

    // MARK: Requests

    /// Sends a request and calls `completion` with whether it succeeded, at once if there is no
    /// connection. With a `deadline` it fails after that many nanoseconds. `userData` is for
    /// `requestIsDone`.
    func request(
        deadline: Int64? = nil, completion: @escaping @Sendable (Bool) -> Void,
        _ send: (_ context: OpaquePointer, _ userData: UnsafeMutableRawPointer) -> OpaquePointer?
    ) {
        guard let context = unsafe context, isReady else { return completion(false) }
        requestCount += 1
        let request = ServerRequest(
            number: requestCount, connection: self, completion: completion)
        requests[request.number] = request
        unsafe request.begin(send(context, request.userData), deadline: deadline)
    }

    /// A request was answered, or will not be.
    func end(_ request: ServerRequest, isDone: Bool) {
        guard requests.removeValue(forKey: request.number) != nil else { return }
        request.finish(isDone: isDone)
    }
}

private let stateHasChanged: pa_context_notify_cb_t = { _, userData in
    guard let userData = unsafe userData else { return }
    unsafe Unmanaged<ServerConnection>.fromOpaque(userData).takeUnretainedValue().stateChanged()
}
