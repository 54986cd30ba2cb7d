import CUndersongPulse
import UndersongBackground

/// Collects the server's answers until they are complete.
struct ServerReading {
    /// A process: its id on its machine, and the machine if known.
    struct Process: Hashable {
        var number: String
        var machine: String?

        /// Nil if the properties name no process.
        init?(_ properties: OpaquePointer?) {
            guard let number = unsafe propertyText(properties, PA_PROP_APPLICATION_PROCESS_ID)
            else { return nil }
            self.number = number
            machine = unsafe propertyText(properties, PA_PROP_APPLICATION_PROCESS_MACHINE_ID)
        }

        /// True if both are the same process, as far as known.
        func isSame(_ other: Process) -> Bool {
            number == other.number
                && (machine == nil || other.machine == nil || machine == other.machine)
        }
    }

    private struct Client {
        var application: String?
        var process: Process?
        var session: SessionAnnouncement?
    }

    private struct Stream {
        var stream: ServerStream
        var name: String?
        var client: UInt32
        var process: Process?
    }

    /// The number of answers awaited: server, devices, streams and clients.
    var awaited = 4
    /// True if the server has changed meanwhile, so that the answers may be inconsistent.
    var isStale = false
    /// The server and its devices.
    private var server = SoundServerState()
    private var streams: [Stream] = []
    private var clients: [UInt32: Client] = [:]
    private var clientOrder: [UInt32] = []
    /// The volume of each stream, by channel.
    private(set) var volumes: [UInt32: pa_cvolume] = [:]

    mutating func receive(_ info: pa_server_info) {
        let texts = unsafe [info.server_name, info.server_version].compactMap {
            unsafe $0.map { unsafe String(cString: $0) }
        }
        server.name = texts.joined(separator: " ")
        server.defaultDevice = unsafe info.default_sink_name.map { unsafe String(cString: $0) }
    }

    mutating func receive(_ info: pa_sink_info) {
        if let device = unsafe OutputDevice(info) { server.devices.append(device) }
    }

    mutating func receive(_ info: pa_client_info) {
        let index = unsafe info.index
        clientOrder.append(index)
        clients[index] = unsafe Client(
            application: propertyText(info.proplist, PA_PROP_APPLICATION_NAME)
                ?? info.name.map { unsafe String(cString: $0) },
            process: Process(info.proplist), session: SessionProperties.session(in: info.proplist))
    }

    mutating func receive(_ info: pa_sink_input_info) {
        let volume = unsafe info.volume
        var stream = unsafe ServerStream(
            index: info.index, device: info.sink,
            application: propertyText(info.proplist, PA_PROP_APPLICATION_NAME) ?? "",
            role: propertyText(info.proplist, PA_PROP_MEDIA_ROLE))
        stream.isCorked = unsafe info.corked != 0
        stream.isMuted = unsafe info.mute != 0
        stream.volume = volume.averageFactor
        // A stream without a client is the server's own: it links two devices.
        if unsafe info.client == .max && stream.role == nil { stream.role = "filter" }
        volumes[stream.index] = volume
        unsafe streams.append(
            Stream(
                stream: stream, name: info.name.map { unsafe String(cString: $0) },
                client: info.client, process: Process(info.proplist)))
    }

    /// True if a stream that is not among `known` has no volume yet: PipeWire reports streams
    /// before it knows their volume.
    func hasUnreadyStream(besides known: some Collection<UInt32>) -> Bool {
        streams.contains { $0.stream.volume == 0 && !known.contains($0.stream.index) }
    }

    /// The state of the server. `ownClient` is the server's number for the listening client,
    /// `ownProcess` identifies the process whose streams are its own, and `ownSession` is not
    /// reported as another's.
    func state(ownClient: UInt32, ownProcess: String, ownSession: String?) -> SoundServerState {
        var state = server
        if !state.devices.contains(where: { $0.name == state.defaultDevice }) {
            state.defaultDevice = nil
        }
        let ownMachine = clients[ownClient]?.process?.machine
        var sessionOfProcess: [Process: String] = [:]
        for case let client? in clientOrder.map({ clients[$0] }) {
            guard let session = client.session else { continue }
            let isHere = ownMachine == nil || client.process?.machine == ownMachine
            if isHere && session.identifier == ownSession { continue }
            state.sessions.removeAll { $0.identifier == session.identifier }
            state.sessions.append(session)
            if let process = client.process { sessionOfProcess[process] = session.identifier }
        }
        state.streams = streams.map { entry in
            var stream = entry.stream
            let client = clients[entry.client]
            if stream.application.isEmpty { stream.application = client?.application ?? "" }
            guard let process = entry.process ?? client?.process else { return stream }
            var own = process
            own.number = ownProcess
            own.machine = ownMachine
            stream.isOwn = process.isSame(own) && Self.isOfOutput(entry.name)
            stream.session = sessionOfProcess.first { $0.key.isSame(process) }?.value
            return stream
        }
        return state
    }

    /// True if an output of this package uses this stream name.
    private static func isOfOutput(_ name: String?) -> Bool {
        name == "Playback" || name?.hasPrefix("Playback ") == true
    }
}
