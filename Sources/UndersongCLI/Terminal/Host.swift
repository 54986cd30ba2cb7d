import AudioSession
import Background
import Dispatch
import Glibc
import Playback
import Synchronization

/// Stands between the shell and the session: turns signals and the terminal's state into the host's
/// state, and stops the session when it is told to.
final class Host: Sendable {
    /// How often a terminal is asked who is in its foreground, in milliseconds.
    private static let watchInterval = 50
    /// A session that has not ended this long after it was told to is left behind.
    private static let stopDeadline = 280
    /// How long job control's stop waits for silence.
    private static let holdDeadline = 150

    private let session: AudioSession
    private let terminal: HostTerminal
    private let writer: EventWriter
    private let keyboard: Keyboard?
    /// The signal that ended the session, 0 for none.
    private let stoppedBy = Atomic<Int32>(0)
    private let isPlaying = Atomic<Bool>(false)
    private let silence = DispatchSemaphore(value: 0)

    init(
        _ session: AudioSession, terminal: HostTerminal, writer: EventWriter, keyboard: Keyboard?
    ) {
        self.session = session
        self.terminal = terminal
        self.writer = writer
        self.keyboard = keyboard
    }

    /// Takes an event in. Called on the thread where it happened.
    func follow(_ event: SessionEvent) {
        guard case .state = event.kind else { return }
        let isPlaying = event.snapshot.status == .playing
        self.isPlaying.store(isPlaying, ordering: .relaxed)
        if !isPlaying { silence.signal() }
    }

    /// Takes signals until the program exits. Belongs to the main thread.
    func follow(_ signals: HostSignals) -> Never {
        var told: ApplicationState?
        while true {
            let state = terminal.state
            if state != told { enter(state) }
            told = state
            let isWatched = terminal.isWatched(in: state)
            switch signals.next(within: isWatched ? Self.watchInterval : nil) {
            case .some(let number) where number == SIGINT || number == SIGTERM:
                stop(by: number)
            case .some(SIGHUP):
                terminal.hangUp()
                endWithoutHost()
            case .some(SIGTSTP):
                told = suspend(signals)
            default:
                break
            }
        }
    }

    /// The exit status that `end` stands for.
    func exitStatus(of end: SessionEnd) -> Int32 {
        let number = stoppedBy.load(ordering: .relaxed)
        if number != 0 { return 128 + number }
        switch end.reason {
        case .outputFailed(.serverUnavailable), .outputFailed(.serverLost): return 69
        case .outputFailed: return 1
        case .finished, .stopped: return end.playedCount > 0 ? 0 : 1
        }
    }

    /// Ends the program. Other threads still run, which exit's clean-up would meet.
    func leave(_ status: Int32) -> Never {
        if terminal.isForeground { keyboard?.release() }
        _exit(status)
    }

    private func enter(_ state: ApplicationState) {
        if terminal.isForeground { keyboard?.take() }
        Task(executorPreference: session.executor) { [session, terminal] in
            await session.enter(state, source: terminal.source)
        }
    }

    /// Without a terminal nobody can bring a suspended session back: it ends, unless it may play on.
    private func endWithoutHost() {
        Task(executorPreference: session.executor) { [self] in
            await session.enter(terminal.state, source: terminal.source)
            if await !session.isAllowed { stop(by: SIGHUP) }
        }
    }

    private func stop(by number: Int32) {
        let (isFirst, _) = stoppedBy.compareExchange(
            expected: 0, desired: number, ordering: .relaxed)
        guard isFirst else { leave(128 + number) }
        Task(executorPreference: session.executor) { [session] in await session.stop() }
        let deadline = DispatchTime.now() + .milliseconds(Self.stopDeadline)
        DispatchQueue(label: "undersong.stop").asyncAfter(deadline: deadline) { [self] in
            leave(128 + number)
        }
    }

    /// Ctrl-Z: the shell waits for a real stop, in which nothing of this process can sound. So the
    /// sound is held first, and goes on with the very next sample when the process does. Returns the
    /// state in which that is.
    private func suspend(_ signals: HostSignals) -> ApplicationState {
        while silence.wait(timeout: .now()) == .success {}
        let wasPlaying = isPlaying.load(ordering: .relaxed)
        Task(executorPreference: session.executor) { [session, terminal] in
            await session.setHostStopped(true)
            await session.enter(terminal.stoppedState, source: terminal.source)
        }
        if wasPlaying { _ = silence.wait(timeout: .now() + .milliseconds(Self.holdDeadline)) }
        writer.finish(within: Self.holdDeadline)
        keyboard?.release()
        signals.stopProcess()
        if terminal.isForeground { keyboard?.take() }
        let state = terminal.state
        Task(executorPreference: session.executor) { [session, terminal] in
            await session.enter(state, source: terminal.source)
            await session.setHostStopped(false)
        }
        return state
    }
}
