import Glibc
import Synchronization

/// Restores the terminal if the program crashes, so that the shell remains usable.
enum TerminalGuard {
    /// The signals of a crash.
    private static let crashes = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS]

    /// Starts guarding `attributes`, the original ones of the standard input's terminal.
    static func arm(_ attributes: termios) {
        unsafe keptAttributes.pointee = attributes
        isArmed.store(true, ordering: .releasing)
        for number in crashes { signal(number, restoreAndDie) }
    }

    /// Stops guarding: the terminal has been restored.
    static func disarm() { isArmed.store(false, ordering: .releasing) }
}

private let isArmed = Atomic<Bool>(false)
/// Allocated in advance, since a signal handler must not allocate.
nonisolated(unsafe) private let keptAttributes = UnsafeMutablePointer<termios>.allocate(capacity: 1)

/// A signal handler: calls only async-signal-safe functions.
private func restoreAndDie(_ number: Int32) {
    if isArmed.load(ordering: .acquiring), tcgetpgrp(STDIN_FILENO) == getpgrp() {
        unsafe tcsetattr(STDIN_FILENO, TCSANOW, keptAttributes)
        unsafe write(STDERR_FILENO, "\n", 1)
    }
    signal(number, SIG_DFL)
    raise(number)
}
