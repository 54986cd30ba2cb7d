import CUndersongLinux
import Glibc
import Synchronization
public import UndersongBase

/// A connection to a service. May be used on any thread; replies and notices arrive on a thread of
/// its own.
///
/// It sends the greeting, `Hello`, by itself with the first request, and does not wait for a reply
/// before sending the next request. If the service refuses it, all calls fail with the reason.
public final class ControlClient: Sendable {
    private let link: Link
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
            throw ControlError(.unavailable, "cannot communicate with a service: \(why)")
        }
    }

    /// Takes over a connected socket.
    init(
        descriptor: Int32, name: String,
        onNotice: @escaping @Sendable (ControlNoticeMessage) -> Void,
        onClose: @escaping @Sendable (ControlError) -> Void
    ) {
        link = Link(descriptor: descriptor, onNotice: onNotice, onClose: onClose)
        greeting = Answer()
        link.hold()
        send(Hello(client: name)) { [link, greeting] result in
            greeting.give(result)
            if case .failure(let error) = result { link.refuse(by: error) }
        }
        link.release(isSending: false)
    }

    /// Sends the greeting, and waits for the reply. To be called once. A service that is about to
    /// end may still be connected to: then this is what fails, and nothing else was asked.
    func greet() -> Result<Hello.Reply, ControlError> {
        together {}
        return greeting.wait()
    }

    deinit { close() }

    /// The process that has the session's queue, if the service has said that it only reads it; 0
    /// if that is not known.
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

extension ControlClient {
    /// A client's end of the socket: sends at once what it can, and reads on a thread of its own,
    /// which also sends the rest.
    private final class Link: Sendable {
        /// Receives the line of a reply.
        typealias Completion = @Sendable (Result<[UInt8], ControlError>) -> Void

        private struct State {
            /// The reason why the connection has ended, if it has.
            var ending: ControlError?
            var isReading = false
            var nextID = 1
            var pending: [Int: Completion] = [:]
            /// While above 0, nothing is sent.
            var holds = 0
            /// Bytes not sent yet.
            var bytes: [UInt8] = []
            /// Copies of the descriptors that go with the first of the bytes.
            var descriptors: [Int32] = []
        }

        private static let badDescriptor = ControlError(
            .invalidParams, "cannot pass a descriptor: It is not open, or there are too many")

        private let descriptor: Int32
        private let state = Mutex(State())
        private let wakeup = Wakeup()
        private let onNotice: @Sendable (ControlNoticeMessage) -> Void
        private let onClose: @Sendable (ControlError) -> Void

        init(
            descriptor: Int32, onNotice: @escaping @Sendable (ControlNoticeMessage) -> Void,
            onClose: @escaping @Sendable (ControlError) -> Void
        ) {
            self.descriptor = descriptor
            self.onNotice = onNotice
            self.onClose = onClose
        }

        deinit {
            closeAll(state.withLock { $0.descriptors })
            Glibc.close(descriptor)
        }

        /// Sends nothing until `release`.
        func hold() { state.withLock { $0.holds += 1 } }

        /// Sends what was held, now or together with what is sent next.
        func release(isSending: Bool) {
            state.withLock { state in
                state.holds -= 1
                if isSending { send(&state) }
            }
        }

        func send(
            method: String, params: [UInt8], descriptors: [Int32], completion: @escaping Completion
        ) {
            let copies = descriptors.map { fcntl($0, F_DUPFD_CLOEXEC, 3) }
            let ending = state.withLock { state -> ControlError? in
                guard state.ending == nil, !copies.contains(-1) else {
                    return state.ending ?? Self.badDescriptor
                }
                let id = state.nextID
                state.nextID += 1
                state.pending[id] = completion
                state.bytes += Message.request(
                    id: id, method: method, params: params, descriptors: descriptors.count)
                state.descriptors += copies
                send(&state)
                return nil
            }
            guard let ending else { return }
            closeAll(copies.filter { $0 >= 0 })
            completion(.failure(ending))
        }

        /// Fails all pending and all future calls with `error`.
        func refuse(by error: ControlError) { end(by: error) }

        /// Closes the connection.
        func close() {
            end(by: ControlError(.unavailable, "cannot reach the service: It was closed"))
        }

        /// Ends the connection; pending calls fail. The thread, if there is one, ends.
        private func end(by error: ControlError) {
            let (pending, isReading) = state.withLock { state in
                guard state.ending == nil else { return ([Int: Completion](), true) }
                defer { state.pending = [:] }
                state.ending = error
                return (state.pending, state.isReading)
            }
            for (_, completion) in pending.sorted(by: { $0.key < $1.key }) {
                completion(.failure(error))
            }
            if isReading { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }

        /// Sends what it can; the reading thread sends the rest when there is room.
        private func send(_ state: inout State) {
            guard state.holds == 0, state.ending == nil, !state.bytes.isEmpty else { return }
            while !state.bytes.isEmpty {
                let outcome = unsafe state.bytes.withUnsafeBytes { bytes in
                    unsafe UnixSocket.send(bytes, descriptors: state.descriptors, to: descriptor)
                }
                guard case .moved(let count) = outcome else {
                    // If this is the end, the reading thread notices it.
                    if case .failed = outcome { shutdown(descriptor, Int32(SHUT_RDWR)) }
                    break
                }
                state.bytes.removeFirst(count)
                closeAll(state.descriptors)
                state.descriptors = []
            }
            if !state.isReading {
                state.isReading = true
                startThread(named: "client") { self.read() }
            } else if !state.bytes.isEmpty {
                wakeup.post()
            }
        }

        /// Reads until the connection ends. Runs on the reading thread.
        private func read() {
            var lines = LineBuffer()
            while wait(), receive(into: &lines) {
                while let line = lines.next() { receive(line) }
            }
            end(by: ControlError(.unavailable, "cannot reach the service: It has gone away"))
            if let ending = state.withLock({ $0.ending }) { onClose(ending) }
        }

        /// Waits for something to read, and sends the rest meanwhile.
        private func wait() -> Bool {
            while true {
                let isLeft = state.withLock { !$0.bytes.isEmpty && $0.holds == 0 }
                let events = Int16(POLLIN) | (isLeft ? Int16(POLLOUT) : 0)
                var polled = [
                    pollfd(fd: descriptor, events: events, revents: 0),
                    pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
                ]
                guard unsafe poll(&polled, 2, -1) >= 0 || errno == EINTR else { return false }
                if polled[1].revents != 0 { wakeup.clear() }
                if polled[0].revents & Int16(POLLOUT) != 0 { state.withLock { send(&$0) } }
                if polled[0].revents & ~Int16(POLLOUT) != 0 { return true }
            }
        }

        private func receive(into lines: inout LineBuffer) -> Bool {
            unsafe withUnsafeTemporaryAllocation(byteCount: 65536, alignment: 1) { buffer in
                let count = unsafe recv(
                    descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                guard count > 0 else { return count < 0 && [EAGAIN, EINTR].contains(errno) }
                unsafe lines.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                return true
            }
        }

        private func receive(_ line: [UInt8]) {
            switch ServiceLine(line) {
            case .reply(let id):
                let completion = state.withLock { $0.pending.removeValue(forKey: id) }
                completion?(.success(line))
            case .notice(let method): onNotice(ControlNoticeMessage(method: method, line: line))
            case .other: break
            }
        }
    }
}
