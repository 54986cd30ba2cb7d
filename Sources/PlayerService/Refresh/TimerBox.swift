import Playback
import Synchronization

/// Holds the timer that was set last.
final class TimerBox: Sendable {
    private let timer = Mutex<HostTimer?>(nil)

    /// Cancels the timer, and holds another one.
    func replace(_ new: HostTimer?) {
        let old = timer.withLock { timer in
            defer { timer = new }
            return timer
        }
        old?.cancel()
    }
}
