import CUndersongLinux
import Dispatch
import Glibc
import Synchronization
import UndersongBackground
import UndersongBase
import UndersongCommandOptions

/// Connects the shell with the service: turns signals and the terminal's state into the host's
/// state, and ends the program on request.
final class Host: Sendable {
    /// The milliseconds between checks of a terminal's foreground process group.
    private static let watchInterval = 50
    /// The milliseconds that a service may take to end a run.
    private static let stopDeadline = 280

    /// The verb's handlers of the host's changes.
    struct Handlers: Sendable {
        /// Reports a new state to the service; the message has been sent when this returns.
        var enter: @Sendable (ApplicationState, _ source: String) -> Void
        /// Asks the service whether it is suspended; nil if the program simply ends without a
        /// terminal.
        var isSuspended: (@Sendable (_ then: @escaping @Sendable (Bool) -> Void) -> Void)?
        /// Asks the service to stop, and calls `leave` when it has; nil if there is nothing to
        /// stop.
        var stop: (@Sendable (Host) -> Void)?
    }

    private let terminal: HostTerminal
    private let screen: (any HostDisplay)?
    private let keyboard: Keyboard?
    private let jobControl: JobControl
    private let handlers: Handlers
    /// The signal that ends the program; 0 for none.
    private let stoppedBy = Atomic<Int32>(0)

    init(
        _ terminal: HostTerminal, screen: (any HostDisplay)? = nil, keyboard: Keyboard? = nil,
        _ jobControl: JobControl, _ handlers: Handlers
    ) {
        self.terminal = terminal
        self.jobControl = jobControl
        self.screen = screen
        self.keyboard = keyboard
        self.handlers = handlers
    }

    /// Handles signals until the program exits. `reported` is the state that the service has been
    /// sent. Main thread only.
    func follow(_ signals: HostSignals, reported: ApplicationState) -> Never {
        var reported = reported
        if terminal.isForeground { keyboard?.acquire() }
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
            case .some(SIGTSTP): reported = suspend()
            case .some(SIGCONT):
                jobControl.reportContinuation()
                renew()
            case .some(SIGWINCH): screen?.redraw()
            default: break
            }
        }
    }

    /// True if a signal is already ending the program.
    var isLeaving: Bool { stoppedBy.load(ordering: .relaxed) != 0 }

    /// Exits; after a signal with the status for that signal. Skips the clean-up of `exit`, since
    /// other threads are still running.
    func leave(_ status: Int32) -> Never {
        restoreTerminal()
        let number = stoppedBy.load(ordering: .relaxed)
        _exit(number == 0 ? status : 128 + number)
    }

    /// Ends the program, and what it has started, since the reader of its output has gone.
    func leaveByBrokenPipe() -> Never {
        handlers.stop?(self)
        restoreTerminal()
        endByBrokenPipe()
    }

    private func restoreTerminal() {
        screen?.close()
        keyboard?.close(isForeground: terminal.isForeground)
    }

    private func enter(_ state: ApplicationState) {
        if terminal.isForeground {
            keyboard?.acquire()
            screen?.redraw()
        }
        handlers.enter(state, terminal.source)
    }

    /// Handles SIGCONT: the terminal may have been the shell's meanwhile.
    private func renew() {
        guard terminal.isForeground else { return }
        keyboard?.renew()
        screen?.redraw()
    }

    /// Handles the closing of the terminal. The service decides whether music continues. Nothing
    /// can bring this program back to the foreground, so it ends when there is nothing left to
    /// follow.
    private func hangUp() {
        terminal.hangUp()
        handlers.enter(terminal.state, terminal.source)
        restoreTerminal()
        guard screen == nil, let isSuspended = handlers.isSuspended else { _exit(128 + SIGHUP) }
        isSuspended { if $0 { _exit(128 + SIGHUP) } }
    }

    private func stop(by number: Int32) {
        let (isFirst, _) = stoppedBy.compareExchange(
            expected: 0, desired: number, ordering: .relaxed)
        guard isFirst, let stop = handlers.stop else { leave(128 + number) }
        let deadline = DispatchTime.now() + .milliseconds(Self.stopDeadline)
        DispatchQueue(label: "undersong.stop").asyncAfter(deadline: deadline) { [self] in
            leave(128 + number)
        }
        stop(self)
    }

    /// Handles Ctrl-Z: stops this process, as the shell expects, while the service continues or
    /// not. Returns the state afterwards, which has been sent to the service. It is still the
    /// background if the service has continued the process for its work.
    private func suspend() -> ApplicationState {
        handlers.enter(terminal.stoppedState, terminal.source)
        screen?.hide()
        if terminal.isForeground { keyboard?.release() }
        jobControl.stop()
        let state = terminal.state
        if terminal.isForeground { keyboard?.acquire() }
        screen?.show()
        handlers.enter(state, terminal.source)
        return state
    }
}

