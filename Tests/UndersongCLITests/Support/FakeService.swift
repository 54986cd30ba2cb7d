import Foundation
import Glibc
import Synchronization
import TestSupport
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongPlayback

/// A service that answers by a test's script, in its own runtime folder, and records its requests.
final class FakeService: ControlHandler {
    /// A request, and the number of descriptors that came with it.
    struct Asked: Sendable {
        let request: ControlRequest
        let descriptors: Int

        var method: String { request.method }
    }

    /// Answers a request; nil never answers it.
    typealias Script = @Sendable (ControlRequest, ControlConnection) throws -> ControlReply?

    let runtimeFolder: String
    private let server = Mutex<ControlServer?>(nil)
    private let script: Script
    private let asked = Mutex<[Asked]>([])
    private let connections = Mutex<[ControlConnection]>([])
    /// Completions of requests that are never answered; releasing one would answer with an error.
    private let unanswered = Mutex<[@Sendable (Result<ControlReply, ControlError>) -> Void]>([])
    private let hasNews = DispatchSemaphore(value: 0)

    /// Starts serving the session; without `session` only the folder is created.
    init(session: String? = "default", _ script: @escaping Script = { _, _ in nil }) throws {
        runtimeFolder = NSTemporaryDirectory() + "undersong-cli-\(UUID())"
        self.script = script
        try FileManager.default.createDirectory(
            atPath: runtimeFolder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        if let session { try begin(session: session) }
    }

    /// Starts serving a session.
    func begin(session: String) throws {
        let listener = try ControlSocket(session: session, runtimeFolder: runtimeFolder).listen()
        let new = ControlServer(listener: listener, handler: self, clock: SystemClock())
        server.withLock { $0 = new }
        new.start()
    }

    /// Starts serving the session with a queue, and answers requests for its pages.
    convenience init(
        queue items: [ListedItem], added: [Int] = [], problems: [String] = []
    ) throws {
        try self.init { request, _ in
            if request.method == GetStatus.method { return ControlReply(PlayerStatus.paused) }
            let queue = QueueList(items: items, current: 12)
            return try QueueRequest(request)?
                .answer(from: queue, added: added, problems: problems)
        }
    }

    /// Ends the service, as in a crash, and removes the folder.
    func end() {
        server.withLock { $0.take() }?.stop()
        try? FileManager.default.removeItem(atPath: runtimeFolder)
    }

    /// Loses all connections; new ones can be made.
    func disconnect() {
        for connection in connections.withLock({ $0 }) { connection.close(reason: "a test") }
    }

    /// The environment in which the programs under test find it.
    var environment: [String: String] {
        [
            "XDG_RUNTIME_DIR": runtimeFolder, "PULSE_SERVER": "", "HOME": runtimeFolder,
            "SWIFT_BACKTRACE": "enable=no",
        ]
    }

    /// The methods of the requests, without `hello`.
    var methods: [String] { asked.withLock { $0.map(\.method).filter { $0 != "hello" } } }

    /// The requests of one kind, decoded.
    func calls<Call: ControlCall>(_ type: Call.Type) throws -> [Call] {
        try asked.withLock { $0 }.filter { $0.method == Call.method }
            .map { try $0.request.decode(type) }
    }

    /// The requests about the queue.
    var queueRequests: [QueueRequest] {
        get throws { try asked.withLock { $0 }.compactMap { try QueueRequest($0.request) } }
    }

    /// The number of descriptors that came with each request of one kind.
    func descriptors(with type: (some ControlCall).Type) -> [Int] {
        asked.withLock { $0.filter { $0.method == type.method }.map(\.descriptors) }
    }

    /// Waits until the requests so far satisfy `condition`.
    func wait(until condition: (FakeService) throws -> Bool) throws {
        while try !condition(self) {
            try hasNews.waitPatiently(orSay: "what is awaited is not asked, but \(methods)")
        }
    }

    /// Sends a notice to all clients.
    func send(_ notice: some ControlNotice) {
        for connection in connections.withLock({ $0 }) { connection.notify(notice) }
    }

    /// Sends an event to all clients, for their first subscription.
    func send(event: PlayerEvent) { send(EventNotice(subscription: 1, data: event)) }

    func opened(_ connection: ControlConnection) { connections.withLock { $0.append(connection) } }

    func closed(_ connection: ControlConnection) {
        connections.withLock { $0.removeAll { $0 == connection } }
        hasNews.signal()
    }

    func handle(
        _ request: ControlRequest, from connection: ControlConnection,
        reply: @escaping @Sendable (Result<ControlReply, ControlError>) -> Void
    ) {
        let number = request.descriptors.count
        defer { hasNews.signal() }
        asked.withLock { $0.append(Asked(request: request, descriptors: number)) }
        // The program's own output reaches its end only when no other process has it open.
        defer { while let descriptor = request.descriptors.takeFirst() { close(descriptor) } }
        do {
            let answer = try standardAnswer(request) ?? script(request, connection)
            if let answer {
                reply(.success(answer))
            } else {
                unanswered.withLock { $0.append(reply) }
            }
        } catch let error as ControlError {
            reply(.failure(error))
        } catch {
            reply(.failure(ControlError(.internalError, "\(error)")))
        }
    }

    private func standardAnswer(_ request: ControlRequest) -> ControlReply? {
        switch request.method {
        case Hello.method:
            ControlReply(
                Hello.Reply(
                    protocol: ControlProtocol.version, version: "0.1.0", session: "default",
                    process: getpid()))
        case Attach.method: ControlReply(Nothing())
        default: nil
        }
    }
}
