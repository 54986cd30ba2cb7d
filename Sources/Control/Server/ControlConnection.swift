import Glibc
import Synchronization

/// One client of a service, for as long as it is connected. Any thread may use it; nothing here
/// waits for the client.
public final class ControlConnection: Sendable, Hashable {
    /// Who sends what is queued.
    private enum Sending {
        /// Whoever adds to it: all has gone so far.
        case idle
        /// The wire thread, as soon as it has queued all that there is.
        case posted
        /// The wire thread, when there is room.
        case blocked
        /// Nobody, since the client does not read any more.
        case dead
    }

    private struct State {
        var isOpen = true
        var sending = Sending.idle
        var outbox = Outbox()
        /// Whether a request waits for its answer.
        var isHandling = false
        /// Whether the wire thread waits to go on with requests.
        var wantsToResume = false
        /// Whether it is closed when all is sent.
        var isEnding = false
        var hasSubscription = false
        var reason = "The client has closed it"

        var mayResume: Bool { !isHandling && outbox.count <= ControlConnection.replyRoom }
        var hasEnded: Bool { isEnding && !isHandling && (outbox.isEmpty || sending == .dead) }
    }

    /// With more bytes waiting, no further request is handled.
    static let replyRoom = 64 * 1024
    /// How much is sent by one call.
    private static let most = 64 * 1024

    /// Tells connections of a server apart; never used again.
    public let id: Int
    /// The process that connected.
    public let process: Int32
    /// Its user.
    public let user: UInt32
    /// Used by others than the wire thread only while the state is open and locked.
    let descriptor: Int32
    private let board: Switchboard
    private let state = Mutex(State())

    init(id: Int, descriptor: Int32, process: Int32, user: UInt32, board: Switchboard) {
        self.id = id
        self.descriptor = descriptor
        self.process = process
        self.user = user
        self.board = board
    }

    /// Why it is over, for `ControlHandler.closed`.
    public var closingReason: String { state.withLock { $0.reason } }

    /// Bytes that wait to be sent.
    var waiting: Int { state.withLock { $0.outbox.count } }

    /// Sends a notice. A client that leaves hundreds of them unread loses its connection.
    public func notify(_ notice: some ControlNotice) {
        guard let params = try? Message.json(notice) else { return }
        let line = Message.notice(method: type(of: notice).method, params: params)
        guard !board.isBehind else { return board.leave(.notice(line, to: self)) }
        sendNow(notice: line)
    }

    /// Sends an event, a JSON object without a line feed. Costs the caller a call of the system
    /// while few connections have subscriptions, and none when there are many.
    ///
    /// When too many bytes wait already, one that is droppable is left out, and the next event of
    /// the subscription tells how many were; one that is not takes their place. Where it finds
    /// none, the client loses its connection.
    public func deliver(_ event: [UInt8], subscription: Int, isDroppable: Bool) {
        guard board.sendsInline(to: 1) else {
            let subscriber = ControlSubscriber(connection: self, subscription: subscription)
            return board.leave(.event(event, to: [subscriber], isDroppable: isDroppable))
        }
        sendNow(event, subscription: subscription, isDroppable: isDroppable)
    }

    /// Closes it; what waits to be sent is lost.
    public func close(because reason: String) {
        change { self.end(&$0, because: reason) }
    }

    /// Whether both are the same connection.
    public static func == (left: ControlConnection, right: ControlConnection) -> Bool {
        left === right
    }

    /// Feeds what tells it apart.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// Answers the request that is handled, if it wants that, in the order of all that is sent.
    func answer(with line: [UInt8]?) {
        guard !board.isBehind else { return board.leave(.answer(line, to: self)) }
        answerNow(with: line)
    }

    /// Ends the request that is handled, and sends the answer, if there is one.
    @discardableResult
    func answerNow(with line: [UInt8]?, isPosting: Bool = false) -> Bool {
        send(isPosting: isPosting) { state in
            state.isHandling = false
            if let line { state.outbox.appendReply(line) }
        }
    }

    /// Sends an event, whatever waits for the wire thread.
    @discardableResult
    func sendNow(
        _ event: [UInt8], subscription: Int, isDroppable: Bool, isPosting: Bool = false
    ) -> Bool {
        send(isPosting: isPosting) { state in
            if !state.hasSubscription {
                state.hasSubscription = true
                board.countSubscribers(1)
            }
            let verdict = state.outbox.append(
                event, subscription: subscription, isDroppable: isDroppable)
            if verdict == .full { end(&state, because: "The client does not read its events") }
        }
    }

