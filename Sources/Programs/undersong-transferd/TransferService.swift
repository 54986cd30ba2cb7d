import Glibc
import Synchronization
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongPodcasts
import UndersongTransferIO
import UndersongTransfers

/// Answers clients for an engine.
final class TransferService: ControlHandler {
    /// Seconds between two reports of bytes that come.
    private static let reportSeconds = 0.2

    private struct State {
        var followers: [Int: (connection: ControlConnection, ids: Set<Int>?)] = [:]
        /// True if the next report of bytes is on its way.
        var isReporting = false
        var clients: Set<Int> = []
        /// The client that has asked for the end, which comes when no other is connected.
        var ender: Int?

        /// True if it is time to end.
        var isDone: Bool { ender.map { clients.subtracting([$0]).isEmpty } ?? false }
    }

    private typealias Perform =
        @Sendable (ControlRequest, ControlConnection, TransferService, TransferEngineState)
        throws(ControlError) -> ControlReply

    private static let methods: [String: Perform] = [
        Hello.method: { _, _, service, _ throws(ControlError) in
            ControlReply(
                Hello.Reply(
                    protocol: ControlProtocol.version, version: Version.text,
                    session: service.session, process: getpid()))
        },
        AddTransfer.method: { request, _, _, engine throws(ControlError) in
            ControlReply(try add(request.decode(AddTransfer.self), engine))
        },
        ListTransfers.method: { request, _, _, engine throws(ControlError) in
            ControlReply(try list(request.decode(ListTransfers.self), engine))
        },
        PauseTransfers.method: { request, _, _, engine throws(ControlError) in
            let call = try request.decode(PauseTransfers.self)
            return ControlReply(try change(call, engine) { .pause($0.id) })
        },
        ResumeTransfers.method: { request, _, _, engine throws(ControlError) in
            let call = try request.decode(ResumeTransfers.self)
            return ControlReply(try change(call, engine) { .resume($0.id) })
        },
        CancelTransfers.method: { request, _, _, engine throws(ControlError) in
            let call = try request.decode(CancelTransfers.self)
            return ControlReply(
                try change(call, engine) { task in
                    task.session == nil
                        ? .cancel(task.id)
                        : .session(.cancel(task.id, reason: call.reason, resumeData: nil))
                })
        },
        RetryTransfers.method: { request, _, _, engine throws(ControlError) in
            let call = try request.decode(RetryTransfers.self)
            return ControlReply(try change(call, engine) { .retry($0.id) })
        },
        RemoveTransfers.method: { request, _, _, engine throws(ControlError) in
            let call = try request.decode(RemoveTransfers.self)
            return ControlReply(try change(call, engine) { .remove($0.id) })
        },
        GetTransferLimit.method: { _, _, _, engine throws(ControlError) in
            ControlReply(TransferLimit(limit: engine.speedLimit))
        },
        SetTransferLimit.method: { request, _, _, engine throws(ControlError) in
            ControlReply(try limit(request.decode(SetTransferLimit.self), engine))
        },
        FollowTransfers.method: { request, connection, service, engine throws(ControlError) in
            let ids = try request.decode(FollowTransfers.self).ids
            let reply = try list(ids, engine)
            service.follow(connection, ids.map(Set.init), engine)
            return ControlReply(reply)
        },
    ]

    private let engine: TransferEngine
    private let sessions: SessionRegistry
    private let streams: StreamService
    private let documents: DocumentService
    private let loads: LoadService
    private let pushes: PushService
    private let gps: GPSService
    private let regions: RegionService
    private let session: String
    private let clock: any HostClock
    private let shutDown: @Sendable () -> Void
    private let state = Mutex(State())

    /// Creates a service. `shutDown` ends the program.
    init(
        _ engine: TransferEngine, _ sessions: SessionRegistry, _ streams: StreamService,
        _ documents: DocumentService, _ loads: LoadService, _ pushes: PushService,
        _ gps: GPSService, _ regions: RegionService, session: String, clock: any HostClock,
        shutDown: @escaping @Sendable () -> Void
    ) {
        self.engine = engine
        self.sessions = sessions
        self.streams = streams
        self.documents = documents
        self.loads = loads
        self.pushes = pushes
        self.gps = gps
        self.regions = regions
        self.session = session
        self.clock = clock
        self.shutDown = shutDown
    }

    // MARK: Clients

    func opened(_ connection: ControlConnection) {
        state.withLock { state in
            state.clients.insert(connection.id)
            // Somebody needs it again.
            state.ender = nil
        }
    }

    func closed(_ connection: ControlConnection) {
        let isDone = state.withLock { state in
            state.followers.removeValue(forKey: connection.id)
            state.clients.remove(connection.id)
            return state.isDone
        }
        if isDone { endUnlessNeeded() }
        engine.perform { self.sessions.leave(connection, $0) }
        streams.closed(connection)
        documents.closed(connection)
        loads.closed(connection)
        gps.closed(connection)
        regions.closed(connection)
    }

