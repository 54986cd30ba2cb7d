import Glibc
import Synchronization
package import UndersongBase
import UndersongLocation
package import UndersongTransfers

/// Watches gpsds, as `GpsdWatcher` decides, each on a thread of its own, which ends with it. Any
/// thread may call it.
package final class GPSEngine: Sendable {
    package typealias Report = @Sendable (_ id: Int, GpsdWatcher.Report) -> Void

    private struct State {
        var wakeups: [Int: Wakeup] = [:]
        var lastID = 0
    }

    private let clock: any HostClock
    private let report: Report
    private let state = Mutex(State())

    /// `report` is called on the watch's thread; a call may be under way when `close` returns.
    package init(clock: any HostClock, report: @escaping Report) {
        self.clock = clock
        self.report = report
    }

    /// Begins to watch, and returns the watch's id.
    package func open(host: String, port: UInt16) -> Int {
        let wakeup = Wakeup()
        let id = state.withLock { state in
            state.lastID += 1
            state.wakeups[state.lastID] = wakeup
            return state.lastID
        }
        startThread(named: "gps") { [self] in
            let watch = GPSWatch(host: host, port: port, wakeup: wakeup, clock: clock) {
                if self.isOpen(id) { self.report(id, $0) }
            }
            watch.run(isWanted: { isOpen(id) })
        }
        return id
    }

    /// Ends a watch: its connection is closed at once.
    package func close(_ id: Int) {
        state.withLock { $0.wakeups.removeValue(forKey: id) }?.post()
    }

    private func isOpen(_ id: Int) -> Bool { state.withLock { $0.wakeups[id] != nil } }
}

/// One watch, on its thread.
private final class GPSWatch {
    private static let connectSeconds = 5.0
    private static let readSize = 16 * 1024

    private let host: String
    private let port: UInt16
    private let wakeup: Wakeup
    private let clock: any HostClock
    private let report: (GpsdWatcher.Report) -> Void
    private lazy var shell = ThreadShell(
        GpsdWatcher(at: clock.secondsSinceBoot),
        now: { [clock] in
            LocationTime(boot: clock.secondsSinceBoot, wall: clock.secondsSinceEpoch)
        }, perform: { [unowned self] effects in for effect in effects { perform(effect) } })
    private var socket: Int32?

    init(
        host: String, port: UInt16, wakeup: Wakeup, clock: any HostClock,
        report: @escaping (GpsdWatcher.Report) -> Void
    ) {
        self.host = host
        self.port = port
        self.wakeup = wakeup
        self.clock = clock
        self.report = report
    }

    /// Watches until it is not wanted any more.
    func run(isWanted: () -> Bool) {
        while isWanted() {
            shell.handleDue(by: clock)
            guard isWanted() else { break }
            switch wait(for: socket, Int16(POLLIN), seconds: shell.nextDue.seconds(by: clock)) {
            case .ready: read()
            case .woken, .timeout: break
            }
        }
        close()
    }

    private func perform(_ effect: GpsdWatcher.Effect) {
        switch effect {
        case .connect: connect()
        case .disconnect: close()
        case .send(let bytes): send(bytes)
        case .report(let news): report(news)
        }
    }

    private func read() {
        guard let socket else { return }
        var bytes = [UInt8](repeating: 0, count: Self.readSize)
        let count = unsafe recv(socket, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        guard count <= 0 else {
            shell.handle(.bytes(Array(bytes.prefix(count))))
            return
        }
        if count < 0, [EAGAIN, EINTR].contains(errno) { return }
        let reason = count == 0 ? "gpsd has closed the connection" : SystemError.last.reason
        close()
        shell.handle(.ended(reason))
    }

    /// The request fits into the socket's buffer; if it does not, silence is noticed.
    private func send(_ bytes: [UInt8]) {
        guard let socket else { return }
        _ = unsafe Glibc.send(
            socket, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }

    private func close() {
        if let socket = socket.take() { Glibc.close(socket) }
    }

    // MARK: Connecting

    /// Tries the addresses of the host, one after the other.
    private func connect() {
        close()
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = Int32(AI_ADDRCONFIG | AI_NUMERICSERV)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host, String(port), &hints, &list)
        defer { if let list = unsafe list { unsafe freeaddrinfo(list) } }
        guard code == 0 else {
            shell.handle(.ended(unsafe String(cString: gai_strerror(code))))
            return
        }
        var reason = "It has no address"
        var next = unsafe list
        while let info = unsafe next {
            switch unsafe connect(to: info.pointee) {
            case .success(let socket):
                self.socket = socket
                shell.handle(.connected)
                return
            case .failure(let error): reason = error.reason
            }
            unsafe next = info.pointee.ai_next
        }
        shell.handle(.ended(reason))
    }

    private struct ConnectError: Error {
        let reason: String
    }

    private func connect(to info: addrinfo) -> Result<Int32, ConnectError> {
        let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let socket = unsafe Glibc.socket(
            info.ai_family, info.ai_socktype | flags, info.ai_protocol)
        guard socket >= 0 else { return .failure(ConnectError(reason: SystemError.last.reason)) }
        var code = unsafe Glibc.connect(socket, info.ai_addr, info.ai_addrlen) == 0 ? 0 : errno
        if code == EINPROGRESS {
            switch wait(for: socket, Int16(POLLOUT), seconds: Self.connectSeconds) {
            case .ready:
                var size = socklen_t(MemoryLayout<Int32>.size)
                unsafe getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size)
            case .timeout: code = ETIMEDOUT
            case .woken: code = ECANCELED
            }
        }
        guard code != 0 else { return .success(socket) }
        Glibc.close(socket)
        return .failure(ConnectError(reason: SystemError(code).reason))
    }

    private enum WaitEnd { case ready, woken, timeout }

    private func wait(for socket: Int32?, _ events: Int16, seconds: Double) -> WaitEnd {
        var entries = [
            pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket ?? -1, events: events, revents: 0),
        ]
        let milliseconds = Int32(min(max(0, (seconds * 1000).rounded(.up)), 86_400_000))
        guard unsafe poll(&entries, 2, milliseconds) > 0 else { return .timeout }
        return entries[0].revents != 0 ? .woken : .ready
    }
}
