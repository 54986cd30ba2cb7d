import CUndersongLinux
import Glibc
import Synchronization
import UndersongBase

/// The wire thread: accepts connections, reads requests and passes them on, one at a time for each
/// connection and a few of each in turn.
struct ServerLoop: ~Copyable {
    /// The epoll numbers of the listener and the wake-up; connections are numbered from 2.
    private static let listenerID = 0, wakeupID = 1
    /// The number of requests of one connection, and of their bytes, handled before others get a
    /// turn, and the same for new connections.
    private static let turn = (requests: 16, bytes: 64 * 1024, connections: 128)
    private let users: Set<UInt32>
    private let handler: any ControlHandler
    private let inbox: LoopInbox
    private let limits: ControlServer.Limits
    private let clock: any HostClock
    private var listener: Int32
    private var entrance: ControlServer.Entrance?
    private var connections: [Int: InboundConnection] = [:]
    private var nextID = 2
    /// Connections that may have more to handle.
    private var ready: [InboundConnection] = []
    private let input = InputMeter()
    /// A spare descriptor, closed to refuse a connection when there are no descriptors left.
    private var spare: Int32
    /// Empty until the server has to stop.
    private var stops: [LoopInbox.Stop] = []
    /// True if more connections may be waiting.
    private var mayAccept = false

    init(
        listener: Int32, entrance: ControlServer.Entrance?, users: Set<UInt32>,
        handler: any ControlHandler, inbox: LoopInbox, limits: ControlServer.Limits,
        clock: any HostClock
    ) {
        self.listener = listener
        self.entrance = entrance
        self.users = users
        self.handler = handler
        self.inbox = inbox
        self.limits = limits
        self.clock = clock
        spare = unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
    }

    /// Serves until the server is stopped.
    mutating func run() {
        inbox.epoll.watch(inbox.wakeup.descriptor, as: Self.wakeupID, isNew: true)
        watch(listener)
        if let entrance { watch(entrance.listener) }
        while !isDone {
            wait()
            if mayAccept { accept() }
            let now = ready
            ready = []
            for incoming in now { serve(incoming) }
        }
        for incoming in connections.values { close(incoming, reason: "The service is ending") }
        if spare >= 0 { Glibc.close(spare) }
        let late = inbox.finish()
        for stop in stops + late.stops { stop.whenDone() }
        for idleShutdown in late.idleShutdowns { idleShutdown.whenDone(true) }
    }

