import CUndersongLinux
import Glibc
import Synchronization
import UndersongBase

/// A client's end of the socket: sends at once what it can, and reads on a thread of its own, which
/// also sends the rest.
final class ClientLink: Sendable {
    /// Receives the line of a reply.
    typealias Completion = @Sendable (Result<[UInt8], ControlError>) -> Void

    private struct State {
        /// Why the connection has ended, if it has.
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
    func refuse(because error: ControlError) { end(because: error) }

    /// Closes the connection.
    func close() {
        end(because: ControlError(.unavailable, "cannot reach the service: It was closed"))
    }

    /// Ends the connection; pending calls fail. The thread, if there is one, ends.
    private func end(because error: ControlError) {
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
            while let line = lines.next() { take(line) }
        }
        end(because: ControlError(.unavailable, "cannot reach the service: It has gone away"))
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

    private func take(_ line: [UInt8]) {
        switch ServiceLine(line) {
        case .reply(let id):
            let completion = state.withLock { $0.pending.removeValue(forKey: id) }
            completion?(.success(line))
        case .notice(let method): onNotice(ControlNoticeMessage(method: method, line: line))
        case .other: break
        }
    }
}
