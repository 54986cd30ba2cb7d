import Background
import CPulse
import Threads

/// A thread of libpulse that listens to the sound server from its start to its end: it connects,
/// again whenever the connection is lost, and reads anew what has changed.
///
/// Every call takes the main loop's lock, unless it comes from the loop's own thread, which holds
/// it. Nothing here waits for the server.
@safe
final class ListeningLoop: @unchecked Sendable {
    // Unchecked: what changes is touched under the main loop's lock only; by the one that shuts down
    // when the thread has ended.

    /// A burst of the server's events becomes one reading. With PipeWire a stream that moves stands
    /// still for some 0.2 ms.
    private static let settlingTime: Int64 = 20_000_000
    /// So often is read anew when the server changes all the while.
    private static let mostReadings = 5
    private static let firstDelay: Int64 = 100_000_000
    /// A socket is there some microseconds before its server listens.
    private static let delayForSocket: Int64 = 10_000_000
    private static let longestDelay: Int64 = 500_000_000
    private static let longestDelayWithWatch: Int64 = 2_000_000_000
    /// A server that is there answers within milliseconds.
    private static let connectDeadline: Int64 = 2_000_000_000

    /// PipeWire answers before it has its devices: so long, and so many times, they are waited for.
    private static let arrivalTime: Int64 = 250_000_000
    private static let mostArrivals = 2

    private let configuration: SoundServerListener.Configuration
    private let handler: @Sendable (SoundServerEvent) -> Void
    private let loop: OpaquePointer
    private let api: UnsafeMutablePointer<pa_mainloop_api>
    private var context: OpaquePointer?
    private var announcement: SessionAnnouncement?
    /// What the server has been told of it.
    private var announced: SessionAnnouncement?
    /// What was told last; nil while there is no connection.
    private var state: SoundServerState?
    /// The device that was played on when there was a connection.
    private var lastDevice: String?
    private var hasToldUnavailable = false
    private var delay = ListeningLoop.firstDelay
    private var retryTimer: LoopTimer?
    private var settleTimer: LoopTimer?
    private var deadlineTimer: LoopTimer?
    private var arrivalTimer: LoopTimer?
    /// What there was to tell of a new connection whose devices are still awaited.
    private var arriving: SoundServerState?
    private var arrivals = 0
    private var watch: SocketWatch?
    /// Where the server's socket was when there was a connection.
    private var knownFolder: String?
    private var reading: ServerReading?
    private var readings = 0
    private var volumes: [UInt32: pa_cvolume] = [:]
    private var pending: [UInt64: PendingOperation] = [:]
    private var pendingCount: UInt64 = 0
    private var isShutDown = false

    /// Starts the thread. Nil when libpulse has no resources left.
    init?(
        _ configuration: SoundServerListener.Configuration, announcement: SessionAnnouncement?,
        handler: @escaping @Sendable (SoundServerEvent) -> Void
    ) {
        guard let loop = unsafe pa_threaded_mainloop_new() else { return nil }
        guard let api = unsafe pa_threaded_mainloop_get_api(loop) else {
            unsafe pa_threaded_mainloop_free(loop)
            return nil
        }
        self.configuration = configuration
        self.announcement = announcement
        self.handler = handler
        unsafe self.loop = loop
        unsafe self.api = api
        unsafe pa_threaded_mainloop_set_name(loop, "sound-server")
        retryTimer = timer { [unowned self] in connect() }
        settleTimer = timer { [unowned self] in read() }
        deadlineTimer = timer { [unowned self] in connectingTakesLong() }
        arrivalTimer = timer { [unowned self] in devicesAreLate() }
        startWatching()
        // The first attempt is made on the thread, so that the handler is called there only.
        retryTimer?.start(after: 0)
        unsafe pa_threaded_mainloop_start(loop)
    }

    deinit { unsafe pa_threaded_mainloop_free(loop) }

    /// A timer of this loop, which calls on its thread.
    func timer(_ body: @escaping () -> Void) -> LoopTimer { unsafe LoopTimer(api, body) }

