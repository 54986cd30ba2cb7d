import Synchronization
import UndersongAudioSession
import UndersongBackground
import UndersongLinuxPlatform
import UndersongPlayback

/// Keeps the machine from going to sleep by itself while playing, if the settings say so.
final class ServiceInhibitor: Sendable {
    private struct State {
        var inhibition: SleepInhibition
        var isPlaying = false
        /// The last request to the monitor.
        var isWanted = false
        /// The monitor that receives the requests.
        var monitor: LoginMonitor?
    }

    private let state: Mutex<State>

    /// Creates an inhibitor with the initial setting.
    init(inhibits inhibition: SleepInhibition) {
        state = Mutex(State(inhibition: inhibition))
    }

    /// Sends requests to `monitor` from now on; nil for none.
    func use(_ monitor: LoginMonitor?) {
        state.withLock { state in
            state.monitor = monitor
            if state.isWanted { monitor?.preventIdleSleep(true) }
        }
    }

    /// Handles an event on the thread where it happened, without blocking.
    func receive(_ event: PlayerEvent) {
        switch event.kind {
        case .settings, .state, .runEnded, .end: break
        default: return
        }
        state.withLock { state in
            if case .settings(let settings) = event.kind {
                state.inhibition = settings.inhibit ?? .nothing
            }
            state.isPlaying = event.head.status == .playing
            let isWanted = state.inhibition == .sleep && state.isPlaying
            guard isWanted != state.isWanted else { return }
            state.isWanted = isWanted
            // Called under the lock, so that two threads cannot send requests in the wrong order.
            state.monitor?.preventIdleSleep(isWanted)
        }
    }
}
