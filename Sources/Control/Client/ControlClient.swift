import Glibc
import Synchronization
import Threads

/// Talks to a service. Any thread may use it; the answers and notices come on a thread of its own.
///
/// It greets the service by itself, with the first bytes that it sends, and waits for no answer
/// before it sends the next request. A service that refuses the greeting fails all calls with the
/// reason.
public final class ControlClient: Sendable {
    private let link: ClientLink

    /// Connects to a service. Throws `unavailable` where none listens at `path`.
    ///
    /// `name` is what the client calls itself. `onNotice` and `onClose` are called on the client's
    /// own thread, `onClose` once, last of all, and only when something was sent before; neither
    /// may wait for a call of this client.
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
                ? "None listens at \(path)" : reason(failure.code)
            throw ControlError(.unavailable, "cannot talk to a service: \(why)")
        }
    }

    /// Takes a socket that is connected.
    init(
        descriptor: Int32, name: String,
        onNotice: @escaping @Sendable (ControlNoticeMessage) -> Void,
        onClose: @escaping @Sendable (ControlError) -> Void
    ) {
        link = ClientLink(descriptor: descriptor, onNotice: onNotice, onClose: onClose)
        link.hold()
        send(Hello(client: name)) { [link] result in
            if case .failure(let error) = result { link.refuse(because: error) }
        }
        link.release(isSending: false)
    }

    deinit { close() }

    /// Does a call and waits for its answer. The descriptors stay the caller's. Not for the
    /// client's own thread.
    public func call<Call: ControlCall>(
        _ call: Call, descriptors: [Int32] = []
    ) throws(ControlError) -> Call.Reply {
        let answer = Answer<Call.Reply>()
        send(call, descriptors: descriptors) { answer.give($0) }
        return try answer.wait().get()
    }

    /// Does a call; never waits. What it answers goes to `completion`, on the client's own thread,
    /// as a rule, or on the caller's where it has gone wrong already. The descriptors stay the
    /// caller's.
    public func send<Call: ControlCall>(
        _ call: Call, descriptors: [Int32] = [],
        _ completion: @escaping @Sendable (Result<Call.Reply, ControlError>) -> Void = { _ in }
    ) {
        do {
            let params = try Message.json(call)
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

    /// Sends all that `body` calls by one write, when it returns.
    public func together(_ body: () -> Void) {
        link.hold()
        body()
        link.release(isSending: true)
    }

    /// Hangs up. What was not answered fails.
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

/// An answer as it stands on the wire.
private struct ReplyBody<Reply: Codable>: Decodable {
    var result: Reply?
    var error: ControlError?
}

/// An answer that a thread waits for.
private final class Answer<Reply: Sendable>: Sendable {
    private let result = Mutex<Result<Reply, ControlError>?>(nil)
    private let done = Semaphore()

    func give(_ result: Result<Reply, ControlError>) {
        self.result.withLock { $0 = result }
        done.post()
    }

    func wait() -> Result<Reply, ControlError> {
        done.wait()
        return result.withLock { $0 }
            ?? .failure(ControlError(.unavailable, "cannot wait for the service"))
    }
}