    /// Ends the thread, and with it every call of the handler, unless it is called by the handler
    /// itself: then soon after.
    func shutDown() {
        if unsafe pa_threaded_mainloop_in_thread(loop) != 0 {
            isShutDown = true
            return startThread(named: "sound-server") { self.shutDown() }
        }
        unsafe pa_threaded_mainloop_stop(loop)
        // Others may still call.
        withLock {
            isShutDown = true
            disconnect()
            retryTimer = nil
            settleTimer = nil
            deadlineTimer = nil
            arrivalTimer = nil
            watch = nil
        }
    }

    /// Runs `body` under the main loop's lock.
    func withLock<Value>(_ body: () -> Value) -> Value {
        if unsafe pa_threaded_mainloop_in_thread(loop) != 0 { return body() }
        unsafe pa_threaded_mainloop_lock(loop)
        defer { unsafe pa_threaded_mainloop_unlock(loop) }
        return body()
    }

    private var userData: UnsafeMutableRawPointer {
        unsafe Unmanaged.passUnretained(self).toOpaque()
    }

    private func tell(_ event: SoundServerEvent) { if !isShutDown { handler(event) } }
}

// MARK: - The connection

extension ListeningLoop {
    /// Tries to connect at once, unless there is a connection or an attempt at one.
    func retryNow() {
        guard unsafe context == nil else { return }
        delay = Self.firstDelay
        retryTimer?.start(after: 0)
    }

    /// Takes the connection for lost, for which somebody has reason, and begins anew.
    func giveUp(reason: String) {
        guard unsafe context != nil else { return }
        lose(reason: reason)
    }

    private func connect() {
        guard unsafe context == nil, !isShutDown, let properties = unsafe pa_proplist_new() else {
            return
        }
        defer { unsafe pa_proplist_free(properties) }
        unsafe pa_proplist_sets(properties, PA_PROP_APPLICATION_PROCESS_ID, configuration.process)
        if let announcement { unsafe SessionProperties.write(announcement, to: properties) }
        guard let context = unsafe pa_context_new_with_proplist(api, "Undersong", properties)
        else { return retryLater() }
        unsafe self.context = context
        announced = announcement
        deadlineTimer?.start(after: Self.connectDeadline)
        unsafe pa_context_set_state_callback(context, connectionHasChanged, userData)
        unsafe pa_context_set_subscribe_callback(context, serverHasChanged, userData)
        let code = unsafe pa_context_connect(
            context, configuration.server, PA_CONTEXT_NOAUTOSPAWN, nil)
        // Unless the callback has been told already.
        if code < 0 { contextHasFailed() }
    }

    fileprivate func contextHasChanged() {
        guard let context = unsafe context else { return }
        switch unsafe pa_context_get_state(context) {
        case PA_CONTEXT_READY: unsafe begin(context)
        case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED: contextHasFailed()
        default: break
        }
    }

    private func begin(_ context: OpaquePointer) {
        deadlineTimer?.stop()
        let address = unsafe pa_context_get_server(context).map { unsafe String(cString: $0) }
        knownFolder = SocketWatch.folder(ofServer: address)
        let kinds = [
            PA_SUBSCRIPTION_MASK_SINK, PA_SUBSCRIPTION_MASK_SINK_INPUT,
            PA_SUBSCRIPTION_MASK_CLIENT, PA_SUBSCRIPTION_MASK_SERVER, PA_SUBSCRIPTION_MASK_CARD,
        ]
        let mask = pa_subscription_mask_t(rawValue: kinds.reduce(0) { $0 | $1.rawValue })
        if let operation = unsafe pa_context_subscribe(context, mask, nil, nil) {
            unsafe pa_operation_unref(operation)
        }
        sendAnnouncement()
        read()
    }

    private func contextHasFailed() {
        guard let context = unsafe context else { return }
        lose(reason: unsafe String(cString: pa_strerror(pa_context_errno(context))))
    }

    private func lose(reason: String) {
        let wasConnected = state != nil
        disconnect()
        startWatching()
        delay = wasConnected ? Self.firstDelay : delay
        retryLater()
        if wasConnected {
            tell(.lost(reason: reason, hostTime: HostTime.now()))
        } else {
            tellUnavailable(reason: reason)
        }
    }

    private func tellUnavailable(reason: String) {
        guard !hasToldUnavailable else { return }
        hasToldUnavailable = true
        tell(.unavailable(reason: reason))
    }