/// The display of a program on a terminal that it shares with the shell.
protocol HostDisplay: Sendable {
    /// Draws what is shown again, after a change of the terminal's size or of its owner.
    func redraw()
    /// Removes it until `show`, before job control stops the program.
    func hide()
    /// Shows it again.
    func show()
    /// Removes it for good.
    func close()
}

/// The signals by which a shell and a terminal control this process, taken one at a time by the
/// main thread. Create this before any other thread, so that none is interrupted.
struct HostSignals: Sendable {
    /// The signals that ask the program to end.
    static let ends = [SIGINT, SIGTERM, SIGQUIT]

    private var set = sigset_t()

    /// Blocks the signals for the whole process. A signal that is ignored already, as SIGHUP is
    /// under `nohup`, stays ignored.
    init() {
        signal(SIGPIPE, SIG_IGN)
        unsafe sigemptyset(&set)
        let awaited = Self.ends + JobControl.signals + [SIGHUP, SIGWINCH]
        for number in awaited where !Signals.isIgnored(number) {
            unsafe sigaddset(&set, number)
        }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// The next signal, or nil if none arrives within `milliseconds`; nil waits forever.
    func next(within milliseconds: Int?) -> Int32? {
        var set = set
        while true {
            let number: Int32
            if let milliseconds {
                var time = timespec(
                    tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
                number = unsafe sigtimedwait(&set, nil, &time)
            } else {
                number = unsafe sigwaitinfo(&set, nil)
            }
            if number > 0 { return number }
            if errno == EAGAIN { return nil }
        }
    }
}

/// Determines the host's state from the terminal's job control: the host is active while the
/// client's process group is in the foreground, and if there is no terminal.
final class HostTerminal: Sendable {
    /// The source of the state, as reported to the service.
    let source: String

    private let fixed: ApplicationState?
    private let terminal: JobTerminal

    /// Finds the terminal, unless `option` sets the state itself.
    init(option: HostOption = .auto) {
        fixed = ApplicationState(name: option.rawValue)
        terminal = JobTerminal(isWanted: fixed == nil)
        source = fixed != nil ? "option" : terminal.exists ? "terminal" : "none"
    }

    /// True if the state depends on a terminal.
    var exists: Bool { terminal.exists }

    /// True if the host may leave `state` without a signal to this process.
    func isWatched(in state: ApplicationState) -> Bool {
        terminal.isWatched(inForeground: state != .background)
    }

    /// Reports that the terminal is closed: from now on the host is in the background.
    func hangUp() { terminal.hangUp() }

    /// The current state.
    var state: ApplicationState {
        if let fixed { return fixed }
        return terminal.isJobInForeground ? .active : .background
    }

    /// The state while job control has stopped this process.
    var stoppedState: ApplicationState { fixed ?? .background }

    /// True if this program may write to the terminal.
    var isForeground: Bool { terminal.isForeground }
}
