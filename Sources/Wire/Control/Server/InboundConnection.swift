import CUndersongLinux
import Glibc
import Synchronization
import UndersongBase

/// The requests of one client, on their way from the socket to the handler. Used on the wire thread
/// only.
final class InboundConnection {
    /// The next thing to do.
    enum Next {
        case line([UInt8])
        /// Nothing until more data arrives.
        case nothing
        /// The client has stopped sending.
        case ended
        /// The bytes of the client are not a line.
        case broken(ControlError)
    }

    /// The number of descriptors that may wait for the requests to which they belong.
    private static let mostDescriptors = 16
    private static let chunk = 64 * 1024

    let connection: ControlConnection
    /// True if there may be something to read.
    var isReadable = true
    /// True if the client has closed its socket.
    var isGone = false
    /// True if it is in the list of connections with work to do.
    var isEnlisted = false
    /// The reason why the client has stopped sending.
    private(set) var endingReason = "The client has closed it"
    private var lines = LineBuffer()
    private var descriptors: [Int32] = []
    private var hasGreeted = false
    private let limits: ControlServer.Limits
    private let meter: InputMeter

    init(_ connection: ControlConnection, limits: ControlServer.Limits, meter: InputMeter) {
        self.connection = connection
        self.limits = limits
        self.meter = meter
    }

    /// Reads until there is a complete line.
    func next() -> Next {
        while true {
            let before = lines.count
            defer { meter.change(by: lines.count - before) }
            if let line = lines.next() { return .line(line) }
            guard lines.count <= limits.line else {
                return .broken(tooMuch("A line has at most \(limits.line) bytes"))
            }
            guard isReadable else { return .nothing }
            if let end = read() { return end }
        }
    }

    /// Passes a line to the handler, or replies with what is wrong with it.
    func handle(_ line: [UInt8], by handler: any ControlHandler) {
        guard !line.allSatisfy(Self.isBlank) else { return }
        do throws(RequestHead.Problem) {
            let head = try RequestHead.read(line)
            let passed = try descriptors(for: head)
            try checkGreeting(head, line)
            begin(head, line, passed, by: handler)
        } catch {
            if let id = error.id {
                connection.answerNow(with: Message.reply(to: id, .failure(error.error)))
            }
            if error.isFatal { connection.close(reason: error.error.message) }
        }
    }

    /// Bytes of an incomplete line and of those after it.
    var count: Int { lines.count }

    /// True if the client has gone and everything it sent is read: nobody waits for a reply.
    var isAbandoned: Bool {
        guard isGone, lines.count == 0 else { return false }
        var byte: UInt8 = 0
        return unsafe recv(
            connection.descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
            == 0
    }

    /// Closes descriptors that were not claimed.
    func forget() {
        closeAll(descriptors)
        descriptors = []
        meter.change(by: -lines.count)
    }

    /// Reads the available data; nil if there is something to examine, or nothing to read.
    private func read() -> Next? {
        let (outcome, passed) = unsafe withUnsafeTemporaryAllocation(
            byteCount: Self.chunk, alignment: 1
        ) { buffer in
            let result = unsafe UnixSocket.receive(into: buffer, from: connection.descriptor)
            if case .moved(let count) = result.outcome {
                unsafe lines.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
            return result
        }
        descriptors += passed
        guard descriptors.count <= Self.mostDescriptors else {
            return .broken(tooMuch("At most \(Self.mostDescriptors) descriptors may wait"))
        }
        switch outcome {
        case .moved(0): return .ended
        case .moved: return nil
        case .wouldWait: isReadable = false
        case .failed(let code):
            endingReason = SystemError(code).reason
            return .ended
        }
        return nil
    }

    private func begin(
        _ head: RequestHead, _ line: [UInt8], _ passed: PassedDescriptors,
        by handler: any ControlHandler
    ) {
        connection.beginHandling()
        let answer = PendingAnswer(to: head.id, on: connection)
        handler.handle(
            ControlRequest(method: head.method, line: line, descriptors: passed),
            from: connection
        ) { answer.send($0) }
    }

    /// Takes the descriptors that belong to a request.
    private func descriptors(
        for head: RequestHead
    ) throws(RequestHead.Problem) -> PassedDescriptors {
        guard (0...descriptors.count).contains(head.descriptors) else {
            throw RequestHead.Problem(
                id: head.id,
                error: ControlError(
                    .invalidParams,
                    "cannot receive \(head.descriptors) descriptors: Only \(descriptors.count) came"
                ),
                isFatal: false)
        }
        defer { descriptors.removeFirst(head.descriptors) }
        return PassedDescriptors(Array(descriptors.prefix(head.descriptors)))
    }

    /// Checks that the first request is a `hello` of the same version.
    private func checkGreeting(
        _ head: RequestHead, _ line: [UInt8]
    ) throws(RequestHead.Problem) {
        guard !hasGreeted || head.method == Hello.method else { return }
        do throws(ControlError) {
            guard head.method == Hello.method else {
                throw ControlError(
                    .invalidRequest,
                    "cannot do \(head.method): The first request of a connection must be hello")
            }
            let hello = try ControlRequest(
                method: head.method, line: line, descriptors: PassedDescriptors()
            ).decode(Hello.self)
            guard hello.protocol == ControlProtocol.version else {
                throw ControlError(
                    .versionMismatch,
                    "cannot communicate with the client: It uses version \(hello.protocol) of the protocol, "
                        + "the service \(ControlProtocol.version)")
            }
            hasGreeted = true
        } catch {
            throw RequestHead.Problem(id: head.id, error: error, isFatal: false)
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0d
    }

    private func tooMuch(_ why: String) -> ControlError {
        ControlError(.invalidRequest, "cannot accept a message: \(why)")
    }
}

/// Sends the reply to a request exactly once, even if its handler releases it without replying.
private final class PendingAnswer: Sendable {
    private let id: RequestID?
    private let connection: ControlConnection
    private let isSent = Atomic<Bool>(false)

    init(to id: RequestID?, on connection: ControlConnection) {
        self.id = id
        self.connection = connection
    }

    deinit {
        send(.failure(ControlError(.internalError, "cannot answer: The request was dropped")))
    }

    func send(_ result: Result<ControlReply, ControlError>) {
        guard !isSent.exchange(true, ordering: .relaxed) else { return }
        connection.answer(with: id.map { Message.reply(to: $0, result) })
    }
}

/// Counts the bytes of incomplete lines of all clients.
final class InputMeter {
    private(set) var count = 0

    func change(by bytes: Int) { count += bytes }
}
