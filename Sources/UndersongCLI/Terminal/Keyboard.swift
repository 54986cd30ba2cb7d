import CLinux
import Dispatch
import Glibc
import Synchronization

/// Takes single keys from the terminal while this program is in its foreground, and leaves the
/// terminal as it was before anybody else has it.
final class Keyboard: Sendable {
    private struct State {
        /// How the terminal was; nil while it is not ours.
        var original: termios?
        /// It will not be ours any more.
        var isClosed = false
    }

    private let terminal = STDIN_FILENO
    private let state = Mutex(State())
    /// A byte in this pipe lets the reader look whose the terminal is.
    private let wake: (reader: Int32, writer: Int32)

    /// Nil where the standard input is no terminal. `handler` is called with every key, on a thread
    /// of its own.
    init?(_ handler: @escaping @Sendable (Key) -> Void) {
        guard isatty(terminal) == 1 else { return nil }
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        wake = (ends[0], ends[1])
        DispatchQueue(label: "undersong.keys").async { [self] in
            while let keys = read() { keys.forEach(handler) }
        }
    }

    /// Gets keys one by one from now on, without showing them. Only in the foreground.
    func take() {
        let isNew = state.withLock { state in
            var attributes = termios()
            guard !state.isClosed, state.original == nil,
                unsafe tcgetattr(terminal, &attributes) == 0
            else { return false }
            state.original = attributes
            TerminalGuard.arm(attributes)
            setRaw(attributes)
            return true
        }
        if isNew { look() }
    }

    /// Gets keys one by one again, when somebody else has had the terminal meanwhile.
    func renew() {
        state.withLock { state in
            if let attributes = state.original { setRaw(attributes) }
        }
    }

    /// Leaves the terminal as it was. Only in the foreground.
    func release() {
        let wasOurs = state.withLock { state in
            guard var attributes = state.original.take() else { return false }
            unsafe tcsetattr(terminal, TCSANOW, &attributes)
            TerminalGuard.disarm()
            return true
        }
        if wasOurs { look() }
    }

    /// Leaves the terminal as it was, for good, since the program ends: what other threads are about
    /// to do changes nothing any more.
    func close(isForeground: Bool) {
        state.withLock { $0.isClosed = true }
        if isForeground { release() }
    }

    private func setRaw(_ original: termios) {
        var attributes = original
        attributes.c_lflag &= ~tcflag_t(ICANON | ECHO)
        unsafe tcsetattr(terminal, TCSANOW, &attributes)
    }

    private func look() {
        var byte: UInt8 = 0
        unsafe write(wake.writer, &byte, 1)
    }

    /// Waits for keys while the terminal is ours, else until it is. Nil when it is closed.
    private func read() -> [Key]? {
        let isOurs = state.withLock { $0.original != nil }
        var awaited = [
            pollfd(fd: wake.reader, events: Int16(POLLIN), revents: 0),
            pollfd(fd: isOurs ? terminal : -1, events: Int16(POLLIN), revents: 0),
        ]
        unsafe poll(&awaited, nfds_t(awaited.count), -1)
        var bytes = [UInt8](repeating: 0, count: 64)
        guard awaited[0].revents == 0 else {
            _ = unsafe Glibc.read(wake.reader, &bytes, bytes.count)
            return []
        }
        let count = unsafe Glibc.read(terminal, &bytes, bytes.count)
        return count > 0 ? Key.all(in: String(decoding: bytes[..<count], as: UTF8.self)) : nil
    }
}