    private func watch(_ listener: Int32) {
        _ = fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) | O_NONBLOCK)
        inbox.epoll.watch(listener, as: Self.listenerID, isNew: true)
    }

    private var isDone: Bool {
        guard let deadline else { return false }
        return connections.isEmpty || clock.now >= deadline
    }

    private var deadline: Int64? { stops.map(\.deadline).min() }

    /// Waits for events and records them.
    private mutating func wait() {
        for event in inbox.epoll.wait(timeout) {
            switch event.id {
            case Self.listenerID: accept()
            case Self.wakeupID: work()
            default: note(event)
            }
        }
    }

    /// In milliseconds; -1 to wait until something happens.
    private var timeout: Int32 {
        if !ready.isEmpty || mayAccept { return 0 }
        guard let deadline else { return -1 }
        return Int32(min(max(0, (deadline - clock.now) / 1_000_000 + 1), 1000))
    }

    private mutating func note(_ event: Epoll.Event) {
        guard let incoming = connections[event.id] else { return }
        if event.isOutput { incoming.connection.sendBlocked() }
        guard event.isInput else { return }
        incoming.isReadable = true
        if event.isGone { incoming.isGone = true }
        enlist(incoming)
    }

    private mutating func enlist(_ incoming: InboundConnection) {
        guard !incoming.isEnlisted else { return }
        incoming.isEnlisted = true
        ready.append(incoming)
    }

    /// Does the work left by other threads.
    private mutating func work() {
        let work = inbox.drain()
        run(work.deliveries)
        for connection in work.resuming {
            if let incoming = connections[connection.id] { enlist(incoming) }
        }
        for connection in work.closing {
            if let incoming = connections[connection.id] {
                close(incoming, reason: connection.closingReason)
            }
        }
        for stop in work.stops { begin(stop) }
        for idleShutdown in work.idleShutdowns { leave(idleShutdown) }
    }

    /// Sends what others have left, with one system call per connection, whether that is one event
    /// or, if this thread runs late, many.
    private func run(_ deliveries: [LoopInbox.Delivery]) {
        var posted: [ControlConnection] = []
        for delivery in deliveries {
            switch delivery {
            case .event(let event, let subscribers, let isDroppable):
                for subscriber in subscribers {
                    let isPosted = subscriber.connection.sendNow(
                        event, subscription: subscriber.subscription, isDroppable: isDroppable,
                        isPosting: true)
                    if isPosted { posted.append(subscriber.connection) }
                }
            case .notice(let line, let connection):
                if connection.sendNow(notice: line, isPosting: true) { posted.append(connection) }
            case .answer(let line, let connection):
                if connection.answerNow(with: line, isPosting: true) { posted.append(connection) }
            }
        }
        for connection in posted { connection.sendPosted() }
        inbox.finish(deliveries.count)
    }

    /// Stops, if no client is connected. No other service can start meanwhile.
    private mutating func leave(_ idleShutdown: LoopInbox.IdleShutdown) {
        let lock = try? SessionLock(idleShutdown.socket)
        if lock != nil { accept() }
        guard let lock, connections.isEmpty, !mayAccept, stops.isEmpty else {
            return idleShutdown.whenDone(false)
        }
        if !idleShutdown.keepsSocket { lock.remove() }
        // Who has connected there meanwhile is not greeted, and looks again.
        idleShutdown.socket.entrance?.remove()
        begin(LoopInbox.Stop(deadline: 0, whenDone: { idleShutdown.whenDone(true) }))
    }

    private mutating func begin(_ stop: LoopInbox.Stop) {
        stops.append(stop)
        if listener >= 0 { Glibc.close(listener) }
        listener = -1
        if let entrance { Glibc.close(entrance.listener) }
        entrance = nil
        for incoming in connections.values {
            incoming.connection.endWhenSent(reason: "The service is ending")
        }
    }

    /// Accepts waiting connections, but not so many at a time that others have to wait.
    private mutating func accept() {
        mayAccept = false
        guard listener >= 0 else { return }
        accept(at: listener)
        if let entrance, accept(at: entrance.listener), let new = entrance.restore() {
            Glibc.close(listener)
            listener = new
            watch(listener)
        }
    }

    /// Accepts those that wait there. Returns whether there were any.
    @discardableResult
    private mutating func accept(at listener: Int32) -> Bool {
        for number in 0..<Self.turn.connections {
            let descriptor = accept4(listener, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
            if descriptor >= 0 {
                open(descriptor)
            } else if errno == EMFILE || errno == ENFILE {
                guard refuseWithSpare(at: listener) else { return number > 0 }
            } else if errno != EINTR && errno != ECONNABORTED {
                return number > 0
            }
        }
        mayAccept = true
        return true
    }

    /// Refuses waiting connections when no descriptors are left; otherwise epoll would report them
    /// forever.
    private mutating func refuseWithSpare(at listener: Int32) -> Bool {
        guard spare >= 0 else { return false }
        Glibc.close(spare)
        let descriptor = accept4(listener, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
        if descriptor >= 0 { Glibc.close(descriptor) }
        spare = unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
        return descriptor >= 0
    }

    private mutating func open(_ descriptor: Int32) {
        var process: pid_t = 0
        var user: uid_t = 0
        guard unsafe clinux_peer(descriptor, &process, &user) == 0, users.contains(user),
            connections.count < limits.connections
        else {
            Glibc.close(descriptor)
            return
        }
        let connection = ControlConnection(
            id: nextID, descriptor: descriptor, process: process, user: user, inbox: inbox)
        nextID += 1
        connections[connection.id] = InboundConnection(connection, limits: limits, meter: input)
        handler.opened(connection)
        inbox.epoll.watch(descriptor, as: connection.id, isNew: true)
    }

    private mutating func close(_ incoming: InboundConnection, reason: String) {
        guard connections.removeValue(forKey: incoming.connection.id) != nil else { return }
        incoming.connection.close(reason: reason)
        incoming.connection.forget()
        incoming.forget()
        handler.closed(incoming.connection)
        if spare < 0 {
            spare = unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
            accept()
        }
    }

    /// Handles the next requests of a connection.
    private mutating func serve(_ incoming: InboundConnection) {
        incoming.isEnlisted = false
        var (requests, bytes) = (0, 0)
        while requests < Self.turn.requests, bytes < Self.turn.bytes {
            guard connections[incoming.connection.id] != nil else { return }
            guard incoming.connection.mayHandle() else {
                if incoming.isAbandoned { close(incoming, reason: "The client has closed it") }
                return
            }
            switch incoming.next() {
            case .line(let line):
                incoming.handle(line, by: handler)
                requests += 1
                bytes += line.count
            case .nothing: return checkInput()
            case .ended: return incoming.connection.endWhenSent(reason: incoming.endingReason)
            case .broken(let error):
                incoming.connection.answerNow(with: Message.reply(to: .null, .failure(error)))
                return close(incoming, reason: error.message)
            }
        }
        enlist(incoming)
    }

    /// Closes the connection with the longest incomplete line if all together hold too many bytes.
    private mutating func checkInput() {
        guard input.count > limits.input,
            let greediest = connections.values.max(by: { $0.count < $1.count })
        else { return }
        close(greediest, reason: "The clients send too much")
    }
}
