import CUndersongLinux
import Dispatch
import Glibc
import Synchronization

/// Reads single keys from the terminal while this program is in the foreground, and restores the
/// terminal's attributes before any other program gets it.
final class Keyboard: Sendable {
    private struct State {
        /// The terminal's original attributes; nil unless they are changed.
        var original: termios?
        /// True if the terminal is released for good.
        var isClosed = false
    }

    /// The milliseconds that the rest of an escape sequence may take.
    private static let sequenceTime: Int32 = 50

    private let terminal = STDIN_FILENO
    private let state = Mutex(State())
    /// Writing a byte to this pipe makes the reader check again whether it may read.
    private let wake: (reader: Int32, writer: Int32)

    /// Nil if the standard input is not a terminal. `handler` is called with every key, on a thread
    /// of its own.
    init?(_ handler: @escaping @Sendable (KeyStroke) -> Void) {
        guard isatty(terminal) == 1 else { return nil }
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        wake = (ends[0], ends[1])
        DispatchQueue(label: "undersong.keys").async { [self] in
            var input = TerminalInput()
            while let keys = read(&input) { keys.forEach(handler) }
        }
    }

    /// Starts reading single keys without echo. Only in the foreground.
    func acquire() {
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

    /// Sets the attributes again, after another program may have had the terminal.
    func renew() {
        state.withLock { state in
            if let attributes = state.original { setRaw(attributes) }
        }
    }

    /// Restores the terminal. Only in the foreground.
    func release() {
        let wasOurs = state.withLock { state in
            guard var attributes = state.original.take() else { return false }
            unsafe tcsetattr(terminal, TCSANOW, &attributes)
            TerminalGuard.disarm()
            return true
        }
        if wasOurs { look() }
    }

    /// Restores the terminal for good before the program ends: other threads can no longer change
    /// it.
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

    /// Waits for keys while the terminal is ours, otherwise until it is. Nil when it is closed.
    private func read(_ input: inout TerminalInput) -> [KeyStroke]? {
        let isOurs = state.withLock { $0.original != nil }
        var awaited = [
            pollfd(fd: wake.reader, events: Int16(POLLIN), revents: 0),
            pollfd(fd: isOurs ? terminal : -1, events: Int16(POLLIN), revents: 0),
        ]
        let count = unsafe poll(
            &awaited, nfds_t(awaited.count), input.isPending ? Self.sequenceTime : -1)
        guard count != 0 else { return input.finish() }
        var bytes = [UInt8](repeating: 0, count: 64)
        guard awaited[0].revents == 0 else {
            _ = unsafe Glibc.read(wake.reader, &bytes, bytes.count)
            return []
        }
        let length = unsafe Glibc.read(terminal, &bytes, bytes.count)
        return length > 0 ? input.parse(bytes[..<length]) : nil
    }
}

/// Restores the terminal if the program crashes, so that the shell remains usable.
enum TerminalGuard {
    /// The signals of a crash.
    private static let crashes = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS]

    /// True if the terminal shows a full screen, which has to be left too.
    static var isFullScreen: Bool {
        get { hasFullScreen.load(ordering: .acquiring) }
        set {
            _ = unsafe leaveSequence
            hasFullScreen.store(newValue, ordering: .releasing)
        }
    }

    /// Starts guarding `attributes`, the original ones of the standard input's terminal.
    static func arm(_ attributes: termios) {
        unsafe keptAttributes.pointee = attributes
        isArmed.store(true, ordering: .releasing)
        for number in crashes { signal(number, restoreAndDie) }
    }

    /// Restores the terminal, if it is guarded, before the program ends.
    static func restore() {
        guard isArmed.load(ordering: .acquiring), tcgetpgrp(STDIN_FILENO) == getpgrp() else {
            return
        }
        unsafe tcsetattr(STDIN_FILENO, TCSANOW, keptAttributes)
    }

    /// Stops guarding: the terminal has been restored.
    static func disarm() { isArmed.store(false, ordering: .releasing) }
}

private let isArmed = Atomic<Bool>(false)
private let hasFullScreen = Atomic<Bool>(false)
/// The sequence that ends a full screen. Allocated in advance, as the attributes are.
nonisolated(unsafe) private let leaveSequence = {
    let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(
        capacity: ScreenControl.leave.utf8.count)
    _ = unsafe bytes.initialize(from: ScreenControl.leave.utf8)
    return unsafe bytes
}()
/// Allocated in advance, since a signal handler must not allocate.
nonisolated(unsafe) private let keptAttributes = UnsafeMutablePointer<termios>.allocate(capacity: 1)

/// A signal handler: calls only async-signal-safe functions.
private func restoreAndDie(_ number: Int32) {
    if isArmed.load(ordering: .acquiring), tcgetpgrp(STDIN_FILENO) == getpgrp() {
        unsafe tcsetattr(STDIN_FILENO, TCSANOW, keptAttributes)
        if hasFullScreen.load(ordering: .acquiring) {
            unsafe write(STDOUT_FILENO, leaveSequence.baseAddress, leaveSequence.count)
        }
        unsafe write(STDERR_FILENO, "\n", 1)
    }
    signal(number, SIG_DFL)
    raise(number)
}
