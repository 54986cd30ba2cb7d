import CLinux
import Glibc
import Synchronization

/// What one client sends, on its way from the socket to the handler. The wire thread's own.
final class Incoming {
    /// What there is to do.
    enum Next {
        case line([UInt8])
        /// Nothing until more comes.
        case nothing
        /// The client sends no more.
        case ended
        /// What the client sends is no line.
        case broken(ControlError)
    }

    /// Descriptors that may wait for the requests that they belong to.
    private static let mostDescriptors = 16
    private static let chunk = 64 * 1024

    let connection: ControlConnection
    /// Whether there may be something to read.
    var isReadable = true
    /// Whether the client has closed its end altogether.
    var isGone = false
    /// Whether it stands in the list of those that have something to do.
    var isEnlisted = false
    /// Why the client sends no more.
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

    /// Reads until there is a line.
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

    /// Has a line handled, or answers what is wrong with it.
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
            if error.isFatal { connection.close(because: error.error.message) }
        }
    }

    /// Bytes of a line that is not whole, and of those behind it.
    var count: Int { lines.count }

    /// Whether the client has gone and all that it sent is read: nobody waits for an answer.
    var isAbandoned: Bool {
        guard isGone, lines.count == 0 else { return false }
        var byte: UInt8 = 0
        return unsafe recv(
            connection.descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
            == 0
    }

    /// Closes what nobody has taken.
    func forget() {
        closeAll(descriptors)
        descriptors = []
        meter.change(by: -lines.count)
    }

    /// Reads what is there; nil: there is something to look at, or nothing to read.
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
            endingReason = reason(code)
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

    /// Takes the descriptors that a request says are its own.
    private func descriptors(
        for head: RequestHead
    ) throws(RequestHead.Problem) -> PassedDescriptors {
        guard (0...descriptors.count).contains(head.descriptors) else {
            throw RequestHead.Problem(
                id: head.id,
                error: ControlError(
                    .invalidParams,
                    "cannot take \(head.descriptors) descriptors: \(descriptors.count) came"),
                isFatal: false)
        }
        defer { descriptors.removeFirst(head.descriptors) }
        return PassedDescriptors(Array(descriptors.prefix(head.descriptors)))
    }

    /// The first request is a `hello` of the same version.
    private func checkGreeting(
        _ head: RequestHead, _ line: [UInt8]
    ) throws(RequestHead.Problem) {
        guard !hasGreeted || head.method == Hello.method else { return }
        do throws(ControlError) {
            guard head.method == Hello.method else {
                throw ControlError(
                    .invalidRequest,
                    "cannot do \(head.method): The first request of a connection is hello")
            }
            let hello = try ControlRequest(
                method: head.method, line: line, descriptors: PassedDescriptors()
            ).decode(Hello.self)
            guard hello.protocol == ControlProtocol.version else {
                throw ControlError(
                    .versionMismatch,
                    "cannot talk to the client: It speaks version \(hello.protocol) of the wire, "
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
        ControlError(.invalidRequest, "cannot take a message: \(why)")
    }
}

/// Sends the answer to one request, once, whoever has it and lets go of it.
private final class PendingAnswer: Sendable {
    private let id: RequestID?
    private let connection: ControlConnection
    private let isSent = Atomic<Bool>(false)

    init(to id: RequestID?, on connection: ControlConnection) {
        self.id = id
        self.connection = connection
    }

    deinit {
        send(.failure(ControlError(.internalError, "cannot answer: The service has given it up")))
    }

    func send(_ result: Result<ControlReply, ControlError>) {
        guard !isSent.exchange(true, ordering: .relaxed) else { return }
        connection.answer(with: id.map { Message.reply(to: $0, result) })
    }
}

/// Counts the bytes of lines that are not whole, of all clients together.
final class InputMeter {
    private(set) var count = 0

    func change(by bytes: Int) { count += bytes }
}
