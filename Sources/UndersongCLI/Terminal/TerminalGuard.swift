import Glibc
import Synchronization

/// Puts the terminal back as it was when the program crashes, so that the shell that comes after it
/// can be used.
enum TerminalGuard {
    /// The signals of a crash.
    private static let crashes = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS]

    /// Takes care of `attributes` from now on, those that the standard input's terminal had.
    static func arm(_ attributes: termios) {
        unsafe keptAttributes.pointee = attributes
        isArmed.store(true, ordering: .releasing)
        for number in crashes { signal(number, restoreAndDie) }
    }

    /// The terminal is as it was.
    static func disarm() { isArmed.store(false, ordering: .releasing) }
}

private let isArmed = Atomic<Bool>(false)
/// Made before any handler, which must not allocate.
nonisolated(unsafe) private let keptAttributes = UnsafeMutablePointer<termios>.allocate(capacity: 1)

/// A signal handler: it calls nothing but what POSIX allows there.
private func restoreAndDie(_ number: Int32) {
    if isArmed.load(ordering: .acquiring), tcgetpgrp(STDIN_FILENO) == getpgrp() {
        unsafe tcsetattr(STDIN_FILENO, TCSANOW, keptAttributes)
        unsafe write(STDERR_FILENO, "\n", 1)
    }
    signal(number, SIG_DFL)
    raise(number)
}
