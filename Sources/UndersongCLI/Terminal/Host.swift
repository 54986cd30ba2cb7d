import CommandOptions
import Dispatch
import Glibc
import Synchronization

/// Stands between the shell and the service: turns signals and the terminal's state into the host's
/// state, and ends the program when it is asked to.
final class Host: Sendable {
    /// How often a terminal is asked who is in its foreground, in milliseconds.
    private static let watchInterval = 50
    /// A service that has not ended a run this long after it was asked to is abandoned.
    private static let stopDeadline = 280

    /// What the host's changes mean to the verb that runs.
    struct Duties: Sendable {
        /// Informs the service of a new state; what it sends is on its way when this returns.
        var enter: @Sendable (HostState, _ source: String) -> Void
        /// Asks the service whether it is suspended now; nil: without a terminal this program ends.
        var isSuspended: (@Sendable (_ then: @escaping @Sendable (Bool) -> Void) -> Void)?
        /// Asks the service to stop, which `leave` answers; nil: there is nothing to stop.
        var stop: (@Sendable (Host) -> Void)?
    }

    private let terminal: HostTerminal
    private let screen: Screen?
    private let keyboard: Keyboard?
    private let duties: Duties
    /// The signal that ended the program, 0 for none.
    private let stoppedBy = Atomic<Int32>(0)

    init(
        _ terminal: HostTerminal, screen: Screen? = nil, keyboard: Keyboard? = nil, _ duties: Duties
    ) {
        self.terminal = terminal
        self.screen = screen
        self.keyboard = keyboard
        self.duties = duties
    }

    /// Takes signals until the program exits. The service knows of the state `reported`. Belongs to the
    /// main thread.
    func follow(_ signals: HostSignals, reported: HostState) -> Never {
        var reported = reported
        if terminal.isForeground { keyboard?.take() }
        while true {
            let state = terminal.state
            if state != reported { enter(state) }
            reported = state
            let isWatched = terminal.isWatched(in: state)
            switch signals.next(within: isWatched ? Self.watchInterval : nil) {
            case .some(let number) where HostSignals.ends.contains(number): stop(by: number)
            case .some(SIGHUP):
                hangUp()
                reported = terminal.state
            case .some(SIGTSTP): reported = suspend(signals)
            case .some(SIGCONT): renew()
            case .some(SIGWINCH): screen?.redraw()
            default: break
            }
        }
    }

    /// Whether a signal has ended the program already.
    var isLeaving: Bool { stoppedBy.load(ordering: .relaxed) != 0 }

    /// Ends the program; after a signal with the status that says so. Other threads still run, which
    /// exit's clean-up would meet.
    func leave(_ status: Int32) -> Never {
        restoreTerminal()
        let number = stoppedBy.load(ordering: .relaxed)
        _exit(number == 0 ? status : 128 + number)
    }

    /// Ends the program since nobody reads any more what it writes, and what it has begun with it.
    func leaveByBrokenPipe() -> Never {
        duties.stop?(self)
        restoreTerminal()
        endByBrokenPipe()
    }

    private func restoreTerminal() {
        screen?.close()
        keyboard?.close(isForeground: terminal.isForeground)
    }

    private func enter(_ state: HostState) {
        if terminal.isForeground {
            keyboard?.take()
            screen?.redraw()
        }
        duties.enter(state, terminal.source)
    }

    /// Job control has let the program continue, and may have left the terminal to its shell before.
    private func renew() {
        guard terminal.isForeground else { return }
        keyboard?.renew()
        screen?.redraw()
    }

    /// The terminal is closed; the service decides whether music continues. Without a terminal nobody
    /// can bring it back here: this program runs on only as long as there is something to follow.
    private func hangUp() {
        terminal.hangUp()
        duties.enter(terminal.state, terminal.source)
        restoreTerminal()
        guard screen == nil, let isSuspended = duties.isSuspended else { _exit(128 + SIGHUP) }
        isSuspended { if $0 { _exit(128 + SIGHUP) } }
    }

    private func stop(by number: Int32) {
        let (isFirst, _) = stoppedBy.compareExchange(
            expected: 0, desired: number, ordering: .relaxed)
        guard isFirst, let stop = duties.stop else { leave(128 + number) }
        let deadline = DispatchTime.now() + .milliseconds(Self.stopDeadline)
        DispatchQueue(label: "undersong.stop").asyncAfter(deadline: deadline) { [self] in
            leave(128 + number)
        }
        stop(self)
    }

    /// Ctrl-Z: the shell waits for a real stop, and the service plays on or not. Returns the state
    /// after it, which the service knows of.
    private func suspend(_ signals: HostSignals) -> HostState {
        duties.enter(terminal.stoppedState, terminal.source)
        screen?.hide()
        if terminal.isForeground { keyboard?.release() }
        signals.stopProcess()
        let state = terminal.state
        if terminal.isForeground { keyboard?.take() }
        screen?.show()
        duties.enter(state, terminal.source)
        return state
    }
}
