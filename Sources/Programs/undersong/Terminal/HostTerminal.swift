import Glibc
import Synchronization
import UndersongBackground
import UndersongCommandOptions

/// Determines the host's state from the terminal's job control: the host is active while the
/// client's process group is in the foreground, and if there is no terminal.
final class HostTerminal: Sendable {
    /// The source of the state, as reported to the service.
    let source: String

    private let fixed: ApplicationState?
    /// The controlling terminal; -1 if there is none.
    private let descriptor: Int32
    private let hasHungUp = Atomic<Bool>(false)

    /// Finds the terminal, unless `option` sets the state itself.
    init(option: HostOption = .auto) {
        fixed = ApplicationState(name: option.rawValue)
        descriptor = fixed == nil ? unsafe open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC) : -1
        source = fixed != nil ? "option" : descriptor < 0 ? "none" : "terminal"
    }

    /// Whether the state depends on a terminal.
    var exists: Bool { descriptor >= 0 }

    /// Whether the host may leave `state` without a signal to this process. It may leave the
    /// background by `fg` of a running job. It may leave the foreground unless this is the shell's
    /// own job, which only a stop or a hang-up ends, both with a signal: a script that ends returns
    /// the terminal without any signal to the programs it has started.
    func isWatched(in state: ApplicationState) -> Bool {
        guard descriptor >= 0, !hasHungUp.load(ordering: .relaxed), tcgetpgrp(descriptor) >= 0
        else { return false }
        return state == .background || getpid() != getpgrp() || Signals.isIgnored(SIGHUP)
    }

    /// Reports that the terminal is closed: from now on the host is in the background.
    func hangUp() { hasHungUp.store(true, ordering: .relaxed) }

    /// The current state.
    var state: ApplicationState {
        if let fixed { return fixed }
        if hasHungUp.load(ordering: .relaxed) { return .background }
        return isForeground ? .active : .background
    }

    /// The state while job control has stopped this process.
    var stoppedState: ApplicationState { fixed ?? .background }

    /// Whether this program may write to the terminal.
    var isForeground: Bool { descriptor < 0 || tcgetpgrp(descriptor) == getpgrp() }
}
