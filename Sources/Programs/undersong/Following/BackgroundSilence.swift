import UndersongBackground
import UndersongControl
import UndersongPlayback

/// Detects that a player which should play is silent because the host is in the background without
/// the capability. The user cannot guess that, so it is reported once each time it begins, with the
/// remedy.
struct BackgroundSilence {
    /// The report.
    static let message =
        "paused: music may not play in the background yet. "
        + "Allow it with: undersong capability audio on"

    private var isReported = false
    /// The last known source of the host's state.
    private var source: String?
    /// Whether the queue was heard to its end, and nothing was added since.
    private var isAtEnd = false

    /// Whether the player is silent for that reason.
    static func isReason(of status: PlayerStatus) -> Bool {
        status.wantsPlayback && status.item != nil && status.reason == .known(.appBackgrounded)
    }

    /// Handles an event. Returns whether to report now: not if a terminal has been given back to
    /// this program meanwhile, as by `fg`.
    mutating func handle(_ event: PlayerEvent, isForeground: Bool) -> Bool {
        switch event.kind {
        case .application(_, let source): self.source = source
        case .queue: isAtEnd = false
        default: break
        }
        guard case .state = event.kind else { return false }
        if event.head.status == .playing { isAtEnd = false }
        if event.head.reason == .known(.noItemToPlay) { isAtEnd = true }
        guard event.head.reason == .known(.appBackgrounded) else {
            isReported = false
            return false
        }
        if isReported || isAtEnd || source == "terminal" && isForeground { return false }
        isReported = true
        return true
    }
}
