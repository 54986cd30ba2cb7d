import CommandOptions
import Glibc
import Synchronization

/// Finds the host's state by the terminal's job control: the host is active while the client's
/// process group is the one in the foreground, and where there is no terminal at all.
final class HostTerminal: Sendable {
    /// What the service is given as the source of the state.
    let source: String

    private let fixed: HostState?
    /// The controlling terminal, -1 where there is none.
    private let descriptor: Int32
    private let hasHungUp = Atomic<Bool>(false)

    /// Looks for the terminal, unless `option` says the state itself.
    init(option: HostOption = .auto) {
        fixed = HostState(rawValue: option.rawValue)
        descriptor = fixed == nil ? unsafe open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC) : -1
        source = fixed != nil ? "option" : descriptor < 0 ? "none" : "terminal"
    }

    /// Whether the state is a terminal's.
    var exists: Bool { descriptor >= 0 }

    /// Whether the host may leave `state` without a signal to this process: the background by `fg`
    /// of a running job; the foreground unless this is the shell's own job, which only a stop or the
    /// terminal's end takes away, and both are reported. A script's end hands the terminal back without
    /// a word to what it has started.
    func isWatched(in state: HostState) -> Bool {
        guard descriptor >= 0, !hasHungUp.load(ordering: .relaxed), tcgetpgrp(descriptor) >= 0
        else { return false }
        return state == .background || getpid() != getpgrp() || Signals.isIgnored(SIGHUP)
    }

    /// The terminal is closed: from now on the host is in the background.
    func hangUp() { hasHungUp.store(true, ordering: .relaxed) }

    /// The state now.
    var state: HostState {
        if let fixed { return fixed }
        if hasHungUp.load(ordering: .relaxed) { return .background }
        return isForeground ? .active : .background
    }

    /// The state while job control has stopped this process.
    var stoppedState: HostState { fixed ?? .background }

    /// Whether writing to the terminal disturbs nobody.
    var isForeground: Bool { descriptor < 0 || tcgetpgrp(descriptor) == getpgrp() }
}
