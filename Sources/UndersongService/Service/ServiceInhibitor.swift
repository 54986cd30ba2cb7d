import AudioSession
import LinuxPlatform
import Synchronization

/// Keeps the machine from falling asleep by itself while sound runs, where the settings say so.
final class ServiceInhibitor: Sendable {
    private struct State {
        var inhibitsSleep: Bool
        var isPlaying = false
        /// What was told last.
        var isWanted = false
        /// Who is told.
        var monitor: LoginMonitor?
    }

    private let state: Mutex<State>

    /// Begins with what the settings say.
    init(inhibitsSleep: Bool) { state = Mutex(State(inhibitsSleep: inhibitsSleep)) }

    /// Tells `monitor` what is wanted, from now on; nil: nobody.
    func tell(_ monitor: LoginMonitor?) {
        state.withLock { state in
            state.monitor = monitor
            if state.isWanted { monitor?.preventIdleSleep(true) }
        }
    }

    /// Takes an event in, on the thread where it happened: it neither waits nor blocks.
    func take(_ event: SessionEvent) {
        switch event.kind {
        case .settings, .state, .runEnded, .end: break
        default: return
        }
        state.withLock { state in
            if case .settings(let settings) = event.kind {
                state.inhibitsSleep = settings.inhibitsSleep
            }
            state.isPlaying = event.snapshot.status == .playing
            let isWanted = state.inhibitsSleep && state.isPlaying
            guard isWanted != state.isWanted else { return }
            state.isWanted = isWanted
            // Under the lock, so that two threads do not tell it in the wrong order.
            state.monitor?.preventIdleSleep(isWanted)
        }
    }
}
