import CUndersongLinux
package import Dispatch
import Glibc
import Synchronization
package import UndersongBase
import UndersongControl
package import UndersongTransfers

/// Requests by way of `undersong-transferd`, whose responses come straight to this process. It connects
/// when something is wanted, starts the program if none runs, and leaves it when nothing is under way.
/// Any thread may use it.
package final class TransferLoads: Sendable {
    private struct State {
        /// The loads under way, by their numbers on the present connection.
        var loads: [Int: TransferLoad] = [:]
        /// Reports that came before their numbers were known.
        var early: [Int: [LoadReport]] = [:]
        /// The number of loads under way.
        var count = 0
    }

    private let link: ControlLink
    private let state = Mutex(State())

    /// Uses the program at `location`; `name` identifies this process to it.
    package init(_ location: TransferLocation, name: String, clock: any HostClock) {
        link = ControlLink(location, name: name, clock: clock)
    }

    /// Sends a request with a body, if any. `observe` is called on `queue`, also before this has
    /// returned.
    package func load(
        _ call: OpenLoad, body: LoadBody?, queue: DispatchQueue,
        _ observe: @escaping @Sendable (TransferLoad, TransferLoad.Event) -> Void
    ) -> TransferLoad {
        let load = TransferLoad(queue, observe) { [weak self] id, isGivenUp in
            self?.end(id, isGivenUp: isGivenUp)
        }
        state.withLock { $0.count += 1 }
        guard let pipe = load.openPipe() else {
            load.end(.storage, "There can be no pipe: \(SystemError.last.reason)")
            return load
        }
        let file = body?.open()
        if body != nil, file == nil {
            load.end(.fileMissing, "The file to send cannot be read: \(SystemError.last.reason)")
            return load
        }
        let descriptors = [pipe.number] + (file.map { [$0.number] } ?? [])
        link.send(call, descriptors: descriptors, handlers) { [weak self] result in
            withExtendedLifetime((pipe, file)) {}
            switch result {
            case .success(let reply): self?.begin(load, reply.id)
            case .failure(let error): load.end(.lost, error.message)
            }
        }
        return load
    }

    /// Answers a load's challenge.
    package func answer(_ load: TransferLoad, _ answer: ChallengeAnswer) {
        guard let id = load.id else { return }
        link.connection?.client.send(AnswerLoad(id: id, answer))
    }

    private func begin(_ load: TransferLoad, _ id: Int) {
        guard load.begin(id) else {
            link.connection?.client.send(CloseLoad(id: id))
            return state.withLock { $0.early[id] = nil }
        }
        let early = state.withLock { state in
            state.loads[id] = load
            return state.early.removeValue(forKey: id) ?? []
        }
        for report in early { load.receive(report) }
    }

    private func end(_ id: Int?, isGivenUp: Bool) {
        if let id {
            let wasKnown = state.withLock { $0.loads.removeValue(forKey: id) != nil }
            if wasKnown, isGivenUp { link.connection?.client.send(CloseLoad(id: id)) }
        }
        state.withLock { $0.count -= 1 }
        link.close(unless: {
            state.withLock { state in
                if state.count == 0 { state.early = [:] }
                return state.count > 0
            }
        })
    }

    private var handlers: ControlLink.Handlers {
        ControlLink.Handlers(
            notice: { [weak self] message, _ in
                guard message.method == LoadChanged.method,
                    let changed = try? message.decode(LoadChanged.self)
                else { return }
                self?.receive(changed)
            },
            ended: { [weak self] error, wasOpen in
                if wasOpen { self?.lose(error) }
                return nil
            })
    }

    private func receive(_ changed: LoadChanged) {
        let load = state.withLock { state in
            let load = state.loads[changed.id]
            if load == nil { state.early[changed.id, default: []].append(changed.report) }
            return load
        }
        load?.receive(changed.report)
    }

    private func lose(_ error: ControlError) {
        let loads = state.withLock { state in
            defer { (state.loads, state.early) = ([:], [:]) }
            return state.loads.values.map { $0 }
        }
        for load in loads { load.receive(LoadReport(.lost, error.message)) }
    }
}

