import UndersongBackground
import UndersongControl
import UndersongPlayback

/// A message of the service without a request.
enum Notice: Sendable {
    /// An event.
    case event(PlayerEvent)
    /// Nothing can be written to this program's standard output any more: because of an error, or,
    /// if that is nil, because the reader has gone.
    case outputLost(String?)
    case analysis(AnalysisNotice)
    case runEnded(SessionEnd)
    case taskExpiring(TaskExpiring)
    case taskTerminated(TaskTerminated)
    case refreshLaunch(RefreshLaunch)
    case refreshExpiring(RefreshExpiring)
    case refreshEnded(RefreshEnded)
    case pushReceived(PushReceived)
    case pushExpired(PushExpired)
    /// The connection to the service is lost; this is the last notice.
    case lost
}