    func handle(
        _ request: ControlRequest, from connection: ControlConnection,
        reply: @escaping @Sendable (Result<ControlReply, ControlError>) -> Void
    ) {
        if request.method == Shutdown.method {
            reply(.success(ControlReply(Nothing())))
            return shutDown(for: connection)
        }
        if let method = SessionRegistry.methods[request.method] {
            return engine.perform { engine in
                engine.settleLater()
                do throws(ControlError) {
                    reply(.success(try method(request, connection, self.sessions, engine)))
                } catch {
                    reply(.failure(error))
                }
            }
        }
        if let answer = streams.answer(request, from: connection) {
            if request.method == OpenStream.method { engine.perform { $0.settleLater() } }
            return reply(answer)
        }
        if let answer = documents.answer(request, from: connection) {
            if request.method == FetchDocument.method { engine.perform { $0.settleLater() } }
            return reply(answer)
        }
        if let answer = loads.answer(request, from: connection) {
            if request.method == OpenLoad.method { engine.perform { $0.settleLater() } }
            return reply(answer)
        }
        if let answer = gps.answer(request, from: connection) {
            engine.perform { $0.settleLater() }
            return reply(answer)
        }
        if let answer = regions.answer(request, from: connection) {
            engine.perform { $0.countIdleTimeAgain() }
            return reply(answer)
        }
        if pushes.answer(request, reply: reply) {
            return engine.perform { $0.countIdleTimeAgain() }
        }
        guard let method = Self.methods[request.method] else {
            let text = "cannot call \(request.method): There is no such method"
            return reply(.failure(ControlError(.methodNotFound, text)))
        }
        engine.perform { engine in
            engine.settleLater()
            do throws(ControlError) {
                reply(.success(try method(request, connection, self, engine)))
            } catch {
                reply(.failure(error))
            }
        }
    }

    /// Ends the program once only the client is connected that has asked for it.
    private func shutDown(for connection: ControlConnection) {
        let isDone = state.withLock { state in
            state.ender = connection.id
            return state.isDone
        }
        if isDone { endUnlessNeeded() }
    }

    /// Programs that do not run need it for their regions, and for the transfers that are left. Pushes
    /// wait until the service is opened, which has it listen again.
    private func endUnlessNeeded() {
        guard !regions.isWatching else { return }
        engine.perform { [shutDown] in if !$0.policy.hasWork { shutDown() } }
    }

    // MARK: Reports

    /// Reports a change to those who follow. On the engine's thread.
    func changed(_ ids: Set<Int>, in engine: TransferEngineState) {
        let followers = state.withLock { $0.followers.values.map { $0 } }
        for follower in followers {
            let wanted = follower.ids.map { $0.intersection(ids) } ?? ids
            let statuses = wanted.sorted().compactMap(engine.status)
            guard !statuses.isEmpty else { continue }
            follower.connection.notify(TransfersChanged(statuses))
        }
        sessions.changed(ids, in: engine)
        reportLater(engine)
    }

    private func follow(
        _ connection: ControlConnection, _ ids: Set<Int>?, _ engine: TransferEngineState
    ) {
        state.withLock { $0.followers[connection.id] = (connection, ids) }
        reportLater(engine)
    }

    /// Reports bytes in a while, as long as somebody follows and bytes come.
    private func reportLater(_ engine: TransferEngineState) {
        guard !engine.moving.isEmpty else { return }
        let hasHosts = sessions.hasHosts
        let isDue = state.withLock { state in
            guard !state.isReporting, hasHosts || !state.followers.isEmpty else { return false }
            state.isReporting = true
            return true
        }
        guard isDue else { return }
        _ = clock.wake(after: Self.reportSeconds, leeway: 50_000_000) {
            self.engine.perform { engine in
                self.state.withLock { $0.isReporting = false }
                self.changed(engine.moving, in: engine)
            }
        }
    }

    // MARK: Methods

