import Foundation
import Synchronization
import TestSupport
import UndersongBase

@testable import UndersongControl

/// A temporary folder for sockets, removed at the end.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = "/tmp/control-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A service on a socket in its own folder, whose clients are served by a `TestHandler`.
final class TestService: Sendable {
    let folder: TemporaryFolder
    let server: ControlServer
    let handler = TestHandler()

    init(
        users: Set<UInt32> = [geteuid()], limits: ControlServer.Limits = ControlServer.Limits()
    ) throws {
        folder = try TemporaryFolder()
        let listener = try ControlSocket(session: "default", runtimeFolder: folder.path).listen()
        server = ControlServer(
            listener: listener, handler: handler, users: users, limits: limits,
            clock: SystemClock())
        server.start()
    }

    var path: String { ControlSocket(session: "default", runtimeFolder: folder.path).path }

    func client(
        onNotice: @escaping @Sendable (ControlNoticeMessage) -> Void = { _ in },
        onClose: @escaping @Sendable (ControlError) -> Void = { _ in }
    ) throws -> ControlClient {
        try ControlClient(socket: path, name: "test", onNotice: onNotice, onClose: onClose)
    }

    /// A connected client, and the service's end of its connection.
    func pair(
        onNotice: @escaping @Sendable (ControlNoticeMessage) -> Void = { _ in },
        onClose: @escaping @Sendable (ControlError) -> Void = { _ in }
    ) throws -> (client: ControlClient, connection: ControlConnection) {
        let client = try client(onNotice: onNotice, onClose: onClose)
        _ = try client.call(Echo("hello"))
        guard let connection = handler.opened.next() else { throw Unexpected() }
        return (client, connection)
    }

    /// Stops without waiting.
    func stop() { server.stop(within: 0) }
}

struct Unexpected: Error {}

/// Requests its own text.
struct Echo: ControlCall {
    typealias Reply = Echo
    static let method = "echo"
    var text: String

    init(_ text: String) { self.text = text }
}

/// Requests a reply that the test sends.
struct Later: ControlCall {
    typealias Reply = Echo
    static let method = "later"
}

/// Passes descriptors, to each of which the service writes the text.
struct WriteTo: ControlCall {
    typealias Reply = Nothing
    static let method = "writeTo"
    var text: String
}

/// Answers `Echo`, leaves `Later` to the test, and records connections opened and closed.
final class TestHandler: ControlHandler {
    typealias Reply = @Sendable (Result<ControlReply, ControlError>) -> Void

    let opened = Mailbox<ControlConnection>()
    let closed = Mailbox<ControlConnection>()
    let waiting = Mailbox<Reply>()
    let methods = Mailbox<String>()

    func opened(_ connection: ControlConnection) { opened.put(connection) }

    func closed(_ connection: ControlConnection) { closed.put(connection) }

    func handle(
        _ request: ControlRequest, from connection: ControlConnection, reply: @escaping Reply
    ) {
        if request.method == Later.method { return waiting.put(reply) }
        methods.put(request.method)
        do throws(ControlError) {
            reply(.success(try answer(to: request)))
        } catch {
            reply(.failure(error))
        }
    }

    private func answer(to request: ControlRequest) throws(ControlError) -> ControlReply {
        switch request.method {
        case Hello.method:
            return ControlReply(
                Hello.Reply(protocol: 1, version: "0.5", session: "default", process: getpid()))
        case Echo.method: return ControlReply(try request.decode(Echo.self))
        case WriteTo.method:
            let text = Array(try request.decode(WriteTo.self).text.utf8)
            while let descriptor = request.descriptors.takeFirst() {
                write(descriptor, text, text.count)
                close(descriptor)
            }
            return ControlReply(Nothing())
        default: throw ControlError(.methodNotFound, "cannot do \(request.method): Unknown")
        }
    }
}

/// A queue from one thread to another that waits for it.
final class Mailbox<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    func put(_ element: Element) {
        elements.withLock { $0.append(element) }
        arrivals.signal()
    }

    /// The next element; nil if none arrives for a long time.
    func next() -> Element? {
        guard arrivals.wait(timeout: .now() + patience) == .success else { return nil }
        return elements.withLock { $0.removeFirst() }
    }

    /// The number of waiting elements.
    var count: Int { elements.withLock { $0.count } }
}

/// A delivered event of any kind.
struct Delivery<Event: Codable & Sendable>: ControlNotice {
    static var method: String { "event" }
    var subscription: Int
    var missed: Int?
    var data: Event
}
