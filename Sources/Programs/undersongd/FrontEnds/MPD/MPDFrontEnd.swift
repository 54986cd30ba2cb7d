import Dispatch
import Glibc
import Synchronization
import UndersongAudioSession
import UndersongBackground
import UndersongLinuxPlatform
import UndersongPlayback

/// MPD's protocol as a front end of the player: everybody's remote control. It translates lines to use
/// cases, and events to changes of subsystems. It runs on the session's executor.
actor MPDFrontEnd {
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe player.executor.asUnownedSerialExecutor()
    }

    /// The most connections; each costs a descriptor.
    private static let mostClients = 4096
    /// The most bytes of the replies to a list of commands; a client that asks for more is given up.
    private static let mostReplied = 256 << 20

    /// The sockets of a front end, and who may do what there.
    struct Configuration: Sendable {
        /// The sockets on which it listens.
        var listeners: [MPDListener] = []
        /// The passwords of clients on the network.
        var passwords = MPDPasswords()
    }

    nonisolated let player: PlayerService
    /// The passwords of clients on the network, and what each permits.
    nonisolated let passwords: MPDPasswords
    /// Ends the process.
    nonisolated let shutDown: @Sendable () -> Void
    /// The picture that was read last.
    nonisolated let pictures = MPDPictures()
    private nonisolated let listeners: [MPDListener]
    private var sources: [any DispatchSourceRead] = []
    private var connections: [Int: MPDConnection] = [:]
    private var lastConnection = 0
    nonisolated let changes = MPDChanges()
    /// The time at which it was made, in nanoseconds of CLOCK_MONOTONIC.
    nonisolated let creation: Int64
    /// The queue as it was last read.
    var queue = MPDQueue()
    /// True if the queue may be another one now.
    var queueIsStale = true
    /// The number of the scan of the library that is running; nil if none is.
    private(set) var updateJob: Int?
    private var lastUpdateJob = 0
    /// The folders of the library; nil until they are looked up.
    var knownFolders: MPDFolders?
    /// The stored playlists of which clients know.
    var knownPlaylists: [SavedQueue] = []
    /// The numbers of songs, albums and artists; nil until they are counted.
    var knownTotals: MPDTotals?
    /// The state and the song that clients saw at the last change of the player.
    private var shown = (state: MediaPlayerState.PlaybackStatus.stopped, song: ItemID?.none)
    /// The item that was played last. Where nothing plays, only that is the current song to clients.
    var lastPlayed: ItemID?
    /// True if the last run is over, and nothing was played since.
    var isStopped = false
    /// The last error of the player, until something is played; nil for none.
    var lastError: String?
    /// The average bit rate of the item for which it was last asked.
    var knownBitRate: (item: ItemID, rate: Int)?

    /// Serves `player` to clients of its sockets. `shutDown` ends the process.
    init(
        _ configuration: Configuration, player: PlayerService,
        shutDown: @escaping @Sendable () -> Void
    ) {
        self.player = player
        creation = player.configuration.clock.now
        listeners = configuration.listeners
        passwords = configuration.passwords
        self.shutDown = shutDown
    }

    /// Follows events from now on. Call it before the player starts.
    nonisolated func observe() {
        player.observe { [weak self] event in
            guard let self, changes.receive(event) else { return }
            post { await $0.publishChanges() }
        }
    }

    /// Starts serving.
    nonisolated func start() { post { await $0.begin() } }

    /// Stops listening, and closes all connections.
    nonisolated func stop() { post { await $0.end() } }

    nonisolated func post(_ work: @escaping @Sendable (isolated MPDFrontEnd) async -> Void) {
        Task(executorPreference: player.executor) { await work(self) }
    }

    private func begin() async {
        _ = await showsPlayer()
        sources = listeners.map { listener in
            let source = listener.source(on: player.executor.queue) { [weak self] in
                self?.assumeIsolated { $0.accept(from: listener) }
            }
            source.activate()
            return source
        }
        if let source = playlistSource() { sources.append(source) }
    }

    private func end() async {
        for source in sources { source.cancel() }
        sources = []
        for id in connections.keys { await drop(id) }
    }

    // MARK: Clients

    /// The clients that are connected.
    var clients: [MPDClient] { connections.values.map(\.client) }

    private func accept(from listener: MPDListener) {
        while let (descriptor, process) = listener.accept() {
            guard connections.count < Self.mostClients else {
                close(descriptor)
                continue
            }
            let client = MPDClient(
                isLocal: listener.isLocal,
                permissions: listener.isLocal ? .all : passwords.permissionsWithoutPassword,
                process: process)
            lastConnection += 1
            let id = lastConnection
            let connection = MPDConnection(
                descriptor, client: client, queue: player.executor.queue,
                onInput: { [weak self] in self?.assumeIsolated { $0.receive(from: id) } },
                onRoom: { [weak self] in self?.assumeIsolated { $0.send(to: id) } })
            connections[id] = connection
            connection.send(Array("OK MPD \(MPDCommand.Version.spoken)\n".utf8))
            let remote = client.playerClient
            player.post { $0.connect(remote) }
        }
    }

    private func receive(from id: Int) {
        guard let connection = connections[id] else { return }
        connection.receive()
        advance(connection, id)
    }

    private func send(to id: Int) {
        guard let connection = connections[id] else { return }
        connection.flush()
        advance(connection, id)
    }

    /// Handles lines until a command has to be performed, which continues with the others.
    private func advance(_ connection: MPDConnection, _ id: Int) {
        while connection.isReady, let line = connection.nextLine() {
            switch connection.client.dialogue.receive(line) {
            case .wait: break
            case .send(let bytes): connection.send(bytes)
            case .close: connection.close()
            case .perform(let batch):
                connection.isBusy = true
                post { await $0.perform(batch, for: id) }
            }
        }
        if connection.hasEnded, connection.isReady { connection.closeWhenSent() }
        if connection.isClosed {
            // One that is busy is dropped when the command is done.
            if !connection.isBusy { post { await $0.drop(id) } }
        } else {
            connection.resumeReading()
        }
    }

    private func perform(_ batch: MPDDialogue.Batch, for id: Int) async {
        guard let connection = connections[id] else { return }
        let client = connection.client
        client.ending = .stays
        let reply = await answer(batch, of: client)
        connection.isBusy = false
        connection.send(reply)
        if client.ending == .leaves { connection.closeWhenSent() }
        advance(connection, id)
    }

    private func drop(_ id: Int) async {
        guard let connection = connections.removeValue(forKey: id) else { return }
        connection.close()
        await player.disconnect(connection.client.playerClient.id)
    }

    // MARK: The queue and its changes

    /// The queue as it is now.
    func currentQueue() async -> MPDQueue {
        while queueIsStale {
            queueIsStale = false
            queue.update(await player.session.order.ids)
        }
        return queue
    }

    private func publishChanges() async {
        var changes = changes.removeAll()
        if changes.subsystems.contains(.playlist) { queueIsStale = true }
        if changes.subsystems.contains(.database) { (knownFolders, knownTotals) = (nil, nil) }
        if changes.hasUnknownItems {
            queue.touch()
        } else if !changes.items.isEmpty {
            queue.touch(changes.items)
        }
        if let error = changes.error { lastError = error }
        if changes.hasEnded { isStopped = true }
        if let begun = changes.begun { (lastPlayed, isStopped) = (begun, false) }
        switch changes.isScanning {
        case true?: _ = beginUpdate()
        case false?: updateJob = nil
        case nil: break
        }
        // An item that becomes current where nothing was played, for example.
        if changes.subsystems.contains(.player), await !showsPlayer(), !changes.hasPlayed {
            changes.subsystems.remove(.player)
        }
        note(changes.subsystems)
    }

    /// Returns false if clients see a stopped player and the same song as at the last change.
    private func showsPlayer() async -> Bool {
        let report = await player.report
        let song = position(report) == nil ? nil : report.current?.id
        defer { shown = (state(report), song) }
        return shown.state != .stopped || state(report) != .stopped || song != shown.song
    }

    /// Notes that a scan of the library runs, and returns its number.
    func beginUpdate() -> Int {
        if let updateJob { return updateJob }
        lastUpdateJob += 1
        updateJob = lastUpdateJob
        return lastUpdateJob
    }

    /// Reports changes to clients, now or when they ask; all of them unless some are given.
    func note(_ subsystems: MPDSubsystems, to some: [MPDClient]? = nil) {
        guard !subsystems.isEmpty else { return }
        for (id, connection) in connections {
            if let some, !some.contains(where: { $0 === connection.client }) { continue }
            guard let reply = connection.client.dialogue.note(subsystems) else { continue }
            connection.send(reply)
            advance(connection, id)
        }
    }

    // MARK: Commands

    /// Performs commands in order, to the first that fails, and returns the reply.
    func answer(_ batch: MPDDialogue.Batch, of client: MPDClient) async -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, line) in batch.lines.enumerated() {
            var reply = MPDReply()
            if let refusal = await perform(line, of: client, &reply) {
                return bytes + reply.bytes + refusal.error.line(at: index, of: refusal.name)
            }
            if batch.reportsEach { reply.addListOK() }
            bytes += reply.bytes
            guard bytes.count <= Self.mostReplied else {
                client.ending = .leaves
                return []
            }
            if client.ending != .stays { return bytes }
        }
        return bytes + Array("OK\n".utf8)
    }

    /// Performs a command. Returns the reason, and the command's name if there is such a command,
    /// if it has failed.
    private func perform(
        _ line: [UInt8], of client: MPDClient, _ reply: inout MPDReply
    ) async -> (name: String, error: MPDError)? {
        let request: MPDRequest
        do throws(MPDRequest.Refusal) {
            request = try MPDRequest(line)
        } catch {
            if !error.isSpeaker { client.ending = .leaves }
            return ("", error.error)
        }
        guard let command = MPDCommand.named[request.name] else {
            return ("", MPDError(.unknown, "unknown command \"\(request.name)\""))
        }
        do {
            try command.check(request.arguments.count, client.permissions)
            try await command.run(self, client, request.arguments, &reply)
            return nil
        } catch let error as MPDError {
            return (command.name, error)
        } catch let error as ServiceError {
            return (command.name, MPDError(error))
        } catch {
            return (command.name, MPDError(.system, "\(error)"))
        }
    }
}
