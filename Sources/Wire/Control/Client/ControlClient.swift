import Glibc
import Synchronization
public import UndersongBase

/// A connection to a service. May be used on any thread; replies and notices arrive on a thread of
/// its own.
///
/// It sends the greeting, `Hello`, by itself with the first request, and does not wait for a reply
/// before sending the next request. If the service refuses it, all calls fail with the reason.
public final class ControlClient: Sendable {
    private let link: ClientLink
    private let greeting: Answer<Hello.Reply>

    /// Connects to a service. Throws `unavailable` if none listens at `path`.
    ///
    /// `name` identifies the client. `onNotice` and `onClose` are called on the client's own
    /// thread, and must not wait for a call of this client. `onClose` is called once, last of all,
    /// and only if something was sent before.
    public convenience init(
        socket path: String, name: String,
        onNotice: @escaping @Sendable (ControlNoticeMessage) -> Void = { _ in },
        onClose: @escaping @Sendable (ControlError) -> Void = { _ in }
    ) throws(ControlError) {
        switch try UnixSocket.connect(to: path) {
        case .success(let descriptor):
            self.init(descriptor: descriptor, name: name, onNotice: onNotice, onClose: onClose)
        case .failure(let failure):
            let why =
                [ENOENT, ECONNREFUSED].contains(failure.code)
                ? "No service listens at \(path)" : SystemError(failure.code).reason
            throw ControlError(.unavailable, "cannot talk to a service: \(why)")
        }
    }

    /// Takes over a connected socket.
    init(
        descriptor: Int32, name: String,
        onNotice: @escaping @Sendable (ControlNoticeMessage) -> Void,
        onClose: @escaping @Sendable (ControlError) -> Void
    ) {
        link = ClientLink(descriptor: descriptor, onNotice: onNotice, onClose: onClose)
        greeting = Answer()
        link.hold()
        send(Hello(client: name)) { [link, greeting] result in
            greeting.give(result)
            if case .failure(let error) = result { link.refuse(because: error) }
        }
        link.release(isSending: false)
    }

    /// Sends the greeting, and waits for the reply. To be called once. A service that is about to end
    /// may still be connected to: then this is what fails, and nothing else was asked.
    func greet() -> Result<Hello.Reply, ControlError> {
        together {}
        return greeting.wait()
    }

    deinit { close() }

    /// The process that has the session's queue, if the service has said that it only reads it; 0 if
    /// that is not known.
    public var heldBy: Int32? { (try? greeting.current?.get())?.heldBy }

    /// Makes a call and waits for its reply. The caller keeps ownership of the descriptors. Must
    /// not be called on the client's own thread.
    public func call<Call: ControlCall>(
        _ call: Call, descriptors: [Int32] = []
    ) throws(ControlError) -> Call.Reply {
        let answer = Answer<Call.Reply>()
        send(call, descriptors: descriptors) { answer.give($0) }
        return try answer.wait().get()
    }

    /// Makes a call without waiting. The result is passed to `completion`, normally on the client's
    /// own thread, or on the caller's if the call fails at once. The caller keeps ownership of the
    /// descriptors.
    public func send<Call: ControlCall>(
        _ call: Call, descriptors: [Int32] = [],
        _ completion: @escaping @Sendable (Result<Call.Reply, ControlError>) -> Void = { _ in }
    ) {
        do {
            let params = try JSONLine.bytes(of: call)
            link.send(method: Call.method, params: params, descriptors: descriptors) { line in
                completion(line.flatMap(Self.reply))
            }
        } catch {
            completion(
                .failure(
                    ControlError(
                        .invalidParams, "cannot write \(Call.method): \(Message.reason(error))")))
        }
    }

    /// Sends all calls made by `body` in one write when it returns.
    public func together(_ body: () -> Void) {
        link.hold()
        body()
        link.release(isSending: true)
    }

    /// Closes the connection. Pending calls fail.
    public func close() { link.close() }

    private static func reply<Reply: Codable>(in line: [UInt8]) -> Result<Reply, ControlError> {
        do {
            let answer = try Message.value(ReplyBody<Reply>.self, in: line)
            if let error = answer.error { return .failure(error) }
            if let result = answer.result { return .success(result) }
            return .failure(ControlError(.internalError, "cannot read the answer: It is empty"))
        } catch {
            return .failure(
                ControlError(
                    .internalError, "cannot read the answer: \(Message.reason(error))"))
        }
    }
}

/// A reply as sent on the wire.
private struct ReplyBody<Reply: Codable>: Decodable {
    var result: Reply?
    var error: ControlError?
}

/// A reply that a thread is waiting for.
private final class Answer<Reply: Sendable>: Sendable {
    private let result = Mutex<Result<Reply, ControlError>?>(nil)
    private let done = Semaphore()

    func give(_ result: Result<Reply, ControlError>) {
        self.result.withLock { $0 = result }
        done.post()
    }

    /// The reply, if it has come.
    var current: Result<Reply, ControlError>? { result.withLock { $0 } }

    func wait() -> Result<Reply, ControlError> {
        done.wait()
        return result.withLock { $0 }
            ?? .failure(ControlError(.unavailable, "cannot wait for the service"))
    }
}