    private static func add(
        _ call: AddTransfer, _ engine: TransferEngineState
    ) throws(ControlError) -> TransferStatus {
        let purpose = "cannot download \(call.url): "
        try Check.url(call.url, purpose)
        guard call.to.hasPrefix("/"), !call.to.hasSuffix("/"), !call.to.utf8.contains(0) else {
            throw ControlError(
                .invalidParams, purpose + "\(call.to) is not an absolute path of a file")
        }
        guard call.within ?? 1 > 0, call.stall ?? 1 >= 1, call.begin ?? 0 >= 0 else {
            throw ControlError(.invalidParams, purpose + "A time is out of range")
        }
        guard (0...1).contains(call.priority ?? 0) else {
            throw ControlError(.invalidParams, purpose + "A priority is from 0 to 1")
        }
        if let sum = call.sha256, !TransferRequest.isSHA256(sum) {
            throw ControlError(
                .invalidParams, purpose + "A SHA-256 has 64 lower-case hexadecimal digits")
        }
        if call.makesFolder ?? false { Folder.make(Folder.path(of: call.to), mode: 0o777) }
        try check(call.to, purpose, engine)
        var request = TransferRequest(url: call.url, destination: call.to)
        request.label = call.label
        request.timeout = call.within ?? request.timeout
        request.stallTimeout = call.stall ?? request.stallTimeout
        request.sha256 = call.sha256
        request.expectsAudio = call.audio ?? false
        request.isDiscretionary = call.discretionary ?? false
        request.priority = call.priority ?? request.priority
        request.earliestBegin = call.begin
        // Random, because the numbers of transfers begin again when their folder is deleted.
        request.queue = call.queue.map { place in
            QueuePlacement(place, key: String(UInt64.random(in: .min ... .max), radix: 36))
        }
        let id = engine.policy.nextID
        let isBackground = call.background ?? false
        engine.handle(.add(request, isResumed: true, isBackground: isBackground))
        guard let status = engine.status(of: id) else {
            throw ControlError(.internalError, purpose + "The service is ending")
        }
        return status
    }

    /// True if a file can be made at `path`, and no other transfer is about to make it.
    private static func check(
        _ path: String, _ purpose: String, _ engine: TransferEngineState
    ) throws(ControlError) {
        let folder = Folder.path(of: path)
        guard unsafe access(folder, W_OK | X_OK) == 0 else {
            let text = SystemError.last.reason
            throw ControlError(.notPossible, purpose + "The folder \(folder): \(text)")
        }
        var status = stat()
        guard unsafe lstat(path, &status) != 0 else {
            throw ControlError(.notPossible, purpose + "\(path) exists already")
        }
        let other = engine.policy.tasks.values.first {
            $0.isUnfinished && $0.request.destination == path
        }
        if let other {
            throw ControlError(
                .notPossible, purpose + "Transfer \(other.id) has the same destination")
        }
    }

    private static func list(
        _ ids: [Int]?, _ engine: TransferEngineState
    ) throws(ControlError) -> TransferList {
        let wanted = try existing(ids, engine)
        return TransferList(wanted.compactMap(engine.status))
    }

    private static func list(
        _ call: ListTransfers, _ engine: TransferEngineState
    ) throws(ControlError) -> TransferList {
        let (offset, limit) = (call.offset ?? 0, call.limit ?? ListTransfers.limit)
        guard offset >= 0, limit >= 0 else {
            throw ControlError(
                .invalidParams, "cannot list transfers: A place must not be negative")
        }
        var ids = try existing(call.ids, engine)
        if call.open ?? false { ids = ids.filter { engine.policy.tasks[$0]?.isOpen ?? false } }
        let page = ids.dropFirst(offset).prefix(min(limit, ListTransfers.limit))
        return TransferList(page.compactMap(engine.status), count: ids.count)
    }

    private static func change(
        _ call: some TransferChange, _ engine: TransferEngineState,
        _ input: (TransferTask) -> TransferPolicy.Input
    ) throws(ControlError) -> TransferList {
        let ids = try existing(call.ids, engine)
        // Those that are removed are reported as they were.
        let all = ids.compactMap(engine.status)
        for id in ids { if let task = engine.policy.tasks[id] { engine.handle(input(task)) } }
        return TransferList(all.map { engine.status(of: $0.id) ?? $0 })
    }

    private static func limit(
        _ call: SetTransferLimit, _ engine: TransferEngineState
    ) throws(ControlError) -> TransferLimit {
        if let limit = call.limit, limit <= 0 {
            throw ControlError(.invalidParams, "cannot limit transfers: \(limit) is not above 0")
        }
        let code = engine.limit(call.limit)
        guard code == 0 else {
            let reason = SystemError(code).reason
            throw ControlError(
                .notPossible, "cannot limit transfers: The limit cannot be kept: \(reason)")
        }
        return TransferLimit(limit: engine.speedLimit)
    }

    private static func existing(
        _ ids: [Int]?, _ engine: TransferEngineState
    ) throws(ControlError) -> [Int] {
        guard let ids else { return engine.policy.tasks.keys.sorted() }
        for id in ids where engine.policy.tasks[id] == nil {
            throw ControlError(.notFound, "cannot find transfer \(id): There is no such transfer")
        }
        return ids
    }
}

extension TransferEngineState {
    /// The status of a transfer; nil if there is none.
    func status(of id: Int) -> TransferStatus? {
        policy.status(of: id, received: received(id), at: now)
    }
}