    /// Sends a notice, whatever waits for the wire thread.
    @discardableResult
    func sendNow(notice line: [UInt8], isPosting: Bool = false) -> Bool {
        send(isPosting: isPosting) { state in
            if state.outbox.appendNotice(line) == .full {
                end(&state, because: "The client does not read its notices")
            }
        }
    }

    /// Sends what was queued with `isPosting`.
    func sendPosted() {
        change { state in
            guard state.sending == .posted else { return }
            state.sending = .idle
            self.flush(&state)
        }
    }

    /// Whether the next request may be handled now; else the wire thread is told when it may.
    func mayHandle() -> Bool {
        state.withLock { state in
            state.wantsToResume = !state.mayResume
            return state.mayResume && state.isOpen && !state.isEnding
        }
    }

    /// Says that a request waits for `answer`.
    func beginHandling() { state.withLock { $0.isHandling = true } }

    /// There is room again.
    func sendBlocked() {
        change { state in
            guard state.isOpen, state.sending == .blocked else { return }
            state.sending = .idle
            self.flush(&state)
            if state.sending == .idle { self.watch(alsoOutput: false) }
        }
    }

    /// Closes it when all is sent.
    func endWhenSent(because reason: String) {
        change { state in
            state.isEnding = true
            if state.isOpen { state.reason = reason }
        }
    }

    /// Closes the descriptor. The wire thread calls it when it lets go of the connection.
    func forget() {
        state.withLock { state in
            state.isOpen = false
            state.outbox = Outbox()
            if state.hasSubscription { board.countSubscribers(-1) }
            state.hasSubscription = false
        }
        Glibc.close(descriptor)
    }

    /// Queues something, and sends what goes. With `isPosting` it is sent later, as long as it is
    /// little; answers whether it needs a call of `sendPosted` for that.
    private func send(isPosting: Bool, _ add: (inout State) -> Void) -> Bool {
        var isPosted = false
        change { state in
            add(&state)
            guard state.isOpen, state.sending != .dead else { return state.outbox = Outbox() }
            let isLittle = isPosting && state.outbox.count < Self.most
            switch state.sending {
            case .idle where isLittle:
                state.sending = .posted
                isPosted = true
            case .posted where !isLittle:
                state.sending = .idle
                flush(&state)
            default: flush(&state)
            }
        }
        return isPosted
    }

    /// Changes the state, and tells the wire thread what comes of it.
    private func change(_ body: (inout State) -> Void) {
        let (resumes, ends) = state.withLock { state in
            let wasOpen = state.isOpen
            body(&state)
            let resumes = state.wantsToResume && state.mayResume
            if resumes { state.wantsToResume = false }
            if state.isOpen && state.hasEnded { end(&state, because: state.reason) }
            return (resumes && state.isOpen, wasOpen && !state.isOpen)
        }
        guard resumes || ends else { return }
        board.post { work in
            if resumes { work.resuming.append(self) }
            if ends { work.closing.append(self) }
        }
    }

    private func end(_ state: inout State, because reason: String) {
        guard state.isOpen else { return }
        state.isOpen = false
        state.reason = reason
        state.outbox = Outbox()
    }

    /// Sends what goes without waiting.
    private func flush(_ state: inout State) {
        guard state.isOpen, state.sending == .idle else { return }
        while !state.outbox.isEmpty {
            let outcome = unsafe withUnsafeTemporaryAllocation(
                byteCount: min(state.outbox.count, Self.most), alignment: 1
            ) { buffer in
                let length = unsafe state.outbox.render(into: buffer)
                return unsafe UnixSocket.send(
                    UnsafeRawBufferPointer(rebasing: buffer[..<length]), to: descriptor)
            }
            switch outcome {
            case .moved(let count): state.outbox.remove(count)
            case .wouldWait:
                state.sending = .blocked
                return watch(alsoOutput: true)
            case .failed:
                state.sending = .dead
                state.outbox = Outbox()
            }
        }
    }

    private func watch(alsoOutput: Bool) {
        board.epoll.watch(descriptor, as: id, alsoOutput: alsoOutput)
    }
}
