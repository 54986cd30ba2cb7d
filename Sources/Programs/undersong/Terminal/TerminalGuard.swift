import Glibc
import Synchronization

/// Restores the terminal if the program crashes, so that the shell remains usable.
enum TerminalGuard {
    /// The signals of a crash.
    private static let crashes = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS]

    /// Whether the terminal shows a full screen, which has to be left too.
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
/// What ends a full screen. Allocated in advance, as the attributes are.
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