/// A request, and what comes of it. Any thread may use it.
package final class TransferLoad: Sendable {
    package enum Event: Hashable, Sendable {
        /// There is no network that it may use, and it waits for one.
        case waiting
        /// Bytes of what it sends that have been sent.
        case sent(Int64)
        /// The server wants this to be answered.
        case challenged(ServerChallenge)
        /// The body comes piece by piece, as `want` asks for it.
        case responded(SessionTask.Response)
        case body([UInt8])
        /// The last event.
        case finished
        /// The last event.
        case failed(LoadReport.Failure, String)
    }

    /// The maximum number of bytes in a piece of a body.
    private static let pieceLength = 65536

    private struct State {
        var id: Int?
        var pipe: OpenDescriptor?
        /// Waits until the pipe can be read.
        var source: ReadSource?
        /// True if a piece is asked for.
        var isWanted = false
        var hasResponse = false
        /// The last event, for which the pipe has to be empty.
        var last: Event?
        var isOver = false
    }

    private let queue: DispatchQueue
    private let observe: @Sendable (TransferLoad, Event) -> Void
    private let whenOver: @Sendable (_ id: Int?, _ isGivenUp: Bool) -> Void
    private let state = Mutex(State())

    init(
        _ queue: DispatchQueue, _ observe: @escaping @Sendable (TransferLoad, Event) -> Void,
        whenOver: @escaping @Sendable (_ id: Int?, _ isGivenUp: Bool) -> Void
    ) {
        self.queue = queue
        self.observe = observe
        self.whenOver = whenOver
    }

    var id: Int? { state.withLock(\.id) }

    /// Asks for the next piece of the body, or the end after it.
    package func want() {
        queue.async { [self] in
            state.withLock { $0.isWanted = true }
            read()
        }
    }

    /// Gives it up: no event follows.
    package func cancel() { finish(nil) }

    // MARK: For the connection

    /// Makes the pipe, and returns the end that is written; nil with an `errno` if there can be none.
    func openPipe() -> OpenDescriptor? {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe2(&ends, O_CLOEXEC) == 0 else { return nil }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        let end = OpenDescriptor(ends[0])
        state.withLock { $0.pipe = end }
        return OpenDescriptor(ends[1])
    }

    /// It has got its number. Returns false if it is over already.
    func begin(_ id: Int) -> Bool {
        state.withLock { state in
            guard !state.isOver else { return false }
            state.id = id
            return true
        }
    }

    func receive(_ report: LoadReport) {
        switch report.phase.known {
        case .waiting: pass(.waiting)
        case .sending: pass(.sent(report.sent ?? 0))
        case .challenged: if let challenge = report.challenge { pass(.challenged(challenge)) }
        case .responded:
            guard let response = report.response else { return }
            state.withLock { $0.hasResponse = true }
            pass(.responded(response))
        case .finished: conclude(.finished)
        case .failed: end(report.code?.known ?? .lost, report.reason ?? "It has failed")
        case nil: break
        }
    }

    func end(_ failure: LoadReport.Failure, _ reason: String) {
        conclude(.failed(failure, reason))
    }

    private func pass(_ event: Event) {
        queue.async { [self] in if !state.withLock(\.isOver) { observe(self, event) } }
    }

    /// This is the last event. What is in the pipe comes before it.
    private func conclude(_ event: Event) {
        let isWaiting = state.withLock { state in
            state.last = event
            return state.hasResponse && state.pipe != nil
        }
        guard !isWaiting else { return queue.async { self.read() } }
        queue.async { self.finish(event) }
    }

    /// It is over; nil if it was given up.
    private func finish(_ event: Event?) {
        let wasOver = state.withLock { state in
            defer { state.isOver = true }
            (state.source, state.pipe) = (nil, nil)
            return state.isOver
        }
        guard !wasOver else { return }
        whenOver(id, event == nil)
        if let event { observe(self, event) }
    }

    // MARK: The pipe, on the queue

    private func read() {
        let (pipe, isWanted) = state.withLock { ($0.pipe, $0.isWanted && $0.source == nil) }
        guard isWanted else { return }
        guard let pipe else { return endIfDone() }
        var piece = [UInt8](repeating: 0, count: Self.pieceLength)
        var count = -1
        repeat {
            count = unsafe Glibc.read(pipe.number, &piece, piece.count)
        } while count < 0 && errno == EINTR
        if count > 0 {
            state.withLock { $0.isWanted = false }
            piece.removeLast(piece.count - count)
            observe(self, .body(piece))
        } else if count < 0, errno == EAGAIN {
            let source = ReadSource(pipe, queue) { [weak self] in
                self?.state.withLock { $0.source = nil }
                self?.read()
            }
            state.withLock { if !$0.isOver { $0.source = source } }
        } else {
            state.withLock { $0.pipe = nil }
            endIfDone()
        }
    }

    private func endIfDone() {
        if let last = state.withLock(\.last) { finish(last) }
    }
}

/// The body of a request.
package enum LoadBody: Hashable, Sendable {
    case bytes([UInt8])
    /// The file at this path.
    case file(String)

    /// Opens it for reading; nil with an `errno` if that fails.
    fileprivate func open() -> OpenDescriptor? {
        switch self {
        case .bytes(let bytes):
            guard let file = OpenDescriptor(memory: "undersong load") else { return nil }
            errno = writeAll(bytes, to: file.number)
            return errno == 0 ? file : nil
        case .file(let path):
            let file = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            return file < 0 ? nil : OpenDescriptor(file)
        }
    }
}

/// A descriptor that is closed with this object.
final class OpenDescriptor: Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    /// Creates an empty file in memory that has this name for users of `/proc`. Nil with an `errno` if
    /// there can be none.
    convenience init?(memory name: String) {
        let file = unsafe memfd_create(name, UInt32(CLINUX_MFD_CLOEXEC))
        guard file >= 0 else { return nil }
        self.init(file)
    }

    deinit { close(number) }
}

/// Calls a function each time that a descriptor can be read, until it is released.
private final class ReadSource: @unchecked Sendable {
    // Unchecked: any thread may cancel a source.
    private let source: any DispatchSourceRead

    init(
        _ descriptor: OpenDescriptor, _ queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
    ) {
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor.number, queue: queue)
        source.setEventHandler(handler: body)
        source.setCancelHandler { withExtendedLifetime(descriptor) {} }
        source.activate()
    }

    deinit { source.cancel() }
}
