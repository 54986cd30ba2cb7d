import Glibc
import Synchronization
public import UndersongBase

/// A connected client of a service. May be used on any thread; nothing here waits for the client.
public final class ControlConnection: Sendable, Hashable {
    /// The sender of what is queued.
    private enum Sending {
        /// Whoever adds to the queue: everything so far has been sent.
        case idle
        /// The wire thread, once it has queued everything.
        case posted
        /// The wire thread, when there is room.
        case blocked
        /// Nobody, because the client has stopped reading.
        case dead
    }

    private struct State {
        var isOpen = true
        var sending = Sending.idle
        var outbox = Outbox()
        /// True if a request is waiting for its reply.
        var isHandling = false
        /// True if the wire thread is waiting to continue with requests.
        var wantsToResume = false
        /// True to close the connection once everything is sent.
        var isEnding = false
        var hasSubscription = false
        var reason = "The client has closed it"

        var mayResume: Bool { !isHandling && outbox.count <= ControlConnection.replyRoom }
        var hasEnded: Bool { isEnding && !isHandling && (outbox.isEmpty || sending == .dead) }
    }

    /// With more bytes than this waiting, no further request is handled.
    static let replyRoom = 64 * 1024
    /// The maximum number of bytes per call of `send`.
    private static let most = 64 * 1024

    /// Identifies the connection within the server; never reused.
    public let id: Int
    /// The process id of the client.
    public let process: Int32
    /// The client's user id.
    public let user: UInt32
    /// Only used outside the wire thread while the state is open and locked.
    let descriptor: Int32
    private let inbox: LoopInbox
    private let state = Mutex(State())

    init(id: Int, descriptor: Int32, process: Int32, user: UInt32, inbox: LoopInbox) {
        self.id = id
        self.descriptor = descriptor
        self.process = process
        self.user = user
        self.inbox = inbox
    }

    /// The reason why the connection ended, for `ControlHandler.closed`.
    public var closingReason: String { state.withLock { $0.reason } }

    /// The number of bytes waiting to be sent.
    var waiting: Int { state.withLock { $0.outbox.count } }

    /// Sends a notice. A client that leaves hundreds of them unread is disconnected.
    public func notify(_ notice: some ControlNotice) {
        guard let params = try? JSONLine.bytes(of: notice) else { return }
        let line = Message.notice(method: type(of: notice).method, params: params)
        guard !inbox.isBehind else { return inbox.leave(.notice(line, to: self)) }
        sendNow(notice: line)
    }

    /// Sends an event, a JSON object without a line feed. Costs the caller a system call while few
    /// connections have subscriptions, and none when many do.
    ///
    /// When too many bytes are waiting, a droppable event is left out, and the next event of the
    /// subscription reports how many were. Any other event replaces droppable ones; if there are
    /// none, the client is disconnected.
    public func deliver(_ event: [UInt8], subscription: Int, isDroppable: Bool) {
        guard inbox.sendsInline(to: 1) else {
            let subscriber = ControlSubscriber(connection: self, subscription: subscription)
            return inbox.leave(.event(event, to: [subscriber], isDroppable: isDroppable))
        }
        sendNow(event, subscription: subscription, isDroppable: isDroppable)
    }

    /// Closes the connection; what is waiting to be sent is lost.
    public func close(reason: String) {
        change { self.end(&$0, reason: reason) }
    }

    /// True if both are the same connection.
    public static func == (left: ControlConnection, right: ControlConnection) -> Bool {
        left === right
    }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// Replies to the request being handled, if it expects that, in order with everything else
    /// sent.
    func answer(with line: [UInt8]?) {
        guard !inbox.isBehind else { return inbox.leave(.answer(line, to: self)) }
        answerNow(with: line)
    }

    /// Ends the request being handled, and sends the reply, if any.
    @discardableResult
    func answerNow(with line: [UInt8]?, isPosting: Bool = false) -> Bool {
        send(isPosting: isPosting) { state in
            state.isHandling = false
            if let line { state.outbox.appendReply(line) }
        }
    }

    /// Sends an event, regardless of what is left to the wire thread.
    @discardableResult
    func sendNow(
        _ event: [UInt8], subscription: Int, isDroppable: Bool, isPosting: Bool = false
    ) -> Bool {
        send(isPosting: isPosting) { state in
            if !state.hasSubscription {
                state.hasSubscription = true
                inbox.countSubscribers(1)
            }
            let verdict = state.outbox.append(
                event, subscription: subscription, isDroppable: isDroppable)
            if verdict == .full { end(&state, reason: "The client does not read its events") }
        }
    }

    /// Sends a notice, regardless of what is left to the wire thread.
    @discardableResult
    func sendNow(notice line: [UInt8], isPosting: Bool = false) -> Bool {
        send(isPosting: isPosting) { state in
            if state.outbox.appendNotice(line) == .full {
                end(&state, reason: "The client does not read its notices")
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

    /// True if the next request may be handled now; otherwise the wire thread is notified when it
    /// may.
    func mayHandle() -> Bool {
        state.withLock { state in
            state.wantsToResume = !state.mayResume
            return state.mayResume && state.isOpen && !state.isEnding
        }
    }

    /// Marks a request as waiting for `answer`.
    func beginHandling() { state.withLock { $0.isHandling = true } }

    /// Handles room becoming available.
    func sendBlocked() {
        change { state in
            guard state.isOpen, state.sending == .blocked else { return }
            state.sending = .idle
            self.flush(&state)
            if state.sending == .idle { self.watch(alsoOutput: false) }
        }
    }

    /// Closes the connection once everything is sent.
    func endWhenSent(reason: String) {
        change { state in
            state.isEnding = true
            if state.isOpen { state.reason = reason }
        }
    }

    /// Closes the descriptor. Called by the wire thread when it drops the connection.
    func forget() {
        state.withLock { state in
            state.isOpen = false
            state.outbox = Outbox()
            if state.hasSubscription { inbox.countSubscribers(-1) }
            state.hasSubscription = false
        }
        Glibc.close(descriptor)
    }

    /// Queues data and sends what it can. With `isPosting`, small amounts are sent later; returns
    /// whether that needs a call of `sendPosted`.
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

    /// Changes the state, and notifies the wire thread of the consequences.
    private func change(_ body: (inout State) -> Void) {
        let (resumes, ends) = state.withLock { state in
            let wasOpen = state.isOpen
            body(&state)
            let resumes = state.wantsToResume && state.mayResume
            if resumes { state.wantsToResume = false }
            if state.isOpen && state.hasEnded { end(&state, reason: state.reason) }
            return (resumes && state.isOpen, wasOpen && !state.isOpen)
        }
        guard resumes || ends else { return }
        inbox.post { work in
            if resumes { work.resuming.append(self) }
            if ends { work.closing.append(self) }
        }
    }

    private func end(_ state: inout State, reason: String) {
        guard state.isOpen else { return }
        state.isOpen = false
        state.reason = reason
        state.outbox = Outbox()
    }

    /// Sends as much as possible without blocking.
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
        inbox.epoll.watch(descriptor, as: id, alsoOutput: alsoOutput)
    }
}
