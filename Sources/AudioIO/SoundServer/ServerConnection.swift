import CPulse
import Playback

/// The one connection to a sound server: the stream plays over it, and the listener hears of devices,
/// volumes and other programs over it.
///
/// It belongs to one thread, which makes every call, and can be made on another.
@safe
final class ServerConnection: @unchecked Sendable {
    // Unchecked: see above.

    /// A server that is there answers within milliseconds.
    private static let deadline: Int64 = 5_000_000_000

    let configuration: PulseServer.Configuration
    let loop: PulseLoop
    /// libpulse's connection, or an attempt at one; nil: there is none.
    private(set) var context: OpaquePointer?
    private(set) var isReady = false
    /// Who hears of the server.
    var listener: ServerListener?
    /// Whether a stream was ever to be made on it.
    private(set) var isUsed = false
    /// How many streams there are on it.
    var streamCount = 0
    /// Whether the attempt may start a server.
    private var startsServer = false
    /// Why the last connection, or attempt at one, has ended.
    private var lastError: Int32 = 0
    private var idleTimer: LoopTimer?
    private var requests: [UInt64: ServerRequest] = [:]
    private var requestCount: UInt64 = 0

    init(_ configuration: PulseServer.Configuration, doing work: WorkList) {
        self.configuration = configuration
        loop = PulseLoop(doing: work, clock: configuration.clock)
    }

    deinit { close() }

    /// Ends it, with everything that belongs to it.
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

    /// Begins to connect, unless there is a connection or an attempt at one. `startsServer`: a server
    /// that is not there may be started, where the user's settings say so.
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
        // Unless the callback has heard of it already.
        if code < 0 { hasFailed() }
    }

    /// Waits until the server answers. Errors: it does not, or refuses.
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

    /// Waits until `isDone`; false when a server that is there should have answered long ago.
    func waitUntil(_ isDone: () -> Bool) -> Bool {
        let deadline = clock.now + Self.deadline
        while !isDone() {
            guard loop.iterate(until: deadline) else { return false }
        }
        return true
    }

    /// Begins to connect, for a stream that is expected, and disconnects again after
    /// `duration` nanoseconds where none comes and nobody listens.
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

    /// Ends the connection without a word, and every request with it.
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

    /// Sends a request and calls `completion` with whether it was done, at once where there is no
    /// connection. With a `deadline` it has failed after that many nanoseconds. `userData` is
    /// for `requestIsDone`.
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

    /// A request has been answered, or will not be.
    func end(_ request: ServerRequest, isDone: Bool) {
        guard requests.removeValue(forKey: request.number) != nil else { return }
        request.finish(isDone: isDone)
    }
}

private let stateHasChanged: pa_context_notify_cb_t = { _, userData in
    guard let userData = unsafe userData else { return }
    unsafe Unmanaged<ServerConnection>.fromOpaque(userData).takeUnretainedValue().stateChanged()
}