    /// Ends the connection without a word, and every request with it.
    private func disconnect() {
        state = nil
        reading = nil
        arriving = nil
        arrivalTimer?.stop()
        settleTimer?.stop()
        deadlineTimer?.stop()
        guard let context = unsafe context else { return }
        unsafe self.context = nil
        unsafe pa_context_set_state_callback(context, nil, nil)
        unsafe pa_context_set_subscribe_callback(context, nil, nil)
        unsafe pa_context_disconnect(context)
        unsafe pa_context_unref(context)
        let unanswered = pending.values.sorted { $0.number < $1.number }
        pending = [:]
        for operation in unanswered { operation.finish(isDone: false) }
    }

    private func connectingTakesLong() {
        tellUnavailable(reason: unsafe String(cString: pa_strerror(Int32(PA_ERR_TIMEOUT.rawValue))))
    }

    private func retryLater() {
        retryTimer?.start(after: delay)
        delay = min(
            2 * delay, watch == nil ? Self.longestDelay : Self.longestDelayWithWatch)
    }

    /// Watches where the socket will be, until there is a connection.
    private func startWatching() {
        guard watch == nil,
            let folder = SocketWatch.folder(ofServer: configuration.server) ?? knownFolder
                ?? configuration.socketFolder
        else { return }
        watch = unsafe SocketWatch(api, folder: folder) { [unowned self] in
            guard unsafe context == nil else { return }
            delay = Self.delayForSocket
            retryTimer?.start(after: 0)
        }
    }
}

// MARK: - What the server is like

extension ListeningLoop {
    fileprivate func somethingHasChanged() {
        reading?.isStale = true
        guard reading == nil, settleTimer?.isRunning == false else { return }
        settleTimer?.start(after: Self.settlingTime)
    }

    /// Asks for everything: the lists are short.
    private func read() {
        guard let context = unsafe context, reading == nil else { return }
        reading = ServerReading()
        unsafe release(pa_context_get_server_info(context, takeServer, userData))
        unsafe release(pa_context_get_sink_info_list(context, takeDevice, userData))
        unsafe release(pa_context_get_client_info_list(context, takeClient, userData))
        unsafe release(pa_context_get_sink_input_info_list(context, takeStream, userData))
    }

    private func release(_ operation: OpaquePointer?) {
        if let operation = unsafe operation { unsafe pa_operation_unref(operation) }
    }

    fileprivate func take(_ info: UnsafePointer<pa_server_info>?) {
        if let info = unsafe info { unsafe reading?.take(info.pointee) }
        endAnswer()
    }

    fileprivate func take(_ info: UnsafePointer<pa_sink_info>?) {
        guard let info = unsafe info else { return endAnswer() }
        unsafe reading?.take(info.pointee)
    }

    fileprivate func take(_ info: UnsafePointer<pa_client_info>?) {
        guard let info = unsafe info else { return endAnswer() }
        unsafe reading?.take(info.pointee)
    }

    fileprivate func take(_ info: UnsafePointer<pa_sink_input_info>?) {
        guard let info = unsafe info else { return endAnswer() }
        unsafe reading?.take(info.pointee)
    }

    private func endAnswer() {
        reading?.awaited -= 1
        guard let context = unsafe context, let reading, reading.awaited == 0 else { return }
        self.reading = nil
        readings += 1
        let isUnready = reading.hasUnreadyStream(besides: volumes.keys)
        if (reading.isStale || isUnready) && readings < Self.mostReadings {
            return somethingHasChanged()
        }
        readings = 0
        volumes = reading.volumes
        tellState(
            reading.state(
                ownClient: unsafe pa_context_get_index(context), ownProcess: configuration.process,
                ownSession: announcement?.identifier))
        if reading.isStale { somethingHasChanged() }
    }

    private func tellState(_ new: SoundServerState) {
        guard new != state else { return }
        guard state == nil else {
            lastDevice = new.currentDevice?.name ?? lastDevice
            state = new
            return tell(.changed(new))
        }
        arriving = new
        let isHere = new.devices.contains { $0.name == lastDevice ?? new.defaultDevice }
        if isHere && new.defaultDevice != nil { return endArrival() }
        if arrivalTimer?.isRunning == false { arrivalTimer?.start(after: Self.arrivalTime) }
        // PipeWire's first default is no event for those who are there already.
        settleTimer?.start(after: Self.settlingTime)
    }

