import CUndersongPulse
import UndersongBackground
import UndersongBase

/// Learns the state of the sound server over the connection: it reads again what changed, and
/// reconnects whenever the connection is lost. Belongs to the connection's thread and never blocks.
@safe
final class ServerListener {
    /// A burst of server events causes one reading. On PipeWire a stream that moves pauses for some
    /// 0.2 ms.
    private static let settlingTime: Int64 = 20_000_000
    /// The maximum number of readings while the server keeps changing.
    private static let mostReadings = 5
    /// The delays before attempts to connect.
    private static let usualDelays = Backoff(seconds: 0.1...0.5)
    /// A socket appears some microseconds before its server listens.
    private static let delaysForSocket = Backoff(seconds: 0.01...0.5)
    /// The longest delay while the socket is watched, in seconds.
    private static let longestDelayWithWatch = 2.0
    /// A running server answers within milliseconds.
    private static let connectDeadline: Int64 = 2_000_000_000

    /// PipeWire answers before it has its devices: how long to wait for them each time, in
    /// nanoseconds.
    private static let arrivalTime: Int64 = 250_000_000
    private static let mostArrivals = 2

    private unowned let connection: ServerConnection
    private let configuration: PulseServer.Configuration
    private var handler: (SoundServerEvent) -> Void
    private var announcement: SessionAnnouncement?
    /// The announcement that the server knows.
    private var announced: SessionAnnouncement?
    /// The state reported last; nil while there is no connection.
    private var state: SoundServerState?
    /// The device in use when there was a connection.
    private var lastDevice: String?
    private var hasReportedUnavailable = false
    private var retryDelays = ServerListener.usualDelays
    private var retryTimer: LoopTimer?
    private var settleTimer: LoopTimer?
    private var deadlineTimer: LoopTimer?
    private var arrivalTimer: LoopTimer?
    /// The state to report for a new connection whose devices are still awaited.
    private var arriving: SoundServerState?
    private var arrivals = 0
    private var watch: SocketWatch?
    /// The folder of the server's socket during the last connection.
    private var knownFolder: String?
    private var reading: ServerReading?
    private var readings = 0
    private var volumes: [UInt32: pa_cvolume] = [:]

    /// Creates a listener that does nothing yet. `handler` is called on the connection's thread.
    init(
        _ connection: ServerConnection, announcement: SessionAnnouncement?,
        handler: @escaping (SoundServerEvent) -> Void
    ) {
        self.connection = connection
        self.announcement = announcement
        self.handler = handler
        configuration = connection.configuration
        let loop = connection.loop
        retryTimer = loop.timer { [unowned self] in self.connection.connect(startsServer: false) }
        settleTimer = loop.timer { [unowned self] in read() }
        deadlineTimer = loop.timer { [unowned self] in connectingTakesLong() }
        arrivalTimer = loop.timer { [unowned self] in devicesAreLate() }
    }

    /// Starts to listen, over the existing connection or a new one.
    func start() {
        if connection.isReady { return begin() }
        startWatching()
        // An attempt may be in progress.
        deadlineTimer?.start(after: Self.connectDeadline)
        connection.connect(startsServer: false)
    }

    /// Stops reporting.
    func end() { handler = { _ in } }

    private var context: OpaquePointer? { unsafe connection.context }

    private var userData: UnsafeMutableRawPointer {
        unsafe Unmanaged.passUnretained(self).toOpaque()
    }
}

// MARK: - The connection

extension ServerListener {
    /// An attempt to connect begins.
    func isConnecting() {
        announced = announcement
        deadlineTimer?.start(after: Self.connectDeadline)
    }

    /// The server answers.
    func begin() {
        guard let context = unsafe context else { return }
        deadlineTimer?.stop()
        let address = unsafe pa_context_get_server(context).map { unsafe String(cString: $0) }
        knownFolder = SocketWatch.folder(ofServer: address)
        let kinds = [
            PA_SUBSCRIPTION_MASK_SINK, PA_SUBSCRIPTION_MASK_SINK_INPUT,
            PA_SUBSCRIPTION_MASK_CLIENT, PA_SUBSCRIPTION_MASK_SERVER, PA_SUBSCRIPTION_MASK_CARD,
        ]
        let mask = pa_subscription_mask_t(rawValue: kinds.reduce(0) { $0 | $1.rawValue })
        unsafe pa_context_set_subscribe_callback(context, serverHasChanged, userData)
        unsafe release(pa_context_subscribe(context, mask, nil, nil))
        sendAnnouncement()
        read()
    }

    /// The connection, or an attempt at one, ended.
    func connectionHasEnded(reason: String) {
        let wasConnected = state != nil
        forgetConnection()
        startWatching()
        if wasConnected { retryDelays = Self.usualDelays }
        if watch != nil { retryDelays.longest = Self.longestDelayWithWatch }
        retryTimer?.start(after: retryDelays.nextNanoseconds())
        if wasConnected {
            handler(.lost(reason: reason, hostTime: connection.clock.now))
        } else {
            reportUnavailable(reason: reason)
        }
    }

    private func forgetConnection() {
        state = nil
        reading = nil
        arriving = nil
        arrivalTimer?.stop()
        settleTimer?.stop()
        deadlineTimer?.stop()
    }

    private func reportUnavailable(reason: String) {
        guard !hasReportedUnavailable else { return }
        hasReportedUnavailable = true
        handler(.unavailable(reason: reason))
    }

