import Glibc
import UndersongBase

/// The signals by which a shell, a terminal and the system control this process, and the changes of its
/// terminal that come without one.
///
/// The program may have threads already, and starts others, so that no signal is blocked: handlers
/// write into a socket, which a thread reads. A signal that is ignored already, as SIGHUP is under
/// `nohup`, remains ignored.
final class AppSignals: Sendable {
    enum Event: Equatable, Sendable {
        /// SIGINT, SIGTERM or SIGQUIT asks the program to end. The second one ends it at once.
        case end(Int32)
        /// Ctrl-Z: to be answered by `stopProcess()`.
        case stop
        /// Somebody has continued the process.
        case continued
        case terminalClosed
        /// The terminal has given the process's group another part, or may have.
        case terminalChanged
    }

    /// The signals that ask the program to end.
    static let ends = [SIGINT, SIGTERM, SIGQUIT]
    /// The milliseconds between looks at a terminal.
    private static let watchInterval: Int32 = 50
    /// The socket that handlers write to. It is set before the first handler.
    private nonisolated(unsafe) static var entrance: Int32 = -1

    private let exit: Int32
    private let terminal: JobTerminal
    private let receive: @Sendable (Event, AppSignals) -> Void

    /// Prepares to handle the signals of this process, once. `receive` is called on a thread of its own,
    /// which also looks at `terminal` where that may change without a signal.
    init(_ terminal: JobTerminal, _ receive: @escaping @Sendable (Event, AppSignals) -> Void) {
        var ends: [Int32] = [-1, -1]
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let isMade = unsafe socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0
        precondition(isMade, "cannot create a pair of sockets: \(SystemError.last.reason)")
        exit = ends[0]
        self.terminal = terminal
        self.receive = receive
        unsafe Self.entrance = ends[1]
    }

    /// Handles signals from now on.
    func begin() {
        for number in Self.ends + [SIGHUP, SIGTSTP, SIGCONT] where !Signals.isIgnored(number) {
            Self.handle(number)
        }
        startThread(named: "signals") { self.follow() }
    }

    /// Stops the process as SIGTSTP does by default, and returns when it is continued; at once in an
    /// orphaned process group, which nobody could continue. Called on the thread of `receive`.
    func stopProcess() {
        signal(SIGTSTP, SIG_DFL)
        Signals.stopProcess()
        Self.handle(SIGTSTP)
    }

    private static func handle(_ number: Int32) {
        var action = sigaction()
        unsafe sigemptyset(&action.sa_mask)
        action.sa_flags = Int32(SA_RESTART)
        // After the first signal that asks for the end, the next one ends the program.
        if ends.contains(number) { action.sa_flags |= Int32(bitPattern: UInt32(SA_RESETHAND)) }
        unsafe action.__sigaction_handler.sa_handler = { number in
            let error = errno
            var byte = UInt8(truncatingIfNeeded: number)
            _ = unsafe write(AppSignals.entrance, &byte, 1)
            errno = error
        }
        unsafe sigaction(number, &action, nil)
    }

    private func follow() {
        var isForeground = terminal.isJobInForeground
        while true {
            let isWatched = terminal.isWatched(inForeground: isForeground)
            let number = next(within: isWatched ? Self.watchInterval : -1)
            switch number {
            case nil: break
            case SIGHUP:
                terminal.hangUp()
                receive(.terminalClosed, self)
            case SIGTSTP: receive(.stop, self)
            case SIGCONT: receive(.continued, self)
            case let end?: receive(.end(end), self)
            }
            let wasForeground = isForeground
            isForeground = terminal.isJobInForeground
            if isForeground != wasForeground, number == nil { receive(.terminalChanged, self) }
        }
    }

    /// The next signal; nil if none comes within `milliseconds`, -1 for ever.
    private func next(within milliseconds: Int32) -> Int32? {
        var polled = pollfd(fd: exit, events: Int16(POLLIN), revents: 0)
        var byte: UInt8 = 0
        while true {
            if unsafe read(exit, &byte, 1) == 1 { return Int32(byte) }
            if unsafe poll(&polled, 1, milliseconds) == 0 { return nil }
        }
    }
}