    /// PipeWire 0.3 never tells some connections what the default is that were made before it had
    /// one. Another connection then knows it.
    private func devicesAreLate() {
        guard let arriving, arrivals < Self.mostArrivals else { return endArrival() }
        arrivals += 1
        guard arriving.defaultDevice == nil && !arriving.devices.isEmpty else {
            arrivalTimer?.start(after: Self.arrivalTime)
            return
        }
        disconnect()
        connect()
    }

    private func endArrival() {
        guard let new = arriving.take() else { return }
        arrivalTimer?.stop()
        arrivals = 0
        state = new
        lastDevice = new.currentDevice?.name ?? lastDevice
        delay = Self.firstDelay
        watch = nil
        hasToldUnavailable = true
        tell(.connected(new))
    }
}

// MARK: - Requests

extension ListeningLoop {
    /// Sends a request and calls `completion` with whether it was done: on the loop's thread, or at
    /// once where there is no connection. `userData` is for `requestIsDone`.
    func request(
        deadline: Int64? = nil, completion: @escaping @Sendable (Bool) -> Void,
        _ send: (_ context: OpaquePointer, _ userData: UnsafeMutableRawPointer) -> OpaquePointer?
    ) {
        guard let context = unsafe context,
            unsafe pa_context_get_state(context) == PA_CONTEXT_READY
        else { return completion(false) }
        pendingCount += 1
        let operation = PendingOperation(number: pendingCount, loop: self, completion: completion)
        pending[operation.number] = operation
        unsafe operation.begin(send(context, operation.userData), deadline: deadline)
    }

    /// A request has been answered, or will not be.
    func end(_ operation: PendingOperation, isDone: Bool) {
        guard pending.removeValue(forKey: operation.number) != nil else { return }
        operation.finish(isDone: isDone)
    }

    /// Tells the server what there is to know of this session, now and after each connection.
    func announce(_ session: SessionAnnouncement) {
        announcement = session
        sendAnnouncement()
    }

    private func sendAnnouncement() {
        guard let announcement, announcement != announced, let context = unsafe context,
            unsafe pa_context_get_state(context) == PA_CONTEXT_READY,
            let properties = unsafe pa_proplist_new()
        else { return }
        defer { unsafe pa_proplist_free(properties) }
        announced = announcement
        unsafe SessionProperties.write(announcement, to: properties)
        unsafe request(completion: { _ in }) { context, userData in
            unsafe pa_context_proplist_update(
                context, PA_UPDATE_REPLACE, properties, requestIsDone, userData)
        }
    }

    /// The volume of a stream with its channels in proportion, but as loud as `factor` on average.
    func volume(of stream: UInt32, scaledTo factor: Float) -> pa_cvolume {
        (volumes[stream] ?? pa_cvolume()).scaled(toAverage: factor)
    }
}

// MARK: - What libpulse calls

private func listening(_ userData: UnsafeMutableRawPointer?) -> ListeningLoop? {
    guard let userData = unsafe userData else { return nil }
    return unsafe Unmanaged<ListeningLoop>.fromOpaque(userData).takeUnretainedValue()
}

private let connectionHasChanged: pa_context_notify_cb_t = { _, userData in
    unsafe listening(userData)?.contextHasChanged()
}

private let serverHasChanged: pa_context_subscribe_cb_t = { _, _, _, userData in
    unsafe listening(userData)?.somethingHasChanged()
}

private let takeServer: pa_server_info_cb_t = { _, info, userData in
    unsafe listening(userData)?.take(info)
}

private let takeDevice: pa_sink_info_cb_t = { _, info, _, userData in
    unsafe listening(userData)?.take(info)
}

private let takeClient: pa_client_info_cb_t = { _, info, _, userData in
    unsafe listening(userData)?.take(info)
}

private let takeStream: pa_sink_input_info_cb_t = { _, info, _, userData in
    unsafe listening(userData)?.take(info)
}
