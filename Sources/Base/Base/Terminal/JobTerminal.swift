import Glibc
import Synchronization

/// The controlling terminal of this process, and the part of it that job control gives the process's
/// group: the foreground or the background. Any thread may use it.
package final class JobTerminal: Sendable {
    /// The controlling terminal; -1 if there is none.
    private let descriptor: Int32
    private let hasHungUp = Atomic<Bool>(false)

    /// Opens the terminal, if there is one and it `isWanted`.
    package init(isWanted: Bool = true) {
        descriptor = isWanted ? unsafe open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC) : -1
    }

    /// True if there was a terminal at the beginning.
    package var exists: Bool { descriptor >= 0 }

    /// True if the process may change between foreground and background without a signal. It may
    /// leave the background by `fg` of a running job. It may leave the foreground unless this is the
    /// shell's own job, which only a stop or a hang-up ends, both with a signal: a script that ends
    /// returns the terminal without any signal to the programs it has started.
    package func isWatched(inForeground: Bool) -> Bool {
        guard descriptor >= 0, !hasHungUp.load(ordering: .relaxed), tcgetpgrp(descriptor) >= 0
        else { return false }
        return !inForeground || getpid() != getpgrp() || Signals.isIgnored(SIGHUP)
    }

    /// Reports that the terminal is closed: from now on the process is in the background.
    package func hangUp() { hasHungUp.store(true, ordering: .relaxed) }

    /// True while the process's group is in the foreground, and if there is no terminal; false once
    /// the terminal is closed.
    package var isJobInForeground: Bool { !hasHungUp.load(ordering: .relaxed) && isForeground }

    /// True if this process may write to the terminal and read from it.
    package var isForeground: Bool { descriptor < 0 || tcgetpgrp(descriptor) == getpgrp() }
}