    private func connectingTakesLong() {
        reportUnavailable(reason: PulseError.text(PulseError.timeout))
    }

    /// Watches the place where the socket appears, until there is a connection.
    private func startWatching() {
        guard watch == nil,
            let folder = SocketWatch.folder(ofServer: configuration.server) ?? knownFolder
                ?? configuration.socketFolder
        else { return }
        watch = SocketWatch(connection.loop, folder: folder) { [unowned self] in
            guard unsafe context == nil else { return }
            retryDelays = Self.delaysForSocket
            retryTimer?.start(after: 0)
        }
    }
}

// MARK: - What the server is like

extension ServerListener {
    fileprivate func somethingHasChanged() {
        reading?.isStale = true
        guard reading == nil, settleTimer?.isRunning == false else { return }
        settleTimer?.start(after: Self.settlingTime)
    }

    /// Requests everything: the lists are short.
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

    fileprivate func receive(_ info: UnsafePointer<pa_server_info>?) {
        if let info = unsafe info { unsafe reading?.receive(info.pointee) }
        endAnswer()
    }

    fileprivate func receive(_ info: UnsafePointer<pa_sink_info>?) {
        guard let info = unsafe info else { return endAnswer() }
        unsafe reading?.receive(info.pointee)
    }

    fileprivate func receive(_ info: UnsafePointer<pa_client_info>?) {
        guard let info = unsafe info else { return endAnswer() }
        unsafe reading?.receive(info.pointee)
    }

    fileprivate func receive(_ info: UnsafePointer<pa_sink_input_info>?) {
        guard let info = unsafe info else { return endAnswer() }
        unsafe reading?.receive(info.pointee)
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
        report(
            reading.state(
                ownClient: unsafe pa_context_get_index(context), ownProcess: configuration.process,
                ownSession: announcement?.identifier))
        if reading.isStale { somethingHasChanged() }
    }

    private func report(_ new: SoundServerState) {
        guard new != state else { return }
        guard state == nil else {
            lastDevice = new.currentDevice?.name ?? lastDevice
            state = new
            return handler(.changed(new))
        }
        arriving = new
        let isHere = new.devices.contains { $0.name == lastDevice ?? new.defaultDevice }
        if isHere && new.defaultDevice != nil { return endArrival() }
        if arrivalTimer?.isRunning == false { arrivalTimer?.start(after: Self.arrivalTime) }
        // PipeWire sends no event about its first default device to existing clients.
        settleTimer?.start(after: Self.settlingTime)
    }

    /// On some connections made before PipeWire 0.3 had a default device, it never reports one. A
    /// new connection knows it.
    private func devicesAreLate() {
        // Not while a stream uses the connection.
        guard let arriving, arrivals < Self.mostArrivals, connection.streamCount == 0 else {
            return endArrival()
        }
        arrivals += 1
        guard arriving.defaultDevice == nil && !arriving.devices.isEmpty else {
            arrivalTimer?.start(after: Self.arrivalTime)
            return
        }
        connection.disconnect()
        forgetConnection()
        connection.connect(startsServer: false)
    }

    private func endArrival() {
        guard let new = arriving.take() else { return }
        arrivalTimer?.stop()
        arrivals = 0
        state = new
        lastDevice = new.currentDevice?.name ?? lastDevice
        retryDelays = Self.usualDelays
        watch = nil
        hasReportedUnavailable = true
        handler(.connected(new))
    }
}

// MARK: - The session

extension ServerListener {
    /// Announces how this session relates to others, now and after each new connection.
    func announce(_ session: SessionAnnouncement) {
        announcement = session
        sendAnnouncement()
    }

    /// Adds the announcement to the properties of a new connection.
    func writeAnnouncement(to properties: OpaquePointer) {
        if let announcement { unsafe SessionProperties.write(announcement, to: properties) }
    }

    private func sendAnnouncement() {
        guard let announcement, announcement != announced, connection.isReady,
            let properties = unsafe pa_proplist_new()
        else { return }
        defer { unsafe pa_proplist_free(properties) }
        announced = announcement
        unsafe SessionProperties.write(announcement, to: properties)
        unsafe connection.request(completion: { _ in }) { context, userData in
            unsafe pa_context_proplist_update(
                context, PA_UPDATE_REPLACE, properties, requestIsDone, userData)
        }
    }

    /// The volume of a stream with unchanged proportions between channels, but with `factor` as the
    /// average.
    func volume(of stream: UInt32, scaledTo factor: Float) -> pa_cvolume {
        (volumes[stream] ?? pa_cvolume()).scaled(toAverage: factor)
    }
}

// MARK: - What libpulse calls

private func listening(_ userData: UnsafeMutableRawPointer?) -> ServerListener? {
    guard let userData = unsafe userData else { return nil }
    return unsafe Unmanaged<ServerListener>.fromOpaque(userData).takeUnretainedValue()
}

private let serverHasChanged: pa_context_subscribe_cb_t = { _, _, _, userData in
    unsafe listening(userData)?.somethingHasChanged()
}

private let takeServer: pa_server_info_cb_t = { _, info, userData in
    unsafe listening(userData)?.receive(info)
}

private let takeDevice: pa_sink_info_cb_t = { _, info, _, userData in
    unsafe listening(userData)?.receive(info)
}

private let takeClient: pa_client_info_cb_t = { _, info, _, userData in
    unsafe listening(userData)?.receive(info)
}

private let takeStream: pa_sink_input_info_cb_t = { _, info, _, userData in
    unsafe listening(userData)?.receive(info)
}
