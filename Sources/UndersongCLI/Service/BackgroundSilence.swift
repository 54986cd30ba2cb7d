import Control

/// Silence where sound was wanted, since the host is in the background without the capability.
/// Nobody can guess that, so it is said once, with the remedy, whenever it begins.
struct BackgroundSilence {
    /// What is said.
    static let message =
        "silent in the background: the audio mode is not declared. "
        + "Declare it with: undersong capability audio on"

    private static let reason = "appBackgrounded"

    private var isTold = false
    /// Where the host's state was seen last.
    private var source: String?
    /// Whether the queue was heard to its end, and nothing has come into it since.
    private var isAtEnd = false

    /// Whether that is why a player is silent.
    static func isReason(of status: Status) -> Bool {
        status.wantsPlayback && status.item != nil && status.reason == reason
    }

    /// Takes an event in. Returns whether it is time to say it: not where a terminal has been given
    /// back to this program meanwhile, as by `fg`.
    mutating func take(_ event: PlayerEvent, isForeground: Bool) -> Bool {
        switch event.kind {
        case .application(let application): source = application.source
        case .queue: isAtEnd = false
        default: break
        }
        guard case .state = event.kind else { return false }
        if event.head.status == "playing" { isAtEnd = false }
        if event.head.reason == "noItemToPlay" { isAtEnd = true }
        guard event.head.status == "paused", event.head.reason == Self.reason else {
            isTold = false
            return false
        }
        if isTold || isAtEnd || source == "terminal" && isForeground { return false }
        isTold = true
        return true
    }
}
